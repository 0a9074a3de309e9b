// SPDX-License-Identifier: GPL-2.0
/* Histograms whose bucket b counts the values from 2^b to 2^(b+1) - 1. */
#include "histogram.h"

__u64 bucket_from(unsigned int bucket)
{
	return bucket ? 1ULL << bucket : 0;
}

__u64 bucket_to(unsigned int bucket)
{
	return (2ULL << bucket) - 1;
}

__u64 histogram_count(const __u64 *buckets, size_t count)
{
	__u64 sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += buckets[i];
	return sum;
}

double histogram_percentile(const __u64 *buckets, size_t count,
			    double percent)
{
	double rank = percent / 100 * (double)histogram_count(buckets, count);
	double below = 0;

	for (unsigned int i = 0; i < count; i++) {
		double here = (double)buckets[i];

		if (here > 0 && below + here >= rank) {
			double from = (double)bucket_from(i);
			double width = (double)(bucket_to(i) + 1) - from;

			return from + width * (rank - below) / here;
		}
		below += here;
	}
	return -1;
}
