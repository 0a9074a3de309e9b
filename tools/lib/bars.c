// SPDX-License-Identifier: GPL-2.0
/* Numbers as heights and lengths: block characters, or what ASCII has. */
#include "bars.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>

#define HEIGHTS 8

/* The lowest is for nothing at all */
static const char *const block_heights[HEIGHTS] = {
	"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█",
};

static const char *const ascii_heights[HEIGHTS] = {
	"_", ".", ":", "-", "=", "+", "*", "#",
};

static const char *const *heights = ascii_heights;
static const char *full = "#";

void bars_use_blocks(bool blocks)
{
	heights = blocks ? block_heights : ascii_heights;
	full = blocks ? "█" : "#";
}

void bars_setup(void)
{
	setlocale(LC_CTYPE, "");
	bars_use_blocks(!strcmp(nl_langinfo(CODESET), "UTF-8"));
}

static const char *height(float value, float max)
{
	size_t step;

	if (value < 0)
		return " ";
	if (value == 0)
		return heights[0];
	step = 1 + (size_t)(value / max * (HEIGHTS - 2) + 0.5f);
	return heights[step < HEIGHTS ? step : HEIGHTS - 1];
}

void bars_trend(const float *values, size_t count, size_t width, char *text)
{
	size_t first = count > width ? count - width : 0;
	float max = 0;

	for (size_t i = first; i < count; i++) {
		if (max < values[i])
			max = values[i];
	}
	*text = '\0';
	for (size_t i = count; i < width; i++)
		text = stpcpy(text, " ");
	for (size_t i = first; i < count; i++)
		text = stpcpy(text, height(values[i], max));
}

void bars_length(double value, double max, size_t width, char *text)
{
	size_t length = 0;

	if (value > 0 && max > 0)
		length = (size_t)(value / max * (double)width + 0.5);
	/* Little is not nothing */
	if (value > 0 && !length)
		length = 1;
	*text = '\0';
	for (size_t i = 0; i < length && i < width; i++)
		text = stpcpy(text, full);
}

size_t bars_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}
