#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# export.sh for the mode kprobe: kprobes and the stock trace events. For the virtual
# machine, with and without --stock.

TOP_MODE=kprobe
# shellcheck source=selftests/tools/export.sh
. "$TOP/selftests/tools/export.sh"
