#include "service/handlers/gate/gate_files.h"

#include "base/limits.h"

enum { RUNS_MOST = 16 /* looked at for a file */ };

struct files {
	struct ts_run_trace *items;
	size_t n;
};

/* The files of the first run of a role that has some. */
static enum ts_status files_of(struct ts_fetch *f, const struct ts_gate_input *input, enum ts_gate_role role, ts_gate_lister *list,
			       struct ts_arena *arena, struct files *ret, struct ts_error *err)
{
	size_t looked = 0;

	*ret = (struct files){0};
	for (size_t i = 0; i < input->n_runs && !ret->n && looked < RUNS_MOST; i++) {
		if (input->runs[i].role != role)
			continue;
		looked++;
		/* Of a baseline that came as a record of its reductions nothing else is here. */
		if (list(ts_fetch_source, f, &input->runs[i].id, arena, &ret->items, &ret->n, err) && err->status != TS_NOT_FOUND)
			return err->status;
	}
	return TS_OK;
}

/* The first file of the first rank that both have. */
static bool choose(const struct files files[2], bool same_name, const struct ts_run_trace *ret[2])
{
	for (size_t i = 0; i < files[0].n; i++)
		for (size_t k = 0; k < files[1].n; k++) {
			const struct ts_run_trace *a = &files[0].items[i], *b = &files[1].items[k];

			if (a->rank != b->rank || (same_name && !ts_span_eq(a->name, b->name)))
				continue;
			ret[0] = a;
			ret[1] = b;
			return true;
		}
	return false;
}

static enum ts_status find(struct ts_fetch *f, const struct ts_gate_input *input, ts_gate_lister *list, struct ts_arena *arena,
			   const struct ts_run_trace *ret[2], struct ts_error *err)
{
	struct files files[2];

	ret[0] = ret[1] = NULL;
	if (files_of(f, input, TS_GATE_BASELINE, list, arena, &files[0], err) ||
	    files_of(f, input, TS_GATE_CANDIDATE, list, arena, &files[1], err))
		return err->status;
	if (!choose(files, true, ret))
		choose(files, false, ret);
	return TS_OK;
}

/* As much of the text as a row may carry, whole characters. */
static struct ts_span cut(struct ts_span text)
{
	size_t n = text.len < TS_PATH_MAX ? text.len : TS_PATH_MAX;

	while (n && n < text.len && (text.data[n] & 0xc0) == 0x80)
		n--;
	return ts_span_part(text, 0, n);
}

static enum ts_status put_first(struct ts_verdict *v, struct ts_gate_why why, struct ts_arena *arena, struct ts_error *err)
{
	why.name = ts_arena_span(arena, cut(why.name));
	return why.name.data ? ts_gate_why_first(v, why, arena, err) : ts_arena_error(arena, err);
}

enum ts_status ts_gate_files_why(struct ts_fetch *f, struct ts_verdict *v, ts_gate_lister *list, ts_gate_comparer *row_of,
				 struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_run_trace *of[2] = {NULL, NULL};
	struct ts_gate_why why;
	struct ts_arena own;
	enum ts_status status;

	if (find(f, &v->input, list, arena, of, err))
		return err->status;
	if (!of[0])
		return TS_OK;
	ts_arena_init(&own, TS_ANALYSIS_ARENA);
	status = row_of(f, of, &own, &why, err);
	if (!status)
		status = put_first(v, why, arena, err);
	ts_arena_finish(&own);
	return status;
}
