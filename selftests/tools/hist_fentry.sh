#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# hist.sh for the mode fentry: the functions of ib_core. For the virtual
# machine, with and without --stock.

TOP_MODE=fentry
# shellcheck source=selftests/tools/hist.sh
. "$TOP/selftests/tools/hist.sh"
