// SPDX-License-Identifier: GPL-2.0
/* Counters of MAD requests, on a kernel with madretry's events. */
#include "count.bpf.h"
#include "events.bpf.h"

char LICENSE[] SEC("license") = "GPL";
