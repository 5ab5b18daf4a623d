#include "cli/core/names.h"

#include "base/file.h"
#include "base/text.h"
#include "cli/core/ask.h"
#include "cli/core/path_run.h"
#include "cli/core/verb.h"
#include "service/handlers/core/resolve.h"

#include <limits.h>

struct ts_channel *ts_cli_names_channel(const struct ts_cli *cli)
{
	return cli->target.server ? cli->target.server : cli->target.channel;
}

static struct ts_known_word *known(const struct ts_cli *cli, const char *typed)
{
	for (size_t i = 0; i < cli->n_known; i++)
		if (strcmp(cli->known[i].typed, typed) == 0)
			return &cli->known[i];
	return NULL;
}

static enum ts_status keep(struct ts_cli *cli, const struct ts_known_word *words, size_t n, struct ts_error *err)
{
	struct ts_known_word *all = ts_arena_array(&cli->arena, cli->n_known + n, sizeof *all);

	if (!all)
		return ts_arena_error(&cli->arena, err);
	if (cli->n_known)
		memcpy(all, cli->known, cli->n_known * sizeof *all);
	memcpy(all + cli->n_known, words, n * sizeof *all);
	cli->known = all;
	cli->n_known += n;
	return TS_OK;
}

/* Without "project/". */
static struct ts_span short_name(struct ts_span name, const char *project)
{
	size_t n = strlen(project);

	return name.len > n + 1 && memcmp(name.data, project, n) == 0 && name.data[n] == '/' ? ts_span_from(name, n + 1) : name;
}

static bool is_sound(const struct ts_found_name *f)
{
	bool by_name = f->found == TS_FOUND_NAME || f->found == TS_FOUND_END;

	return (!by_name || f->name.len) && (f->has_id || (!by_name && f->found != TS_FOUND_ID));
}

/* Asks about at most TS_FIND_WORDS_MAX words. */
static enum ts_status ask_some(struct ts_cli *cli, struct ts_known_word *words, size_t n, struct ts_error *err)
{
	struct ts_find_request request = {.words = ts_arena_array(&cli->arena, n, sizeof *request.words), .n = n};
	struct ts_find_reply reply = {.n = 0};
	struct ts_error mine;
	const char *project;
	enum ts_status status;

	if (!request.words)
		return ts_arena_error(&cli->arena, err);
	if (ts_cli_project(cli, &project, err))
		return err->status;
	request.project = ts_span_str(project);
	for (size_t i = 0; i < n; i++)
		request.words[i] = ts_span_str(words[i].typed);
	status = ts_ask_find(ts_cli_names_channel(cli), &request, &cli->arena, &reply, &mine);
	if (status && status != TS_UNSUPPORTED)
		return ts_error_set(err, status, "%s", mine.text);
	if (!status && reply.n != n)
		return ts_error_set(err, TS_DAMAGED, "the server was asked for %zu names and told %zu", n, reply.n);
	for (size_t i = 0; i < n; i++) {
		words[i].unasked = status == TS_UNSUPPORTED;
		if (!status && !is_sound(&reply.names[i]))
			return ts_error_set(err, TS_DAMAGED, "the server told of %s less than a name has", words[i].typed);
		if (!status) {
			words[i].found = reply.names[i];
			words[i].name = short_name(words[i].found.name, project);
		}
	}
	return keep(cli, words, n, err);
}

/* Leaves out paths, and what was asked about before. */
enum ts_status ts_cli_ask(struct ts_cli *cli, const char *const *typed, size_t n, struct ts_error *err)
{
	struct ts_known_word *words = ts_arena_array(&cli->arena, n, sizeof *words);
	size_t m = 0;

