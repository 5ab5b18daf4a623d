#include "ingest/discover.h"

#include "base/below.h"
#include "base/grow.h"
#include "base/limits.h"
#include "base/path.h"
#include "ingest/kept/kept.h"
#include "ingest/mlflow/reader_mlflow.h"
#include "ingest/readers.h"
#include "ingest/rundir/layout.h"
#include "ingest/tensorboard/reader_tensorboard.h"
#include "ingest/text/reader_text.h"

#include <stdlib.h>

struct finding {
	struct ts_arena *arena;
	const char *top;
	const char *link; /* the first of the links below top that were not followed and lead out of it */
	size_t links;
	struct ts_found_run *runs;
	size_t n, cap;
	size_t deleted;
};

static enum ts_status add(struct finding *f, const struct ts_found_run *run, struct ts_error *err)
{
	if (f->n == TS_READER_PARTS_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "more than %d runs below one folder", TS_READER_PARTS_MAX);
	if (!TS_GROW_IN(f->arena, f->runs, f->cap, f->n + 1, 16))
		return ts_arena_error(f->arena, err);
	f->runs[f->n++] = *run;
	return TS_OK;
}

static bool same_folder(const char *a, const char *b)
{
	const char *end = strrchr(a, '/');
	size_t n = end ? (size_t)(end - a) + 1 : 0;

	return strncmp(a, b, n) == 0 && !strchr(b + n, '/');
}

/* The run that was found before and that this is a further part of; NULL if there is none. */
static struct ts_found_run *run_of_part(struct finding *f, const struct ts_found_run *part)
{
	for (size_t i = f->n; part->key && *part->name && i-- > 0;) {
		struct ts_found_run *run = &f->runs[i];

		if (run->reader == part->reader && run->key && strcmp(run->key, part->key) == 0 && same_folder(run->path, part->path))
			return run;
	}
	return NULL;
}

static enum ts_status add_part(struct finding *f, struct ts_found_run *run, const char *path, struct ts_error *err)
{
	const char **more = ts_arena_array(f->arena, run->n_more + 1, sizeof *more);

	if (!more)
		return ts_arena_error(f->arena, err);
	if (run->n_more)
		memcpy(more, run->more, run->n_more * sizeof *more);
	more[run->n_more++] = path;
	run->more = more;
	return TS_OK;
}

static enum ts_status take_one(struct finding *f, struct ts_found_run *run, struct ts_error *err)
{
	struct ts_run_about about = {.own_name = NULL};
	struct ts_found_run *whole;

	if (run->reader->about && run->reader->about(run->path, f->arena, &about, err))
		return err->status;
	run->own_name = about.own_name;
	run->key = about.key;
	whole = run_of_part(f, run);
	return whole ? add_part(f, whole, run->path, err) : add(f, run, err);
}

static enum ts_status take(struct finding *f, const struct ts_reader *reader, const char *path, const char *name, struct ts_error *err)
{
	struct ts_found_run run = {.path = path, .top = f->top, .name = name, .reader = reader};
	struct ts_reader_part *parts;
	size_t n, deleted = 0;

	if (!reader->parts)
		return take_one(f, &run, err);
	if (reader->parts(path, f->arena, &parts, &n, &deleted, err))
		return err->status;
	f->deleted += deleted;
	for (size_t i = 0; i < n; i++) {
		run.part = parts[i].id;
		run.own_name = parts[i].own_name;
		run.name = *name ? ts_arena_printf(f->arena, "%s/%s", name, parts[i].id) : parts[i].id;
		if (!run.name)
			return ts_arena_error(f->arena, err);
		if (add(f, &run, err))
			return err->status;
	}
	return TS_OK;
}

/* Whether inner is the directory outer, or lies below it. len: that of outer. */
static bool lies_in(const char *inner, const char *outer, size_t len)
{
	return strncmp(inner, outer, len) == 0 && (inner[len] == '\0' || inner[len] == '/' || (len && outer[len - 1] == '/'));
}

/* What a link to a place below top leads to is found there. */
static bool leads_out(const char *top, const char *link)
{
	char *target = realpath(link, NULL), *folder = realpath(top, NULL);
	bool out = !target || !folder || !lies_in(target, folder, strlen(folder));

	free(target);
	free(folder);
	return out;
}

/* A symbolic link is not followed: it may lead out of the folder or form a loop. */
static bool is_own(struct finding *f, const char *path)
{
	enum ts_file_kind kind = ts_below_kind(f->top, path);

	if (kind == TS_FILE_LINK && leads_out(f->top, path) && f->links++ == 0)
		f->link = path;
	return kind == TS_FILE_DIRECTORY || kind == TS_FILE_REGULAR;
}

