/* SPDX-License-Identifier: GPL-2.0 */
/* Buckets of histograms, see madretry.h. */

#ifndef BUCKETS_BPF_H
#define BUCKETS_BPF_H

#include <linux/types.h>
#include <bpf/bpf_helpers.h>

static __always_inline __u32 log2_bucket(__u32 value)
{
	__u32 bucket = 0;

	if (value >> 16) {
		value >>= 16;
		bucket += 16;
	}
	if (value >> 8) {
		value >>= 8;
		bucket += 8;
	}
	if (value >> 4) {
		value >>= 4;
		bucket += 4;
	}
	if (value >> 2) {
		value >>= 2;
		bucket += 2;
	}
	return bucket + (value >> 1);
}

#endif /* BUCKETS_BPF_H */
