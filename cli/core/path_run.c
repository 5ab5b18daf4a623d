/* path_run.c - see path_run.h. */
#include "cli/core/path_run.h"

#include "base/limits.h"
#include "cli/core/progress.h"
#include "ingest/readers.h"

bool ts_is_path(const char *word)
{
	return word[0] == '/' || strncmp(word, "./", 2) == 0 || strncmp(word, "../", 3) == 0 ||
	       strcmp(word, ".") == 0 || strcmp(word, "..") == 0;
}

/* Nobody but this command reads what is kept here, so it is not compressed. */
static enum ts_status keep(void *ctx, const struct ts_id *id, struct ts_span object, struct ts_error *err)
{
	struct ts_engine *engine = ctx;
	struct ts_sealed sealed;

	return ts_seal_plain(id, object, &sealed, err) ? err->status : engine->ops->put_many(engine, &sealed, 1, NULL, err);
}

void ts_say_notices(const struct ts_cli *cli, const char *path, const struct ts_notices *notices, bool all)
{
	for (size_t i = 0; i < notices->n; i++) {
		const struct ts_notice *n = &notices->items[i];
		char line[32] = "", times[48] = "";

		if (n->level == TS_NOTICE_INFO && !all && strcmp(n->code, "still_growing") != 0)
			continue;
		if (n->line)
			ts_text_u64(line, ":", n->line, "");
		if (n->count > 1)
			ts_text_u64(times, " (", n->count, " times)");
		ts_cli_say(cli, "%s%s%.*s%s: %s%s%s%s%.*s", path, n->file.len ? "/" : "", TS_SPAN_ARG(n->file), line,
			   n->level == TS_NOTICE_SKIPPED ? "skipped: " : "", n->code, times, n->detail.len ? ": " : "",
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
