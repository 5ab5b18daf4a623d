#include "service/handlers/core/run_names.h"

#include "run/ending.h"

enum { PAGE = 1024 };

enum ts_status ts_run_names_load(const struct ts_call *call, struct ts_span prefix, struct ts_arena *arena,
				 struct ts_run_names *ret_names, struct ts_error *err)
{
	struct ts_ref_query query = {.kind = TS_REF_RUN, .prefix = prefix, .order = TS_ORDER_NEWEST, .limit = PAGE};
	struct ts_ref *all = NULL;
	size_t n = 0, cap = 0;

	do {
		struct ts_ref *refs;
		size_t n_refs;

		if (ts_call_check(call, err) ||
		    call->engine->ops->ref_list(call->engine, &query, arena, &refs, &n_refs, &query.after, err))
			return err->status;
		if (n + n_refs > cap) {
			struct ts_ref *more = ts_arena_array(arena, cap = 2 * (n + n_refs), sizeof *more);

			if (!more)
				return ts_arena_error(arena, err);
			if (n)
				memcpy(more, all, n * sizeof *more);
			all = more;
		}
		if (n_refs)
			memcpy(all + n, refs, n_refs * sizeof *refs);
		n += n_refs;
	} while (query.after.len);
	*ret_names = (struct ts_run_names){all, n};
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
