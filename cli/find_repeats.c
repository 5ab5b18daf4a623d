/* find_repeats.c - see find_repeats.h. */
#include "cli/find_repeats.h"

#include "base/limits.h"
#include "cli/ask.h"
#include "cli/path_run.h"

#include <glob.h>

/* What a request may name. */
enum { REPEATS_MOST = 64 };

static enum ts_status too_many(struct ts_error *err)
{
	return ts_error_set(err, TS_TOO_LARGE, "diff: --repeats takes at most %d runs, and more match", REPEATS_MOST);
}

/* name~"GLOB", the glob as it is. */
static enum ts_status filter_of(const char *glob, struct ts_arena *arena, struct ts_span *ret_filter, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(TS_MESSAGE_MAX);
	enum ts_status status;

	ts_buf_str(&text, "name~\"");
	for (; *glob; glob++) {
		if (*glob == '"' || *glob == '\\')
			ts_buf_char(&text, '\\');
		ts_buf_char(&text, *glob);
	}
	ts_buf_char(&text, '"');
	status = ts_buf_check(&text, err);
	if (!status) {
		*ret_filter = ts_arena_span(arena, ts_buf_view(&text));
		status = ret_filter->data ? TS_OK : ts_arena_error(arena, err);
	}
	ts_buf_finish(&text);
	return status;
}

static enum ts_status add_id(struct ts_cli *cli, const struct ts_id *id, struct ts_diff_request *request, struct ts_error *err)
{
	char hex[TS_ID_HEX + 1];
	const char *text;

	if (request->n_repeats == REPEATS_MOST)
		return too_many(err);
	text = ts_arena_printf(&cli->arena, "id:%s", ts_id_hex(id, hex));
	if (!text)
		return ts_arena_error(&cli->arena, err);
	request->repeats[request->n_repeats++] = ts_span_str(text);
	return TS_OK;
}

/* Ids: what is asked afterwards may go to an overlay that knows no names. */
static enum ts_status match_names(struct ts_cli *cli, const char *glob, struct ts_diff_request *request, struct ts_error *err)
{
	struct ts_list_request list = {.kind = TS_REF_RUN, .sort = ts_span_str("name")};
	const char *project = "";
	size_t before = request->n_repeats;
	struct ts_list_reply page;

	if ((!strchr(glob, '/') && ts_cli_project(cli, &project, err)) || filter_of(glob, &cli->arena, &list.filter, err))
		return err->status;
	list.project = ts_span_str(project);
	do {
		if (ts_ask_list(cli->target.channel, &list, &cli->arena, &page, err))
			return ts_error_prefix(err, "--repeats %s", glob);
		for (size_t i = 0; i < page.n; i++)
			if (add_id(cli, &page.rows[i].id, request, err))
				return err->status;
		list.page_token = page.next_token;
	} while (list.page_token.len);
	if (request->n_repeats > before)
		return TS_OK;
	return ts_error_set(err, TS_NOT_FOUND, "--repeats: no run%s%s is called %s", *project ? " of project " : "", project, glob);
}

/* glob(3) allocates by itself; what it found is copied. */
static enum ts_status match_paths(struct ts_cli *cli, const char *pattern, struct ts_repeat_words *io, struct ts_error *err)
{
	enum ts_status status = TS_OK;
	glob_t found;
	int rc = glob(pattern, GLOB_NOSORT | GLOB_ONLYDIR, NULL, &found);

	if (rc == GLOB_NOMATCH)
		return ts_error_set(err, TS_NOT_FOUND, "--repeats: there is no directory %s", pattern);
	if (rc != 0)
		return ts_error_set(err, rc == GLOB_NOSPACE ? TS_NO_MEMORY : TS_IO, "--repeats: cannot look for %s", pattern);
	for (size_t i = 0; !status && i < found.gl_pathc; i++) {
		const char *word = ts_arena_printf(&cli->arena, "%s", found.gl_pathv[i]);

		if (io->n == 2 + REPEATS_MOST)
			status = too_many(err);
		else if (!word)
			status = ts_arena_error(&cli->arena, err);
		else
			io->words[io->n++] = word;
	}
	globfree(&found);
	return status;
}

enum ts_status ts_find_repeats(struct ts_cli *cli, struct ts_diff_request *request, struct ts_repeat_words *ret_words,
			       struct ts_error *err)
{
	struct ts_repeat_words words = {.n = 2};
	enum ts_status status = ts_cli_open(cli, TS_USE_READ, err);
	const char *glob;

	if (status)
		return status;
	request->repeats = ts_arena_array(&cli->arena, REPEATS_MOST, sizeof *request->repeats);
	words.words = ts_arena_array(&cli->arena, 2 + REPEATS_MOST, sizeof *words.words);
	if (!request->repeats || !words.words)
		return ts_arena_error(&cli->arena, err);
	words.words[0] = cli->args.words[0];
	words.words[1] = cli->args.words[1];
	for (size_t i = 0; !status && (glob = ts_args_nth(&cli->args, "repeats", i)); i++)
		status = ts_is_path(glob) ? match_paths(cli, glob, &words, err) : match_names(cli, glob, request, err);
	if (!status)
		*ret_words = words;
	return status;
}

enum ts_status ts_take_specs(const struct ts_span *specs, size_t n, struct ts_diff_request *request, struct ts_error *err)
{
	request->a = specs[0];
	request->b = specs[1];
	if (request->n_repeats + n - 2 > REPEATS_MOST)
		return too_many(err);
	for (size_t i = 2; i < n; i++)
		request->repeats[request->n_repeats++] = specs[i];
	return TS_OK;
}
