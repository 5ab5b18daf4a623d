/* Tests the connections of a cluster beside a client library that is made up here: what happens with too few of them, and whose memory
 * answers are. What needs a real database is tried by tests/engines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "store/cluster/cluster_kv.h"

enum { ANSWER_BYTES = 1 << 20 };

static char connection, answer, sync_point;
static int connections;
static bool synced;

static struct pg_conn *connect_db(const char *conninfo)
{
	(void)conninfo;
	connections++;
	synced = true;
	return (struct pg_conn *)(void *)&connection;
}

static void finish(struct pg_conn *conn)
{
	(void)conn;
	connections--;
}

static int is_ok(const struct pg_conn *conn)
{
	(void)conn;
	return PQ_CONNECTION_OK;
}

static int enter(struct pg_conn *conn)
{
	(void)conn;
	return 1;
}

static void (*set_notices(struct pg_conn *conn, void (*say)(void *ctx, const char *message), void *ctx))(void *, const char *)
{
	(void)conn, (void)say, (void)ctx;
	return NULL;
}

static int send_prepare(struct pg_conn *conn, const char *name, const char *query, int n, const unsigned *types)
{
	(void)conn, (void)name, (void)query, (void)n, (void)types;
	return 1;
}

static int send_prepared(struct pg_conn *conn, const char *name, int n, const char *const *values, const int *lengths,
			 const int *formats, int result_format)
{
	(void)conn, (void)name, (void)n, (void)values, (void)lengths, (void)formats, (void)result_format;
	return 1;
}

static int send_params(struct pg_conn *conn, const char *command, int n, const unsigned *types, const char *const *values,
		       const int *lengths, const int *formats, int result_format)
{
	(void)conn, (void)command, (void)n, (void)types, (void)values, (void)lengths, (void)formats, (void)result_format;
	return 1;
}

static int pipeline_sync(struct pg_conn *conn)
{
	(void)conn;
	return 1;
}

/* One answer with a row for all that was sent up to a sync. */
static struct pg_result *get_result(struct pg_conn *conn)
{
	(void)conn;
	synced = !synced;
	return (struct pg_result *)(void *)(synced ? &sync_point : &answer);
}

static int result_status(const struct pg_result *result)
{
	return (const void *)result == &sync_point ? PQ_PIPELINE_SYNC : PQ_TUPLES_OK;
}

static int one(const struct pg_result *result)
{
	(void)result;
	return 1;
}

static char *value(const struct pg_result *result, int row, int column)
{
	(void)result, (void)row, (void)column;
	return &answer;
}

static int length(const struct pg_result *result, int row, int column)
{
	(void)result, (void)row, (void)column;
	return 1;
}

static size_t memory(const struct pg_result *result)
{
	(void)result;
	return ANSWER_BYTES;
}

static void clear(struct pg_result *result)
{
	(void)result;
}

static const struct ts_libpq made_up = {
	.PQconnectdb = connect_db,
	.PQfinish = finish,
	.PQstatus = is_ok,
	.PQsetNoticeProcessor = set_notices,
	.PQenterPipelineMode = enter,
	.PQsendPrepare = send_prepare,
	.PQsendQueryPrepared = send_prepared,
	.PQsendQueryParams = send_params,
	.PQpipelineSync = pipeline_sync,
	.PQgetResult = get_result,
	.PQresultStatus = result_status,
	.PQntuples = one,
	.PQgetvalue = value,
	.PQgetlength = length,
	.PQresultMemorySize = memory,
	.PQclear = clear,
};

/* With all connections in use, whoever wants one is told so in the end, and gets one that is given back. */
static void test_pool_is_bounded(void **state)
{
	struct ts_connection *a, *b, *c;
	struct ts_database db;
	struct ts_error err;

	(void)state;
	ts_database_init(&db, &made_up, "cluster:x", "", 2);
	db.wait_ns = 1000000;
	assert_int_equal(ts_database_take(&db, &a, &err), TS_OK);
	assert_int_equal(ts_database_take(&db, &b, &err), TS_OK);
	assert_int_equal(ts_database_take(&db, &c, &err), TS_UNAVAILABLE);
	assert_non_null(strstr(err.text, "all 2 connections"));
	assert_non_null(strstr(err.text, "raise connections"));
	ts_database_give(&db, a);
	assert_int_equal(ts_database_take(&db, &c, &err), TS_OK);
	assert_ptr_equal(a, c);
	ts_database_give(&db, b);
	ts_database_give(&db, c);
	assert_int_equal(connections, 2);
	ts_database_finish(&db);
	assert_int_equal(connections, 0);
}

static char *copy(const char *text)
{
	char *out = ts_alloc(strlen(text) + 1);

	assert_non_null(out);
	return memcpy(out, text, strlen(text) + 1);
}

/* Answers of a snapshot count as memory of the call that reads, up to its limit, and no longer than the snapshot. */
static void test_answers_are_counted(void **state)
{
	struct ts_budget budget;
	struct ts_error err;
	struct ts_span got;
	struct ts_read r;
	struct ts_kv *kv;
	bool found;

	(void)state;
	ts_budget_init(&budget, NULL, "this call", 5 * ANSWER_BYTES / 2, 0);
	assert_int_equal(ts_cluster_kv(&made_up, copy("cluster:x"), copy(""), 1, &kv, &err), TS_OK);
	(void)ts_budget_enter(&budget);
	assert_int_equal(ts_read_begin(kv, &r, &err), TS_OK);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(ts_read_get(r, TS_DB_REFS, ts_span_str("k"), &got, &found, &err), TS_OK);
		assert_true(found);
	}
	assert_int_equal(budget.used, 2 * ANSWER_BYTES);
	assert_int_equal(ts_read_get(r, TS_DB_REFS, ts_span_str("k"), &got, &found, &err), TS_NO_MEMORY);
	assert_non_null(strstr(err.text, "this call"));
	ts_read_end(&r);
	(void)ts_budget_enter(NULL);
	assert_int_equal(budget.used, 0);
	kv->ops->release(kv);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pool_is_bounded),
		cmocka_unit_test(test_answers_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
