/* SPDX-License-Identifier: GPL-2.0 */
/* The RDMA devices of this machine, as sysfs lists them. */
#ifndef MR_DEVICES_H
#define MR_DEVICES_H

/* Ends the program with a message if there is no such device */
void require_device(const char *device);

/* The same for a port: of @device, or of any device if that is NULL */
void require_port(const char *device, int port);

#endif
