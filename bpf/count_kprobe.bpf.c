// SPDX-License-Identifier: GPL-2.0
/* Counters of MAD requests, on a kernel whose ib_core has no BTF. */
#define HEAD_WITHOUT_BTF

#include "count.bpf.h"
#include "kprobe.bpf.h"

char LICENSE[] SEC("license") = "GPL";
