/* database.h - connections to the database of a cluster: statements are sent together and answered together, and every failure becomes
 * a status. Internal to store/cluster/.
 *
 *	ts_database_take(db, &c, &err)			a connection of the pool
 *	ts_send(db, c, TS_SEND_GET, params, 2) ...	sends; nothing waits
 *	ts_exchange(db, c, &result, &err)		waits for the answers; result: those of the last statement with rows
 *	ts_database_give(db, c)				a connection that failed is closed
 *
 * Threads: any may take; a connection belongs to one.
 */
#ifndef TSCOPE_STORE_CLUSTER_DATABASE_H
#define TSCOPE_STORE_CLUSTER_DATABASE_H

#include "base/buf.h"
#include "store/cluster/libpq.h"
#include "store/kv.h"

#include <pthread.h>
#include <stdatomic.h>

enum { TS_CLUSTER_SCHEMA = 1 }; /* of the tables; see schema.c */

enum ts_statement {
	TS_SEND_BEGIN_READ,  /* one snapshot for all that follows */
	TS_SEND_BEGIN_WRITE, /* waits until no other write goes on -> ..., ..., microseconds since 1970; a replica refuses it */
	TS_SEND_BEGUN,	     /* db, key -> the same time, whether the record is there */
	TS_SEND_END,
	TS_SEND_GET,	/* db, key -> value */
	TS_SEND_AHEAD,	/* db, an array of keys -> those that are there with their values, by key */
	TS_SEND_FROM,	/* db, key, n -> the first n records that are not below key */
	TS_SEND_BEHIND, /* ... that are above key */
	TS_SEND_BELOW,	/* ... that are below key, the last one first */
	TS_SEND_COUNT,	/* db -> how many records */
	TS_SEND_PUT,	/* three arrays: db, key, value */
	TS_SEND_DELETE, /* two arrays: db, key */
	TS_STATEMENTS,
};

struct ts_connection {
	struct ts_connection *next; /* of those that wait */
	struct pg_conn *pg;
	unsigned owed; /* syncs whose answers nobody has read */
	bool waiting;  /* statements were sent since the last one */
	bool prepared;
	bool failed;
};

struct ts_database {
	const struct ts_libpq *pq;
	const char *where; /* for texts */
	const char *conninfo;
	pthread_mutex_t lock;
	pthread_cond_t given;
	struct ts_connection *idle;
	unsigned open, most;
	unsigned resting; /* of those that are out: whoever has them waits for something else */
	atomic_int_fast64_t ahead_ns; /* what its clock is ahead of the time that this machine is up; 0: not known */
	int64_t wait_ns; /* for one that is given back */
};

void ts_database_init(struct ts_database *db, const struct ts_libpq *pq, const char *where, const char *conninfo, unsigned most);
void ts_database_finish(struct ts_database *db);

/* Says that whoever has a connection waits for something else, or goes on: as long as one waits, another one may be opened in its
 * place, up to twice as many as there are. */
void ts_database_rest(struct ts_database *db, bool rests);
/* Takes the time out of an answer to one of both statements above; microseconds, in that column. */
void ts_database_tell(struct ts_database *db, const struct pg_result *result, int column);
/* Real time by the clock of the database, as it was told last and has gone on since; of this machine until then. */
int64_t ts_database_time(struct ts_database *db);

/* Opens a connection of the pool, or waits until one is given back; TS_UNAVAILABLE where that takes too long. */
enum ts_status ts_database_take(struct ts_database *db, struct ts_connection **ret, struct ts_error *err);
void ts_database_give(struct ts_database *db, struct ts_connection *c);
/* One that is not of the pool; give it back by ts_database_close. */
enum ts_status ts_database_connect(struct ts_database *db, struct ts_connection **ret, struct ts_error *err);
void ts_database_close(struct ts_database *db, struct ts_connection *c);

/* Sends a statement; a parameter is bytes as PostgreSQL's binary form has them. */
void ts_send(struct ts_database *db, struct ts_connection *c, enum ts_statement statement, const struct ts_span *params, int n);
/* The same for a command that is written out, without parameters. */
void ts_send_command(struct ts_database *db, struct ts_connection *c, const char *command);
/* Sends what waits, and does not wait for answers. */
void ts_send_off(struct ts_database *db, struct ts_connection *c);
/* Waits for the answers to all that was sent. *ret (NULL: not wanted) is the last one with rows, or NULL; the caller clears it. */
enum ts_status ts_exchange(struct ts_database *db, struct ts_connection *c, struct pg_result **ret, struct ts_error *err);

/* Asks for one row by a connection of the pool; the caller clears it. */
enum ts_status ts_database_ask(struct ts_database *db, const char *command, struct pg_result **ret, struct ts_error *err);

/* schema.c: makes the tables of an empty database unless read_only, and refuses what is not a store of a version that is known here. */
enum ts_status ts_schema_open(struct ts_database *db, bool read_only, struct ts_error *err);

#endif
