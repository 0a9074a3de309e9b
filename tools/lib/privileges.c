// SPDX-License-Identifier: GPL-2.0
/* What a program that runs for months may do is no more than it needs. */
#include "privileges.h"

#include <cap-ng.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"

static bool is_somebody_elses(const char *folder)
{
	struct stat there;

	return !stat(folder, &there) && there.st_uid != geteuid();
}

void privileges_drop(const char *folder)
{
	capng_select_t which = CAPNG_SELECT_CAPS;

	/* The bounding set is not everybody's to change */
	if (capng_have_capability(CAPNG_EFFECTIVE, CAP_SETPCAP))
		which = CAPNG_SELECT_BOTH;
	capng_clear(CAPNG_SELECT_ALL);
	if (folder && geteuid() == 0 && is_somebody_elses(folder))
		capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED |
			     CAPNG_BOUNDING_SET, CAP_DAC_OVERRIDE);
	if (capng_apply(which) || capng_apply(CAPNG_SELECT_AMBIENT) ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		fail_environment("cannot give up the capabilities that are not needed any more");
}
