#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Run the unit tests; cmocka prints their TAP.
exec "$BUILD/unit/mad_retry_test"
