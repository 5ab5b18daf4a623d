/* verb_verify.c - tscope verify: reads every byte of the store again, or those that are new, with a progress bar, and has a server read
 * its audit log. */
#include "cli/core/ask.h"
#include "cli/core/context.h"
#include "cli/core/progress.h"
#include "cli/json/json_parts.h"
#include "cli/verbs/verbs.h"
#include "cli/view/show_value.h"

struct watch {
	struct ts_progress progress;
	struct ts_arena *arena;
	struct ts_verify_event last;
	bool final;
};

static enum ts_status take_event(void *ctx, struct ts_span message, struct ts_error *err)
{
	struct watch *w = ctx;
	struct ts_verify_event event;
	enum ts_status status = ts_wire_unpack_verify_event(message, w->arena, &event, err);

	if (status)
		return status;
	ts_progress_step(&w->progress, event.done, event.total);
	if (event.final) {
		w->last = event;
		/* Unpacking copies ids and texts out of the message, so the arena keeps them. */
		w->final = true;
	}
	return TS_OK;
}

static bool is_sound(const struct ts_verify_event *e)
{
	return e->report.damaged + e->report.missing + e->report.records + e->misfits + e->audit.broken + e->audit.missing == 0;
}

static void list_damage(struct ts_cli *cli, const struct ts_verify_report *r)
{
	ts_buf_printf(&cli->out, ": %s damaged, %s missing\n", ts_show_count(r->damaged, &cli->arena),
		      ts_show_count(r->missing, &cli->arena));
	for (size_t i = 0; i < r->n_ids; i++)
		ts_buf_printf(&cli->out, "  %s\n", ts_show_hex(&r->ids[i], &cli->arena));
	if (r->damaged + r->missing > r->n_ids)
		ts_buf_printf(&cli->out, "  and %s more\n",
			      ts_show_count(r->damaged + r->missing - r->n_ids, &cli->arena));
}

/* This is no damage: between two gcs, runs grow and projects come to share objects. */
static void list_drifts(struct ts_cli *cli, const struct ts_verify_event *e)
{
	uint64_t n = e->report.drifted;

	if (!n)
		return;
	ts_buf_printf(&cli->out,
		      "What %s changed since it was counted, for example because a name moved; nothing is damaged, and the next gc "
		      "counts again:\n",
		      n == 1 ? "1 account uses has"
			     : ts_arena_printf(&cli->arena, "%s accounts use has", ts_show_count(n, &cli->arena)));
	for (size_t i = 0; i < e->n_drift; i++)
		ts_buf_printf(&cli->out, "  %s\n", ts_show_text(e->drift[i], &cli->arena));
	if (n > e->n_drift)
		ts_buf_printf(&cli->out, "  and %s more\n", ts_show_count(n - e->n_drift, &cli->arena));
}

static void list_misfits(struct ts_cli *cli, const struct ts_verify_event *e)
{
	if (!e->misfits)
		return;
	ts_buf_printf(&cli->out, "%s cannot be read whole, because objects are not what the run says:\n",
		      e->misfits == 1 ? "1 run" : ts_arena_printf(&cli->arena, "%s runs", ts_show_count(e->misfits, &cli->arena)));
	for (size_t i = 0; i < e->n_misfit; i++)
		ts_buf_printf(&cli->out, "  %s\n", ts_show_text(e->misfit[i], &cli->arena));
	if (e->misfits > e->n_misfit)
		ts_buf_printf(&cli->out, "  and %s more\n", ts_show_count(e->misfits - e->n_misfit, &cli->arena));
}

/* A change was acknowledged by a whole line, so one that is torn is no loss. */
static void say_audit(struct ts_cli *cli, const struct ts_verify_audit *a)
{
	if (!a->files)
		return;
	ts_buf_printf(&cli->out, "The server's audit log, %s lines", ts_show_count(a->lines, &cli->arena));
	if (a->first > 1)
		ts_buf_printf(&cli->out, " from line %s on", ts_show_count(a->first, &cli->arena));
	if (a->broken)
		ts_buf_printf(&cli->out,
			      ": line %s does not follow the one before: that one, or itself, was changed, or lines between them "
			      "were taken out",
			      ts_show_count(a->broken, &cli->arena));
	if (a->missing == 1)
		ts_buf_printf(&cli->out, "%s the line that the server wrote last is gone", a->broken ? "; and" : ":");
	if (a->missing > 1)
		ts_buf_printf(&cli->out, "%s the %s lines that the server wrote last are gone", a->broken ? "; and" : ":",
			      ts_show_count(a->missing, &cli->arena));
	ts_buf_str(&cli->out, a->broken || a->missing ? "\n" : ": each follows the one before\n");
}

