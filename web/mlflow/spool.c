/* spool.c - see spool.h: experiments and runs of a spool. What runs logged is in spool_values.c and spool_artifacts.c. */
#include "web/mlflow/spool.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/number.h"
#include "base/path.h"
#include "base/system.h"
#include "base/text.h"
#include "web/mlflow/spool_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { META_MAX = 64 << 10, NAMES_MAX = 16 << 20, LISTED_MAX = 256 << 20 };

static const char meta_name[] = "meta.yaml", first_name[] = "Default";
const char ts_spool_marker[] = "pushed", ts_spool_stored[] = "stored";

/* -- files -- */

enum ts_status ts_spool_put(struct ts_spool *s, const char *path, struct ts_span bytes, struct ts_error *err)
{
	char beside[4096];
	int n = snprintf(beside, sizeof beside, "%s/.new", s->folder), fd;
	enum ts_status status;

	if (n < 0 || (size_t)n >= sizeof beside)
		return ts_error_set(err, TS_INVALID, "the path of the folder %s is too long", s->folder);
	fd = open(beside, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return ts_error_errno(err, errno, "%s", beside);
	status = ts_write_full(fd, bytes.data, bytes.len, err);
	(void)close(fd);
	if (status)
		return ts_error_prefix(err, "%s", path);
	return rename(beside, path) == 0 ? TS_OK : ts_error_errno(err, errno, "%s", path);
}

const char *ts_spool_path(const struct ts_spool *s, const struct ts_spool_run *run, const char *kind, const char *name,
			  struct ts_arena *arena)
{
	return name ? ts_arena_printf(arena, "%s/%s/%s/%s/%s", s->folder, run->experiment, run->id, kind, name)
		    : ts_arena_printf(arena, "%s/%s/%s%s%s", s->folder, run->experiment, run->id, kind ? "/" : "", kind ? kind : "");
}

const char *ts_spool_folder(const struct ts_spool *s, const struct ts_spool_run *run, struct ts_arena *arena)
{
	return ts_spool_path(s, run, NULL, NULL, arena);
}

/* -- meta.yaml: a line "key: 'text'" or "key: number" each -- */

static void put_text(struct ts_buf *out, const char *key, struct ts_span text)
{
	char letters[TS_ESCAPE_TEXT];

	ts_buf_str(out, key);
	ts_buf_str(out, ": '");
	for (size_t i = 0; i < text.len;) {
		size_t n = ts_escape_next(text, &i, letters);

		if (n == 1 && letters[0] == '\'')
			ts_buf_char(out, '\'');
		ts_buf_bytes(out, letters, n);
	}
	ts_buf_str(out, "'\n");
}

static void put_time(struct ts_buf *out, const char *key, int64_t ms)
{
	if (ms == TS_TRACKING_NO_TIME)
		ts_buf_printf(out, "%s: null\n", key);
	else
		ts_buf_printf(out, "%s: %" PRId64 "\n", key, ms);
}

/* The value of a key as it stands there; no data: there is none. */
static struct ts_span value_of(struct ts_span meta, const char *key)
{
	size_t n = strlen(key);

	while (meta.len) {
		const uint8_t *end = memchr(meta.data, '\n', meta.len);
		struct ts_span line = ts_span_part(meta, 0, end ? (size_t)(end - meta.data) : meta.len);

		meta = ts_span_from(meta, end ? line.len + 1 : line.len);
		if (line.len > n + 1 && memcmp(line.data, key, n) == 0 && line.data[n] == ':' && line.data[n + 1] == ' ')
			return ts_span_from(line, n + 2);
	}
	return ts_span_of(NULL, 0);
}

static struct ts_span text_of(struct ts_span meta, const char *key, struct ts_arena *arena)
{
	struct ts_span quoted = value_of(meta, key);
	uint8_t *text = ts_arena_alloc(arena, quoted.len + 1);
	size_t n = 0;

