#include "cli/core/gather_runs.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/core/find_runs.h"
#include "cli/core/names.h"
#include "cli/core/path_run.h"
#include "cli/core/verb.h"
#include "run/name.h"

struct gathering {
	struct ts_cli *cli;
	struct ts_gathered *to;
	size_t most;
	const char *project;
};

/* Escaped, since names of runs and of directories are foreign text. NULL: the arena is full. */
static const char *harmless(struct ts_cli *cli, struct ts_span text)
{
	struct ts_buf out = TS_BUF_INIT(4 * text.len + 1);
	struct ts_span kept = {NULL, 0};

	ts_escape(&out, text);
	if (!out.failed)
		kept = ts_arena_span(&cli->arena, ts_buf_view(&out));
	ts_buf_finish(&out);
	return (const char *)kept.data;
}

/* Two words may stand for one run: a name and a glob that matches it. A directory is no other run's name. */
static bool is_there(const struct ts_gathered *to, const char *name, bool path)
{
	for (size_t i = 0; !path && i < to->n; i++)
		if (!ts_is_path(to->words[i]) && strcmp(to->names[i], name) == 0)
			return true;
	return false;
}

static enum ts_status add(struct gathering *g, const char *word, struct ts_span name, struct ts_error *err)
{
	size_t project = strlen(g->project);

	const char *shown;

	if (name.len > project + 1 && memcmp(name.data, g->project, project) == 0 && name.data[project] == '/')
		name = ts_span_of(name.data + project + 1, name.len - project - 1);
	shown = harmless(g->cli, name);
	if (!shown)
		return ts_arena_error(&g->cli->arena, err);
	if (is_there(g->to, shown, ts_is_path(word)))
		return TS_OK;
	if (g->to->n == g->most)
		return ts_error_set(err, TS_TOO_LARGE, "%s takes at most %zu runs", g->cli->verb->name, g->most);
	g->to->words[g->to->n] = word;
	g->to->names[g->to->n++] = shown;
	return TS_OK;
}

/* A directory is shown by its last component. */
static struct ts_span last_part(const char *path)
{
	size_t end = strlen(path), from;

	while (end > 1 && path[end - 1] == '/')
		end--;
	for (from = end; from > 0 && path[from - 1] != '/';)
		from--;
	return ts_span_of(path + from, end - from);
}

static enum ts_status add_found(struct gathering *g, const struct ts_found_runs *found, struct ts_error *err)
{
	for (size_t i = 0; i < found->n_ids; i++)
		if (add(g, (const char *)found->ids[i].data, found->names[i], err))
			return err->status;
	for (size_t i = 0; i < found->n_words; i++)
		if (add(g, found->words[i], last_part(found->words[i]), err))
			return err->status;
	return TS_OK;
}

static bool is_filter(const char *typed)
{
	return !ts_is_path(typed) && strpbrk(typed, "=<>~") != NULL;
}

/* Asks about all names at once. */
static enum ts_status ask_names(struct ts_cli *cli, const char *const *typed, size_t n, struct ts_error *err)
{
	const char **names = ts_arena_array(&cli->arena, n, sizeof *names);
	size_t m = 0;

	if (!names)
		return ts_arena_error(&cli->arena, err);
	for (size_t i = 0; i < n; i++)
		if (!is_filter(typed[i]) && !ts_name_is_glob(ts_span_str(typed[i])))
			names[m++] = typed[i];
	return ts_cli_ask(cli, names, m, err);
}

static enum ts_status add_word(struct gathering *g, const char *typed, struct ts_error *err)
{
	bool path = ts_is_path(typed), glob = ts_name_is_glob(ts_span_str(typed)), filter = is_filter(typed);
	struct ts_found_runs found;

	if (path && (!glob || ts_file_kind(typed) != TS_FILE_NONE))
		return add(g, typed, last_part(typed), err);
	if (!filter && !glob)
		return add(g, typed, ts_cli_called(g->cli, typed), err);
	if (ts_found_runs_init(&found, g->most, &g->cli->arena, err))
		return err->status;
	if (filter ? ts_filter_runs(g->cli, typed, &found, err) : ts_find_runs(g->cli, "RUN", typed, &found, err))
		return err->status;
	return add_found(g, &found, err);
}

/* Directories of one name are shown by their paths. */
static enum ts_status tell_apart(struct gathering *g, struct ts_error *err)
{
	struct ts_gathered *to = g->to;
	const char **names = ts_arena_dup(&g->cli->arena, to->names, to->n * sizeof *names);

	if (!names)
		return ts_arena_error(&g->cli->arena, err);
	for (size_t i = 0; i < to->n; i++) {
		bool alike = false;

		for (size_t k = 0; k < to->n; k++)
			alike |= k != i && strcmp(names[k], names[i]) == 0;
		if (alike && ts_is_path(to->words[i]))
			to->names[i] = harmless(g->cli, ts_span_str(to->words[i]));
		if (!to->names[i])
			return ts_arena_error(&g->cli->arena, err);
	}
	return TS_OK;
}

enum ts_status ts_gather_runs(struct ts_cli *cli, const char *const *typed, size_t n, size_t most, struct ts_gathered *ret_gathered,
			      struct ts_error *err)
{
	struct ts_gathered out = {.words = ts_arena_array(&cli->arena, most, sizeof *out.words),
				  .names = ts_arena_array(&cli->arena, most, sizeof *out.names)};
	struct gathering g = {.cli = cli, .to = &out, .most = most};

	if (!out.words || !out.names)
		return ts_arena_error(&cli->arena, err);
	if (ts_cli_open(cli, TS_USE_READ, err) || ts_cli_project(cli, &g.project, err) || ask_names(cli, typed, n, err))
		return err->status;
	for (size_t i = 0; i < n; i++)
		if (add_word(&g, typed[i], err))
			return err->status;
	if (tell_apart(&g, err))
		return err->status;
	*ret_gathered = out;
	return TS_OK;
}
