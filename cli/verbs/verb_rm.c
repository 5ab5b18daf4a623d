/* verb_rm.c - tscope rm: removes names; tscope restore brings them back, until gc frees them. */
#include "base/text.h"
#include "cli/core/ask.h"
#include "cli/core/names.h"
#include "cli/json/json_names.h"
#include "cli/json/json_parts.h"
#include "cli/verbs/verbs.h"
#include "cli/view/show_value.h"

static enum ts_status remove_one(struct ts_cli *cli, const struct ts_ref *ref, struct ts_error *err)
{
	struct ts_ref_request request = {
		.kind = ref->kind, .name = ref->name, .remove = true, .expect = TS_EXPECT_ID, .expected = ref->id};
	struct ts_ref_reply reply;

	return ts_ask_ref(cli->target.channel, &request, &cli->arena, &reply, err);
}

static void say_way_back(struct ts_cli *cli, const struct ts_ref *ref)
{
	const char *name = ts_show_text(ref->name, &cli->arena), *word = ts_ref_word(ref->kind);
	bool run = ref->kind == TS_REF_RUN;

	if (name && ref->kind != TS_REF_STAGE)
		ts_cli_say(cli, "this brings it back: tscope restore %s%s%s", run ? "" : word, run ? "" : ":", name);
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
	/* All words are looked up before the first name is removed, so that a typing error removes nothing. */
	status = ts_cli_open(cli, TS_USE_CHANGE, err);
	if (!status)
		status = ts_cli_refs(cli, cli->args.words, cli->args.n_words, refs, err);
	for (size_t i = 0; !status && i < cli->args.n_words; i++) {
		status = remove_one(cli, &refs[i], err);
		if (!status && !cli->json)
			told(cli, &refs[i]);
	}
	if (!status && cli->json)
		status = ts_json_answer(cli, &ts_shape_removed_answer, &(struct ts_removed){refs, cli->args.n_words}, err);
	return status;
}
