/* SPDX-License-Identifier: GPL-2.0 */
/* A small HTTP server without threads: one page, made when it is asked for. */
#ifndef MR_HTTP_SERVER_H
#define MR_HTTP_SERVER_H

#include <stddef.h>

struct http_server;

/* The path of the page; "/" has a link to it */
#define HTTP_PAGE "/metrics"

struct http_page {
	char *content;		/* to be freed */
	size_t length;
	const char *content_type;
};

/*
 * @accept: the header of this name, never NULL.
 */
typedef struct http_page http_make_page(void *context, const char *accept);

/*
 * @address: "127.0.0.1:9100", "[::1]:9100", "localhost:9100"; a port alone is
 * one of 127.0.0.1. Ends the program with a message if it cannot be had.
 */
struct http_server *http_start(const char *address, http_make_page *make_page,
			       void *context);

/* Readable when there is something to do */
int http_file(const struct http_server *server);

/* In how many seconds there is something to do anyhow, at most @limit_s */
double http_timeout_s(const struct http_server *server, double limit_s);

/* Do it, without waiting */
void http_run(struct http_server *server);

void http_stop(struct http_server *server);

#endif
