#include "ingest/mlflow/reader_mlflow.h"

#include "base/below.h"
#include "base/grow.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/path.h"
#include "base/text.h"
#include "ingest/formats/flat_yaml.h"
#include "ingest/formats/log_lines.h"
#include "ingest/kept/kept.h"
#include "ingest/mlflow/mlflow_run.h"
#include "run/file_path.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

const char ts_mlflow_loses[] = "artifacts, models, datasets, traces";

enum {
	SURE = 60,
	DEPTH = 16,	   /* the directories in a key; MLflow's keys have at most 250 bytes */
	FILES_MAX = 65536, /* the most files of artifacts that are counted */
	TRASH_DEPTH = 2,   /* .trash has experiments, which have runs */
};

static const char meta_name[] = "meta.yaml";

/* A run that is stored as a directory. */
struct store {
	const struct ts_ingest_options *options;
	struct ts_arena *arena;
	struct ts_notices notices;
	struct ts_mlflow_run run;
	uint64_t bytes_read, bytes_total, told;
	struct ts_buf scratch;
	struct ts_span file; /* the file that notices name */
	struct ts_import_file *kept; /* files below artifacts/ */
	size_t n_kept, cap_kept;
	uint64_t kept_bytes;
	uint64_t left_out; /* the number of files below artifacts/, inputs/, outputs/ that are not kept */
	const char *first_left_out;
};

/* --- meta.yaml --- */

/* What a meta.yaml describes. */
struct meta {
	bool is_run, is_experiment, deleted;
};

static enum ts_status read_meta(const char *top, const char *path, struct ts_arena *arena, struct ts_flat_yaml *ret_yaml,
				uint64_t *ret_bytes, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(TS_YAML_MAX);
	enum ts_status status = ts_below_read(top, path, &text, err);

	if (!status)
		status = ts_flat_yaml_read(ts_buf_view(&text), arena, ret_yaml, err);
	*ret_bytes = text.len;
	ts_buf_finish(&text);
	return status;
}

/* Reads what a meta.yaml describes. Models and their versions have a meta.yaml too, some with a run_id. A file that
 * cannot be read describes nothing; only TS_NO_MEMORY fails. */
static enum ts_status look_at(const char *top, const char *path, struct meta *ret_meta, struct ts_error *err)
{
	struct meta meta = {false, false, false};
	struct ts_flat_yaml yaml = {NULL, 0};
	struct ts_arena arena;
	enum ts_status status;
	uint64_t bytes;
	bool experiment_id = false, run_id = false, stage = false;

	ts_arena_init(&arena, 0);
	status = read_meta(top, path, &arena, &yaml, &bytes, err);
	for (const struct ts_yaml_pair *pair = yaml.first; pair; pair = pair->next) {
		experiment_id |= ts_span_is(pair->key, "experiment_id");
		run_id |= ts_span_is(pair->key, "run_id") || ts_span_is(pair->key, "run_uuid");
		stage |= ts_span_is(pair->key, "lifecycle_stage");
		meta.deleted |= ts_span_is(pair->key, "lifecycle_stage") && ts_span_is(pair->value, "deleted");
	}
	ts_arena_finish(&arena);
	if (status == TS_NO_MEMORY)
		return status;
	meta.is_run = run_id && experiment_id;
	meta.is_experiment = !run_id && experiment_id && stage;
	*ret_meta = meta;
	return TS_OK;
}

static bool join(char *out, size_t size, const char *directory, const char *name)
{
	int n = snprintf(out, size, "%s/%s", directory, name);

	return n > 0 && (size_t)n < size;
}

static enum ts_status look_in(const char *directory, struct meta *ret_meta, struct ts_error *err)
{
	char path[4096];

	*ret_meta = (struct meta){false, false, false};
	if (!join(path, sizeof path, directory, meta_name) || ts_below_kind(directory, path) != TS_FILE_REGULAR)
		return TS_OK;
	return look_at(directory, path, ret_meta, err);
}

int ts_mlflow_sniff(const char *path)
{
	struct ts_error err;
	struct meta meta;

	if (ts_file_kind(path) != TS_FILE_DIRECTORY)
		return 0;
	if (look_in(path, &meta, &err))
		return TS_SNIFF_NO_MEMORY;
	return meta.is_run ? SURE : 0;
}

