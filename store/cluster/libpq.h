/* libpq.h - PostgreSQL's client library, loaded when a store lies in a database: no program is linked with it, so that what needs none
 * starts as before, and a program that was built on one machine runs where the library is not.
 *
 * The declarations are those of libpq.so.5, whose binary interface has been kept since 2006; what they mean stands in chapter 34 of
 * PostgreSQL's manual. Threads: any may call; a connection belongs to one at a time. */
#ifndef TSCOPE_STORE_CLUSTER_LIBPQ_H
#define TSCOPE_STORE_CLUSTER_LIBPQ_H

#include "base/error.h"

#include <stddef.h>

struct pg_conn;	  /* PGconn */
struct pg_result; /* PGresult */

enum { PQ_CONNECTION_OK = 0 };
enum { PQ_COMMAND_OK = 1, PQ_TUPLES_OK = 2, PQ_PIPELINE_SYNC = 10, PQ_PIPELINE_ABORTED = 11 };
enum { PQ_DIAG_SQLSTATE = 'C', PQ_BINARY = 1 };

struct pg_option; /* PQconninfoOption */

struct ts_libpq {
	struct pg_option *(*PQconninfoParse)(const char *conninfo, char **errmsg);
	void (*PQconninfoFree)(struct pg_option *options);
	struct pg_conn *(*PQconnectdb)(const char *conninfo);
	void (*PQfinish)(struct pg_conn *conn);
	int (*PQstatus)(const struct pg_conn *conn);
	char *(*PQerrorMessage)(const struct pg_conn *conn);
	void (*(*PQsetNoticeProcessor)(struct pg_conn *conn, void (*say)(void *ctx, const char *message), void *ctx))(void *,
														      const char *);
	int (*PQenterPipelineMode)(struct pg_conn *conn);
	int (*PQsendPrepare)(struct pg_conn *conn, const char *name, const char *query, int n, const unsigned *types);
	int (*PQsendQueryPrepared)(struct pg_conn *conn, const char *name, int n, const char *const *values, const int *lengths,
				   const int *formats, int result_format);
	int (*PQsendQueryParams)(struct pg_conn *conn, const char *command, int n, const unsigned *types, const char *const *values,
				 const int *lengths, const int *formats, int result_format);
	int (*PQpipelineSync)(struct pg_conn *conn);
	struct pg_result *(*PQgetResult)(struct pg_conn *conn);
	int (*PQresultStatus)(const struct pg_result *result);
	char *(*PQresultErrorField)(const struct pg_result *result, int field);
	char *(*PQresultErrorMessage)(const struct pg_result *result);
	int (*PQntuples)(const struct pg_result *result);
	char *(*PQgetvalue)(const struct pg_result *result, int row, int column);
	int (*PQgetlength)(const struct pg_result *result, int row, int column);
	size_t (*PQresultMemorySize)(const struct pg_result *result);
	void (*PQclear)(struct pg_result *result);
};

/* Loads the library once; TS_UNSUPPORTED, with what to install, where it is not or is older than 14, the first with pipelines. */
enum ts_status ts_libpq_load(const struct ts_libpq **ret, struct ts_error *err);

#endif
