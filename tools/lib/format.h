/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers for people, in at most six characters. */
#ifndef MR_FORMAT_H
#define MR_FORMAT_H

#include <stddef.h>
#include <linux/types.h>

/* "0", "4.2", "118", "12.5k" */
void format_rate(double per_second, char *buffer, size_t size);

/* "0.00", "2.31", "100.00", "-" if negative */
void format_ratio(double ratio, char *buffer, size_t size);

/* "0", "99999", "100k", "1.5M" */
void format_count(__u64 count, char *buffer, size_t size);

/* "85us", "4.2ms", "12.5s", "-" if negative */
void format_us(double us, char *buffer, size_t size);

#endif
