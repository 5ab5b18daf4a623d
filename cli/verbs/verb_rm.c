/* verb_rm.c - tscope rm: removes names; the bytes stay until gc. */
#include "base/text.h"
#include "cli/core/ask.h"
#include "cli/core/context.h"
#include "cli/json/json_names.h"
#include "cli/json/json_parts.h"
#include "cli/text/show_value.h"
#include "cli/verbs/point_ref.h"
#include "cli/verbs/verbs.h"

/* Looks all words up before it removes the first name, so that a typing error removes nothing. */
static enum ts_status look_up(struct ts_cli *cli, struct ts_ref *refs, struct ts_error *err)
{
	for (size_t i = 0; i < cli->args.n_words; i++)
		if (ts_find_ref(cli, cli->args.words[i], &refs[i], err))
			return err->status;
	return TS_OK;
}

static enum ts_status remove_one(struct ts_cli *cli, const struct ts_ref *ref, struct ts_error *err)
{
	struct ts_ref_request request = {
		.kind = ref->kind, .name = ref->name, .remove = true, .expect = TS_EXPECT_ID, .expected = ref->id};
	struct ts_ref_reply reply;

	return ts_ask_ref(cli->target.channel, &request, &cli->arena, &reply, err);
}

/* A run that no name reaches is there until gc frees it. */
static void say_way_back(struct ts_cli *cli, const struct ts_ref *ref)
{
	const char *id = ts_show_id(&ref->id, &cli->arena), *name = ts_show_text(ref->name, &cli->arena);

	if (!id || !name)
		return;
	if (ref->kind == TS_REF_BRANCH)
		ts_cli_say(cli, "the history of branch %s went with it", name);
	else if (ref->kind == TS_REF_TAG)
		ts_cli_say(cli, "until gc, this brings it back: tscope tag %s %s", id, name);
	else
		ts_cli_say(cli, "until gc, this brings it back with its notes: tscope name %s %s", id, name);
}

static void told(struct ts_cli *cli, const struct ts_ref *ref)
{
	ts_buf_printf(&cli->out, "removed %s ", ts_ref_word(ref->kind));
	ts_escape(&cli->out, ref->name);
	ts_buf_printf(&cli->out, ", which pointed at %s\n", ts_show_id(&ref->id, &cli->arena));
	say_way_back(cli, ref);
}

enum ts_status ts_verb_rm(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_ref *refs = ts_arena_array(&cli->arena, cli->args.n_words, sizeof *refs);
	enum ts_status status;

	if (!refs)
		return ts_arena_error(&cli->arena, err);
	status = look_up(cli, refs, err);
	for (size_t i = 0; !status && i < cli->args.n_words; i++) {
		status = remove_one(cli, &refs[i], err);
		if (!status && !cli->json)
			told(cli, &refs[i]);
	}
	if (!status && cli->json)
		status = ts_json_answer(cli, &ts_shape_removed_answer, &(struct ts_removed){refs, cli->args.n_words}, err);
	return status;
}
