#include "service/handlers/runs/list_row.h"

#include "base/clock.h"
#include "run/ending.h"
#include "service/handlers/runs/list_columns.h"

void ts_list_subject_begin(struct ts_list_subject *s, struct ts_call *call, struct ts_fetch *f,
			   const struct ts_ref *ref, struct ts_arena *scratch, struct ts_error *err)
{
	ts_arena_reset(scratch);
	*s = (struct ts_list_subject){.call = call, .f = f, .ref = ref, .scratch = scratch, .err = err};
}

static bool fail(struct ts_list_subject *s)
{
	if (!s->status)
		s->status = ts_error_prefix(s->err, "%.*s", TS_SPAN_ARG(s->ref->name));
	return false;
}

static bool need_head(struct ts_list_subject *s)
{
	struct ts_span object;

	if (s->status)
		return false;
	if (s->has_head)
		return true;
	if (ts_fetch_object(s->f, &s->ref->id, s->scratch, &object, s->err) ||
	    ts_head_decode(object, s->scratch, &s->head, s->err))
		return fail(s);
	s->has_head = true;
	return true;
}

/* The summary has another version, or the name has none: the whole run is opened. */
static bool summarize_again(struct ts_list_subject *s)
{
	struct ts_description d;
	struct ts_run run;
	struct ts_span bytes;

	if (ts_run_open(s->f, &s->ref->id, s->scratch, &run, s->err) ||
	    ts_describe(s->f, &run, s->scratch, &d, s->err) || ts_summary_make(&d, s->scratch, &bytes, s->err))
		return fail(s);
	return ts_summary_read(bytes, &s->summary);
}

static bool need_summary(struct ts_list_subject *s)
{
	if (s->status)
		return false;
	if (!s->has_summary)
		s->has_summary = ts_summary_read(s->ref->summary, &s->summary) || summarize_again(s);
	return s->has_summary;
}

static bool say_int(struct ts_fact *fact, int64_t value)
{
	fact->type = TS_FACT_INT;
	fact->integer = value;
	return true;
}

static bool say_text(struct ts_fact *fact, struct ts_span text)
{
	fact->type = TS_FACT_TEXT;
	fact->text = text;
	return true;
}

static bool say_id(struct ts_list_subject *s, struct ts_fact *fact)
{
	char *hex = ts_arena_alloc(s->scratch, TS_ID_HEX + 1);

	if (!hex) {
		ts_arena_error(s->scratch, s->err);
		return fail(s);
	}
	return say_text(fact, ts_span_of(ts_id_hex(&s->ref->id, hex), TS_ID_HEX));
}

/* Notes belong to run names only. */
static bool say_note(struct ts_list_subject *s, struct ts_span key, struct ts_fact *fact)
{
	if (s->ref->kind != TS_REF_RUN || s->status)
		return false;
	if (!s->has_notes &&
	    s->call->engine->ops->note_list(s->call->engine, s->ref->name, s->scratch, NULL, &s->notes, &s->n_notes, s->err) &&
	    s->err->status != TS_NOT_FOUND) /* the name was removed meanwhile */
		return fail(s);
	s->has_notes = true;
	for (size_t i = 0; i < s->n_notes; i++)
		if (ts_span_eq(s->notes[i].key, key))
			return say_text(fact, s->notes[i].value);
	return false;
}

static bool say_fact(struct ts_list_subject *s, struct ts_span path, struct ts_fact *fact)
{
	const struct ts_fact *said;
	enum ts_recall recall;

	if (s->status)
		return false;
	recall = ts_list_facts_find(s->facts, path, &s->ref->id, fact);
	if (recall != TS_RECALL_NOTHING)
		return recall == TS_RECALL_FACT;
	if (!need_head(s))
		return false;
	said = ts_facts_find(&s->head.facts, path);
	ts_list_facts_keep(s->facts, path, &s->ref->id, said);
	if (said)
		*fact = *said;
	return said != NULL;
}

static bool say_metric(struct ts_list_subject *s, const struct ts_list_metric *metric, struct ts_fact *fact)
{
	struct ts_score_value value;
	bool known, scored;

	if (s->status)
		return false;
	if (ts_list_metrics_find(s->metrics, metric, &s->ref->id, &known, &value, &scored, s->err))
		return fail(s);
	s->unscored |= !scored;
	if (!known)
		return false;
	fact->type = value.is_integer ? TS_FACT_INT : TS_FACT_FLOAT;
	fact->integer = value.integer;
	fact->real = value.real;
	return true;
}

static bool say_own_name(struct ts_list_subject *s, struct ts_fact *fact)
{
	if (!need_summary(s))
		return false;
	if (s->summary.has_name)
		return say_text(fact, s->summary.own_name);
	return s->summary.long_name && say_fact(s, ts_span_str("session.name"), fact);
}

/* The noted state; of a run that goes on and was not heard of for long, that. */
static bool say_state(struct ts_list_subject *s, struct ts_fact *fact)
{
	struct ts_fact every;
	int64_t silent = ts_now_real_ns() - s->ref->moved_ns;

	if (!say_note(s, ts_span_str("state"), fact))
		return false;
	if (ts_end_goes_on(fact->text) && say_fact(s, ts_span_str("session.launch.push_every"), &every) && every.type == TS_FACT_INT &&
	    ts_is_lost(TS_END_RUNNING, every.integer, silent))
		fact->text = ts_span_str(ts_end_state_word(TS_END_LOST));
	return true;
}

