/* verb_note.c - tscope note: notes beside a run's name. */
#include "cli/core/ask.h"
#include "cli/core/names.h"
#include "cli/json/json_names.h"
#include "cli/json/json_parts.h"
#include "cli/text/text_parts.h"
#include "cli/verbs/verbs.h"

static enum ts_status set(struct ts_cli *cli, struct ts_span name, const char *word, struct ts_error *err)
{
	const char *equals = strchr(word, '=');
	struct ts_note_request request = {.name = name};

	if (!equals || equals == word)
		return ts_error_set(err, TS_INVALID, "note: '%s' must have the form KEY=VALUE", word);
	request.key = ts_span_of(word, (size_t)(equals - word));
	request.value = ts_span_str(equals + 1);
	return ts_ask_note(cli->target.channel, &request, &cli->arena, err);
}

static enum ts_status text(struct ts_cli *cli, const struct ts_get_reply *run, struct ts_error *err)
{
	if (run->n_notes == 0) {
		ts_cli_say(cli, "%.*s has no notes", TS_SPAN_ARG(run->ref.name));
		return TS_OK;
	}
	return ts_text_list(cli, &ts_shape_notes_answer, run, "notes", NULL, err);
}

enum ts_status ts_verb_note(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_get_reply run;
	struct ts_ref ref;
	const char *name;
	enum ts_status status = TS_OK;

	if (ts_cli_open(cli, TS_USE_CHANGE, err) || ts_cli_refs(cli, cli->args.words, 1, &ref, err))
		return err->status;
	if (ref.kind != TS_REF_RUN)
		return ts_error_set(err, TS_INVALID, "note: %.*s is a %s, and only runs have notes", TS_SPAN_ARG(ref.name),
				    ts_ref_word(ref.kind));
	name = ts_arena_printf(&cli->arena, "run:%.*s", TS_SPAN_ARG(ref.name));
	if (!name)
		return ts_arena_error(&cli->arena, err);
	for (size_t i = 1; !status && i < cli->args.n_words; i++)
		status = set(cli, ts_span_str(name), cli->args.words[i], err);
	if (!status)
		status = ts_ask_get(cli->target.channel, ts_span_str(name), &cli->arena, &run, err);
	if (status)
		return status;
	if (!cli->json)
		return text(cli, &run, err);
	return ts_json_answer(cli, &ts_shape_notes_answer, &run, err);
}
