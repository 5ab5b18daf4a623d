/* web_folder.c - see web_folder.h. */
#include "cli/verbs/web_folder.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/json_reader.h"
#include "base/map.h"
#include "base/order.h"
#include "base/system.h"
#include "cli/core/ask.h"
#include "cli/core/path_run.h"
#include "cli/verbs/verbs.h"
#include "ingest/discover.h"
#include "run/rank_name.h"
#include "run/trace.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOK_NS = 1000000000, LOOK_SHARE = 10, DEPTH = TS_DISCOVER_DEPTH + 2, ENTRIES_MAX = 500000, ARENA = 64 << 20 };

/* What lies in the folder itself, and a digest of the names, sizes and times of all files below it. */
struct entry {
	struct ts_span name;
	uint64_t print;
	bool is_folder;
};

struct look {
	struct ts_arena arena;
	struct entry *entries; /* sorted by name */
	size_t n;
	size_t files; /* that were looked at */
};

/* The names that pushes made, with their project. */
struct names {
	struct ts_arena arena;
	struct ts_span *items; /* sorted by bytes */
	size_t n;
};

struct ts_web_folder {
	struct ts_cli *cli;
	const char *path, *project;
	bool is_one; /* the folder holds one run */
	char *store;
	struct ts_target target; /* open for writing as long as the folder is, so that the store is */
	struct look last;
	struct names names;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t come;
	bool runs, stops, has_pushed;
};

TS_ORDER(by_bytes, struct ts_span, TS_THEN(ts_span_cmp(*a, *b)))

/* -- what has changed -- */

static uint64_t print_of_file(const struct stat *st, struct ts_span name)
{
	struct timespec changed = {.tv_sec = st->st_mtime};
	const bool to_the_ns = ts_system_changed(st, &changed);
	const uint64_t words[] = {(uint64_t)st->st_size, (uint64_t)st->st_ino, (uint64_t)changed.tv_sec,
				  to_the_ns ? (uint64_t)changed.tv_nsec : 0, ts_hash_bytes(ts_hash_open, name)};

	return ts_hash_bytes(ts_hash_open, ts_span_of(words, sizeof words));
}

/* What cannot be read counts as not there: it is read again once it changes. */
static uint64_t print_below(const char *path, struct ts_span name, int depth, struct look *look)
{
	char **names;
	struct ts_error ignored;
	uint64_t print;
	struct stat st;
	size_t n;

	if (look->files >= ENTRIES_MAX || lstat(path, &st) != 0)
		return 0;
	look->files++;
	print = print_of_file(&st, name);
	if (!S_ISDIR(st.st_mode) || depth == DEPTH || ts_list_dir(path, &look->arena, &names, &n, &ignored))
		return print;
	for (size_t i = 0; i < n; i++) {
		const char *below = ts_arena_printf(&look->arena, "%s/%s", path, names[i]);

		if (below)
			print = ts_hash_u64(ts_hash_open, print ^ print_below(below, ts_span_str(names[i]), depth + 1, look));
	}
	return print;
}

/* Leaves the look as it is, with nothing in it, if the folder cannot be read. */
static bool look_at(const struct ts_web_folder *f, struct look *look)
{
	struct ts_error ignored;
	char **names;
	size_t n;

	if (ts_file_kind(f->path) != TS_FILE_DIRECTORY) {
		n = 1;
		names = ts_arena_array(&look->arena, 1, sizeof *names);
		if (!names)
			return false;
		names[0] = NULL;
	} else if (ts_list_dir(f->path, &look->arena, &names, &n, &ignored)) {
		return false;
	}
	look->entries = ts_arena_array(&look->arena, n, sizeof *look->entries);
	for (size_t i = 0; look->entries && i < n; i++) {
		const char *path = names[i] ? ts_arena_printf(&look->arena, "%s/%s", f->path, names[i]) : f->path;
		struct entry *e = &look->entries[i];

		if (!path)
			return false;
		e->name = ts_span_str(names[i] ? names[i] : "");
		e->is_folder = ts_file_kind(path) == TS_FILE_DIRECTORY;
		e->print = print_below(path, e->name, 1, look);
	}
	look->n = n;
	return look->entries != NULL;
}