/* Counts the runs in a folder of MLflow, `depth` folders deep. */
static enum ts_status count_below(const char *top, const char *path, int depth, struct ts_arena *arena, size_t *io_n,
				  struct ts_error *err)
{
	struct meta meta;
	char **names;
	size_t n;

	if (ts_below_kind(top, path) != TS_FILE_DIRECTORY)
		return TS_OK;
	if (look_in(path, &meta, err))
		return err->status;
	*io_n += meta.is_run;
	if (meta.is_run || depth == 0)
		return TS_OK;
	if (ts_below_list(top, path, arena, &names, &n, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		const char *below = ts_path_join(arena, path, names[i]);

		if (!below)
			return ts_arena_error(arena, err);
		if (count_below(top, below, depth - 1, arena, io_n, err))
			return err->status;
	}
	return TS_OK;
}

/* What cannot be listed is not counted. */
static enum ts_status count_deleted(const char *path, size_t *io_n, struct ts_error *err)
{
	struct ts_arena arena;
	enum ts_status status;

	ts_arena_init(&arena, 0);
	status = count_below(path, path, TRASH_DEPTH, &arena, io_n, err);
	ts_arena_finish(&arena);
	return status == TS_NO_MEMORY || status == TS_TOO_LARGE ? status : TS_OK;
}

enum ts_status ts_mlflow_passes_over(const char *directory, const char *entry, bool *ret_passes_over, size_t *io_deleted,
				     struct ts_error *err)
{
	static const char *const own[] = {"models", "datasets", "traces"};
	struct meta of_entry, of_directory = {false, false, false};
	char path[4096];

	*ret_passes_over = false;
	if (!join(path, sizeof path, directory, entry) || ts_file_kind(path) != TS_FILE_DIRECTORY)
		return TS_OK;
	if (look_in(path, &of_entry, err))
		return err->status;
	for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
		if (strcmp(entry, own[i]) == 0 && look_in(directory, &of_directory, err))
			return err->status;
	*ret_passes_over = of_entry.deleted || of_directory.is_experiment || strcmp(entry, ".trash") == 0;
	return *ret_passes_over && !of_directory.is_experiment ? count_deleted(path, io_deleted, err) : TS_OK;
}

static void tell(struct store *s, const char *code, enum ts_notice_level level, uint64_t line, const char *what)
{
	ts_notice_add(&s->notices, code, level, s->file, line, what);
}

static void take_record(struct store *s, const struct ts_yaml_pair *pair)
{
	struct ts_mlflow_run *run = &s->run;
	const struct {
		const char *key;
		struct ts_span *to;
	} texts[] = {{"run_id", &run->id},   {"run_uuid", &run->id},	 {"run_name", &run->name},
		     {"name", &run->name},   {"user_id", &run->user},	 {"experiment_id", &run->experiment_id},
		     {"source_name", &run->source}};
	const struct {
		const char *key;
		int64_t *to;
	} times[] = {{"start_time", &run->started_ms}, {"end_time", &run->ended_ms}};

	if (ts_span_is(pair->key, "status")) {
		run->status = ts_mlflow_status_of(pair->value);
		if (run->status == TS_MLFLOW_UNKNOWN)
			tell(s, "bad_meta", TS_NOTICE_SKIPPED, pair->line, "a status that MLflow does not have");
	}
	for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
		if (ts_span_is(pair->key, times[i].key) && !ts_parse_i64(pair->value, times[i].to))
			tell(s, "bad_meta", TS_NOTICE_SKIPPED, pair->line, "a time that is not a number of milliseconds");
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		if (ts_span_is(pair->key, texts[i].key) && pair->value.len > 0)
			*texts[i].to = pair->value;
}

static enum ts_status read_run_meta(struct store *s, struct ts_error *err)
{
	const char *path = ts_path_join(s->arena, s->options->path, meta_name);
	struct ts_flat_yaml yaml = {NULL, 0};
	enum ts_status status;
	uint64_t bytes;

