#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# snoop.sh for the mode kprobe: kprobes and the stock trace events. For the virtual
# machine, with and without --stock.

TOP_MODE=kprobe
# shellcheck source=selftests/tools/snoop.sh
. "$TOP/selftests/tools/snoop.sh"