static bool goes_on(const struct ts_reader *reader)
{
	return reader->flags & (TS_READER_NESTS | TS_READER_KEPT);
}

/* Whether the files of a folder that this reader takes are no runs. */
static bool holds_files(const struct ts_reader *reader)
{
	return reader && !(reader->flags & TS_READER_KEPT);
}

/* If inside is true, path itself is a run, so only directories below it may be further runs. */
static enum ts_status walk(struct finding *f, const char *path, const char *name, bool inside, int depth, struct ts_error *err);

static enum ts_status visit(struct finding *f, const char *directory, const char *name, const char *entry, bool inside,
			    int depth, struct ts_error *err)
{
	const char *path = ts_path_join(f->arena, directory, entry);
	const char *below = *name ? ts_arena_printf(f->arena, "%s/%s", name, entry) : entry;
	const struct ts_reader *reader;
	bool is_directory, passes_over;

	if (!path || !below)
		return ts_arena_error(f->arena, err);
	if (!is_own(f, path))
		return TS_OK;
	if (ts_mlflow_passes_over(directory, entry, &passes_over, &f->deleted, err))
		return err->status;
	if (passes_over || entry[0] == '.')
		return TS_OK;
	is_directory = ts_file_kind(path) == TS_FILE_DIRECTORY;
	if (inside && !is_directory)
		return TS_OK;
	if (inside && ts_tensorboard_passes_over(directory, entry, &passes_over, err))
		return err->status;
	if (passes_over)
		return TS_OK;
	if (ts_reader_of(path, &reader, err))
		return err->status;
	if (reader && !is_directory && (reader->flags & TS_READER_KEPT))
		return TS_OK; /* its folder has been taken */
	if (reader && take(f, reader, path, below, err))
		return err->status;
	if (!is_directory || (reader && !goes_on(reader)))
		return TS_OK;
	return walk(f, path, below, holds_files(reader), depth + 1, err);
}

static enum ts_status walk(struct finding *f, const char *path, const char *name, bool inside, int depth, struct ts_error *err)
{
	char **names;
	size_t n;

	if (depth > TS_DISCOVER_DEPTH)
		return TS_OK;
	if (ts_below_list(f->top, path, f->arena, &names, &n, err))
		return err->status;
	for (size_t i = 0; i < n; i++)
		if (visit(f, path, name, names[i], inside, depth, err))
			return err->status;
	return TS_OK;
}

/* Whether another reader found a run in, above or below the directory in which this file lies. */
static bool is_beside(const struct finding *f, const struct ts_found_run *file)
{
	size_t n = (size_t)(ts_path_last(file->path) - file->path);

	n -= n > 0;
	for (size_t i = 0; i < f->n; i++) {
		const struct ts_found_run *run = &f->runs[i];

		if (run->reader->flags & (TS_READER_LAST | TS_READER_KEPT))
			continue;
		if (lies_in(run->path, file->path, n) || lies_in(file->path, run->path, strlen(run->path)))
			return true;
	}
	return false;
}

/* What a training printed repeats what it logged, so it is a run only where there is nothing else. */
static enum ts_status drop_last(struct finding *f, struct ts_error *err)
{
	bool *drop = ts_arena_array(f->arena, f->n ? f->n : 1, sizeof *drop);
	size_t n = 0;

	if (!drop)
		return ts_arena_error(f->arena, err);
	for (size_t i = 0; i < f->n; i++)
		drop[i] = (f->runs[i].reader->flags & TS_READER_LAST) && is_beside(f, &f->runs[i]);
	for (size_t i = 0; i < f->n; i++)
		if (!drop[i])
			f->runs[n++] = f->runs[i];
	f->n = n;
	return TS_OK;
}

/* --- kept files --- */

/* A folder that is searched for kept files, while runs below it are looked at. */
struct keeper {
	const char *folder;
	int deep; /* how many folders below */
};

/* How many folders path lies below the folder, which is above it or the same. */
static int depth_below(const char *folder, const char *path)
{
	size_t len = strlen(folder);
	int n = 0;

	for (const char *at = path + len - (len && folder[len - 1] == '/'); *at; at++)
		n += *at == '/' && at[1];
	return n;
}

static size_t end_below(const struct finding *f, size_t from, const char *folder)
{
	size_t end = from;

	while (end < f->n && lies_in(f->runs[end].path, folder, strlen(folder)))
		end++;
	return end;
}

/* The only run that is a file of this folder and keeps what lies beside it; NULL: there is none, or there are several. */
static struct ts_found_run *only_file(struct finding *f, size_t from, size_t end, const char *folder)
{
	struct ts_found_run *only = NULL;