	if (!path)
		return ts_arena_error(s->arena, err);
	s->file = ts_span_str(meta_name);
	status = read_meta(ts_top(s->options), path, s->arena, &yaml, &bytes, err);
	for (const struct ts_yaml_pair *pair = yaml.first; pair; pair = pair->next)
		if (pair->kind == TS_YAML_TEXT)
			take_record(s, pair);
	if (yaml.bad_line)
		tell(s, "bad_meta", TS_NOTICE_SKIPPED, yaml.bad_line, "the rest of the file from this line on, which is not YAML");
	s->bytes_read += bytes;
	return status;
}

/* The text of a small file; a file that cannot be read has none. Only TS_NO_MEMORY and TS_TOO_LARGE of the arena fail. */
static enum ts_status text_of(const char *top, const char *name, struct ts_arena *arena, struct ts_span *ret_text, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(TS_NAME_MAX);
	const char *path = ts_path_join(arena, top, name);
	enum ts_status status = path ? ts_below_read(top, path, &text, err) : ts_arena_error(arena, err);

	*ret_text = status ? ts_span_of(NULL, 0) : ts_arena_span(arena, ts_buf_view(&text));
	ts_buf_finish(&text);
	if (arena->failed)
		return ts_arena_error(arena, err);
	return status == TS_NO_MEMORY ? status : TS_OK;
}

enum ts_status ts_mlflow_about(const char *path, struct ts_arena *arena, struct ts_run_about *ret_about, struct ts_error *err)
{
	const char *meta = ts_path_join(arena, path, meta_name);
	struct ts_flat_yaml yaml = {NULL, 0};
	struct ts_span name = {NULL, 0};
	uint64_t bytes;

	if (!meta)
		return ts_arena_error(arena, err);
	if (read_meta(path, meta, arena, &yaml, &bytes, err) == TS_NO_MEMORY || arena->failed)
		return err->status;
	for (const struct ts_yaml_pair *pair = yaml.first; pair; pair = pair->next)
		if (ts_span_is(pair->key, "run_name") && pair->kind == TS_YAML_TEXT)
			name = pair->value;
	if (!name.len && text_of(path, "tags/mlflow.runName", arena, &name, err))
		return err->status;
	name = ts_trim(name);
	if (name.len && ts_utf8_valid(name) && !(ret_about->own_name = ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(name))))
		return ts_arena_error(arena, err);
	return TS_OK;
}

/* The folder around the run, and what base/below.h takes as the path that was named for a file in it. */
static const char *folder_of(struct store *s, const char **ret_top)
{
	const char *path = s->options->path, *top = ts_top(s->options), *folder;

	if (strcmp(top, path) != 0) {
		*ret_top = top;
		return ts_arena_printf(s->arena, "%.*s", (int)(ts_path_last(path) - path), path);
	}
	folder = ts_path_join(s->arena, path, "..");
	*ret_top = folder;
	return folder;
}

/* Reads the name of the experiment, if the run still lies in the folder of an experiment. */
static enum ts_status read_experiment(struct store *s, struct ts_error *err)
{
	const char *top, *folder = folder_of(s, &top), *path = folder ? ts_path_join(s->arena, folder, meta_name) : NULL;
	struct ts_flat_yaml yaml = {NULL, 0};
	struct meta meta;
	enum ts_status status;
	uint64_t bytes;

	if (!path)
		return ts_arena_error(s->arena, err);
	if (ts_below_kind(top, path) != TS_FILE_REGULAR)
		return TS_OK;
	if (look_at(top, path, &meta, err))
		return err->status;
	if (!meta.is_experiment)
		return TS_OK;
	status = read_meta(top, path, s->arena, &yaml, &bytes, err);
	for (const struct ts_yaml_pair *pair = yaml.first; pair; pair = pair->next)
		if (ts_span_is(pair->key, "name") && pair->kind == TS_YAML_TEXT)
			s->run.experiment = pair->value;
	return status;
}

/* --- folders of keys --- */

typedef enum ts_status take_file(struct store *s, const char *path, const char *key, uint64_t size, struct ts_error *err);

static enum ts_status walk(struct store *s, const char *directory, const char *below, int depth, take_file *take,
			   struct ts_error *err);

static enum ts_status visit(struct store *s, const char *directory, const char *below, const char *entry, int depth, take_file *take,
			    struct ts_error *err)
{
	const char *path = ts_path_join(s->arena, directory, entry);
	const char *key = *below ? ts_path_join(s->arena, below, entry) : entry;
	struct stat st;

