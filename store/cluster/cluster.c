/* cluster.c - opens a store in a database, as a file says where that is. */
#include "store/cluster/cluster.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/key_value.h"
#include "base/number.h"
#include "base/system.h"
#include "base/text.h"
#include "store/cluster/bundle.h"
#include "store/cluster/bundle_kv.h"
#include "store/cluster/cluster_kv.h"
#include "store/store_internal.h"
#include "store/superblock.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum {
	FILE_MOST = 64 << 10,
	CONNECTIONS = 8,
	CONNECTIONS_MOST = 256,
	CONNINFO_MOST = 4096,
	VALUE_MOST = 512,
	CACHE_MIB = 10240,
	CACHE_MIB_MOST = 1 << 24
};

static const char scheme[] = "cluster:";

const char *ts_cluster_file(const char *store)
{
	return strncmp(store, scheme, sizeof scheme - 1) == 0 ? store + sizeof scheme - 1 : NULL;
}

struct settings {
	char conninfo[CONNINFO_MOST];
	uint64_t connections, cache_mib, bundle_mib;
	char bucket[VALUE_MOST], region[VALUE_MOST], credentials[VALUE_MOST], cache[VALUE_MOST]; /* empty: nothing is said */
	bool no_versions;
};

static enum ts_status set_text(char *out, size_t room, const char *key, struct ts_span value, struct ts_error *err)
{
	if (value.len == 0 || value.len >= room || memchr(value.data, 0, value.len))
		return ts_error_set(err, TS_INVALID, "%s has 1 to %zu bytes", key, room - 1);
	memcpy(out, value.data, value.len);
	out[value.len] = 0;
	return TS_OK;
}

static enum ts_status set_number(uint64_t *out, uint64_t least, uint64_t most, const char *key, struct ts_span value,
				 struct ts_error *err)
{
	uint64_t n;

	if (!ts_parse_u64(value, &n) || n < least || n > most)
		return ts_error_set(err, TS_INVALID, "%s is a number from %" PRIu64 " to %" PRIu64, key, least, most);
	*out = n;
	return TS_OK;
}

static enum ts_status set(struct settings *s, struct ts_span key, struct ts_span value, struct ts_error *err)
{
	if (ts_span_is(key, "postgresql"))
		return set_text(s->conninfo, sizeof s->conninfo, "postgresql", value, err);
	if (ts_span_is(key, "connections"))
		return set_number(&s->connections, 1, CONNECTIONS_MOST, "connections", value, err);
	if (ts_span_is(key, "bucket"))
		return set_text(s->bucket, sizeof s->bucket, "bucket", value, err);
	if (ts_span_is(key, "region"))
		return set_text(s->region, sizeof s->region, "region", value, err);
	if (ts_span_is(key, "credentials"))
		return set_text(s->credentials, sizeof s->credentials, "credentials", value, err);
	if (ts_span_is(key, "cache"))
		return set_text(s->cache, sizeof s->cache, "cache", value, err);
	if (ts_span_is(key, "cache_mib"))
		return set_number(&s->cache_mib, TS_CACHE_LEAST_MIB, CACHE_MIB_MOST, "cache_mib", value, err);
	if (ts_span_is(key, "bundle_mib"))
		return set_number(&s->bundle_mib, 1, TS_BUNDLE_MOST >> 20, "bundle_mib", value, err);
	if (!ts_span_is(key, "versions"))
		return ts_error_set(
			err, TS_INVALID,
			"a cluster has no setting '%.*s'; those there are: postgresql, connections, bucket, region, credentials, "
			"cache, cache_mib, bundle_mib, versions",
			TS_SPAN_ARG(key));
	s->no_versions = ts_span_is(value, "no");
	return s->no_versions || ts_span_is(value, "yes") ? TS_OK : ts_error_set(err, TS_INVALID, "versions is yes or no");
}

static enum ts_status set_line(struct settings *s, struct ts_span line, struct ts_error *err)
{
	struct ts_span key, value;

	line = ts_trim(line);
	if (line.len == 0 || line.data[0] == '#')
		return TS_OK;
	if (!ts_key_value(line, &key, &value))
		return ts_error_set(err, TS_INVALID, "the line must have the form 'key = value'");
	return set(s, key, value, err);
}

/* By its word, or in a URI between ':' and '@'. */
static bool holds_password(const char *conninfo)
{
	const char *begin = strstr(conninfo, "://"), *at = begin ? strchr(begin, '@') : NULL;

	return strstr(conninfo, "password") || (at && memchr(begin + 3, ':', (size_t)(at - begin - 3)));
}

/* A password that others may read is none. */
static enum ts_status check_mode(const char *file, const struct settings *s, struct ts_error *err)
{
	struct stat st;

	if (!holds_password(s->conninfo) || stat(file, &st) != 0 || !(st.st_mode & 077))
		return TS_OK;
	return ts_error_set(err, TS_DENIED,
			    "%s holds a password that others may read: chmod 600 %s, or name a file of its own by passfile=", file,
			    file);
}

static enum ts_status read_settings(const char *file, struct settings *s, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(FILE_MOST);
	enum ts_status status = ts_file_read(file, &text, err);
	struct ts_span rest = ts_buf_view(&text);
	unsigned number = 0;

	while (!status && rest.len) {
		number++;
		status = set_line(s, ts_span_next_line(&rest), err);
		if (status)
			ts_error_prefix(err, "%s:%u", file, number);
	}
	ts_buf_finish(&text);
	if (!status && !s->conninfo[0])
		status = ts_error_set(err, TS_INVALID,
				      "%s does not say where the database is: postgresql = host=... dbname=... user=...", file);
	if (!status && s->bucket[0] && !s->cache[0])
		status = ts_error_set(err, TS_INVALID,
				      "%s names a bucket, and no folder for what is read from it: cache = /var/cache/tscope", file);
	return status ? status : check_mode(file, s, err);
}