	for (size_t i = from; i < end; i++) {
		struct ts_found_run *run = &f->runs[i];

		if (depth_below(folder, run->path) != 1 || ts_below_kind(f->top, run->path) != TS_FILE_REGULAR)
			continue;
		if (only || run->part || !(run->reader->flags & TS_READER_KEEPS))
			return NULL;
		only = run;
	}
	return only;
}

/* Decides whose the kept files of a folder are: of the run that is the only file there, of the nearest run above it, which searches
 * so deep, or of themselves. *ret_drop: not the last. Then *io_n keepers end with the one for what lies below. */
static enum ts_status settle_kept(struct finding *f, size_t i, struct keeper *keepers, size_t *io_n, bool *ret_drop,
				  struct ts_error *err)
{
	struct ts_found_run *run = &f->runs[i];
	bool kept = run->reader->flags & TS_READER_KEPT;
	struct ts_found_run *file = kept ? only_file(f, i + 1, end_below(f, i + 1, run->path), run->path) : NULL;
	struct ts_around *around = file ? ts_arena_array(f->arena, 1, sizeof *around) : NULL;

	if (file && !around)
		return ts_arena_error(f->arena, err);
	while (*io_n && !lies_in(run->path, keepers[*io_n - 1].folder, strlen(keepers[*io_n - 1].folder)))
		--*io_n;
	*ret_drop = file || (kept && *io_n && depth_below(keepers[*io_n - 1].folder, run->path) <= keepers[*io_n - 1].deep);
	if (*ret_drop && !file)
		return TS_OK;
	keepers[(*io_n)++] = (struct keeper){run->path, kept && !file ? TS_KEPT_BELOW_RUN : TS_KEPT_BELOW_LOG};
	if (file) {
		around->folder = run->path;
		file->around = around;
	}
	return TS_OK;
}

/* Runs come in the order of the search: a folder before what lies in it. */
static enum ts_status drop_kept(struct finding *f, struct ts_error *err)
{
	struct keeper keepers[TS_DISCOVER_DEPTH + 2];
	size_t n = 0, n_keepers = 0;
	bool *drop = ts_arena_array(f->arena, f->n ? f->n : 1, sizeof *drop);

	if (!drop)
		return ts_arena_error(f->arena, err);
	for (size_t i = 0; i < f->n; i++) {
		drop[i] = false;
		if (ts_below_kind(f->top, f->runs[i].path) == TS_FILE_DIRECTORY &&
		    settle_kept(f, i, keepers, &n_keepers, &drop[i], err))
			return err->status;
	}
	for (size_t i = 0; i < f->n; i++)
		if (!drop[i])
			f->runs[n++] = f->runs[i];
	f->n = n;
	return TS_OK;
}

/* The folder of which a run has the kept files. */
static const char *folder_of(const struct ts_found_run *run)
{
	return run->around && run->around->folder ? run->around->folder : run->path;
}

/* Says which other runs lie below a run's folder. */
static enum ts_status set_others(struct finding *f, size_t i, struct ts_error *err)
{
	const char *folder = folder_of(&f->runs[i]), **others;
	struct ts_around *around = ts_arena_array(f->arena, 1, sizeof *around);
	size_t from = i, end = end_below(f, i, folder);

	while (from > 0 && lies_in(f->runs[from - 1].path, folder, strlen(folder)))
		from--;
	others = ts_arena_array(f->arena, end - from + 1, sizeof *others);
	if (!around || !others)
		return ts_arena_error(f->arena, err);
	*around = (struct ts_around){.folder = f->runs[i].around ? folder : NULL, .others = others};
	for (size_t k = from; k < end; k++)
		if (strcmp(folder_of(&f->runs[k]), folder) != 0)
			others[around->n_others++] = folder_of(&f->runs[k]);
	f->runs[i].around = around;
	return TS_OK;
}

static enum ts_status set_around(struct finding *f, struct ts_error *err)
{
	for (size_t i = 0; i < f->n; i++)
		if ((f->runs[i].around || ts_below_kind(f->top, f->runs[i].path) == TS_FILE_DIRECTORY) && set_others(f, i, err))
			return err->status;
	return TS_OK;
}

/* Handles FILE#PART, where FILE holds several runs and no file has the whole text as its name. */
static enum ts_status take_part(struct finding *f, const char *path, struct ts_error *err)
{
	const char *hash = strrchr(path, '#');
	struct ts_found_run run = {.name = ""};

	if (!hash || ts_file_kind(path) != TS_FILE_NONE)
		return TS_OK;
	run.path = ts_arena_printf(f->arena, "%.*s", (int)(hash - path), path);
	run.part = hash + 1;
	if (!run.path)
		return ts_arena_error(f->arena, err);
	if (ts_reader_of(run.path, &run.reader, err))
		return err->status;
	return run.reader && run.reader->parts ? add(f, &run, err) : TS_OK;
}