	if (!path || !key)
		return ts_arena_error(s->arena, err);
	if (lstat(path, &st) < 0)
		return ts_error_errno(err, errno, "%s", path);
	if (S_ISDIR(st.st_mode) && depth < DEPTH)
		return walk(s, path, key, depth + 1, take, err);
	if (S_ISREG(st.st_mode))
		return take(s, path, key, (uint64_t)st.st_size, err);
	tell(s, "not_file", TS_NOTICE_SKIPPED, 0, key);
	return TS_OK;
}

static enum ts_status walk(struct store *s, const char *directory, const char *below, int depth, take_file *take,
			   struct ts_error *err)
{
	char **names;
	size_t n;

	if (ts_below_list(ts_top(s->options), directory, s->arena, &names, &n, err))
		return err->status;
	for (size_t i = 0; i < n; i++)
		if (visit(s, directory, below, names[i], depth, take, err))
			return err->status;
	return TS_OK;
}

/* A folder that does not exist has no keys. A link to a folder is not followed. */
static enum ts_status take_folder(struct store *s, const char *name, take_file *take, struct ts_error *err)
{
	const char *path = ts_path_join(s->arena, s->options->path, name);
	struct stat st;

	if (!path)
		return ts_arena_error(s->arena, err);
	s->file = ts_span_str(name);
	if (lstat(path, &st) < 0)
		return errno == ENOENT ? TS_OK : ts_error_errno(err, errno, "%s", path);
	if (S_ISDIR(st.st_mode))
		return walk(s, path, "", 1, take, err);
	tell(s, "not_file", TS_NOTICE_SKIPPED, 0, "no folder");
	return TS_OK;
}

/* Reads the whole file without the newline at its end. Returns false if it is too long, with a notice. */
static enum ts_status read_value(struct store *s, const char *path, const char *key, bool *ret_there, struct ts_error *err)
{
	enum ts_status status;

	ts_buf_reset(&s->scratch);
	status = ts_below_read(ts_top(s->options), path, &s->scratch, err);
	*ret_there = status != TS_TOO_LARGE;
	if (status == TS_TOO_LARGE) {
		tell(s, "long_fact", TS_NOTICE_SKIPPED, 0, key);
		return TS_OK;
	}
	s->bytes_read += s->scratch.len;
	if (!status && s->scratch.len && s->scratch.data[s->scratch.len - 1] == '\n')
		s->scratch.len--;
	return status;
}

/* The key that a file is called after. Where runs are logged through tscope web, a slash of the key is "%2F" in its name. */
static enum ts_status key_of(struct store *s, const char *file, struct ts_span *ret_key, struct ts_error *err)
{
	struct ts_span rest = ts_span_str(file);
	uint8_t *key = ts_arena_alloc(s->arena, rest.len + 1);
	size_t n = 0;

	if (!key)
		return ts_arena_error(s->arena, err);
	while (rest.len) {
		if (ts_span_skip(&rest, "%2F")) {
			key[n++] = '/';
			continue;
		}
		key[n++] = rest.data[0];
		rest = ts_span_from(rest, 1);
	}
	*ret_key = ts_span_of(key, n);
	return TS_OK;
}

static enum ts_status take_param(struct store *s, const char *path, const char *key, uint64_t size, struct ts_error *err)
{
	struct ts_span plain;
	bool there;

	(void)size;
	if (key_of(s, key, &plain, err) || read_value(s, path, key, &there, err))
		return err->status;
	if (there)
		ts_mlflow_param(&s->run, plain, ts_buf_view(&s->scratch));
	return TS_OK;
}

static enum ts_status take_tag(struct store *s, const char *path, const char *key, uint64_t size, struct ts_error *err)
{
	struct ts_span plain;
	bool there;

	(void)size;
	if (key_of(s, key, &plain, err) || read_value(s, path, key, &there, err))
		return err->status;
	return there ? ts_mlflow_tag(&s->run, plain, ts_buf_view(&s->scratch), err) : TS_OK;
}

static enum ts_status take_metric(struct store *s, const char *path, const char *key, uint64_t size, struct ts_error *err)
{
	struct ts_span plain;

