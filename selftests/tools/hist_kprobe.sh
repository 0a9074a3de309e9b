#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# hist.sh for the mode kprobe: kprobes and the stock trace events. For the virtual
# machine, with and without --stock.

TOP_MODE=kprobe
# shellcheck source=selftests/tools/hist.sh
. "$TOP/selftests/tools/hist.sh"
