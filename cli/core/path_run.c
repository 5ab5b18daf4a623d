/* path_run.c - see path_run.h. */
#include "cli/core/path_run.h"

#include "base/limits.h"
#include "cli/core/progress.h"
#include "ingest/readers.h"

#include <errno.h>
#include <unistd.h>

/* A folder that may not be searched is no proof that nothing is in it. */
static bool is_missing(const char *path)
{
	return access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

enum ts_status ts_path_check(const char *word, struct ts_arena *arena, struct ts_error *err)
{
	const char *part = strrchr(word, '#'), *file = word;

	if (!ts_is_path(word) || strpbrk(word, "*?[") || !is_missing(word))
		return TS_OK;
	if (part)
		file = ts_arena_printf(arena, "%.*s", (int)(part - word), word);
	if (!file)
		return ts_arena_error(arena, err);
	if (part && !is_missing(file))
		return TS_OK;
	return ts_error_set(err, TS_NOT_FOUND, "%s: no such file or directory", word);
}

/* Nobody but this command reads what is kept here, so it is not compressed. */
static enum ts_status keep(void *ctx, const struct ts_id *id, struct ts_span object, struct ts_error *err)
{
	struct ts_engine *engine = ctx;
	struct ts_sealed sealed;

	return ts_seal_plain(id, object, &sealed, err) ? err->status : engine->ops->put_many(engine, &sealed, 1, NULL, err);
}

/* Of what loses nothing, what whoever reads the answer must know: that it grows still, and why a number is not that of the file. */
static bool is_said(const struct ts_notice *n)
{
	return n->level != TS_NOTICE_INFO || strcmp(n->code, "still_growing") == 0 || strcmp(n->code, "trace_place") == 0;
}

/* What notices of one kind have in common: how many files have it, and how often in all. */
struct kind {
	size_t files, before; /* before: of them, those whose notice stands before the one that was asked about */
	uint64_t count;
};

static struct kind kind_of(const struct ts_notices *notices, size_t at)
{
	const struct ts_notice *one = &notices->items[at];
	struct kind kind = {0};

	for (size_t i = 0; i < notices->n; i++) {
		const struct ts_notice *n = &notices->items[i];

		if (n->level != one->level || strcmp(n->code, one->code) != 0)
			continue;
		kind.files++;
		kind.before += i < at;
		kind.count += n->count;
	}
	return kind;
}

void ts_say_notices(const struct ts_cli *cli, const char *path, const struct ts_notices *notices, bool all)
{
	for (size_t i = 0; i < notices->n; i++) {
		const struct ts_notice *n = &notices->items[i];
		struct kind kind = {.files = 1, .count = n->count};
		struct ts_span place;
		char line[32] = "", more[48] = "", times[48] = "";

		if (!all && !is_said(n))
			continue;
		if (notices->n > TS_SAID_ALONE)
			kind = kind_of(notices, i);
		if (kind.files <= TS_SAID_ALONE)
			kind = (struct kind){.files = 1, .count = n->count};
		else if (kind.before)
			continue;
		if (n->line)
			ts_text_u64(line, ":", n->line, "");
		if (kind.files > 1)
			ts_text_u64(more, " and ", kind.files - 1, " more files");
		if (kind.count > 1)
			ts_text_u64(times, " (", kind.count, " times)");
		place = ts_notice_place(path, n->file);
		ts_cli_say(cli, "%.*s%s%.*s%s%s: %s%s%s%s%.*s", TS_SPAN_ARG(place), n->file.len ? "/" : "", TS_SPAN_ARG(n->file), line,
			   more, n->level == TS_NOTICE_SKIPPED ? "skipped: " : "", n->code, times, n->detail.len ? ": " : "",
			   TS_SPAN_ARG(n->detail));
	}
}

static enum ts_status texts_of(struct ts_cli *cli, const char *option, const char *const **ret_texts, size_t *ret_n,
			       struct ts_error *err)
{
	const char **texts = ts_arena_array(&cli->arena, cli->args.n + 1, sizeof *texts), *text;

	if (!texts)
		return ts_arena_error(&cli->arena, err);
	for (*ret_n = 0; (text = ts_args_nth(&cli->args, option, *ret_n)); (*ret_n)++)
		texts[*ret_n] = text;
	*ret_texts = texts;
	return TS_OK;
}

enum ts_status ts_path_options(struct ts_cli *cli, struct ts_ingest_options *options, struct ts_error *err)
{
	return texts_of(cli, "pattern", &options->patterns, &options->n_patterns, err)
		       ? err->status
		       : texts_of(cli, "map", &options->maps, &options->n_maps, err);
}

enum ts_status ts_path_discover(struct ts_cli *cli, const char *path, struct ts_found_run **ret_runs, size_t *ret_n,
				struct ts_error *err)
{
	const struct ts_reader *table;
	enum ts_status status;

	if (ts_args_has(&cli->args, "pattern"))
		return ts_discover_as(ts_reader_of_text(), path, &cli->arena, ret_runs, ret_n, err);
	status = ts_discover(path, &cli->arena, ret_runs, ret_n, err);
	table = status == TS_INVALID && ts_args_has(&cli->args, "map") ? ts_reader_of_table(path) : NULL;
	return table ? ts_discover_as(table, path, &cli->arena, ret_runs, ret_n, err) : status;
}

/* Finds the run of a path. PATH is a run, or a folder that holds one run; FILE#PART is one of several runs in a file. */
static enum ts_status find(struct ts_cli *cli, const char *path, struct ts_found_run *ret_run, struct ts_error *err)
{
	struct ts_found_run *runs;
	size_t n;

	if (ts_path_discover(cli, path, &runs, &n, err))
		return err->status;
	if (n > 1)
		return ts_error_set(err, TS_INVALID, "%s holds %zu runs; name one of them, such as %s%s%s", path, n, runs[0].path,
				    runs[0].part ? "#" : "", runs[0].part ? runs[0].part : "");
	*ret_run = runs[0];
	return TS_OK;
}

enum ts_status ts_path_run(struct ts_cli *cli, const char *path, struct ts_span *ret_spec, struct ts_error *err)
{
	struct ts_progress progress;
	struct ts_ingest_options options = {.progress = ts_progress_step, .progress_ctx = &progress};
	struct ts_found_run run = {0};
	struct ts_engine *engine;
	struct ts_ingest_result result;
	char hex[TS_ID_HEX + 1];
	const char *spec;
	enum ts_status status = ts_path_options(cli, &options, err);

	if (!status)
		status = find(cli, path, &run, err);
	if (!status)
		status = ts_target_overlay(&cli->target, &engine, err);
	if (status)
		return status;
	options.path = run.path;
	options.top = run.top;
	options.part = run.part;
	options.more = run.more;
	options.n_more = run.n_more;
	options.around = run.around;
	ts_progress_begin(&progress, cli, "reading", path);
	status = ts_ingest(&options, keep, engine, &cli->arena, &result, err);
	ts_progress_end(&progress);
	if (status)
		return status;
	ts_say_notices(cli, path, &result.notices, false);
	spec = ts_arena_printf(&cli->arena, "id:%s", ts_id_hex(&result.head, hex));
	if (!spec)
		return ts_arena_error(&cli->arena, err);
	*ret_spec = ts_span_str(spec);
	return TS_OK;
}