	(void)path;
	s->bytes_total += size;
	return key_of(s, key, &plain, err) ? err->status : ts_mlflow_metric(&s->run, plain, ts_span_str(key), size, err);
}

static enum ts_status leave_out(struct store *s, const char *key)
{
	if (s->left_out++ == 0)
		s->first_left_out = key;
	return s->left_out < FILES_MAX ? TS_OK : TS_CANCELLED;
}

static enum ts_status take_nothing(struct store *s, const char *path, const char *key, uint64_t size, struct ts_error *err)
{
	(void)path, (void)size, (void)err;
	return leave_out(s, key);
}

/* The frame of all readers keeps traces and snapshots. */
static enum ts_status leave_out_unless_kept(struct store *s, const char *path, const char *key, struct ts_error *err)
{
	enum ts_kept_kind kept = TS_KEPT_NOT;
	int deep = 1;

	for (const char *at = key; *at; at++)
		deep += *at == '/';
	if (deep <= TS_KEPT_BELOW_LOG && ts_kept_is(ts_top(s->options), path, &kept, err))
		return err->status;
	return kept == TS_KEPT_NOT ? leave_out(s, key) : TS_OK;
}

static enum ts_status take_artifact(struct store *s, const char *path, const char *key, uint64_t size, struct ts_error *err)
{
	char name[TS_FILE_NAME_BYTES];
	struct ts_import_file *file;

	if (!s->options->artifacts || size > TS_KEPT_ARTIFACT_MAX || size > TS_KEPT_ARTIFACTS_MAX - s->kept_bytes ||
	    s->n_kept == TS_KEPT_ARTIFACTS || !ts_artifact_name(ts_span_str(key), name))
		return leave_out_unless_kept(s, path, key, err);
	if (!TS_GROW_IN(s->arena, s->kept, s->cap_kept, s->n_kept + 1, 16))
		return ts_arena_error(s->arena, err);
	file = &s->kept[s->n_kept++];
	*file = (struct ts_import_file){path, ts_arena_dup(s->arena, name, strlen(name) + 1)};
	s->kept_bytes += size;
	return file->name ? TS_OK : ts_arena_error(s->arena, err);
}

static enum ts_status take_files(struct store *s, struct ts_error *err)
{
	static const struct {
		const char *folder;
		take_file *take;
	} folders[] = {{"artifacts", take_artifact}, {"inputs", take_nothing}, {"outputs", take_nothing}};

	for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
		enum ts_status status;

		s->left_out = 0;
		status = take_folder(s, folders[i].folder, folders[i].take, err);
		if (status && status != TS_CANCELLED)
			return status;
		for (uint64_t k = 0; k < s->left_out; k++)
			tell(s, "not_kept", TS_NOTICE_SKIPPED, 0, s->first_left_out);
	}
	return TS_OK;
}

/* --- metrics --- */

static struct ts_span next_field(struct ts_span *line)
{
	size_t n = 0;
	struct ts_span field;

	while (line->len && line->data[0] == ' ')
		line->data++, line->len--;
	while (n < line->len && line->data[n] != ' ')
		n++;
	field = ts_span_of(line->data, n);
	line->data += n;
	line->len -= n;
	return field;
}

/* Reads a double as Python, Java and R print it. */
static bool parse_value(struct ts_span text, double *ret)
{
	static const char *const words[] = {"nan", "inf", "infinity"};
	struct ts_span word = text;
	bool minus = word.len && word.data[0] == '-';

	if (ts_parse_double(text, ret))
		return true;
	if (word.len && (minus || word.data[0] == '+'))
		word.data++, word.len--;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		bool same = word.len == strlen(words[i]);

		for (size_t k = 0; same && k < word.len; k++)
			same = (word.data[k] | 32) == words[i][k];
		if (!same)
			continue;
		*ret = i == 0 ? (double)NAN : minus ? -(double)INFINITY : (double)INFINITY;
		return true;
	}
	return false;
}

/* Reads "milliseconds value step"; the name and the digest of a data set may follow. */
static enum ts_status take_line(struct store *s, const struct ts_mlflow_metric *metric, struct ts_span line, uint64_t number,
				struct ts_error *err)
{
	struct ts_span time = next_field(&line), value = next_field(&line), step = next_field(&line);
	int64_t time_ms, at = (int64_t)number - 1;
	double real;