	if (!text)
		return ts_span_of(NULL, 0);
	if (quoted.len >= 2 && quoted.data[0] == '\'')
		quoted = ts_span_part(quoted, 1, quoted.len - 2);
	for (size_t i = 0; i < quoted.len; i++) {
		text[n++] = quoted.data[i];
		i += quoted.data[i] == '\'' && i + 1 < quoted.len && quoted.data[i + 1] == '\'';
	}
	text[n] = '\0';
	return ts_span_of(text, n);
}

static int64_t number_of(struct ts_span meta, const char *key)
{
	int64_t number;

	return ts_parse_i64(value_of(meta, key), &number) ? number : TS_TRACKING_NO_TIME;
}

static enum ts_status read_meta(const char *folder, struct ts_arena *arena, struct ts_span *ret, struct ts_error *err)
{
	const char *path = ts_path_join(arena, folder, meta_name);
	struct ts_buf text = TS_BUF_INIT(META_MAX);
	enum ts_status status = path ? ts_file_read(path, &text, err) : ts_arena_error(arena, err);

	if (!status) {
		*ret = ts_arena_span(arena, ts_buf_view(&text));
		status = ts_arena_check(arena, err);
	}
	ts_buf_finish(&text);
	return status;
}

static enum ts_status write_run(struct ts_spool *s, const struct ts_spool_run *run, struct ts_error *err)
{
	struct ts_buf out = TS_BUF_INIT(META_MAX);
	struct ts_arena arena;
	const char *path;
	enum ts_status status;

	put_text(&out, "artifact_uri", ts_span_str(""));
	put_time(&out, "end_time", run->end_ms);
	put_text(&out, "experiment_id", ts_span_str(run->experiment));
	ts_buf_printf(&out, "lifecycle_stage: %s\n", run->deleted ? "deleted" : "active");
	put_text(&out, "run_id", ts_span_str(run->id));
	put_text(&out, "run_name", run->name);
	put_text(&out, "run_uuid", ts_span_str(run->id));
	put_time(&out, "start_time", run->start_ms);
	ts_buf_printf(&out, "status: %d\n", (int)run->status);
	put_text(&out, "user_id", run->user);
	ts_arena_init(&arena, 64 << 10);
	path = ts_spool_path(s, run, meta_name, NULL, &arena);
	status = path ? ts_buf_check(&out, err) : ts_arena_error(&arena, err);
	if (!status)
		status = ts_spool_put(s, path, ts_buf_view(&out), err);
	ts_arena_finish(&arena);
	ts_buf_finish(&out);
	return status;
}

/* -- experiments -- */

static bool is_id(struct ts_span text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!ts_is_alnum(text.data[i]))
			return false;
	return text.len > 0 && text.len < TS_SPOOL_ID;
}

static enum ts_status add_experiment(struct ts_spool *s, const char *id, struct ts_span name, int64_t created_ms, struct ts_error *err)
{
	struct ts_spool_experiment *e;

	if (s->n_experiments == TS_SPOOL_EXPERIMENTS)
		return ts_error_set(err, TS_TOO_LARGE, "there are %d experiments, which is the most", TS_SPOOL_EXPERIMENTS);
	if (!TS_GROW(s->experiments, s->cap_experiments, s->n_experiments + 1, 16))
		return ts_error_set(err, TS_NO_MEMORY, "there is no memory for experiments");
	name = ts_arena_span(&s->names, name);
	if (!name.data)
		return ts_arena_error(&s->names, err);
	e = &s->experiments[s->n_experiments++];
	*e = (struct ts_spool_experiment){.name = (const char *)name.data, .created_ms = created_ms};
	(void)snprintf(e->id, sizeof e->id, "%s", id);
	return TS_OK;
}

static const struct ts_spool_experiment *find_experiment(const struct ts_spool *s, struct ts_span id, struct ts_span name)
{
	for (size_t i = 0; i < s->n_experiments; i++)
		if (id.len ? ts_span_is(id, s->experiments[i].id) : ts_span_is(name, s->experiments[i].name))
			return &s->experiments[i];
	return NULL;
}

