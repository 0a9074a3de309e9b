/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MADRETRY_VM_READ_TEXT_H
#define MADRETRY_VM_READ_TEXT_H

#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

/* Reads a small file into buf as a string. Returns -1 if there is none. */
static inline int read_text(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n < 0)
		return -1;
	buf[n] = '\0';
	return 0;
}

#endif
