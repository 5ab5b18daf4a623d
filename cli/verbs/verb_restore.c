/* verb_restore.c - tscope restore: brings back a name that was removed, or lists those that can come back. */
#include "cli/core/ask.h"
#include "cli/core/names.h"
#include "cli/json/json_parts.h"
#include "cli/verbs/rewind.h"
#include "cli/verbs/verbs.h"
#include "cli/view/show_value.h"
#include "cli/view/view.h"
#include "run/name.h"

#include <string.h>

/* "85 entries", of the history of a branch */
static const char *what_of(uint64_t entries, struct ts_arena *arena)
{
	return ts_arena_printf(arena, "%s %s", ts_show_count(entries, arena), entries == 1 ? "entry" : "entries");
}

static enum ts_status list(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_removed_request request = {.limit = 0};
	struct ts_removed_reply reply;
	const char *project;
	struct ts_view view;

	if (ts_cli_project(cli, &project, err) || ts_cli_open(cli, TS_USE_READ, err))
		return err->status;
	request.prefix = ts_span_str(ts_arena_printf(&cli->arena, "%s/", project));
	if (ts_ask_removed(cli->target.channel, &request, &cli->arena, &reply, err))
		return err->status;
	if (cli->json)
		return ts_json_answer(cli, &ts_shape_removed_reply, &reply, err);
	if (reply.n == 0)
		ts_cli_say(cli, "no name of project %s was removed, or gc has freed it since", project);
	if (reply.more)
		ts_cli_say(cli, "there are more than these %zu", reply.n);
	ts_view_of(&view, &ts_shape_removed_ref, NULL, &cli->arena);
	for (size_t i = 0; i < reply.n; i++) {
		ts_view_row(&view, &reply.removed[i]);
		if (reply.removed[i].was.entries)
			ts_view_set(&view, "kind", TS_STYLE_PLAIN, what_of(reply.removed[i].was.entries, &cli->arena));
	}
	return reply.n ? ts_view_print(&view, &cli->term, 0, &cli->out, err) : TS_OK;
}

/* Takes "tag:" off a word. Returns 0 if no kind is given. */
static enum ts_ref_kind kind_of(const char **io_word)
{
	static const enum ts_ref_kind kinds[] = {TS_REF_RUN, TS_REF_TAG, TS_REF_BRANCH};

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		size_t n = strlen(ts_ref_word(kinds[i]));

		if (strncmp(*io_word, ts_ref_word(kinds[i]), n) == 0 && (*io_word)[n] == ':') {
			*io_word += n + 1;
			return kinds[i];
		}
	}
	return (enum ts_ref_kind)0;
}

/* Names that were removed and that a word may stand for: those that are exactly it, or end with it. */
struct search {
	enum ts_ref_kind kind; /* 0: any */
	struct ts_ref found[2]; /* of different kinds or names; what was removed last comes first */
	size_t n;
};

static void offer(struct search *s, const struct ts_ref *ref)
{
	if (s->kind && s->kind != ref->kind)
		return;
	for (size_t i = 0; i < s->n; i++)
		if (s->found[i].kind == ref->kind && ts_span_eq(s->found[i].name, ref->name))
			return;
	if (s->n < 2)
		s->found[s->n++] = *ref;
}

/* ends: prefix is a project, of whose names those are taken that end so; else the name itself is. */
static enum ts_status search(struct ts_cli *cli, struct ts_span prefix, struct ts_span ends, struct search *s, struct ts_error *err)
{
	struct ts_removed_request request = {.prefix = prefix};
	struct ts_removed_reply reply;

	if (ts_ask_removed(cli->target.channel, &request, &cli->arena, &reply, err))
		return err->status;
	for (size_t i = 0; i < reply.n; i++) {
		const struct ts_ref *ref = &reply.removed[i].was.ref;

		if (ends.len ? ts_name_ends(ts_span_from(ref->name, prefix.len), ends) : ts_span_eq(ref->name, prefix))
			offer(s, ref);
	}
	return TS_OK;
}

