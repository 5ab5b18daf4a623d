#include "store/cluster/database.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/cursor.h"
#include "base/system.h"

#include <assert.h>
#include <string.h>

enum { PARAMS = 4, WAIT_S = 30 };
static const int64_t SECOND = 1000000000;

/* All writes of a store wait for one lock of the database: 'tscope' as a number. */
#define LOCK "128038938308709"
/* Its time when the statement comes so far, behind what it waited for; a transaction's own time would be that of its beginning. */
#define CLOCK "(extract(epoch FROM clock_timestamp()) * 1000000)::int8"

struct statement {
	const char *name; /* NULL: it is not prepared */
	const char *text;
	const char *before; /* a command that goes before it; NULL: none */
};

static const struct statement statements[TS_STATEMENTS] = {
	[TS_SEND_BEGIN_READ] = {NULL, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", NULL},
	[TS_SEND_BEGIN_WRITE] =
		{NULL, "SELECT pg_advisory_xact_lock(" LOCK "), pg_current_xact_id(), " CLOCK,
		 "BEGIN ISOLATION LEVEL READ COMMITTED"}, /* each of its statements sees what was written before it waited */
	[TS_SEND_BEGUN] = {"begun",
			   "SELECT " CLOCK ", EXISTS (SELECT FROM tscope.record WHERE db = $1::int2 AND key = $2::bytea)::text", NULL},
	[TS_SEND_END] = {NULL, "COMMIT", NULL},
	[TS_SEND_GET] = {"get", "SELECT value FROM tscope.record WHERE db = $1::int2 AND key = $2::bytea", NULL},
	[TS_SEND_AHEAD] = {"ahead", "SELECT key, value FROM tscope.record WHERE db = $1::int2 AND key = ANY($2::bytea[]) ORDER BY key",
			   NULL},
	[TS_SEND_FROM] = {"from",
			  "SELECT key, value FROM tscope.record WHERE db = $1::int2 AND key >= $2::bytea ORDER BY key LIMIT $3::int8",
			  NULL},
	[TS_SEND_BEHIND] = {"behind",
			    "SELECT key, value FROM tscope.record WHERE db = $1::int2 AND key > $2::bytea ORDER BY key LIMIT $3::int8",
			    NULL},
	[TS_SEND_BELOW] =
		{"below",
		 "SELECT key, value FROM tscope.record WHERE db = $1::int2 AND key < $2::bytea ORDER BY key DESC LIMIT $3::int8", NULL},
	[TS_SEND_COUNT] = {"count", "SELECT count(*) FROM tscope.record WHERE db = $1::int2", NULL},
	[TS_SEND_PUT] = {"put",
			 "INSERT INTO tscope.record (db, key, value) SELECT * FROM unnest($1::int2[], $2::bytea[], $3::bytea[]) "
			 "ON CONFLICT (db, key) DO UPDATE SET value = EXCLUDED.value",
			 NULL},
	[TS_SEND_DELETE] = {"delete",
			    "DELETE FROM tscope.record r USING unnest($1::int2[], $2::bytea[]) AS d (db, key) "
			    "WHERE r.db = d.db AND r.key = d.key",
			    NULL},
};

/* ---- errors ---- */

/* A message of the database in one line, without the words that libpq begins it with. */
static void one_line(const char *message, char out[256])
{
	size_t n = 0;

	for (const char *at = message ? message : ""; *at && n < 255; at++)
		out[n++] = *at == '\n' || *at == '\t' ? ' ' : *at;
	while (n && out[n - 1] == ' ')
		n--;
	out[n] = 0;
}

static enum ts_status lost(struct ts_database *db, struct ts_connection *c, struct ts_error *err)
{
	char text[256];

	c->failed = true;
	one_line(db->pq->PQerrorMessage(c->pg), text);
	return ts_error_set(err, TS_UNAVAILABLE, "%s: its database does not answer, and may be asked again: %s", db->where, text);
}

static enum ts_status status_of(const char *state)
{
	if (strcmp(state, "53100") == 0) /* disk_full */
		return TS_FULL;
	if (strcmp(state, "42501") == 0) /* insufficient_privilege */
		return TS_DENIED;
	if (strncmp(state, "XX00", 4) == 0) /* data or index corrupted */
		return TS_DAMAGED;
	if (strncmp(state, "08", 2) == 0 || strncmp(state, "57", 2) == 0 || strncmp(state, "53", 2) == 0 ||
	    strncmp(state, "40", 2) == 0 || strncmp(state, "25", 2) == 0 || strncmp(state, "55P", 3) == 0)
		return TS_UNAVAILABLE; /* cut, shut down, too many, serialized, ended or read only, waited too long for the lock */
	return TS_IO;
}

static enum ts_status failed(struct ts_database *db, struct ts_connection *c, const struct pg_result *result, struct ts_error *err)
{
	const char *state = db->pq->PQresultErrorField(result, PQ_DIAG_SQLSTATE);
	char text[256];

	c->failed = true;
	one_line(db->pq->PQresultErrorMessage(result), text);
	if (!state)
		return ts_error_set(err, TS_UNAVAILABLE, "%s: its database does not answer, and may be asked again: %s", db->where,
				    text);
	return ts_error_set(err, status_of(state), "%s: its database says: %s", db->where, text);
}

/* ---- statements ---- */

static void sent(struct ts_connection *c, int ok)
{
	c->failed = c->failed || ok != 1;
	c->waiting = true;
}

void ts_send_command(struct ts_database *db, struct ts_connection *c, const char *command)
{
	sent(c, db->pq->PQsendQueryParams(c->pg, command, 0, NULL, NULL, NULL, NULL, 0));
}

static void prepare(struct ts_database *db, struct ts_connection *c)
{
	for (int i = 0; i < TS_STATEMENTS; i++)
		if (statements[i].name)
			sent(c, db->pq->PQsendPrepare(c->pg, statements[i].name, statements[i].text, 0, NULL));
	c->prepared = true;
}

void ts_send(struct ts_database *db, struct ts_connection *c, enum ts_statement statement, const struct ts_span *params, int n)
{
	const struct statement *s = &statements[statement];
	const char *values[PARAMS];
	int lengths[PARAMS], formats[PARAMS];

	assert(n <= PARAMS);
	for (int i = 0; i < n; i++) {
		values[i] = params[i].data ? (const char *)params[i].data : "";
		lengths[i] = (int)params[i].len;
		formats[i] = PQ_BINARY;
	}
	if (s->before)
		ts_send_command(db, c, s->before);
	if (s->name && !c->prepared)
		prepare(db, c);
	if (s->name)
		sent(c, db->pq->PQsendQueryPrepared(c->pg, s->name, n, values, lengths, formats, PQ_BINARY));
	else
		sent(c, db->pq->PQsendQueryParams(c->pg, s->text, n, NULL, values, lengths, formats, PQ_BINARY));
}

void ts_send_off(struct ts_database *db, struct ts_connection *c)
{
	if (!c->waiting)
		return;
	c->failed = c->failed || db->pq->PQpipelineSync(c->pg) != 1;
	c->waiting = false;
	c->owed++;
}

enum ts_status ts_exchange(struct ts_database *db, struct ts_connection *c, struct pg_result **ret, struct ts_error *err)
{
	const struct ts_libpq *pq = db->pq;
	struct pg_result *rows = NULL;
	enum ts_status status = TS_OK;

	ts_send_off(db, c);
	while (c->owed && !c->failed) {
		struct pg_result *result = pq->PQgetResult(c->pg);
		int kind = result ? pq->PQresultStatus(result) : PQ_COMMAND_OK;

		if (kind == PQ_TUPLES_OK && c->owed == 1) {
			pq->PQclear(rows);
			rows = result;
			continue;
		}
		if (kind == PQ_PIPELINE_SYNC)
			c->owed--;
		else if (kind != PQ_COMMAND_OK && kind != PQ_TUPLES_OK && kind != PQ_PIPELINE_ABORTED)
			status = failed(db, c, result, err);
		else if (!result && pq->PQstatus(c->pg) != PQ_CONNECTION_OK)
			status = lost(db, c, err);
		pq->PQclear(result);
	}
	if (c->failed && !status)
		status = lost(db, c, err);
	if (status || !ret) {
		pq->PQclear(rows);
		return status;
	}
	*ret = rows;
	return TS_OK;
}

/* ---- connections ---- */

/* A message that is no answer; libpq would write it among the lines of the log. */
static void say_nothing(void *ctx, const char *message)
{
	(void)ctx, (void)message;
}

enum ts_status ts_database_connect(struct ts_database *db, struct ts_connection **ret, struct ts_error *err)
{
	struct ts_connection *c = ts_alloc_array(1, sizeof *c);

	if (!c)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a connection");
	c->pg = db->pq->PQconnectdb(db->conninfo);
	if (!c->pg || db->pq->PQstatus(c->pg) != PQ_CONNECTION_OK || !db->pq->PQenterPipelineMode(c->pg)) {
		char text[256] = "out of memory";

		if (c->pg)
			one_line(db->pq->PQerrorMessage(c->pg), text);
		if (c->pg)
			db->pq->PQfinish(c->pg);
		ts_free(c);
		return ts_error_set(err, TS_UNAVAILABLE, "%s: its database cannot be reached, and may be asked again: %s", db->where,
				    text);
	}
	(void)db->pq->PQsetNoticeProcessor(c->pg, say_nothing, NULL);
	/* A server that stands still while it writes must not keep the others waiting, nor write when it goes on. */
	ts_send_command(
		db, c,
		"SELECT set_config('lock_timeout', '30000', false), set_config('idle_in_transaction_session_timeout', '600000', "
		"false), set_config('application_name', 'tscoped', false)");
	ts_send_off(db, c); /* a transaction of its own */
	*ret = c;
	return TS_OK;
}

void ts_database_close(struct ts_database *db, struct ts_connection *c)
{
	if (!c)
		return;
	db->pq->PQfinish(c->pg);
	ts_free(c);
}

/* How many may be open now. */
static unsigned most(const struct ts_database *db)
{
	return db->most + (db->resting < db->most ? db->resting : db->most);
}

void ts_database_rest(struct ts_database *db, bool rests)
{
	pthread_mutex_lock(&db->lock);
	db->resting = rests ? db->resting + 1 : db->resting - 1;
	if (rests)
		pthread_cond_signal(&db->given);
	pthread_mutex_unlock(&db->lock);
}

void ts_database_tell(struct ts_database *db, const struct pg_result *result, int column)
{
	uint8_t us[8];

	if (!result || db->pq->PQntuples(result) != 1 || db->pq->PQgetlength(result, 0, column) != sizeof us)
		return;
	memcpy(us, db->pq->PQgetvalue(result, 0, column), sizeof us);
	atomic_store(&db->ahead_ns, (int64_t)ts_load_be(us, sizeof us) * 1000 - ts_system_uptime_ns());
}

int64_t ts_database_time(struct ts_database *db)
{
	int64_t ahead_ns = atomic_load(&db->ahead_ns);

	return ahead_ns ? ts_system_uptime_ns() + ahead_ns : ts_now_real_ns();
}

/* False if no connection was given back in time. */
static bool wait_for_one(struct ts_database *db)
{
	int64_t until = ts_now_mono_ns() + db->wait_ns;
	struct timespec limit = ts_system_cond_limit(until);

	while (!db->idle && db->open >= most(db) && ts_now_mono_ns() < until)
		(void)pthread_cond_timedwait(&db->given, &db->lock, &limit);
	return db->idle || db->open < most(db);
}

enum ts_status ts_database_take(struct ts_database *db, struct ts_connection **ret, struct ts_error *err)
{
	struct ts_connection *c;

	bool free;

	pthread_mutex_lock(&db->lock);
	free = wait_for_one(db);
	c = db->idle;
	if (c)
		db->idle = c->next;
	else if (free)
		db->open++;
	pthread_mutex_unlock(&db->lock);
	if (!free)
		return ts_error_set(err, TS_UNAVAILABLE,
				    "%s: all %u connections to its database have been in use for %d s: ask again, or raise connections",
				    db->where, db->most, (int)(db->wait_ns / SECOND));
	if (c) {
		*ret = c;
		return TS_OK;
	}
	if (ts_database_connect(db, ret, err) == TS_OK)
		return TS_OK;
	pthread_mutex_lock(&db->lock);
	db->open--;
	pthread_cond_signal(&db->given);
	pthread_mutex_unlock(&db->lock);
	return err->status;
}

void ts_database_give(struct ts_database *db, struct ts_connection *c)
{
	bool sound = !c->failed;

	if (sound) { /* one that took the place of another, which goes on, is one too many */
		pthread_mutex_lock(&db->lock);
		sound = db->open <= most(db);
		pthread_mutex_unlock(&db->lock);
	}
	if (!sound)
		ts_database_close(db, c);
	pthread_mutex_lock(&db->lock);
	if (sound) {
		c->next = db->idle;
		db->idle = c;
	} else {
		db->open--;
	}
	pthread_cond_signal(&db->given);
	pthread_mutex_unlock(&db->lock);
}

enum ts_status ts_database_ask(struct ts_database *db, const char *command, struct pg_result **ret, struct ts_error *err)
{
	struct pg_result *result = NULL;
	struct ts_connection *c;
	enum ts_status status;

	if (ts_database_take(db, &c, err))
		return err->status;
	ts_send_command(db, c, command);
	status = ts_exchange(db, c, &result, err);
	ts_database_give(db, c);
	if (!status && (!result || db->pq->PQntuples(result) != 1)) {
		db->pq->PQclear(result);
		return ts_error_set(err, TS_INTERNAL, "%s: its database gave no row", db->where);
	}
	if (!status)
		*ret = result;
	return status;
}

void ts_database_init(struct ts_database *db, const struct ts_libpq *pq, const char *where, const char *conninfo, unsigned most)
{
	*db = (struct ts_database){.pq = pq, .where = where, .conninfo = conninfo, .most = most, .wait_ns = WAIT_S * SECOND};
	pthread_mutex_init(&db->lock, NULL);
	ts_system_cond_init(&db->given);
}

void ts_database_finish(struct ts_database *db)
{
	while (db->idle) {
		struct ts_connection *next = db->idle->next;

		ts_database_close(db, db->idle);
		db->idle = next;
	}
	pthread_cond_destroy(&db->given);
	pthread_mutex_destroy(&db->lock);
}
