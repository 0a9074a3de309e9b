#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# snoop.sh for the mode fentry: the functions of ib_core. For the virtual
# machine, with and without --stock.

TOP_MODE=fentry
# shellcheck source=selftests/tools/snoop.sh
. "$TOP/selftests/tools/snoop.sh"