	if (!words)
		return ts_arena_error(&cli->arena, err);
	for (size_t i = 0; i < n; i++) {
		if (!*typed[i])
			return ts_error_set(err, TS_INVALID, "the name of a run is empty");
		if (!ts_is_path(typed[i]) && !known(cli, typed[i]))
			words[m++] = (struct ts_known_word){.typed = typed[i]};
	}
	for (size_t at = 0; at < m; at += TS_FIND_WORDS_MAX)
		if (ask_some(cli, words + at, m - at < TS_FIND_WORDS_MAX ? m - at : TS_FIND_WORDS_MAX, err))
			return err->status;
	return TS_OK;
}

/* Says what a word was taken for, where that is not what was typed. */
static void say(struct ts_cli *cli, struct ts_known_word *word)
{
	bool run = word->found.kind == TS_REF_RUN;
	const char *kind = run ? "" : ts_ref_word(word->found.kind), *typed = word->typed;

	if (word->said)
		return;
	word->said = true;
	if (!run && strncmp(typed, kind, strlen(kind)) == 0 && typed[strlen(kind)] == ':')
		typed += strlen(kind) + 1;
	if (word->found.found == TS_FOUND_END)
		ts_cli_say(cli, "%s is %s%s%.*s", typed, kind, run ? "" : " ", TS_SPAN_ARG(word->name));
	else if (word->found.found == TS_FOUND_NAME && word->found.why.len)
		ts_cli_say(cli, "%s is %.*s; %.*s", word->typed, TS_SPAN_ARG(word->found.name), TS_SPAN_ARG(word->found.why));
}

static bool is_file(const char *path)
{
	enum ts_file_kind kind = ts_file_kind(path);

	return kind == TS_FILE_DIRECTORY || kind == TS_FILE_REGULAR;
}

/* Whether a file or folder of that path is here, or the file of FILE#PART, and may be meant. */
static bool is_there(const struct ts_cli *cli, const char *path)
{
	const char *part = strrchr(path, '#');
	char file[PATH_MAX];

	if (cli->names_only)
		return false;
	if (is_file(path) || !part || (size_t)(part - path) >= sizeof file)
		return is_file(path);
	memcpy(file, path, (size_t)(part - path));
	file[part - path] = '\0';
	return is_file(file);
}

/* Of a word that is not found, or is found too often. */
static enum ts_status refuse(const struct ts_cli *cli, const struct ts_known_word *word, struct ts_error *err)
{
	static const enum ts_status statuses[] = {[TS_FOUND_NOTHING] = TS_NOT_FOUND, [TS_FOUND_NAME] = TS_INTERNAL,
						  [TS_FOUND_ID] = TS_INTERNAL, [TS_FOUND_END] = TS_INTERNAL,
						  [TS_FOUND_SEVERAL] = TS_AMBIGUOUS, [TS_FOUND_NO_WORD] = TS_INVALID};
	enum ts_status status = statuses[word->found.found];

	if (status == TS_AMBIGUOUS && is_there(cli, word->typed))
		return ts_error_set(err, status, "%.*s; ./%s is the path", TS_SPAN_ARG(word->found.why), word->typed);
	if (status == TS_INVALID)
		return ts_error_set(err, status, "'%s': %.*s", word->typed, TS_SPAN_ARG(word->found.why));
	return ts_error_set(err, status, "%.*s", TS_SPAN_ARG(word->found.why));
}

/* The spec of a word that nobody was asked about; kinds stand before the project. NULL: the arena is full. */
static const char *word_spec(struct ts_cli *cli, const char *project, const char *word)
{
	const char *colon = strchr(word, ':');

	if (!colon)
		return ts_arena_printf(&cli->arena, "?%s/%s", project, word);
	if (strchr(colon, '/') || strncmp(word, "id:", 3) == 0)
		return word;
	return ts_arena_printf(&cli->arena, "%.*s%s/%s", (int)(colon + 1 - word), word, project, colon + 1);
}

/* by_id: the spec is for handlers that do not know the server's names. open: what nothing is called is no error. */
static enum ts_status spec_of(struct ts_cli *cli, struct ts_known_word *word, bool by_id, bool open, struct ts_span *ret_spec,
			      struct ts_error *err)
{
	const struct ts_found_name *f = &word->found;
	char hex[TS_ID_HEX + 1];
	const char *project, *spec;