enum ts_status ts_spool_experiments(struct ts_spool *s, struct ts_arena *arena, struct ts_spool_experiment **ret, size_t *ret_n,
				    struct ts_error *err)
{
	pthread_mutex_lock(&s->lock);
	*ret_n = s->n_experiments;
	*ret = ts_arena_dup(arena, s->experiments, s->n_experiments * sizeof **ret);
	pthread_mutex_unlock(&s->lock);
	return ts_arena_check(arena, err);
}

enum ts_status ts_spool_experiment(struct ts_spool *s, struct ts_span id, struct ts_span name, struct ts_spool_experiment *ret,
				   struct ts_error *err)
{
	const struct ts_spool_experiment *found;

	pthread_mutex_lock(&s->lock);
	found = find_experiment(s, id, name);
	if (found)
		*ret = *found;
	pthread_mutex_unlock(&s->lock);
	return found ? TS_OK : ts_error_set(err, TS_NOT_FOUND, "there is no experiment %s here", ts_show(id.len ? id : name).text);
}

/* A number of 18 digits, as MLflow's own are. */
static enum ts_status new_experiment_id(char id[TS_SPOOL_ID], struct ts_error *err)
{
	uint64_t random;

	if (ts_system_random(&random, sizeof random, err))
		return err->status;
	(void)snprintf(id, TS_SPOOL_ID, "%" PRIu64, UINT64_C(100000000000000000) + random % UINT64_C(900000000000000000));
	return TS_OK;
}

static enum ts_status write_experiment(struct ts_spool *s, const char *id, struct ts_span name, int64_t created_ms,
				       struct ts_error *err)
{
	struct ts_buf out = TS_BUF_INIT(META_MAX);
	char path[4096];
	int n = snprintf(path, sizeof path, "%s/%s", s->folder, id);
	enum ts_status status = TS_OK;

	if (n < 0 || (size_t)n + sizeof meta_name + 1 > sizeof path)
		return ts_error_set(err, TS_INVALID, "the path of the folder %s is too long", s->folder);
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return ts_error_errno(err, errno, "%s", path);
	put_text(&out, "artifact_location", ts_span_str(""));
	put_time(&out, "creation_time", created_ms);
	put_text(&out, "experiment_id", ts_span_str(id));
	ts_buf_str(&out, "lifecycle_stage: active\n");
	put_text(&out, "name", name);
	(void)snprintf(path + n, sizeof path - (size_t)n, "/%s", meta_name);
	status = ts_buf_check(&out, err);
	if (!status)
		status = ts_spool_put(s, path, ts_buf_view(&out), err);
	ts_buf_finish(&out);
	return status;
}

static enum ts_status make_experiment(struct ts_spool *s, const char *id, struct ts_span name, int64_t now_ms, struct ts_error *err)
{
	return write_experiment(s, id, name, now_ms, err) || add_experiment(s, id, name, now_ms, err) ? err->status : TS_OK;
}

enum ts_status ts_spool_make_experiment(struct ts_spool *s, struct ts_span name, int64_t now_ms, struct ts_spool_experiment *ret,
					struct ts_error *err)
{
	char id[TS_SPOOL_ID];
	enum ts_status status = new_experiment_id(id, err);

	pthread_mutex_lock(&s->lock);
	if (!status && find_experiment(s, ts_span_of("", 0), name))
		status = ts_error_set(err, TS_CONFLICT, "Experiment '%s' already exists.", ts_show(name).text);
	if (!status)
		status = make_experiment(s, id, name, now_ms, err);
	if (!status)
		*ret = s->experiments[s->n_experiments - 1];
	pthread_mutex_unlock(&s->lock);
	return status;
}

/* -- runs -- */

static uint32_t number_of_run(const struct ts_spool *s, struct ts_span id)
{
	uint32_t number;

	TS_MAP_FIND(s->by_id, ts_hash_bytes(ts_hash_open, id), i, ts_span_is(id, s->runs[i].id), number);
	return number;
}

