/* verb_salvage.c - tscope salvage: saves what is sound of a damaged store in a new one, and names the rest. */
#include "cli/core/context.h"
#include "cli/core/salvage.h"
#include "cli/json/json_parts.h"
#include "cli/view/show_value.h"
#include "cli/verbs/verbs.h"

enum { LOST_LINES = 40 };

static const char *many(uint64_t n, const char *one, const char *more, struct ts_arena *arena)
{
	return ts_arena_printf(arena, "%s %s", ts_show_count(n, arena), n == 1 ? one : more);
}

static void text(struct ts_cli *cli, const char *to, const struct ts_salvage_report *r)
{
	struct ts_arena *arena = &cli->arena;

	ts_buf_printf(&cli->out, "%s has %s, %s of logs, %s, %s, %s of removed names and %s\n", to,
		      many(r->names, "name", "names", arena), many(r->entries, "entry", "entries", arena),
		      many(r->notes, "note", "notes", arena),
		      many(r->records, "token or other record", "tokens and other records", arena),
		      many(r->removed, "record", "records", arena), many(r->objects, "object", "objects", arena));
	if (!r->n_lost)
		ts_buf_str(&cli->out,
			   r->damaged ? "nothing that had a name was lost\n" : "the store was sound, and all of it was copied\n");
	else
		ts_buf_str(&cli->out, "lost:\n");
	for (size_t i = 0; i < r->n_lost && (i < LOST_LINES || cli->json); i++)
		ts_buf_printf(&cli->out, "  %s\n", ts_show_text(r->lost[i], arena));
	if (r->n_lost > LOST_LINES)
		ts_buf_printf(&cli->out, "  and %s more, which --json names\n", ts_show_count(r->n_lost - LOST_LINES, arena));
}

static void json(struct ts_cli *cli, const struct ts_salvage_report *r)
{
	struct ts_json writer = ts_cli_json(cli), *j = &writer;

	ts_json_object(j);
	ts_json_key(j, "damaged");
	ts_json_bool(j, r->damaged);
	ts_json_count(j, "name_count", r->names);
	ts_json_count(j, "entry_count", r->entries);
	ts_json_count(j, "note_count", r->notes);
	ts_json_count(j, "record_count", r->records);
	ts_json_count(j, "removed_count", r->removed);
	ts_json_count(j, "object_count", r->objects);
	ts_json_spans(j, "lost", r->lost, r->n_lost);
	ts_json_end(j);
	ts_cli_json_end(cli, j);
}

enum ts_status ts_verb_salvage(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_salvage_report report;

	if (ts_salvage(ts_cli_word(cli, 0), ts_cli_word(cli, 1), &cli->arena, &report, err))
		return err->status;
	if (cli->json)
		json(cli, &report);
	else
		text(cli, ts_cli_word(cli, 1), &report);
	cli->exit_code = report.n_lost ? TS_EXIT_NO : TS_EXIT_YES;
	return TS_OK;
}
