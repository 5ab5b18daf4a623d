/* schema.c - the tables of a cluster: `about` says whose they are and of which version, `record` has the records of all databases of
 * kv.h, and under the number 32767 the marks of cluster_kv.c. Whoever changes the tables raises the version; a server whose version is
 * older than what `needs` says is refused. */
#include "store/cluster/database.h"

#include "base/number.h"

#include <string.h>

enum { ABOUT, STRANGER, FSYNC, SYNCED, NAME, REPLICA };

static const char product[] = "tscope store";

/* A stranger is a table or the like that no extension brought: one that watches a database, as pg_stat_statements does, may be
 * there. */
static const char look[] =
	"SELECT (to_regclass('tscope.about') IS NOT NULL)::text, "
	"(SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
	"WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND n.nspname !~ '^(pg_|information_schema$)' "
	"AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e') "
	"ORDER BY 1 LIMIT 1), "
	"current_setting('fsync'), current_setting('synchronous_commit'), current_database()::text, pg_is_in_recovery()::text";

static const char *const tables[] = {
	"CREATE SCHEMA tscope",
	"CREATE TABLE tscope.about (key text PRIMARY KEY, value text NOT NULL)",
	"CREATE TABLE tscope.record (db int2 NOT NULL, key bytea NOT NULL, value bytea NOT NULL, PRIMARY KEY (db, key))",
	"ALTER TABLE tscope.record ALTER value SET STORAGE EXTERNAL", /* what is large is compressed already */
	"INSERT INTO tscope.about VALUES ('product', 'tscope store'), ('schema', '1'), ('needs', '1')",
};

static const char ask_about[] =
	"SELECT (SELECT value FROM tscope.about WHERE key = 'product'), "
	"(SELECT value FROM tscope.about WHERE key = 'schema'), (SELECT value FROM tscope.about WHERE key = 'needs')";

static const char *field(struct ts_database *db, const struct pg_result *result, int column)
{
	return db->pq->PQntuples(result) ? db->pq->PQgetvalue(result, 0, column) : "";
}

static enum ts_status ask(struct ts_database *db, struct ts_connection *c, const char *query, struct pg_result **ret,
			  struct ts_error *err)
{
	ts_send_command(db, c, query);
	if (ts_exchange(db, c, ret, err))
		return err->status;
	return *ret ? TS_OK : ts_error_set(err, TS_INTERNAL, "%s: its database gave no row", db->where);
}

static enum ts_status check_version(struct ts_database *db, struct ts_connection *c, struct ts_error *err)
{
	struct pg_result *result;
	enum ts_status status = TS_OK;
	uint64_t needs;

	if (ask(db, c, ask_about, &result, err))
		return err->status;
	if (!ts_span_is(ts_span_str(field(db, result, 0)), product))
		status = ts_error_set(err, TS_CONFLICT,
				      "%s: the schema tscope of its database is of something else; give tscope a database of its own",
				      db->where);
	else if (!ts_parse_u64(ts_span_str(field(db, result, 2)), &needs))
		status = ts_error_set(err, TS_DAMAGED, "%s: its database does not say which tscope its tables need", db->where);
	else if (needs > TS_CLUSTER_SCHEMA)
		status = ts_error_set(
			err, TS_UNSUPPORTED,
			"%s: a newer tscope made its tables (schema %s), and this one knows schemas up to %d: update this server",
			db->where, field(db, result, 1), TS_CLUSTER_SCHEMA);
	db->pq->PQclear(result);
	return status;
}

static enum ts_status make_tables(struct ts_database *db, struct ts_connection *c, struct ts_error *err)
{
	ts_send(db, c, TS_SEND_BEGIN_WRITE, NULL, 0);
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		ts_send_command(db, c, tables[i]);
	ts_send(db, c, TS_SEND_END, NULL, 0);
	return ts_exchange(db, c, NULL, err);
}

/* What the database is, before anything is done in it. */
static enum ts_status judge(struct ts_database *db, const struct pg_result *seen, bool read_only, struct ts_error *err)
{
	bool ours = strcmp(field(db, seen, ABOUT), "true") == 0;

	if (strcmp(field(db, seen, FSYNC), "on") != 0 || strcmp(field(db, seen, SYNCED), "off") == 0)
		return ts_error_set(
			err, TS_DENIED,
			"%s: its database loses what it acknowledged when its machine stops: set fsync = on, and synchronous_commit "
			"to anything but off",
			db->where);
	if (!ours && field(db, seen, STRANGER)[0])
		return ts_error_set(
			err, TS_CONFLICT,
			"%s: the database %s holds %s, which is not tscope's: give tscope a database of its own (CREATE DATABASE "
			"tscope)",
			db->where, field(db, seen, NAME), field(db, seen, STRANGER));
	if (!read_only && strcmp(field(db, seen, REPLICA), "true") == 0)
		return ts_error_set(err, TS_UNAVAILABLE, "%s: the database %s is a replica, in which nothing can be written", db->where,
				    field(db, seen, NAME));
	if (!ours && read_only)
		return ts_error_set(err, TS_NOT_FOUND, "%s: the database %s is empty, and a read-only server makes no store in it",
				    db->where, field(db, seen, NAME));
	return TS_OK;
}

enum ts_status ts_schema_open(struct ts_database *db, bool read_only, struct ts_error *err)
{
	struct ts_connection *c;
	struct pg_result *seen;
	enum ts_status status;
	struct ts_error other;
	bool ours;

	if (ts_database_take(db, &c, err))
		return err->status;
	status = ask(db, c, look, &seen, err);
	if (status) {
		ts_database_give(db, c);
		return status;
	}
	ours = strcmp(field(db, seen, ABOUT), "true") == 0;
	status = judge(db, seen, read_only, err);
	db->pq->PQclear(seen);
	if (!status && ours)
		status = check_version(db, c, err);
	if (!status && !ours)
		status = make_tables(db, c, err);
	ts_database_give(db, c);
	if (ours || !status || status == TS_CONFLICT || status == TS_DENIED || status == TS_NOT_FOUND || status == TS_UNAVAILABLE)
		return status;
	/* Another server that starts at the same time may have made them. */
	if (ts_database_take(db, &c, &other))
		return status;
	if (check_version(db, c, &other) == TS_OK)
		status = TS_OK;
	ts_database_give(db, c);
	return status;
}