static enum ts_status queue(struct ts_spool *s, uint32_t number, struct ts_error *err)
{
	if (s->runs[number].queued)
		return TS_OK;
	if (!TS_GROW(s->queue, s->cap_queue, s->n_queue + 1, 64))
		return ts_error_set(err, TS_NO_MEMORY, "there is no memory to push a run");
	s->queue[s->n_queue++] = number;
	s->runs[number].queued = true;
	return TS_OK;
}

static enum ts_status add_run(struct ts_spool *s, const char *id, uint32_t experiment, bool marked, bool stored, struct ts_error *err)
{
	struct ts_spool_known *run;

	if (s->n_runs - s->n_left >= TS_SPOOL_RUNS)
		return ts_error_set(err, TS_TOO_LARGE, "%s has %d runs, which is the most; remove those that are pushed", s->folder,
				    TS_SPOOL_RUNS);
	if (!TS_GROW(s->runs, s->cap_runs, s->n_runs + 1, 64) ||
	    !ts_map_add(&s->by_id, ts_hash_bytes(ts_hash_open, ts_span_str(id)), (uint32_t)s->n_runs))
		return ts_error_set(err, TS_NO_MEMORY, "there is no memory for runs");
	run = &s->runs[s->n_runs++];
	*run = (struct ts_spool_known){.experiment = experiment, .marked = marked, .stored = marked && stored};
	(void)snprintf(run->id, sizeof run->id, "%s", id);
	return marked ? TS_OK : queue(s, (uint32_t)s->n_runs - 1, err);
}

static bool marker_path(const struct ts_spool *s, const struct ts_spool_known *run, const char *marker, char path[4096])
{
	int n = snprintf(path, 4096, "%s/%s/%s/%s", s->folder, s->experiments[run->experiment].id, run->id, marker);

	return n > 0 && n < 4096;
}

static bool has_no(const struct ts_spool *s, const struct ts_spool_known *run, const char *marker)
{
	char path[4096];

	return marker_path(s, run, marker, path) && (unlink(path) == 0 || errno == ENOENT);
}

/* First that the store has all of it, and then that it is pushed. */
static void remove_markers(const struct ts_spool *s, struct ts_spool_known *run)
{
	run->stored = run->stored && !has_no(s, run, ts_spool_stored);
	run->marked = run->stored || !has_no(s, run, ts_spool_marker);
}

enum ts_status ts_spool_lock(struct ts_spool *s, const char *id, struct ts_error *err)
{
	uint32_t number;

	pthread_mutex_lock(&s->lock);
	number = number_of_run(s, ts_span_str(id));
	if (number == TS_MAP_NONE || queue(s, number, err)) {
		pthread_mutex_unlock(&s->lock);
		return number == TS_MAP_NONE ? ts_error_set(err, TS_NOT_FOUND, "there is no run %s here", id) : err->status;
	}
	s->runs[number].changed++;
	if (s->runs[number].marked)
		remove_markers(s, &s->runs[number]);
	return TS_OK;
}

void ts_spool_unlock(struct ts_spool *s)
{
	pthread_mutex_unlock(&s->lock);
}

void ts_spool_hold(struct ts_spool *s)
{
	pthread_mutex_lock(&s->changing);
}

void ts_spool_let(struct ts_spool *s)
{
	pthread_mutex_unlock(&s->changing);
}

static enum ts_status new_run_id(char id[TS_SPOOL_ID], struct ts_error *err)
{
	uint8_t random[16];
	struct ts_buf hex = TS_BUF_INIT(64);
	enum ts_status status = ts_system_random(random, sizeof random, err);

	if (status)
		return status;
	ts_print_hex(&hex, ts_span_of(random, sizeof random));
	status = ts_buf_check(&hex, err);
	if (!status)
		(void)snprintf(id, TS_SPOOL_ID, "%.*s", (int)hex.len, (const char *)hex.data);
	ts_buf_finish(&hex);
	return status;
}