static struct ts_span project_of(struct ts_span name)
{
	const uint8_t *slash = memchr(name.data, '/', name.len);

	return slash ? ts_span_of(name.data, (size_t)(slash - name.data)) : name;
}

/* Says what the run belongs to, by the first fact that tells it. */
static bool say_membership(struct ts_list_subject *s, enum ts_membership membership, struct ts_fact *fact)
{
	for (size_t i = 0; i < TS_MEMBERSHIP_PATHS && ts_membership_path(membership, i).len; i++)
		if (say_fact(s, ts_membership_path(membership, i), fact) &&
		    (fact->type == TS_FACT_TEXT || fact->type == TS_FACT_INT))
			return fact->type == TS_FACT_INT || fact->text.len > 0;
	return false;
}

static bool look_up(struct ts_list_subject *s, struct ts_span path, struct ts_fact *fact)
{
	const struct ts_list_metric *metric = ts_list_metrics_of(s->metrics, path);
	enum ts_membership membership;
	enum ts_list_word word;

	if (metric)
		return say_metric(s, metric, fact);
	word = ts_list_word(path);
	if (ts_list_is_membership(word, &membership))
		return say_membership(s, membership, fact);
	switch (word) {
	case TS_WORD_NAME:
		return say_text(fact, s->ref->name);
	case TS_WORD_PROJECT:
		return say_text(fact, project_of(s->ref->name));
	case TS_WORD_ID:
		return say_id(s, fact);
	case TS_WORD_STARTED:
		return need_summary(s) && s->summary.has_started && say_int(fact, s->summary.started_ns);
	case TS_WORD_PUSHED:
		return say_int(fact, s->ref->moved_ns);
	case TS_WORD_STATE:
		return say_state(s, fact);
	case TS_WORD_STEPS:
		return need_summary(s) && say_int(fact, (int64_t)s->summary.steps);
	case TS_WORD_FIRST_STEP:
		return need_summary(s) && s->summary.steps > 0 && say_int(fact, s->summary.first_step);
	case TS_WORD_LAST_STEP:
		return need_summary(s) && s->summary.steps > 0 && say_int(fact, s->summary.last_step);
	case TS_WORD_RANKS:
		return need_summary(s) && say_int(fact, s->summary.ranks);
	case TS_WORD_WORLD_SIZE:
		return need_summary(s) && s->summary.has_world && say_int(fact, s->summary.world_size);
	case TS_WORD_OWN_NAME:
		return say_own_name(s, fact);
	case TS_WORD_WHO:
		return s->ref->who.len > 0 && say_text(fact, s->ref->who);
	case TS_WORD_NOTE:
		return say_note(s, ts_span_of(path.data + 5, path.len - 5), fact);
	case TS_WORD_FACT:
		return say_fact(s, path, fact);
	case TS_WORD_METRIC:
	case TS_WORD_MEMBERSHIP:
	case TS_WORD_NONE:
		break;
	}
	return false;
}

static void note_recorded(struct ts_list_paths *asked, struct ts_span path)
{
	for (size_t i = 0; i < asked->n; i++) {
		if (!ts_span_eq(asked->paths[i], path))
			continue;
		asked->n--;
		asked->n_judged -= i < asked->n_judged;
		memmove(&asked->paths[i], &asked->paths[i + 1], (asked->n - i) * sizeof *asked->paths);
		return;
	}
}

bool ts_list_lookup(void *ctx, struct ts_span path, struct ts_fact *ret_fact)
{
	struct ts_list_subject *s = ctx;
	struct ts_fact fact;

	memset(&fact, 0, sizeof fact);
	if (!look_up(s, path, &fact))
		return false;
	if (s->asked)
		note_recorded(s->asked, path);
	*ret_fact = fact;
	return true;
}

static enum ts_status write_time(struct ts_fact *fact, struct ts_arena *arena, struct ts_error *err)
{
	char text[TS_TIME_TEXT];

	fact->type = TS_FACT_TEXT;
	fact->text = ts_arena_span(arena, ts_span_str(ts_time_text(fact->integer, text)));
	fact->integer = 0;
	return fact->text.data ? TS_OK : ts_arena_error(arena, err);
}

enum ts_status ts_list_cell_of(struct ts_list_subject *s, struct ts_span path, struct ts_arena *arena,
			       struct ts_list_cell *ret_cell, struct ts_error *err)
{
	struct ts_list_cell cell;

	memset(&cell, 0, sizeof cell);
	cell.known = ts_list_lookup(s, path, &cell.value);
	if (s->status)
		return s->status;
	cell.value.path = ts_span_of(NULL, 0);
	if (cell.known && ts_list_is_time(ts_list_word(path))) {
		if (write_time(&cell.value, arena, err))
			return err->status;
	} else if (cell.known && cell.value.text.len) {
		cell.value.text = ts_arena_span(arena, cell.value.text);
		if (!cell.value.text.data)
			return ts_arena_error(arena, err);
	}
	*ret_cell = cell;
	return TS_OK;
}
