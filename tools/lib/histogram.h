/* SPDX-License-Identifier: GPL-2.0 */
/* Histograms whose bucket b counts the values from 2^b to 2^(b+1) - 1. */
#ifndef MR_HISTOGRAM_H
#define MR_HISTOGRAM_H

#include <stddef.h>

#include <linux/types.h>

/* Bounds of a bucket, both included; bucket 0 begins with 0 */
__u64 bucket_from(unsigned int bucket);
__u64 bucket_to(unsigned int bucket);

__u64 histogram_count(const __u64 *buckets, size_t count);

/*
 * The value below which @percent of all are, as if those of one bucket were
 * spread evenly over it; negative if there is none.
 */
double histogram_percentile(const __u64 *buckets, size_t count,
			    double percent);

#endif