static enum ts_status make_folders(struct ts_spool *s, const struct ts_spool_run *run, struct ts_error *err)
{
	static const char *const kinds[] = {NULL, "metrics", "params", "tags", "artifacts"};
	struct ts_arena arena;
	enum ts_status status = TS_OK;

	ts_arena_init(&arena, 64 << 10);
	for (size_t i = 0; !status && i < sizeof kinds / sizeof kinds[0]; i++) {
		const char *path = ts_spool_path(s, run, kinds[i], NULL, &arena);

		if (!path)
			status = ts_arena_error(&arena, err);
		else if (mkdir(path, 0700) != 0)
			status = ts_error_errno(err, errno, "%s", path);
	}
	ts_arena_finish(&arena);
	return status;
}

enum ts_status ts_spool_make_run(struct ts_spool *s, struct ts_spool_run *run, struct ts_error *err)
{
	const struct ts_spool_experiment *e;
	enum ts_status status = new_run_id(run->id, err);

	pthread_mutex_lock(&s->lock);
	e = find_experiment(s, ts_span_str(run->experiment), ts_span_of("", 0));
	if (!status && !e)
		status = ts_error_set(err, TS_NOT_FOUND, "there is no experiment %s here", run->experiment);
	if (!status)
		status = make_folders(s, run, err);
	if (!status)
		status = write_run(s, run, err);
	if (!status)
		status = add_run(s, run->id, (uint32_t)(e - s->experiments), false, false, err);
	if (!status)
		s->runs[s->n_runs - 1].begins = true;
	pthread_mutex_unlock(&s->lock);
	return status;
}

enum ts_status ts_spool_run(struct ts_spool *s, struct ts_span id, struct ts_arena *arena, struct ts_spool_run *ret,
			    struct ts_error *err)
{
	struct ts_spool_run run = {.deleted = false};
	struct ts_span meta;
	uint32_t number;
	int64_t status;
	const char *folder;

	pthread_mutex_lock(&s->lock);
	number = number_of_run(s, id);
	if (number != TS_MAP_NONE) {
		memcpy(run.id, s->runs[number].id, sizeof run.id);
		memcpy(run.experiment, s->experiments[s->runs[number].experiment].id, sizeof run.experiment);
	}
	pthread_mutex_unlock(&s->lock);
	if (number == TS_MAP_NONE)
		return ts_error_set(err, TS_NOT_FOUND, "there is no run %s here; runs that were not logged here are read with tscope",
				    ts_show(id).text);
	folder = ts_spool_folder(s, &run, arena);
	if (!folder)
		return ts_arena_error(arena, err);
	if (read_meta(folder, arena, &meta, err))
		return err->status;
	run.name = text_of(meta, "run_name", arena);
	run.user = text_of(meta, "user_id", arena);
	run.start_ms = number_of(meta, "start_time");
	run.end_ms = number_of(meta, "end_time");
	run.deleted = ts_span_is(value_of(meta, "lifecycle_stage"), "deleted");
	status = number_of(meta, "status");
	run.status = status >= TS_SPOOL_RUNNING && status <= TS_SPOOL_KILLED ? (enum ts_spool_status)status : TS_SPOOL_RUNNING;
	*ret = run;
	return ts_arena_check(arena, err);
}

enum ts_status ts_spool_change_run(struct ts_spool *s, const struct ts_spool_run *run, struct ts_error *err)
{
	enum ts_status status = ts_spool_lock(s, run->id, err);

	if (status)
		return status;
	status = write_run(s, run, err);
	ts_spool_unlock(s);
	return status;
}

enum ts_status ts_spool_runs(struct ts_spool *s, const char *experiment, struct ts_arena *arena, const char ***ret_ids, size_t *ret_n,
			     struct ts_error *err)
{
	const char **ids;
	size_t n = 0;

