/* lmdb_damage.c - finds damage of a store, says in one sentence what is lost, what is sound and what to do, and ends all writes. */
#include "store/lmdb_internal.h"

#include "store/store_internal.h"

#include "base/system.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

enum { PATH_ROOM = 4096 + 32, WHAT_ROOM = 640, TRIES = 20 };

struct text {
	char *at;
	size_t len, room;
};

static void say(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct text *text, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text->at + text->len, text->room - text->len, format, args);
	va_end(args);
	if (n > 0)
		text->len = (size_t)n < text->room - text->len ? text->len + (size_t)n : text->room - 1;
}

void ts_pause(void)
{
	(void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static bool is_there(const struct ts_lmdb_env *env, const char *file, dev_t dev, ino_t ino, off_t *ret_size)
{
	char path[PATH_ROOM];
	struct stat st;

	(void)snprintf(path, sizeof path, "%.4095s/%s", env->path, file);
	if (stat(path, &st) != 0 || st.st_dev != dev || st.st_ino != ino)
		return false;
	*ret_size = st.st_size;
	return true;
}

/* Four calls of the system for each commit, before it and after it: some microseconds beside a sync. Without the lock.mdb at its path
 * nothing keeps the next process that opens the store from writing at the same time. */
int ts_files_check(struct ts_lmdb_env *env)
{
	struct stat st;
	off_t any, lock;

	if (fstat(env->data_fd, &st) != 0 || st.st_nlink == 0 || !is_there(env, "data.mdb", env->data_dev, env->data_ino, &any) ||
	    !is_there(env, "superblock", env->super.dev, env->super.ino, &any) ||
	    !is_there(env, "lock.mdb", env->lock_dev, env->lock_ino, &lock)) {
		ts_env_condemn(env, TS_HARM_GONE,
			       "data.mdb, superblock or lock.mdb was removed or replaced while the store was open, so nothing is "
			       "acknowledged any more; put "
			       "back what was there, or end this process and begin again with what is there now");
		return MDB_CORRUPTED;
	}
	if (st.st_size < env->data_size) {
		ts_env_condemn(env, TS_HARM_NOW, "data.mdb has become shorter");
		return MDB_CORRUPTED;
	}
	env->data_size = st.st_size;
	if (lock >= env->lock_size && ts_lock_is_whole(env))
		return 0;
	ts_lock_lost(env);
	return MDB_CORRUPTED;
}

void ts_env_condemn(struct ts_lmdb_env *env, enum ts_harm harm, const char *what)
{
	pthread_mutex_lock(&env->look);
	if (!atomic_load(&env->is_damaged)) {
		if (harm != TS_HARM_GONE)
			(void)snprintf(env->damage, TS_VERDICT_MAX,
				       "the store is damaged: %s. Nothing more is written to it, and what is sound can still be read. "
				       "`tscope salvage "
				       "STORE NEW` saves all that is sound in a new store and names the rest",
				       what);
		else
			(void)snprintf(env->damage, sizeof env->damage, "%s", what);
		env->harm = harm;
		atomic_store(&env->is_damaged, true);
		if (harm == TS_HARM_LASTING || harm == TS_HARM_ABOVE)
			ts_super_verdict(env);
	}
	pthread_mutex_unlock(&env->look);
}

void ts_env_condemn_page(struct ts_lmdb_env *env, uint64_t page, unsigned tree)
{
	char what[WHAT_ROOM];

	(void)snprintf(what, sizeof what, "page %" PRIu64 " of data.mdb, in %s, is not what was written", page, ts_scan_word(tree));
	ts_env_condemn(env, tree == TS_DB_PACKS ? TS_HARM_LASTING : TS_HARM_NOW, what);
}

enum ts_status ts_env_damage(struct ts_lmdb_env *env, struct ts_error *err)
{
	return ts_error_set(err, TS_DAMAGED, "%s: %s", env->path, env->damage);
}

static bool is_lost(const struct ts_scan *s, const struct ts_sum *expected, int db)
{
	if (s->lost[db])
		return true;
	return expected && ts_db_is_summed((enum ts_db)db) &&
	       (s->found[db].records != expected[db].records || s->found[db].sum != expected[db].sum);
}

static void say_lost(struct text *text, const struct ts_scan *s, const struct ts_sum *expected, int db)
{
	uint64_t was = expected && ts_db_is_summed((enum ts_db)db) ? expected[db].records : 0, found = s->found[db].records;

	if (was > found)
		say(text, " %" PRIu64 " of %" PRIu64 " records of %s,", was - found, was, ts_scan_word((unsigned)db));
	else if (s->lost[db])
		say(text, " some of %s,", ts_scan_word((unsigned)db));
	else
		say(text, " what %s were last (they are older, or others),", ts_scan_word((unsigned)db));
}

/* True if there is damage, with the text of it. expected may be NULL: nobody knows the sums. */
static bool judge(const struct ts_scan *s, const struct ts_sum *expected, struct text *text)
{
	bool lost = s->bad != 0;

	for (int db = 0; db < TS_DBS; db++)
		lost = lost || is_lost(s, expected, db);
	if (!lost)
		return false;
	if (s->bad)
		say(text, "page %" PRIu64 " of data.mdb, in %s, is not what was written; ", s->bad, ts_scan_word(s->bad_tree));
	say(text, "lost are");
	for (int db = 0; db < TS_DBS; db++)
		if (is_lost(s, expected, db))
			say_lost(text, s, expected, db);
	if (s->lost[TS_SCAN_FREE])
		say(text, " free pages,");
	if (text->at[text->len - 1] != ',')
		say(text, " records that cannot be told,");
	text->at[text->len - 1] = ';';
	say(text, " sound are");
	for (int db = 0; db < TS_DBS; db++)
		if (!is_lost(s, expected, db) && s->found[db].records)
			say(text, " %s,", ts_scan_word((unsigned)db));
	if (text->at[text->len - 1] == ',')
		text->len--;
	else
		say(text, " none of its tables");
	text->at[text->len] = 0;
	return true;
}

/* The sums in the data file itself; false if it has none. */
static bool sums_within(struct ts_lmdb_view *view, struct ts_super_slot *ret)
{
	struct ts_span value;

	return ts_tree_get(&view->pages, &view->roots[TS_DB_META], ts_span_str(TS_SUMS_KEY), &value) == 0 && ts_sums_parse(value, ret);
}

static enum ts_status scan_view(struct ts_lmdb_env *env, struct ts_lmdb_view *view, const struct ts_sum *expected, struct ts_scan *s,
				struct ts_error *err)
{
	char what[WHAT_ROOM];
	struct text text = {.at = what, .room = sizeof what};

	*s = (struct ts_scan){.pages = view->pages, .meta = view->meta};
	if (ts_scan_run(s, err))
		return err->status;
	if (!judge(s, expected, &text))
		return TS_OK;
	for (int db = 0; db < TS_DBS; db++)
		if (!s->lost[db] && is_lost(s, expected, db))
			atomic_fetch_or(&env->unfit, 1u << db);
	ts_env_condemn(env, TS_HARM_NOW, what);
	return TS_OK;
}

/* Those of the superblock, else its own. */
bool ts_env_sums(struct ts_lmdb_env *env, struct ts_lmdb_view *view, struct ts_super_slot *ret, bool *ret_known)
{
	uint8_t meta[TS_META_BYTES];
	bool held;

	*ret_known = true;
	if (env->super.fd >= 0)
		return ts_super_slot_of(env, view->number, ret, meta, &held);
	*ret_known = sums_within(view, ret);
	return true;
}

enum ts_status ts_env_scan(struct ts_lmdb_env *env, bool again, struct ts_error *err)
{
	struct ts_scan s = {.used = NULL};
	struct ts_lmdb_txn *t;
	struct ts_super_slot slot;
	enum ts_status status = TS_OK;
	bool known = false, found = false;

	if (atomic_load(&env->is_damaged) || (atomic_load(&env->scanned) && !again))
		return TS_OK;
	for (int tries = 0; tries < TRIES && !found; tries++) {
		if (ts_env_begin(env, false, &t, err))
			return err->status;
		found = ts_env_sums(env, &t->view, &slot, &known);
		if (found)
			status = scan_view(env, &t->view, known ? slot.tables : NULL, &s, err);
		ts_env_abort(env, t);
		if (!found)
			ts_pause();
	}
	if (!found)
		ts_env_condemn(env, TS_HARM_NOW, "the superblock does not know the last transaction of data.mdb");
	ts_scan_finish(&s);
	if (!status)
		atomic_store(&env->scanned, true);
	return status;
}

enum ts_status ts_lmdb_sound(struct ts_kv *kv, bool look, struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of_kv(kv);

	if (look && ts_env_scan(env, true, err))
		return err->status;
	/* Whoever looks finds again what lies above the pages, and can say which objects those are. */
	return atomic_load(&env->is_damaged) && !(look && env->harm == TS_HARM_ABOVE) ? ts_env_damage(env, err) : TS_OK;
}

void ts_lmdb_condemn(struct ts_kv *kv, const char *what)
{
	ts_env_condemn(ts_env_of_kv(kv), TS_HARM_ABOVE, what);
}

static enum ts_status own_id(struct ts_lmdb_view *view, uint8_t ret[TS_STORE_ID], struct ts_error *err)
{
	struct ts_span key = ts_span_str(TS_STORE_KEY), stored, value;
	struct ts_error damage;

	if (ts_tree_get(&view->pages, &view->roots[TS_DB_META], key, &stored) == 0 &&
	    ts_check_split(key, stored, &value, &damage) == TS_OK && value.len == TS_STORE_ID) {
		memcpy(ret, value.data, TS_STORE_ID);
		return TS_OK;
	}
	return ts_system_random(ret, TS_STORE_ID, err);
}

enum ts_status ts_env_adopt(struct ts_lmdb_env *env, uint64_t txn, struct ts_error *err)
{
	struct ts_super_slot slot = {.txn = txn, .format = TS_STORE_FORMAT}, within;
	uint8_t meta[TS_META_BYTES];
	struct ts_scan s = {.used = NULL};
	struct ts_lmdb_view view;
	enum ts_status status;
	bool held;
	int rc = ts_view_find(env, txn, &view);

	if (rc)
		return ts_env_error(env, rc, err);
	if (ts_super_slot_of(env, txn, &within, meta, &held)) /* another process was first, or this one before it was killed */
		return TS_OK;
	status = scan_view(env, &view, sums_within(&view, &within) ? within.tables : NULL, &s, err);
	if (!status && !atomic_load(&env->is_damaged)) {
		memcpy(slot.tables, s.found, sizeof slot.tables);
		status = own_id(&view, slot.store, err);
		if (!status)
			status = ts_super_make(env, &slot, err);
	}
	ts_scan_finish(&s);
	atomic_store(&env->scanned, true);
	return status;
}