	if (word->unasked || (open && !f->has_id && f->found == TS_FOUND_NOTHING)) {
		if (ts_cli_project(cli, &project, err))
			return err->status;
		spec = word_spec(cli, project, word->typed);
	} else if (!f->has_id) { /* several names may still be one run */
		return refuse(cli, word, err);
	} else if (by_id || !f->name.len) {
		spec = ts_arena_printf(&cli->arena, "id:%s", ts_id_hex(&f->id, hex));
	} else {
		spec = ts_arena_printf(&cli->arena, "%s:%.*s", ts_ref_word(f->kind), TS_SPAN_ARG(f->name));
	}
	if (!spec)
		return ts_arena_error(&cli->arena, err);
	say(cli, word);
	*ret_spec = ts_span_str(spec);
	return TS_OK;
}

/* The server resolves a name to an id for a local overlay, also if it is too old for FindNames. */
static enum ts_status id_of_old(struct ts_cli *cli, struct ts_span *io_spec, struct ts_error *err)
{
	struct ts_get_reply run;
	char hex[TS_ID_HEX + 1];
	const char *text;

	if (ts_ask_get(cli->target.server, *io_spec, &cli->arena, &run, err))
		return err->status;
	text = ts_arena_printf(&cli->arena, "id:%s", ts_id_hex(&run.run.id, hex));
	if (!text)
		return ts_arena_error(&cli->arena, err);
	*io_spec = ts_span_str(text);
	return TS_OK;
}

/* "./runs/exp1" of a word that names nothing but the file or folder of that path; NULL: it is none. io_failed: the arena is full. */
static const char *path_of(struct ts_cli *cli, const struct ts_known_word *word, bool *io_failed)
{
	const char *path;

	if (word->unasked || word->found.found == TS_FOUND_NAME || word->found.found == TS_FOUND_ID ||
	    word->found.found == TS_FOUND_END || word->found.found == TS_FOUND_SEVERAL || !is_there(cli, word->typed))
		return NULL;
	path = ts_arena_printf(&cli->arena, "./%s", word->typed);
	*io_failed |= !path;
	return path;
}

/* If the server has every run that was given as a path, the request goes to the server, which also knows their names. */
static enum ts_status ask_server_if_there(struct ts_cli *cli, const struct ts_span *specs, size_t n, struct ts_error *err)
{
	struct ts_id *ids = ts_arena_array(&cli->arena, n, sizeof *ids);
	struct ts_has_request request = {.ids = ids};
	struct ts_has_reply missing;

	if (!ids)
		return ts_arena_error(&cli->arena, err);
	for (size_t i = 0; i < n; i++)
		if (ts_id_parse(ts_span_of(specs[i].data + 3, specs[i].len - 3), &ids[request.n]))
			request.n++;
	if (ts_ask_has(cli->target.server, &request, &cli->arena, &missing, err))
		return err->status;
	if (missing.n == 0)
		ts_target_drop_overlay(&cli->target);
	return TS_OK;
}

/* The path of each word that is one; NULL for names. */
static enum ts_status paths_of(struct ts_cli *cli, const char *const *typed, size_t n, const char **paths, bool *ret_some,
			       struct ts_error *err)
{
	bool failed = false;

	*ret_some = false;
	for (size_t i = 0; i < n; i++) {
		paths[i] = ts_is_path(typed[i]) ? typed[i] : path_of(cli, known(cli, typed[i]), &failed);
		*ret_some |= paths[i] != NULL;
	}
	return failed ? ts_arena_error(&cli->arena, err) : TS_OK;
}

enum ts_status ts_cli_runs(struct ts_cli *cli, const char *const *typed, size_t n, struct ts_span *ret_specs,
			   struct ts_error *err)
{
	const char **paths = ts_arena_array(&cli->arena, n, sizeof *paths);
	bool some, server;

