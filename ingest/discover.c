#include "ingest/discover.h"

#include "base/below.h"
#include "base/limits.h"
#include "base/path.h"
#include "ingest/mlflow/reader_mlflow.h"
#include "ingest/readers.h"
#include "ingest/rundir/layout.h"
#include "ingest/tensorboard/reader_tensorboard.h"

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
	if (f->n == f->cap) {
		size_t cap = f->cap ? f->cap * 2 : 16;
		struct ts_found_run *runs = ts_arena_array(f->arena, cap, sizeof *runs);

		if (!runs)
			return ts_arena_error(f->arena, err);
		if (f->n)
			memcpy(runs, f->runs, f->n * sizeof *runs);
		f->runs = runs;
		f->cap = cap;
	}
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
	char **parts;
	size_t n, deleted = 0;

	if (!reader->parts)
		return take_one(f, &run, err);
	if (reader->parts(path, f->arena, &parts, &n, &deleted, err))
		return err->status;
	f->deleted += deleted;
	for (size_t i = 0; i < n; i++) {
		run.part = parts[i];
		run.name = *name ? ts_arena_printf(f->arena, "%s/%s", name, parts[i]) : parts[i];
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
	return strncmp(inner, outer, len) == 0 && (inner[len] == '\0' || inner[len] == '/');
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
	if (reader && take(f, reader, path, below, err))
		return err->status;
	if (!is_directory || (reader && !(reader->flags & TS_READER_NESTS)))
		return TS_OK;
	return walk(f, path, below, reader != NULL, depth + 1, err);
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

		if (run->reader->flags & TS_READER_LAST)
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
	if (!advice)
		advice = "no run directory, and no log of another tool that is known";
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
	if (kind == TS_FILE_DIRECTORY && (!reader || (reader->flags & TS_READER_NESTS)) && walk(&f, path, "", reader != NULL, 1, err))
		return err->status;
	if (drop_last(&f, err))
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