/* Finds which removed name the word stands for, as a word stands for a name that is there (names.h). */
static enum ts_status find(struct ts_cli *cli, const char *word, struct ts_restore_request *io, struct ts_error *err)
{
	static const char mark[] = "project:";
	bool whole = strncmp(word, mark, strlen(mark)) == 0;
	const char *project, *name = whole ? word + strlen(mark) : word, *below, *prefix;
	struct search s = {.kind = io->kind};

	if (ts_cli_project(cli, &project, err))
		return err->status;
	below = ts_arena_printf(&cli->arena, "%s/%s", project, name);
	prefix = ts_arena_printf(&cli->arena, "%s/", project);
	if (!below || !prefix)
		return ts_arena_error(&cli->arena, err);
	if (!whole && search(cli, ts_span_str(below), ts_span_of(NULL, 0), &s, err))
		return err->status;
	if (!s.n && strchr(name, '/') && search(cli, ts_span_str(name), ts_span_of(NULL, 0), &s, err))
		return err->status;
	if (!s.n && !whole && search(cli, ts_span_str(prefix), ts_span_str(name), &s, err))
		return err->status;
	if (!s.n)
		return ts_error_set(err, TS_NOT_FOUND,
				    "no %s%s%s was removed, or gc has freed it since; tscope restore lists what can come back",
				    io->kind ? ts_ref_word(io->kind) : "", io->kind ? " " : "", strchr(name, '/') ? name : below);
	if (s.n > 1)
		return ts_error_set(err, TS_AMBIGUOUS, "%s is ambiguous, for more was removed that it may be: write %s:%.*s or %s:%.*s",
				    word, ts_ref_word(s.found[0].kind), TS_SPAN_ARG(s.found[0].name), ts_ref_word(s.found[1].kind),
				    TS_SPAN_ARG(s.found[1].name));
	io->kind = s.found[0].kind;
	io->name = s.found[0].name;
	return TS_OK;
}

enum ts_status ts_verb_restore(struct ts_cli *cli, struct ts_error *err)
{
	const char *word = cli->args.n_words ? ts_cli_word(cli, 0) : NULL, *as = ts_args_text(&cli->args, "as");
	const char *at = ts_args_text(&cli->args, "at");
	struct ts_restore_request request = {.kind = (enum ts_ref_kind)0};
	struct ts_restore_reply reply;

	if (at && (word || as))
		return ts_error_set(err, TS_INVALID,
				    "restore: --at is about all names of the project, and takes neither a name nor --as");
	if (!at && ts_args_has(&cli->args, "dry-run"))
		return ts_error_set(err, TS_INVALID, "restore: --dry-run is for --at");
	if (at)
		return ts_rewind(cli, at, err);
	if (!word && as)
		return ts_error_set(err, TS_INVALID, "restore: --as needs the name that was removed");
	if (!word)
		return list(cli, err);
	request.kind = kind_of(&word);
	if (ts_cli_open(cli, TS_USE_CHANGE, err) || find(cli, word, &request, err) ||
	    (as && ts_cli_new_name(cli, as, &request.as, err)))
		return err->status;
	if (ts_ask_restore(cli->target.channel, &request, &cli->arena, &reply, err)) {
		struct ts_error why = *err;

		if (err->status != TS_CONFLICT)
			return err->status;
		return ts_error_set(err, why.status, "%s; 'tscope restore %s:%.*s --as OTHER' gives it another name", why.text,
				    ts_ref_word(request.kind), TS_SPAN_ARG(request.name));
	}
	if (cli->json)
		return ts_json_answer(cli, &ts_shape_restore_reply, &reply, err);
	if (reply.entries) {
		ts_buf_printf(&cli->out, "restored %s of the history of branch %.*s\n", what_of(reply.entries, &cli->arena),
			      TS_SPAN_ARG(reply.ref.name));
		return TS_OK;
	}
	ts_buf_printf(&cli->out, "restored %s %.*s, which points at %s\n", ts_ref_word(reply.ref.kind), TS_SPAN_ARG(reply.ref.name),
		      ts_show_id(&reply.ref.id, &cli->arena));
	return TS_OK;
}