static const struct entry *find_entry(const struct look *look, struct ts_span name)
{
	for (size_t i = 0; i < look->n; i++)
		if (ts_span_eq(look->entries[i].name, name))
			return &look->entries[i];
	return NULL;
}

/* A folder in the folder is read alone. What lies beside others may belong to them: a file, or the folder of a rank. */
static bool stands_alone(const struct ts_web_folder *f, const struct entry *e)
{
	return !f->is_one && e->is_folder && ts_rank_in_name(e->name) == TS_TRACE_NONE;
}

/* Which paths are to be pushed: none, those of folders that changed, or the whole. */
static size_t paths_to_push(const struct ts_web_folder *f, const struct look *now, struct ts_arena *arena, const char **paths,
			    bool *ret_gone)
{
	size_t n = 0;
	bool whole = !f->has_pushed;

	*ret_gone = false;
	for (size_t i = 0; i < f->last.n; i++)
		if (!find_entry(now, f->last.entries[i].name))
			*ret_gone = whole = true;
	for (size_t i = 0; i < now->n; i++) {
		const struct entry *e = &now->entries[i], *before = find_entry(&f->last, e->name);

		if (before && before->print == e->print)
			continue;
		whole |= !stands_alone(f, e);
		paths[n] = ts_arena_printf(arena, "%s/%.*s", f->path, TS_SPAN_ARG(e->name));
		n += paths[n] != NULL;
	}
	if (whole) {
		paths[0] = f->path;
		n = 1;
	}
	return n;
}

/* -- pushing -- */

/* The names in the answer of push: {"pushes": [{"name": ...}, {"error": {"message": ...}}, ...]}. Says the messages to cli. */
static enum ts_status take_names(struct ts_span answer, const struct ts_cli *cli, struct names *names, struct ts_error *err)
{
	struct ts_buf scratch = TS_BUF_INIT(1 << 20);
	struct ts_json_token token = {.type = TS_JSON_NULL};
	enum { OF_A_PUSH = 3, OF_ITS_ERROR };
	struct ts_json_reader r;
	enum ts_status status;
	size_t cap = 0;

	ts_json_reader_init(&r, answer, &scratch);
	while (!(status = ts_json_next(&r, &token, err)) && token.type != TS_JSON_EOF) {
		bool is_name = token.type == TS_JSON_KEY && r.depth == OF_A_PUSH && ts_span_is(token.text, "name");
		bool is_message = token.type == TS_JSON_KEY && r.depth == OF_ITS_ERROR && ts_span_is(token.text, "message");

		if (!is_name && !is_message)
			continue;
		status = ts_json_next(&r, &token, err);
		if (!status && is_name && !TS_GROW_IN(&names->arena, names->items, cap, names->n + 1, 16))
			status = ts_arena_error(&names->arena, err);
		if (status)
			break;
		if (is_message) {
			ts_cli_say(cli, "%.*s", TS_SPAN_ARG(token.text));
			continue;
		}
		names->items[names->n] = ts_arena_span(&names->arena, token.text);
		names->n += names->items[names->n].data != NULL;
	}
	ts_buf_finish(&scratch);
	TS_SORT(names->items, names->n, by_bytes);
	return status;
}

static bool has_name(const struct names *names, struct ts_span name)
{
	for (size_t i = 0; i < names->n; i++)
		if (ts_span_eq(names->items[i], name))
			return true;
	return false;
}

/* What was pushed before and is not there any more loses its name. */
static void remove_gone(struct ts_web_folder *f, const struct names *now, struct ts_arena *arena)
{
	for (size_t i = 0; i < f->names.n; i++) {
		struct ts_ref_request request = {.kind = TS_REF_RUN, .name = f->names.items[i], .remove = true};
		struct ts_ref_reply reply;
		struct ts_error ignored; /* it is tried again when the next one goes */

		if (!has_name(now, f->names.items[i]))
			(void)ts_ask_ref(f->target.channel, &request, arena, &reply, &ignored);
	}
}

