/* verb_log.c - tscope log: shows the runs that a name has pointed at, and what its notes were. */
#include "cli/core/ask.h"
#include "cli/core/names.h"
#include "cli/json/json_parts.h"
#include "cli/text/text_parts.h"
#include "cli/verbs/verbs.h"
#include "cli/view/show_value.h"

/* What the notes of the run were; of a note that was taken away there is no value. */
static enum ts_status notes_text(struct ts_cli *cli, const struct ts_log_reply *log, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {
		TS_LEFT("note", 8), TS_LEFT("became", 16), TS_LEFT("when", 10), TS_LEFT("who", 8),
	};
	struct ts_view view;

	if (log->n_notes == 0) {
		ts_cli_say(cli, "no change of a note of %.*s is recorded; a server older than 0.2.0 records none",
			   TS_SPAN_ARG(log->name));
		return TS_OK;
	}
	ts_buf_char(&cli->out, '\n');
	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	for (size_t i = 0; i < log->n_notes; i++) {
		const struct ts_note *note = &log->notes[i];

		ts_view_span(&view, TS_STYLE_BOLD, note->key);
		ts_view_span(&view, note->value.len ? TS_STYLE_PLAIN : TS_STYLE_DIM,
			     note->value.len ? note->value : ts_span_str("(removed)"));
		ts_view_text(&view, TS_STYLE_PLAIN, ts_show_time(note->at_ns, &cli->arena));
		ts_view_span(&view, TS_STYLE_DIM, note->who);
	}
	return ts_view_print(&view, &cli->term, 0, &cli->out, err);
}

static void say_pruned(struct ts_cli *cli, const struct ts_pruned *pruned)
{
	const char *who = ts_show_text(pruned->who, &cli->arena);

	if (pruned->entries)
		ts_buf_printf(&cli->out, "%s older %s pruned, the last on %s%s%s\n", ts_show_count(pruned->entries, &cli->arena),
			      pruned->entries == 1 ? "entry was" : "entries were", ts_show_time(pruned->at_ns, &cli->arena),
			      pruned->who.len ? " by " : "", pruned->who.len && who ? who : "");
}

enum ts_status ts_verb_log(struct ts_cli *cli, struct ts_error *err)
{
	const char *word = ts_cli_word(cli, 0);
	struct ts_log_request request = {0};
	struct ts_log_reply log;
	uint64_t limit = 0;
	bool given;
	enum ts_status status = ts_args_uint(&cli->args, "limit", UINT32_MAX - 1, &given, &limit, err);

	request.notes = ts_args_has(&cli->args, "notes");
	request.limit = (uint32_t)limit + given; /* one more, to know whether there is one */
	if (status)
		return ts_error_prefix(err, "log");
	if (given && limit == 0)
		return ts_error_set(err, TS_INVALID, "log: --limit must be at least 1; without it, log shows all entries");
	status = ts_cli_open(cli, TS_USE_READ, err);
	if (!status)
		status = ts_cli_specs(cli, &word, 1, &request.spec, err);
	if (!status)
		status = ts_ask_log(cli->target.channel, &request, &cli->arena, &log, err);
	if (status)
		return status;
	if (given && log.n > limit) {
		log.n = (size_t)limit;
		ts_cli_say(cli, "there are older entries; without --limit, log shows all of them");
	}
	if (!cli->json) {
		if (ts_text_list(cli, &ts_shape_log_reply, &log, "entries", NULL, err))
			return err->status;
		say_pruned(cli, &log.pruned);
		return request.notes ? notes_text(cli, &log, err) : TS_OK;
	}
	return ts_json_answer(cli, &ts_shape_log_reply, &log, err);
}
