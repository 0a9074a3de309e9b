// SPDX-License-Identifier: GPL-2.0
/* Files that others read while they are written again and again. */
#include "replace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"

static bool write_all(int fd, const char *content, size_t length)
{
	while (length) {
		ssize_t written = write(fd, content, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return false;
		content += written;
		length -= (size_t)written;
	}
	return true;
}

static bool write_through(const char *path, const char *content, size_t length)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 && write_all(fd, content, length);
	int error = errno;

	if (fd >= 0)
		close(fd);
	errno = error;
	return good;
}

/*
 * In the same folder, as a rename is atomic within one file system only. Its
 * name begins with a dot and ends otherwise than @path: who reads all files of
 * a folder, by their ending, does not take it for one.
 */
static char *temporary_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash + 1 - path) : 0;
	char *name;

	if (asprintf(&name, "%.*s.%s.XXXXXX", folder, path, path + folder) < 0)
		fail_environment("out of memory");
	return name;
}

/* mkstemp() lets the owner alone read its file */
static bool as_readable_as_others(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	return !fchmod(fd, 0666 & ~mask);
}

static bool write_and_rename(const char *path, const char *content,
			     size_t length)
{
	char *temporary = temporary_name(path);
	int fd = mkostemp(temporary, O_CLOEXEC);
	bool good = false;
	int error;

	if (fd >= 0) {
		good = as_readable_as_others(fd) &&
		       write_all(fd, content, length);
		good = !close(fd) && good && !rename(temporary, path);
	}
	error = errno;
	if (fd >= 0 && !good)
		unlink(temporary);
	free(temporary);
	errno = error;
	return good;
}

/* Is it something that exists and is no file? A folder is an error. */
static bool is_special(const char *path, bool *is_folder)
{
	struct stat there;

	*is_folder = false;
	if (stat(path, &there) || S_ISREG(there.st_mode))
		return false;
	*is_folder = S_ISDIR(there.st_mode);
	errno = EISDIR;
	return true;
}

bool replace_file(const char *path, const char *content, size_t length)
{
	bool is_folder;

	if (is_special(path, &is_folder))
		return !is_folder && write_through(path, content, length);
	return write_and_rename(path, content, length);
}

bool replace_file_try(const char *path)
{
	char *temporary;
	bool is_folder;
	int fd, error;

	if (is_special(path, &is_folder))
		return !is_folder;
	temporary = temporary_name(path);
	fd = mkostemp(temporary, O_CLOEXEC);
	error = errno;
	if (fd >= 0) {
		close(fd);
		unlink(temporary);
	}
	free(temporary);
	errno = error;
	return fd >= 0;
}