static void keep_names(struct ts_web_folder *f, struct names *now, bool whole)
{
	size_t cap = now->n;

	for (size_t i = 0; !whole && i < f->names.n; i++)
		if (!has_name(now, f->names.items[i]) && TS_GROW_IN(&now->arena, now->items, cap, now->n + 1, 16)) {
			now->items[now->n] = ts_arena_span(&now->arena, f->names.items[i]);
			now->n += now->items[now->n].data != NULL;
		}
	ts_arena_finish(&f->names.arena);
	f->names = *now;
}

static enum ts_status run_push(struct ts_web_folder *f, struct ts_cli *cli, const char *const *paths, size_t n, struct ts_error *err)
{
	const char **words = ts_arena_array(&cli->arena, n + 3, sizeof *words);
	size_t k = 0;

	if (!words)
		return ts_arena_error(&cli->arena, err);
	words[k++] = "--json";
	words[k++] = ts_arena_printf(&cli->arena, "--project=%s", f->project);
	words[k++] = "--";
	for (size_t i = 0; i < n; i++)
		words[k++] = paths[i];
	if (ts_arena_check(&cli->arena, err) ||
	    ts_args_parse(&cli->args, cli->verb->options, ts_common_options, (int)k, words, false, &cli->arena, err))
		return err->status;
	return ts_verb_push(cli, err);
}

/* Of the first push people hear what could not be read; of the others nothing, since a file that grows is often half written. */
static void push(struct ts_web_folder *f, const char *const *paths, size_t n, bool gone)
{
	struct ts_cli cli = {.verb = ts_verb_find("push"), .out = TS_BUF_INIT(ARENA), .quiet = true,
			     .json = true, .target = f->target, .term = f->cli->term};
	bool whole = n == 1 && paths[0] == f->path;
	struct names now = {.n = 0};
	struct ts_error err;
	enum ts_status status;

	ts_arena_init(&cli.arena, TS_ANALYSIS_ARENA);
	ts_arena_init(&now.arena, ARENA);
	status = run_push(f, &cli, paths, n, &err);
	cli.quiet = f->has_pushed || f->cli->quiet;
	if (status)
		ts_cli_say(&cli, "%s", err.text);
	else
		status = take_names(ts_buf_view(&cli.out), &cli, &now, &err);
	if (whole && gone && (status == TS_OK || status == TS_INVALID || status == TS_NOT_FOUND)) { /* or the last run is gone */
		remove_gone(f, &now, &cli.arena);
		status = TS_OK;
	}
	if (status) {
		ts_arena_finish(&now.arena);
	} else {
		pthread_mutex_lock(&f->lock);
		keep_names(f, &now, whole);
		pthread_mutex_unlock(&f->lock);
	}
	ts_prefetch_finish(&cli.target.prefetch);
	f->target = cli.target;
	ts_buf_finish(&cli.out);
	ts_arena_finish(&cli.arena);
}

/* -- the thread -- */

/* Returns how long the look took. */
static int64_t look(struct ts_web_folder *f)
{
	int64_t began = ts_now_mono_ns(), took;
	struct look now = {.n = 0};
	const char **paths;
	bool gone;
	size_t n;

	ts_arena_init(&now.arena, ARENA);
	if (!look_at(f, &now)) /* what cannot be looked at now is looked at later */
		now.n = 0;
	took = ts_now_mono_ns() - began;
	paths = ts_arena_array(&now.arena, now.n + 1, sizeof *paths);
	n = paths ? paths_to_push(f, &now, &now.arena, paths, &gone) : 0;
	if (n)
		push(f, paths, n, gone);
	ts_arena_finish(&f->last.arena);
	f->last = now;
	pthread_mutex_lock(&f->lock);
	f->has_pushed = true;
	pthread_cond_broadcast(&f->come);
	pthread_mutex_unlock(&f->lock);
	return took;
}

