# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# The RDMA stack as modules, for tests to source.
#
#   stack_unload         unload all of it, ib_core last; fails if one is in use

# In the order in which they can be unloaded
STACK_MODULES="rdma_rxe mlx5_ib ib_ipoib rdma_ucm rdma_cm iw_cm ib_umad ib_uverbs ib_cm ib_core"

stack_unload() {
	local module

	for module in $STACK_MODULES; do
		[ ! -d "/sys/module/$module" ] || rmmod "$module" || return 1
	done
}
