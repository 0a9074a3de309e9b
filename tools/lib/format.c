// SPDX-License-Identifier: GPL-2.0
/* Numbers for people, in at most six characters. */
#include "format.h"

#include <stdio.h>

/* Three digits that count: "4.25" is no better than "4.2" on a screen */
static void format_short(double value, const char *unit, char *buffer,
			 size_t size)
{
	snprintf(buffer, size, "%.*f%s", value < 99.95 ? 1 : 0, value, unit);
}

static void format_large(double value, char *buffer, size_t size)
{
	static const char *const units[] = { "k", "M", "G", "T", "P", "E" };
	size_t unit = 0;

	value /= 1000;
	while (value >= 999.5 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		value /= 1000;
		unit++;
	}
	format_short(value, units[unit], buffer, size);
}

void format_rate(double per_second, char *buffer, size_t size)
{
	if (per_second <= 0)
		snprintf(buffer, size, "0");
	else if (per_second >= 99999.5)
		format_large(per_second, buffer, size);
	else
		format_short(per_second, "", buffer, size);
}

void format_ratio(double ratio, char *buffer, size_t size)
{
	if (ratio < 0)
		snprintf(buffer, size, "-");
	else
		snprintf(buffer, size, "%.2f", ratio);
}

void format_count(__u64 count, char *buffer, size_t size)
{
	if (count < 100000)
		snprintf(buffer, size, "%llu", count);
	else
		format_large((double)count, buffer, size);
}

void format_us(double us, char *buffer, size_t size)
{
	if (us < 0)
		snprintf(buffer, size, "-");
	else if (us < 999.5)
		snprintf(buffer, size, "%.0fus", us);
	else if (us < 999500)
		format_short(us / 1e3, "ms", buffer, size);
	else if (us < 99999.5e6)
		format_short(us / 1e6, "s", buffer, size);
	else
		format_short(us / 3600e6, "h", buffer, size);
}
