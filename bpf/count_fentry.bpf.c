// SPDX-License-Identifier: GPL-2.0
/* Counters of MAD requests, on a kernel without madretry's events. */
#include "count.bpf.h"
#include "stock.bpf.h"

char LICENSE[] SEC("license") = "GPL";