	pthread_mutex_lock(&s->lock);
	ids = ts_arena_array(arena, s->n_runs + 1, sizeof *ids);
	for (size_t i = 0; ids && i < s->n_runs; i++)
		if (s->runs[i].id[0] && strcmp(s->experiments[s->runs[i].experiment].id, experiment) == 0)
			ids[n++] = ts_arena_printf(arena, "%s", s->runs[i].id);
	pthread_mutex_unlock(&s->lock);
	*ret_ids = ids;
	*ret_n = n;
	return ts_arena_check(arena, err);
}

/* -- what is to be pushed -- */

bool ts_spool_next(struct ts_spool *s, int64_t now_ns, char ret_id[TS_SPOOL_ID], uint64_t *ret_change)
{
	bool found = false;

	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; !found && i < s->n_queue; i++) {
		const struct ts_spool_known *run = &s->runs[s->queue[i]];

		found = run->not_before_ns <= now_ns;
		if (found) {
			memcpy(ret_id, run->id, TS_SPOOL_ID);
			*ret_change = run->changed;
		}
	}
	pthread_mutex_unlock(&s->lock);
	return found;
}

bool ts_spool_waits(struct ts_spool *s)
{
	bool waits;

	pthread_mutex_lock(&s->lock);
	waits = s->n_queue > 0;
	pthread_mutex_unlock(&s->lock);
	return waits;
}

bool ts_spool_begins(struct ts_spool *s, const char *id)
{
	uint32_t number;
	bool begins;

	pthread_mutex_lock(&s->lock);
	number = number_of_run(s, ts_span_str(id));
	begins = number != TS_MAP_NONE && s->runs[number].begins;
	pthread_mutex_unlock(&s->lock);
	return begins;
}

void ts_spool_begun(struct ts_spool *s, const char *id)
{
	uint32_t number;

	pthread_mutex_lock(&s->lock);
	number = number_of_run(s, ts_span_str(id));
	if (number != TS_MAP_NONE)
		s->runs[number].begins = false;
	pthread_mutex_unlock(&s->lock);
}

static bool mark(struct ts_spool *s, const struct ts_spool_known *run, const char *marker)
{
	char path[4096];
	struct ts_error err;

	return marker_path(s, run, marker, path) && !ts_spool_put(s, path, ts_span_str(""), &err);
}

void ts_spool_pushed(struct ts_spool *s, const char *id, uint64_t change, enum ts_spool_outcome outcome, int64_t not_before_ns)
{
	uint32_t number;

	pthread_mutex_lock(&s->lock);
	number = number_of_run(s, ts_span_str(id));
	if (number != TS_MAP_NONE) {
		struct ts_spool_known *run = &s->runs[number];

		run->not_before_ns = not_before_ns;
		if (outcome != TS_SPOOL_FAILED_PUSH && run->changed == change) {
			run->queued = false;
			for (size_t i = 0; i < s->n_queue; i++)
				if (s->queue[i] == number) {
					memmove(&s->queue[i], &s->queue[i + 1], (s->n_queue - i - 1) * sizeof *s->queue);
					s->n_queue--;
					break;
				}
			if (outcome >= TS_SPOOL_ENDED)
				run->marked = mark(s, run, ts_spool_marker);
			if (outcome == TS_SPOOL_STORED)
				run->stored = run->marked && mark(s, run, ts_spool_stored);
		}
	}
	pthread_mutex_unlock(&s->lock);
}

/* -- opening and closing -- */

static enum ts_status find_runs(struct ts_spool *s, const char *experiment, uint32_t number, struct ts_arena *arena,
				struct ts_error *err)
{
	const char *folder = ts_path_join(arena, s->folder, experiment);
	char **names;
	size_t n;