	if (!ts_parse_i64(time, &time_ms) || !parse_value(value, &real) || (step.len && !ts_parse_i64(step, &at))) {
		tell(s, "bad_metric", TS_NOTICE_SKIPPED, number, "a line that is not \"milliseconds value step\"");
		return TS_OK;
	}
	if (!step.len)
		tell(s, "line_is_step", TS_NOTICE_INFO, number, "a line without a step; its line number, from 0, is taken as the step");
	return ts_mlflow_value(&s->run, metric, time_ms, at, real, err);
}

static enum ts_status read_lines(struct store *s, const struct ts_mlflow_metric *metric, struct ts_log_lines *l, struct ts_error *err)
{
	struct ts_span line;
	enum ts_log_line_end end;

	for (;;) {
		if (ts_log_lines_next(l, &line, &end, err))
			return err->status;
		if (end == TS_LOG_LINES_END)
			return TS_OK;
		if (end != TS_LOG_LINE)
			tell(s, "bad_metric", TS_NOTICE_SKIPPED, l->number, "a line of more than 4 MiB");
		else if (l->cut)
			tell(s, "cut_line", TS_NOTICE_SKIPPED, l->number, "the file ends inside a line");
		else if (take_line(s, metric, line, l->number, err))
			return err->status;
		if (ts_ingest_tell(s->options, &s->told, s->bytes_read + ts_log_lines_at(l), s->bytes_total, err))
			return err->status;
	}
}

static enum ts_status read_metric(struct store *s, const struct ts_mlflow_metric *metric, struct ts_error *err)
{
	const char *name = ts_arena_printf(s->arena, "metrics/%.*s", TS_SPAN_ARG(metric->file));
	const char *path = name ? ts_path_join(s->arena, s->options->path, name) : NULL;
	struct ts_log_lines l;
	enum ts_status status;

	if (!path)
		return ts_arena_error(s->arena, err);
	s->file = ts_span_str(name);
	status = ts_log_lines_open(&l, ts_top(s->options), path, 0, err);
	if (!status)
		status = read_lines(s, metric, &l, err);
	s->bytes_read += status ? 0 : l.size;
	ts_log_lines_close(&l);
	return status && status != TS_CANCELLED ? ts_error_prefix(err, "%s", path) : status;
}

static enum ts_status feed(void *ctx, struct ts_rows *rows, struct ts_error *err)
{
	struct store *s = ctx;

	s->told = 0;
	if (ts_mlflow_begin(&s->run, rows, err))
		return err->status;
	for (size_t i = 0; i < s->run.n_metrics; i++)
		if (read_metric(s, ts_mlflow_nth(&s->run, i), err))
			return err->status;
	return TS_OK;
}

static enum ts_status read_store(struct store *s, ts_object_sink *sink, void *ctx, struct ts_ingest_result *ret_result,
				 struct ts_error *err)
{
	struct ts_import import = {.format = "MLflow run",
				   .rows = {.feed = feed, .ctx = s, .unordered = true},
				   .facts = ts_mlflow_facts,
				   .ctx = &s->run,
				   .finished = ts_mlflow_finished};

	if (read_run_meta(s, err) || read_experiment(s, err) || take_folder(s, "params", take_param, err) ||
	    take_folder(s, "tags", take_tag, err) || take_folder(s, "metrics", take_metric, err) || take_files(s, err))
		return err->status;
	import.files = s->kept;
	import.n_files = s->n_kept;
	return ts_import_run(&import, s->options, sink, ctx, &s->notices, &s->bytes_read, s->arena, ret_result, err);
}

enum ts_status ts_mlflow_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			      struct ts_ingest_result *ret_result, struct ts_error *err)
{
	struct store s = {.options = options,
			  .arena = arena,
			  .notices = {.arena = arena},
			  .scratch = TS_BUF_INIT(TS_FACT_TEXT_MAX)};
	enum ts_status status;

	ts_mlflow_init(&s.run, arena, &s.notices);
	status = read_store(&s, sink, ctx, ret_result, err);
	ts_mlflow_finish(&s.run);
	ts_buf_finish(&s.scratch);
	return status;
}
