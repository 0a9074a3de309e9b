#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Run the unit tests of the tools' library; cmocka prints their TAP.
exec "$BUILD/unit/tools_lib_test"
