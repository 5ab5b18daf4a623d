#include "cli/core/find_runs.h"

#include "base/file.h"
#include "base/limits.h"
#include "cli/core/ask.h"
#include "cli/core/names.h"
#include "cli/core/path_run.h"
#include "cli/core/verb.h"
#include "run/name.h"

#include <glob.h>

enum ts_status ts_found_runs_init(struct ts_found_runs *found, size_t most, struct ts_arena *arena,
				  struct ts_error *err)
{
	*found = (struct ts_found_runs){.most = most,
					.ids = ts_arena_array(arena, most, sizeof *found->ids),
					.names = ts_arena_array(arena, most, sizeof *found->names),
					.words = ts_arena_array(arena, most, sizeof *found->words)};
	return found->ids && found->names && found->words ? TS_OK : ts_arena_error(arena, err);
}

static bool is_full(const struct ts_found_runs *found)
{
	return found->n_ids + found->n_words == found->most;
}

static enum ts_status too_many(const struct ts_cli *cli, const char *option, const struct ts_found_runs *found,
			       struct ts_error *err)
{
	return ts_error_set(err, TS_TOO_LARGE, "%s: %s takes at most %zu runs, and more match", cli->verb->name, option,
			    found->most);
}

/* Makes the filter name~"GLOB". The glob itself stays unchanged. */
static enum ts_status filter_of(const char *glob, struct ts_arena *arena, struct ts_span *ret_filter,
				struct ts_error *err)
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

static enum ts_status add_row(struct ts_cli *cli, const char *option, const struct ts_list_row *row, struct ts_found_runs *io,
			      struct ts_error *err)
{
	char hex[TS_ID_HEX + 1];
	const char *text;

	if (is_full(io))
		return too_many(cli, option, io, err);
	text = ts_arena_printf(&cli->arena, "id:%s", ts_id_hex(&row->id, hex));
	if (!text)
		return ts_arena_error(&cli->arena, err);
	io->names[io->n_ids] = row->name;
	io->ids[io->n_ids++] = ts_span_str(text);
	return TS_OK;
}

/* Adds the runs of all pages. what: the glob or the filter, for errors. */
static enum ts_status add_listed(struct ts_cli *cli, const char *option, const char *what, struct ts_list_request *list,
				 struct ts_found_runs *io, struct ts_error *err)
{
	struct ts_list_reply page;

	do {
		if (ts_ask_list(ts_cli_names_channel(cli), list, &cli->arena, &page, err))
			return ts_error_prefix(err, "%s %s", option, what);
		for (size_t i = 0; i < page.n; i++)
			if (add_row(cli, option, &page.rows[i], io, err))
				return err->status;
		list->page_token = page.next_token;
	} while (list->page_token.len);
	return TS_OK;
}

static enum ts_status match_in(struct ts_cli *cli, const char *option, const char *glob, struct ts_span project,
			       struct ts_found_runs *io, struct ts_error *err)
{
	struct ts_list_request list = {.kind = TS_REF_RUN, .sort = ts_span_str("name"), .project = project};

	return filter_of(glob, &cli->arena, &list.filter, err) ? err->status : add_listed(cli, option, glob, &list, io, err);
}

/* The names of the project that match; if there are none, those of the project that stands in front. "project:" makes it stand there.
 * Finding none is no error. */
static enum ts_status match_names(struct ts_cli *cli, const char *option, const char *glob, struct ts_found_runs *io,
				  struct ts_error *err)
{
	static const char mark[] = "project:";
	bool whole = strncmp(glob, mark, strlen(mark)) == 0;
	const char *project, *word = whole ? glob + strlen(mark) : glob;
	struct ts_span front = ts_span_through(ts_span_str(word), '/');
	size_t before = io->n_ids;

	if (ts_cli_project(cli, &project, err) || (!whole && match_in(cli, option, glob, ts_span_str(project), io, err)))
		return err->status;
	if (io->n_ids > before || !front.len || ts_name_is_glob(front))
		return TS_OK;
	return match_in(cli, option, word + front.len, ts_span_of(front.data, front.len - 1), io, err);
}

enum ts_status ts_filter_runs(struct ts_cli *cli, const char *filter, struct ts_found_runs *io, struct ts_error *err)
{
	struct ts_list_request list = {.kind = TS_REF_RUN, .sort = ts_span_str("name"), .filter = ts_span_str(filter)};
	const char *project;
	size_t before = io->n_ids;

	if (ts_cli_project(cli, &project, err))
		return err->status;
	list.project = ts_span_str(project);
	if (add_listed(cli, "the filter", filter, &list, io, err))
		return err->status;
	if (io->n_ids > before)
		return TS_OK;
	return ts_error_set(err, TS_NOT_FOUND, "no run of project %s matches the filter %s", project, filter);
}

/* glob(3) allocates its own memory, so the paths that it found are copied. */
static enum ts_status match_paths(struct ts_cli *cli, const char *option, const char *pattern, struct ts_found_runs *io,
				  struct ts_error *err)
{
	enum ts_status status = TS_OK;
	size_t before = io->n_words;
	glob_t found = {0};
	int rc = cli->names_only ? GLOB_NOMATCH : glob(pattern, GLOB_NOSORT, NULL, &found);

	if (rc != 0 && rc != GLOB_NOMATCH)
		return ts_error_set(err, rc == GLOB_NOSPACE ? TS_NO_MEMORY : TS_IO, "%s: cannot look for %s", option,
				    pattern);
	for (size_t i = 0; rc == 0 && !status && i < found.gl_pathc; i++) {
		const char *word = ts_arena_printf(&cli->arena, "%s%s", ts_is_path(found.gl_pathv[i]) ? "" : "./", found.gl_pathv[i]);

		if (word && ts_file_kind(word) != TS_FILE_DIRECTORY)
			continue;
		if (is_full(io))
			status = too_many(cli, option, io, err);
		else if (!word)
			status = ts_arena_error(&cli->arena, err);
		else
			io->words[io->n_words++] = word;
	}
	if (rc == 0)
		globfree(&found);
	if (!status && io->n_words == before)
		return ts_error_set(err, TS_NOT_FOUND, "%s: no directory matches %s", option, pattern);
	return status;
}

static enum ts_status add_word(struct ts_cli *cli, const char *option, const char *word, struct ts_found_runs *io, struct ts_error *err)
{
	if (is_full(io))
		return too_many(cli, option, io, err);
	io->words[io->n_words++] = word;
	return TS_OK;
}

enum ts_status ts_find_runs(struct ts_cli *cli, const char *option, const char *glob, struct ts_found_runs *io,
			    struct ts_error *err)
{
	size_t before = io->n_ids;
	struct ts_error mine;
	const char *project;

	if (!ts_name_is_glob(ts_span_str(glob)))
		return add_word(cli, option, glob, io, err);
	if (ts_is_path(glob))
		return match_paths(cli, option, glob, io, err);
	if (match_names(cli, option, glob, io, err))
		return err->status;
	if (io->n_ids > before || !match_paths(cli, option, glob, io, &mine))
		return TS_OK;
	if (mine.status != TS_NOT_FOUND)
		return ts_error_set(err, mine.status, "%s", mine.text);
	if (ts_cli_project(cli, &project, err))
		return err->status;
	return ts_error_set(err, TS_NOT_FOUND, "%s: the name of no run of project %s matches %s", option, project, glob);
}