	if (!paths)
		return ts_arena_error(&cli->arena, err);
	if (ts_cli_open(cli, TS_USE_READ, err) || ts_cli_ask(cli, typed, n, err) || paths_of(cli, typed, n, paths, &some, err))
		return err->status;
	server = some && cli->target.server;
	/* Names come first, so that a mistyped name is found before a directory is read. */
	for (size_t i = 0; i < n; i++) {
		struct ts_known_word *word = paths[i] ? NULL : known(cli, typed[i]);

		if (word && spec_of(cli, word, server, false, &ret_specs[i], err))
			return err->status;
		if (word && word->unasked && server && id_of_old(cli, &ret_specs[i], err))
			return err->status;
	}
	for (size_t i = 0; i < n; i++)
		if (paths[i] && ts_path_run(cli, paths[i], &ret_specs[i], err))
			return err->status;
	return server ? ask_server_if_there(cli, ret_specs, n, err) : TS_OK;
}

enum ts_status ts_cli_run(struct ts_cli *cli, const char *typed, struct ts_span *ret_spec, struct ts_error *err)
{
	return ts_cli_runs(cli, &typed, 1, ret_spec, err);
}

static enum ts_status refuse_paths(const struct ts_cli *cli, const char *const *typed, size_t n, struct ts_error *err)
{
	for (size_t i = 0; i < n; i++)
		if (ts_is_path(typed[i]))
			return ts_error_set(err, TS_INVALID,
					    "%s: %s is a path, and this command needs the name of a run that was pushed",
					    cli->verb->name, typed[i]);
	return TS_OK;
}

static enum ts_status specs_of(struct ts_cli *cli, const char *const *typed, size_t n, bool open, struct ts_span *ret_specs,
			       struct ts_error *err)
{
	if (refuse_paths(cli, typed, n, err) || ts_cli_ask(cli, typed, n, err))
		return err->status;
	for (size_t i = 0; i < n; i++)
		if (spec_of(cli, known(cli, typed[i]), false, open, &ret_specs[i], err))
			return err->status;
	return TS_OK;
}

enum ts_status ts_cli_specs(struct ts_cli *cli, const char *const *typed, size_t n, struct ts_span *ret_specs, struct ts_error *err)
{
	return specs_of(cli, typed, n, false, ret_specs, err);
}

enum ts_status ts_cli_specs_or_words(struct ts_cli *cli, const char *const *typed, size_t n, struct ts_span *ret_specs,
				     struct ts_error *err)
{
	return specs_of(cli, typed, n, true, ret_specs, err);
}

static enum ts_status ref_of(struct ts_cli *cli, struct ts_known_word *word, struct ts_ref *ret, struct ts_error *err)
{
	struct ts_get_reply run = {.by_ref = word->found.name.len > 0,
				   .ref = {.kind = word->found.kind, .name = word->found.name, .id = word->found.id}};
	struct ts_span spec;

	if (!word->unasked && word->found.found == TS_FOUND_SEVERAL)
		return refuse(cli, word, err);
	if (spec_of(cli, word, false, false, &spec, err) ||
	    (word->unasked && ts_ask_get(ts_cli_names_channel(cli), spec, &cli->arena, &run, err)))
		return err->status;
	if (!run.by_ref)
		return ts_error_set(err, TS_INVALID, "%s: '%s' is the id of a run, and this command needs a name", cli->verb->name,
				    word->typed);
	*ret = run.ref;
	return TS_OK;
}

enum ts_status ts_cli_refs(struct ts_cli *cli, const char *const *typed, size_t n, struct ts_ref *ret_refs, struct ts_error *err)
{
	if (refuse_paths(cli, typed, n, err) || ts_cli_ask(cli, typed, n, err))
		return err->status;
	for (size_t i = 0; i < n; i++)
		if (ref_of(cli, known(cli, typed[i]), &ret_refs[i], err))
			return err->status;
	return TS_OK;
}