/* Stores that are not read, and the commands that make of them what is read. Source: aim 3.29.1, with which its command was run; the
 * README of neptune-exporter. */
static const struct {
	const char *entry, *advice;
} unread[] = {
	{".aim",
	 "Aim's store is not read; in the folder that has .aim, these write a folder of tables for each run, to be pushed: "
	 "aim storage --repo . reindex -y; python3 -c \"import aim, os; [(os.makedirs(h, exist_ok=True), m.dataframe()[['step', "
	 "'value']].rename(columns={'value': m.name}).to_csv(f'{h}/{m.name}.csv', index=False)) for h in "
	 "aim.Repo('.').list_all_runs() for m in aim.Run(h, repo='.', read_only=True).metrics()]\""},
	{".neptune",
	 "Neptune's store is not read; what neptune-exporter exported becomes a database of MLflow, to be pushed: neptune-exporter "
	 "load --loader mlflow --mlflow-tracking-uri sqlite:///mlflow.db --data-path ./exports/data"},
};

static const char *advice_for(const char *path, struct ts_arena *arena)
{
	for (size_t i = 0; i < sizeof unread / sizeof unread[0]; i++) {
		const char *below = ts_path_join(arena, path, unread[i].entry);

		if (strcmp(ts_path_last(path), unread[i].entry) == 0 || (below && ts_file_kind(below) == TS_FILE_DIRECTORY))
			return unread[i].advice;
	}
	return ts_file_ends(path, ".parquet") ? unread[1].advice : NULL;
}

static enum ts_status nothing_found(const struct finding *f, const char *path, struct ts_error *err)
{
	const char *advice = advice_for(path, f->arena);

	if (!advice && f->links)
		return ts_error_set(err, TS_INVALID, "%s: no run in it: %s is a symbolic link, which is not followed", path, f->link);
	if (!advice && ts_file_kind(path) == TS_FILE_REGULAR)
		advice = ts_text_advice(path, f->arena);
	if (!advice && ts_file_kind(path) == TS_FILE_REGULAR && ts_text_is_log(ts_path_last(path)))
		advice = "its lines are of no form that is known or can be guessed; a template of them reads it, as in --pattern 'step "
			 "{step} "
			 "loss {loss}'";
	if (!advice)
		advice = "no run directory, no profiler's trace, no memory snapshot, and no log of another tool that is known";
	return ts_error_set(err, TS_INVALID, "%s: no run in it: %s", path, advice);
}

enum ts_status ts_discover(const char *path, struct ts_arena *arena, struct ts_found_run **ret_runs, size_t *ret_n,
			    struct ts_error *err)
{
	struct finding f = {.arena = arena, .top = path};
	const struct ts_reader *reader;
	enum ts_file_kind kind = ts_file_kind(path);

	if (ts_reader_of(path, &reader, err) || take_part(&f, path, err))
		return err->status;
	if (kind == TS_FILE_NONE && f.n == 0)
		return ts_error_set(err, TS_NOT_FOUND, "%s: no such file or directory", path);
	if (reader && take(&f, reader, path, "", err))
		return err->status;
	if (kind == TS_FILE_DIRECTORY && (!reader || goes_on(reader)) && walk(&f, path, "", holds_files(reader), 1, err))
		return err->status;
	if (drop_last(&f, err) || drop_kept(&f, err) || set_around(&f, err))
		return err->status;
	if (f.n == 0 && f.deleted)
		return ts_error_set(err, TS_INVALID, "%s: all runs in it, %zu, are deleted in MLflow", path, f.deleted);
	if (f.n == 0)
		return nothing_found(&f, path, err);
	for (size_t i = 0; i < f.n; i++) {
		f.runs[i].deleted = f.deleted;
		f.runs[i].links = f.links;
		f.runs[i].link = f.link;
	}
	*ret_runs = f.runs;
	*ret_n = f.n;
	return TS_OK;
}

enum ts_status ts_discover_as(const struct ts_reader *reader, const char *path, struct ts_arena *arena, struct ts_found_run **ret_runs,
			      size_t *ret_n, struct ts_error *err)
{
	struct finding f = {.arena = arena, .top = path};
	enum ts_file_kind kind = ts_file_kind(path);

	if (kind == TS_FILE_NONE)
		return ts_error_set(err, TS_NOT_FOUND, "%s: no such file or directory", path);
	if (kind != TS_FILE_REGULAR)
		return ts_error_set(err, TS_INVALID, "%s: this is no file, and only a file can be read as a %s", path, reader->name);
	if (take(&f, reader, path, "", err))
		return err->status;
	*ret_runs = f.runs;
	*ret_n = f.n;
	return TS_OK;
}
