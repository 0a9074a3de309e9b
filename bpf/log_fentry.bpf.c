// SPDX-License-Identifier: GPL-2.0
/* A record of each event of MAD requests, on a kernel without madretry's events. */
#include "log.bpf.h"
#include "stock.bpf.h"

char LICENSE[] SEC("license") = "GPL";