	if (!folder)
		return ts_arena_error(arena, err);
	if (ts_list_dir(folder, arena, &names, &n, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		const char *meta = ts_arena_printf(arena, "%s/%s/%s", folder, names[i], meta_name);
		const char *marker = ts_arena_printf(arena, "%s/%s/%s", folder, names[i], ts_spool_marker);
		const char *stored = ts_arena_printf(arena, "%s/%s/%s", folder, names[i], ts_spool_stored);

		if (!meta || !marker || !stored)
			return ts_arena_error(arena, err);
		if (is_id(ts_span_str(names[i])) && ts_file_kind(meta) == TS_FILE_REGULAR &&
		    add_run(s, names[i], number, ts_file_kind(marker) == TS_FILE_REGULAR,
			    ts_file_kind(stored) == TS_FILE_REGULAR, err))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status find_all(struct ts_spool *s, struct ts_arena *arena, struct ts_error *err)
{
	char **names;
	size_t n;

	if (ts_list_dir(s->folder, arena, &names, &n, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		const char *folder = ts_path_join(arena, s->folder, names[i]);
		struct ts_span meta;
		struct ts_error none;

		if (!folder)
			return ts_arena_error(arena, err);
		if (!is_id(ts_span_str(names[i])) || read_meta(folder, arena, &meta, &none))
			continue;
		if (add_experiment(s, names[i], text_of(meta, "name", arena), number_of(meta, "creation_time"), err) ||
		    find_runs(s, names[i], (uint32_t)s->n_experiments - 1, arena, err))
			return err->status;
	}
	if (!find_experiment(s, ts_span_str("0"), ts_span_of("", 0)))
		return make_experiment(s, "0", ts_span_str(first_name), TS_TRACKING_NO_TIME, err);
	return ts_arena_check(arena, err);
}

/* A lock of the system, which ends with this process. */
static enum ts_status take_folder(struct ts_spool *s, struct ts_error *err)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char path[4096];
	int n = snprintf(path, sizeof path, "%s/.lock", s->folder);

	if (n < 0 || (size_t)n >= sizeof path)
		return ts_error_set(err, TS_INVALID, "the path of the folder %s is too long", s->folder);
	s->lock_fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (s->lock_fd < 0)
		return ts_error_errno(err, errno, "%s", path);
	if (fcntl(s->lock_fd, F_SETLK, &whole) != 0)
		return ts_error_set(err, TS_CONFLICT, "another process has %s", s->folder);
	return TS_OK;
}

enum ts_status ts_spool_open(const char *folder, struct ts_spool **ret_spool, struct ts_error *err)
{
	struct ts_spool *s = ts_alloc(sizeof *s);
	struct ts_arena arena;
	enum ts_status status;
	size_t n = strlen(folder) + 1;

	if (!s)
		return ts_error_set(err, TS_NO_MEMORY, "there is no memory for the runs of MLflow");
	*s = (struct ts_spool){.lock_fd = -1, .folder = ts_alloc(n)};
	pthread_mutex_init(&s->changing, NULL);
	pthread_mutex_init(&s->lock, NULL);
	ts_arena_init(&s->names, NAMES_MAX);
	ts_arena_init(&arena, LISTED_MAX);
	if (!s->folder) {
		status = ts_error_set(err, TS_NO_MEMORY, "there is no memory for the runs of MLflow");
	} else {
		memcpy(s->folder, folder, n);
		status = ts_make_dirs(folder, 0700, err);
		if (!status)
			status = take_folder(s, err);
		if (!status)
			status = find_all(s, &arena, err);
	}
	ts_arena_finish(&arena);
	if (status) {
		ts_spool_close(s);
		return status;
	}
	*ret_spool = s;
	return TS_OK;
}

void ts_spool_close(struct ts_spool *s)
{
	if (s->lock_fd >= 0)
		(void)close(s->lock_fd);
	ts_free(s->experiments);
	ts_free(s->runs);
	ts_free(s->queue);
	ts_map_finish(&s->by_id);
	ts_arena_finish(&s->names);
	pthread_mutex_destroy(&s->lock);
	pthread_mutex_destroy(&s->changing);
	ts_free(s->folder);
	ts_free(s);
}