/* Said without the words of libpq, which repeat what may be a part of a password. */
static enum ts_status check_conninfo(const struct ts_libpq *pq, const char *file, const struct settings *s, struct ts_error *err)
{
	struct pg_option *options = pq->PQconninfoParse(s->conninfo, NULL);

	if (!options)
		return ts_error_set(
			err, TS_INVALID,
			"%s: what postgresql is set to is no connection as PostgreSQL has them, such as host=... dbname=... user=...",
			file);
	pq->PQconninfoFree(options);
	return TS_OK;
}

static enum ts_status run_begin(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct ts_span key = ts_span_str(TS_STORE_KEY), stored;
	struct ts_buf id = TS_BUF_INIT(64);
	uint64_t format;
	bool found;

	if (ts_read_u64(ts_read_of(w), "format", &format, err) ||
	    ts_read_get(ts_read_of(w), TS_DB_META, key, &stored, &found, err) || (!format && ts_format_begin(w, err)))
		return err->status;
	if (found)
		return TS_OK;
	ts_buf_bytes(&id, ctx, TS_STORE_ID);
	return ts_write_record(w, TS_DB_META, key, &id, err);
}

static enum ts_status open_records(struct ts_kv *kv, bool read_only, struct ts_error *err)
{
	uint8_t id[TS_STORE_ID]; /* for a store that has none yet */
	bool old = false;

	if (ts_system_random(id, sizeof id, err) || ts_schema_open(ts_cluster_database(kv), read_only, err) ||
	    (!read_only && kv->ops->commit(kv, run_begin, id, 0, err)) ||
	    ts_format_check(kv, &old, err))
		return err->status;
	if (old)
		return ts_error_set(err, TS_UNSUPPORTED, "%s: its store has an older format, which no release wrote", kv->where);
	return TS_OK;
}

/* The time of the database, which all servers share. */
static enum ts_status database_now(struct ts_kv *kv, int64_t *ret_ns, struct ts_error *err)
{
	struct ts_database *db = ts_cluster_database(kv);
	struct pg_result *result;
	int64_t us = 0;
	bool known;

	if (ts_database_ask(db, "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8::text", &result, err))
		return err->status;
	known = ts_parse_i64(ts_span_str(db->pq->PQgetvalue(result, 0, 0)), &us);
	db->pq->PQclear(result);
	if (!known)
		return ts_error_set(err, TS_INTERNAL, "%s: its database does not say what time it is", kv->where);
	*ret_ns = us * 1000;
	return TS_OK;
}

/* Has a layer with packs in a bucket stand over the one in the database, which it takes over, also when this fails. */
static enum ts_status open_bucket(const struct settings *s, const struct ts_cluster_options *as, struct ts_kv *kv, struct ts_kv **ret,
				  struct ts_error *err)
{
	const struct ts_bucket_options there = {.url = s->bucket,
						.region = s->region[0] ? s->region : NULL,
						.keys_file = s->credentials[0] ? s->credentials : NULL,
						.keeps_no_versions = s->no_versions};
	struct ts_bundles_options options = {.under = kv,
					     .now = database_now,
					     .read_only = as->read_only,
					     .least_bytes = as->bundle_bytes ? as->bundle_bytes : s->bundle_mib << 20};

	if (ts_bucket_open(&there, &options.bucket, err) == TS_OK &&
	    (as->looks || ts_pack_cache_open(s->cache, s->cache_mib << 20, &options.cache, err) == TS_OK))
		return ts_bundles_open(&options, ret, err);
	ts_bucket_close(options.bucket);
	kv->ops->release(kv);
	return err->status;
}

static char *copy(const char *before, const char *text)
{
	size_t size = strlen(before) + strlen(text) + 1;
	char *out = ts_alloc(size);

	if (out)
		(void)snprintf(out, size, "%s%s", before, text);
	return out;
}

enum ts_status ts_cluster_open(const struct ts_cluster_options *options, struct ts_engine **ret_engine, struct ts_error *err)
{
	const struct ts_store as = {.spending = options->spending, .read_only = options->read_only};
	struct settings s = {.connections = CONNECTIONS, .cache_mib = CACHE_MIB, .bundle_mib = TS_BUNDLE_LEAST >> 20};
	const struct ts_libpq *pq;
	char *where, *conninfo;
	struct ts_kv *kv;

	if (read_settings(options->file, &s, err) || ts_libpq_load(&pq, err) || check_conninfo(pq, options->file, &s, err))
		return err->status;
	where = copy(scheme, options->file);
	conninfo = copy("", s.conninfo);
	if (!where || !conninfo) {
		ts_free(where);
		ts_free(conninfo);
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a store");
	}
	if (ts_cluster_kv(pq, where, conninfo, (unsigned)s.connections, &kv, err))
		return err->status;
	if (s.bucket[0])
		ts_cluster_has_bundles(kv);
	if (open_records(kv, options->read_only, err) || (!s.bucket[0] && ts_bundles_none(kv, err))) {
		kv->ops->release(kv);
		return err->status;
	}
	if (s.bucket[0] && open_bucket(&s, options, kv, &kv, err))
		return err->status;
	return ts_store_open(kv, &as, ret_engine, err);
}
