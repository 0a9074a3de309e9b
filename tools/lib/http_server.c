// SPDX-License-Identifier: GPL-2.0
/* A small HTTP server without threads: one page, made when it is asked for. */
#include "http_server.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <microhttpd.h>

#include "message.h"

/* One that asks nothing, or does not read its answer, is cut off */
#define CONNECTION_TIMEOUT_S	10
#define CONNECTIONS_MAX		16

#define LOOPBACK "127.0.0.1"

static const char start_page[] =
	"<!DOCTYPE html>\n"
	"<html lang=\"en\"><head><title>madretry-export</title></head><body>\n"
	"<h1>madretry-export</h1>\n"
	"<p><a href=\"" HTTP_PAGE "\">Metrics</a> of InfiniBand management datagrams</p>\n"
	"</body></html>\n";

struct http_server {
	struct MHD_Daemon *daemon;
	int file;
	http_make_page *make_page;
	void *context;
};

static enum MHD_Result send_response(struct MHD_Connection *connection,
				     unsigned int status, const char *type,
				     struct MHD_Response *response)
{
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW,
					"GET, HEAD");
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result send_constant(struct MHD_Connection *connection,
				     unsigned int status, const char *type,
				     const char *content)
{
	return send_response(connection, status, type,
			     MHD_create_response_from_buffer(
				strlen(content), (void *)content,
				MHD_RESPMEM_PERSISTENT));
}

static enum MHD_Result send_page(struct http_server *server,
				 struct MHD_Connection *connection)
{
	const char *accept = MHD_lookup_connection_value(
		connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
	struct http_page page = server->make_page(server->context,
						  accept ? accept : "");

	return send_response(connection, MHD_HTTP_OK, page.content_type,
			     MHD_create_response_from_buffer(
				page.length, page.content,
				MHD_RESPMEM_MUST_FREE));
}

static enum MHD_Result answer(void *context, struct MHD_Connection *connection,
			      const char *path, const char *method,
			      const char *version, const char *upload,
			      size_t *upload_size, void **state)
{
	static const char text[] = "text/plain; charset=utf-8";

	(void)version;
	(void)upload;
	(void)state;
	if (strcmp(method, MHD_HTTP_METHOD_GET) &&
	    strcmp(method, MHD_HTTP_METHOD_HEAD)) {
		*upload_size = 0;
		return send_constant(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
				     text, "GET and HEAD only\n");
	}
	if (!strcmp(path, HTTP_PAGE))
		return send_page(context, connection);
	if (!strcmp(path, "/"))
		return send_constant(connection, MHD_HTTP_OK,
				     "text/html; charset=utf-8", start_page);
	return send_constant(connection, MHD_HTTP_NOT_FOUND, text,
			     "not found; the metrics are at " HTTP_PAGE "\n");
}

/* "[::1]:9100" to "::1" and "9100"; the parts lie in a copy that is kept */
static void split(const char *address, const char **host, const char **port)
{
	char *copy = duplicate(address), *colon = strrchr(copy, ':');

	*host = LOOPBACK;
	*port = copy;
	if (!colon)
		return;
	*colon = '\0';
	*port = colon + 1;
	*host = copy;
	if (copy[0] == '[' && colon > copy + 1 && colon[-1] == ']') {
		colon[-1] = '\0';
		*host = copy + 1;
	} else if (!copy[0] || strchr(copy, ':')) {
		fail_usage("--listen '%s' is none of PORT, ADDRESS:PORT, [IPV6-ADDRESS]:PORT; 0.0.0.0:PORT is all addresses",
			   address);
	}
}

static struct addrinfo *resolve(const char *address)
{
	const struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_PASSIVE | AI_NUMERICSERV,
	};
	struct addrinfo *found;
	const char *host, *port;
	unsigned long number;
	char *end;
	int error;

	split(address, &host, &port);
	number = strtoul(port, &end, 10);
	if (!number || number > 65535 || *end || *port < '0' ||
	    *port > '9')
		fail_usage("--listen '%s' has no port from 1 to 65535",
			   address);
	error = getaddrinfo(host, port, &hints, &found);
	if (error)
		fail_usage("--listen '%s' names no address: %s", address,
			   gai_strerror(error));
	return found;
}

static int open_socket(const char *address)
{
	struct addrinfo *found = resolve(address);
	const int on = 1;
	int fd = socket(found->ai_family,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		fail_environment("cannot make a socket: %s", strerror(errno));
	/* Or the address could not be had again for a while after the end */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, found->ai_addr, found->ai_addrlen) ||
	    listen(fd, CONNECTIONS_MAX)) {
		if (errno == EADDRINUSE)
			fail_environment("cannot listen on %s: another program does; choose another port",
					 address);
		fail_environment("cannot listen on %s: %s", address,
				 strerror(errno));
	}
	freeaddrinfo(found);
	return fd;
}

struct http_server *http_start(const char *address, http_make_page *make_page,
			       void *context)
{
	struct http_server *server = allocate(1, sizeof(*server));
	const union MHD_DaemonInfo *info;
	int fd = open_socket(address);

	server->make_page = make_page;
	server->context = context;
	server->daemon = MHD_start_daemon(
		MHD_USE_EPOLL, 0, NULL, NULL,
		answer, server,
		MHD_OPTION_LISTEN_SOCKET, fd,
		MHD_OPTION_CONNECTION_TIMEOUT, CONNECTION_TIMEOUT_S,
		MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX,
		MHD_OPTION_END);
	if (!server->daemon)
		fail_environment("cannot serve HTTP on %s: %s", address,
				 strerror(errno));
	info = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	if (!info)
		fail_environment("libmicrohttpd has no epoll here");
	server->file = info->epoll_fd;
	return server;
}

int http_file(const struct http_server *server)
{
	return server->file;
}

double http_timeout_s(const struct http_server *server, double limit_s)
{
	MHD_UNSIGNED_LONG_LONG ms;

	if (MHD_get_timeout(server->daemon, &ms) != MHD_YES)
		return limit_s;
	return (double)ms / 1e3 < limit_s ? (double)ms / 1e3 : limit_s;
}

void http_run(struct http_server *server)
{
	MHD_run(server->daemon);
}

void http_stop(struct http_server *server)
{
	MHD_stop_daemon(server->daemon);
	free(server);
}
