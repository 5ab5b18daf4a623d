#include "service/handlers/gate/gate_files.h"

#include "base/limits.h"
#include "base/text.h"

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

/* Whether files of this rank were compared. */
static bool is_done(const struct ts_run_trace *const (*pairs)[2], size_t n, const struct ts_run_trace *file)
{
	for (size_t i = 0; i < n; i++)
		if (pairs[i][0]->rank == file->rank)
			return true;
	return false;
}

/* The first file of the first rank that both have and that is none of the n pairs'; it becomes the next of them. */
static bool choose(const struct files files[2], bool same_name, const struct ts_run_trace *(*pairs)[2], size_t n)
{
	for (size_t i = 0; i < files[0].n; i++)
		for (size_t k = 0; k < files[1].n; k++) {
			const struct ts_run_trace *a = &files[0].items[i], *b = &files[1].items[k];

			if (a->rank != b->rank || (same_name && !ts_span_eq(a->name, b->name)) ||
			    is_done((const struct ts_run_trace *const(*)[2])pairs, n, a))
				continue;
			pairs[n][0] = a;
			pairs[n][1] = b;
			return true;
		}
	return false;
}

static enum ts_status find(struct ts_fetch *f, const struct ts_gate_input *input, ts_gate_lister *list, size_t ranks,
			   struct ts_arena *arena, const struct ts_run_trace *(*pairs)[2], size_t *ret_n, struct ts_error *err)
{
	struct files files[2];
	size_t n = 0;

	if (files_of(f, input, TS_GATE_BASELINE, list, arena, &files[0], err) ||
	    files_of(f, input, TS_GATE_CANDIDATE, list, arena, &files[1], err))
		return err->status;
	while (n < ranks && (choose(files, true, pairs, n) || choose(files, false, pairs, n)))
		n++;
	*ret_n = n;
	return TS_OK;
}

static enum ts_status keep(struct ts_gate_why *io_why, const struct ts_run_trace *file, bool several, struct ts_arena *arena,
			   struct ts_error *err)
{
	const char *text = NULL;

	if (several && file->rank != TS_RANK_JOB)
		text = ts_arena_printf(arena, "rank %" PRId32 ": %.*s", file->rank, TS_SPAN_ARG(io_why->name));
	io_why->name =
		text ? ts_utf8_cut(ts_span_str(text), TS_PATH_MAX) : ts_arena_span(arena, ts_utf8_cut(io_why->name, TS_PATH_MAX));
	return io_why->name.data ? TS_OK : ts_arena_error(arena, err);
}

enum ts_status ts_gate_files_why(struct ts_fetch *f, struct ts_verdict *v, ts_gate_lister *list, ts_gate_comparer *row_of, size_t ranks,
				 struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_run_trace *pairs[TS_GATE_FILES_RANKS][2];
	struct ts_gate_why best = {.share = 0};
	double most = 0;
	size_t n = 0;

	if (find(f, &v->input, list, ranks, arena, pairs, &n, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		const struct ts_run_trace *const of[2] = {pairs[i][0], pairs[i][1]};
		struct ts_gate_why why;
		struct ts_arena own;
		enum ts_status status;
		double more = 0;

		ts_arena_init(&own, TS_ANALYSIS_ARENA);
		status = row_of(f, of, &own, &why, &more, err);
		if (!status && (!i || more > most)) {
			status = keep(&why, of[0], n > 1, arena, err);
			best = why;
			most = more;
		}
		ts_arena_finish(&own);
		if (status)
			return status;
	}
	return n ? ts_gate_why_first(v, best, arena, err) : TS_OK;
}