static void *follow(void *ctx)
{
	struct ts_web_folder *f = ctx;

	pthread_mutex_lock(&f->lock);
	while (!f->stops) {
		struct timespec limit;
		int64_t wait;

		pthread_mutex_unlock(&f->lock);
		wait = look(f) * LOOK_SHARE;
		limit = ts_system_cond_limit(ts_now_mono_ns() + (wait < LOOK_NS ? LOOK_NS : wait));
		pthread_mutex_lock(&f->lock);
		if (!f->stops)
			pthread_cond_timedwait(&f->come, &f->lock, &limit);
	}
	pthread_mutex_unlock(&f->lock);
	return NULL;
}

static enum ts_status start(struct ts_web_folder *f, struct ts_error *err)
{
	sigset_t all, before;
	int failed;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(&f->thread, NULL, follow, f);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (failed)
		return ts_error_set(err, TS_UNAVAILABLE, "the system gives no thread to read %s", f->path);
	f->runs = true;
	pthread_mutex_lock(&f->lock);
	while (f->is_one && !f->has_pushed)
		pthread_cond_wait(&f->come, &f->lock);
	pthread_mutex_unlock(&f->lock);
	return TS_OK;
}

/* -- opening and closing -- */

static enum ts_status make_store(struct ts_web_folder *f, struct ts_error *err)
{
	const char *place = getenv("TMPDIR");

	f->store = ts_arena_printf(&f->cli->arena, "%s/tscope-web-XXXXXX", place && *place ? place : "/tmp");
	if (!f->store)
		return ts_arena_error(&f->cli->arena, err);
	if (!mkdtemp(f->store)) {
		const char *wanted = f->store;

		f->store = NULL;
		return ts_error_errno(err, errno, "%s, where what is read is kept", wanted);
	}
	return ts_target_open(&f->target, f->store, NULL, TS_USE_CREATE, &f->cli->arena, err);
}

enum ts_status ts_web_folder_open(struct ts_cli *cli, const char *path, const char *project, struct ts_web_folder **ret_folder,
				  struct ts_error *err)
{
	struct ts_web_folder *f;
	struct ts_found_run *runs;
	size_t n;

	if (ts_path_check(path, &cli->arena, err) || ts_discover(path, &cli->arena, &runs, &n, err))
		return err->status;
	f = ts_alloc(sizeof *f);
	if (!f)
		return ts_error_set(err, TS_NO_MEMORY, "there is no memory to read %s", path);
	*f = (struct ts_web_folder){.cli = cli, .path = path, .project = project, .is_one = n == 1};
	ts_arena_init(&f->last.arena, ARENA);
	ts_arena_init(&f->names.arena, ARENA);
	pthread_mutex_init(&f->lock, NULL);
	ts_system_cond_init(&f->come);
	if (make_store(f, err) || start(f, err)) {
		ts_web_folder_close(f);
		return err->status;
	}
	*ret_folder = f;
	return TS_OK;
}

const char *ts_web_folder_store(const struct ts_web_folder *f)
{
	return f->store;
}

const char *ts_web_folder_run(struct ts_web_folder *f, struct ts_arena *arena)
{
	const char *name = NULL;

	pthread_mutex_lock(&f->lock);
	if (f->is_one && f->names.n == 1)
		name = ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(ts_span_from(f->names.items[0], strlen(f->project) + 1)));
	pthread_mutex_unlock(&f->lock);
	return name;
}

void ts_web_folder_close(struct ts_web_folder *f)
{
	pthread_mutex_lock(&f->lock);
	f->stops = true;
	pthread_cond_broadcast(&f->come);
	pthread_mutex_unlock(&f->lock);
	if (f->runs)
		pthread_join(f->thread, NULL);
	ts_target_close(&f->target);
	if (f->store)
		ts_remove_tree(f->store);
	ts_arena_finish(&f->last.arena);
	ts_arena_finish(&f->names.arena);
	pthread_cond_destroy(&f->come);
	pthread_mutex_destroy(&f->lock);
	ts_free(f);
}