/* Whether the word, as it stands, may be a file as well as a name. */
static bool is_in_doubt(const struct ts_cli *cli, const char *word)
{
	return word && *word && !ts_is_path(word) && is_there(cli, word);
}

static enum ts_status settle_one(struct ts_cli *cli, const char **io_word, struct ts_error *err)
{
	const struct ts_known_word *word = is_in_doubt(cli, *io_word) ? known(cli, *io_word) : NULL;
	bool failed = false;
	const char *path = word ? path_of(cli, word, &failed) : NULL;

	if (path)
		*io_word = path;
	return failed ? ts_arena_error(&cli->arena, err) : TS_OK;
}

enum ts_status ts_cli_settle(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_args *a = &cli->args;
	const char **words = ts_arena_array(&cli->arena, a->n_words + a->n, sizeof *words);
	size_t n = 0;

	if (!words)
		return ts_arena_error(&cli->arena, err);
	for (size_t i = 0; i < a->n_words; i++)
		if (is_in_doubt(cli, a->words[i]))
			words[n++] = a->words[i];
	for (size_t i = 0; i < a->n; i++)
		if (a->items[i].option->complete == TS_COMPLETE_RUN && is_in_doubt(cli, a->items[i].value))
			words[n++] = a->items[i].value;
	if (n == 0)
		return TS_OK;
	if (ts_cli_open(cli, TS_USE_READ, err) || ts_cli_ask(cli, words, n, err))
		return err->status;
	for (size_t i = 0; i < a->n_words; i++)
		if (settle_one(cli, &a->words[i], err))
			return err->status;
	for (size_t i = 0; i < a->n; i++)
		if (a->items[i].option->complete == TS_COMPLETE_RUN && settle_one(cli, &a->items[i].value, err))
			return err->status;
	return TS_OK;
}

/* Whether the name has its project in front: it is the one here, or there is one. */
static enum ts_status has_project(struct ts_cli *cli, const char *typed, const char *project, bool *ret_has, struct ts_error *err)
{
	const struct ts_known_word *word;
	size_t n = strlen(project);

	*ret_has = strncmp(typed, project, n) == 0 && typed[n] == '/';
	if (*ret_has || !strchr(typed, '/') || ts_args_has(&cli->args, "project"))
		return TS_OK;
	if (ts_cli_ask(cli, &typed, 1, err))
		return err->status;
	word = known(cli, typed); /* what is a path is not asked for, and is refused as a name later */
	*ret_has = word && (word->unasked || word->found.has_project);
	return TS_OK;
}

enum ts_status ts_cli_new_name(struct ts_cli *cli, const char *typed, struct ts_span *ret_name, struct ts_error *err)
{
	static const char mark[] = "project:";
	bool whole = strncmp(typed, mark, strlen(mark)) == 0;
	const char *project, *name = whole ? typed + strlen(mark) : typed;

	if (ts_cli_project(cli, &project, err) || (!whole && has_project(cli, typed, project, &whole, err)))
		return err->status;
	if (!whole)
		name = ts_arena_printf(&cli->arena, "%s/%s", project, typed);
	if (!name)
		return ts_arena_error(&cli->arena, err);
	if (ts_name_check(ts_span_str(name), err))
		return ts_error_prefix(err, "'%s'", name);
	*ret_name = ts_span_str(name);
	return TS_OK;
}

struct ts_span ts_cli_called(const struct ts_cli *cli, const char *typed)
{
	const struct ts_known_word *word = known(cli, typed);

	return word && word->found.found == TS_FOUND_END ? word->name : ts_span_str(typed);
}

void ts_cli_call_run(const struct ts_cli *cli, const char *typed, struct ts_run_ref *run)
{
	char hex[TS_ID_HEX + 1];

	if (!cli->json && strncmp(typed, ts_id_hex(&run->id, hex), strlen(typed)) != 0)
		run->own_name = ts_cli_called(cli, typed);
}
