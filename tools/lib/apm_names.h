/* SPDX-License-Identifier: GPL-2.0 */
/* Names of what happens in path migration, as the kernel's enums have them. */
#ifndef MR_APM_NAMES_H
#define MR_APM_NAMES_H

/* enum mr_apm_cause: "LAP_SENT" */
const char *apm_cause_name(unsigned int cause);

/* enum ib_cm_lap_state: "LAP_IDLE" */
const char *lap_state_name(int state);

/* enum ib_cm_apr_status: "SUCCESS" */
const char *apr_status_name(int status);

/* enum mr_mig_state: "ARMED" */
const char *mig_state_name(int state);

/* enum mr_mig_source: "MODIFY"; an event by its name, "PATH_MIG" */
const char *mig_source_name(unsigned int source);

#endif