/* What was asked for is what is new. */
static void say_unread(struct ts_cli *cli, const struct ts_verify_report *r)
{
	if (!r->sound_ns)
		ts_buf_str(&cli->out, "The store has no earlier verify to go by, so all of it was read.\n");
	else
		ts_buf_printf(&cli->out,
			      "%s %s not read: sound when last read, at %s or later; names that moved before were not followed, "
			      "and what accounts use was not counted\n",
			      ts_show_plural(r->unread, "other object", &cli->arena), r->unread == 1 ? "was" : "were",
			      ts_show_time(r->sound_ns, &cli->arena));
}

static void text(struct ts_cli *cli, const struct ts_verify_event *e)
{
	const struct ts_verify_report *r = &e->report;

	ts_buf_printf(&cli->out, "%s objects, %s", ts_show_count(r->objects, &cli->arena),
		      ts_show_bytes((double)r->bytes, &cli->arena));
	if (r->damaged + r->missing + r->records + e->misfits == 0)
		ts_buf_str(&cli->out, ": all sound\n");
	else if (r->damaged + r->missing)
		list_damage(cli, r);
	else
		ts_buf_str(&cli->out, ": each is sound\n");
	if (r->records)
		ts_buf_printf(&cli->out,
			      "%s of names, logs or notes: damaged, or missing from the lists; restore the store from a backup, or "
			      "push these runs again\n",
			      r->records == 1 ? "1 record"
					      : ts_arena_printf(&cli->arena, "%s records", ts_show_count(r->records, &cli->arena)));
	if (ts_args_has(&cli->args, "new"))
		say_unread(cli, r);
	list_drifts(cli, e);
	list_misfits(cli, e);
	say_audit(cli, &e->audit);
}

static void json_audit(struct ts_json *j, const struct ts_verify_audit *a)
{
	ts_json_key(j, "audit");
	if (!a->files) {
		ts_json_null(j);
		return;
	}
	ts_json_object(j);
	ts_json_count(j, "line_count", a->lines);
	ts_json_count(j, "first_line", a->first);
	ts_json_count(j, "broken_line", a->broken);
	ts_json_count(j, "missing_count", a->missing);
	ts_json_count(j, "torn_count", a->torn);
	ts_json_end(j);
}

static void json(struct ts_cli *cli, const struct ts_verify_event *e)
{
	struct ts_json writer = ts_cli_json(cli), *j = &writer;
	const struct ts_verify_report *r = &e->report;
	char hex[TS_ID_HEX + 1];

	ts_json_object(j);
	ts_json_key(j, "sound");
	ts_json_bool(j, is_sound(e));
	ts_json_count(j, "object_count", r->objects);
	ts_json_count(j, "read_bytes", r->bytes);
	ts_json_count(j, "damaged_count", r->damaged);
	ts_json_count(j, "missing_count", r->missing);
	ts_json_key(j, "ids");
	ts_json_array(j);
	for (size_t i = 0; i < r->n_ids; i++)
		ts_json_string(j, ts_id_hex(&r->ids[i], hex));
	ts_json_end(j);
	ts_json_count(j, "damaged_record_count", r->records);
	ts_json_count(j, "misfit_count", e->misfits);
	ts_json_spans(j, "misfits", e->misfit, e->n_misfit);
	if (r->sound_ns) {
		ts_json_key(j, "drift_count");
		ts_json_null(j);
	} else {
		ts_json_count(j, "drift_count", r->drifted);
	}
	ts_json_spans(j, "drifts", e->drift, e->n_drift);
	ts_json_count(j, "unread_count", r->unread);
	ts_json_time(j, "sound_at", r->sound_ns);
	json_audit(j, &e->audit);
	ts_json_end(j);
	ts_cli_json_end(cli, j);
}

enum ts_status ts_verb_verify(struct ts_cli *cli, struct ts_error *err)
{
	const struct ts_verify_request request = {.only_new = ts_args_has(&cli->args, "new")};
	struct watch w = {.arena = &cli->arena};
	enum ts_status status = ts_cli_open(cli, TS_USE_READ, err);

	if (status)
		return status;
	if (cli->target.absent)
		return ts_error_set(err, TS_NOT_FOUND, "verify: there is nothing to verify");
	ts_progress_begin(&w.progress, cli, "verifying", cli->target.where);
	w.progress.counts = true;
	status = ts_ask_verify(cli->target.channel, &request, &cli->arena, take_event, &w, err);
	ts_progress_end(&w.progress);
	if (!status && !w.final)
		status = ts_error_set(err, TS_INTERNAL, "the server ended verify without a report");
	if (status)
		return status;
	if (cli->json)
		json(cli, &w.last);
	else
		text(cli, &w.last);
	cli->exit_code = is_sound(&w.last) ? TS_EXIT_YES : TS_EXIT_NO;
	return TS_OK;
}
