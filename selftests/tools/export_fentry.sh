#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# export.sh for the mode fentry: the functions of ib_core. For the virtual
# machine, with and without --stock.

TOP_MODE=fentry
# shellcheck source=selftests/tools/export.sh
. "$TOP/selftests/tools/export.sh"
