#include "service/handlers/core/run_names.h"

#include "base/grow.h"
#include "run/ending.h"
#include "service/handlers/core/each_ref.h"

struct collected {
	struct ts_arena *arena;
	struct ts_run_name *refs;
	size_t n, cap;
};

/* A ts_ref_visit. */
static enum ts_status collect(void *ctx, const struct ts_ref *ref, bool *ret_enough, struct ts_error *err)
{
	struct collected *c = ctx;

	(void)ret_enough;
	if (!TS_GROW_IN(c->arena, c->refs, c->cap, c->n + 1, 1024))
		return ts_arena_error(c->arena, err);
	c->refs[c->n] = (struct ts_run_name){ts_arena_span(c->arena, ref->name), ref->id};
	return c->refs[c->n++].name.data ? TS_OK : ts_arena_error(c->arena, err);
}

enum ts_status ts_run_names_load(const struct ts_call *call, struct ts_span prefix, struct ts_arena *arena,
				 struct ts_run_names *ret_names, struct ts_error *err)
{
	struct collected c = {.arena = arena};

	if (ts_each_ref(call, call->engine, TS_REF_RUN, prefix, TS_ORDER_NEWEST, collect, &c, err))
		return err->status;
	*ret_names = (struct ts_run_names){c.refs, c.n};
	return TS_OK;
}

void ts_run_marks_add(struct ts_run_marks *marks, const struct ts_note *note)
{
	if (!ts_span_is(note->key, "bad") && !(ts_span_is(note->key, "state") && ts_end_goes_on(note->value)))
		return;
	if (!marks->any || note->at_ns < marks->since_ns) {
		marks->since_ns = note->at_ns;
		marks->by = note->who;
	}
	marks->any = true;
	marks->maintained |= note->standing == TS_STANDING_MAINTAINER;
}

static enum ts_status add_notes(const struct ts_call *call, struct ts_span name, struct ts_arena *arena,
				struct ts_run_notes *io, struct ts_error *err)
{
	struct ts_note *notes;
	size_t n;

	if (call->engine->ops->note_list(call->engine, name, arena, NULL, &notes, &n, err))
		return err->status == TS_NOT_FOUND ? TS_OK : err->status; /* the name was removed meanwhile */
	for (size_t i = 0; i < n; i++) {
		ts_run_marks_add(&io->marks, &notes[i]);
		if (ts_span_is(notes[i].key, "state"))
			io->training |= ts_end_goes_on(notes[i].value);
		if (ts_span_is(notes[i].key, "bad"))
			io->bad = notes[i].value;
		if (ts_span_is(notes[i].key, "accepted"))
			io->accepted = notes[i].value;
	}
	return TS_OK;
}

enum ts_status ts_run_notes_of(const struct ts_call *call, const struct ts_run_names *names, const struct ts_id *id,
			       struct ts_arena *arena, struct ts_run_notes *ret_notes, struct ts_error *err)
{
	struct ts_run_notes out = {.training = false};

	for (size_t i = 0; i < names->n; i++) {
		if (!ts_id_eq(&names->refs[i].id, id))
			continue;
		if (out.name.len == 0)
			out.name = names->refs[i].name;
		if (add_notes(call, names->refs[i].name, arena, &out, err))
			return err->status;
	}
	*ret_notes = out;
	return TS_OK;
}
