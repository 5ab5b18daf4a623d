/* analyze_notes.c - each note one sentence that says what was chosen or what is not there. */
#include "service/handlers/analyze/analyze_notes.h"

#include "base/buf.h"
#include "base/door.h"
#include "base/text.h"

#include <stdio.h>

/* NOTES_KEPT is the room kept for notes that occur once; notes about single series stop before it. */
enum { NOTES_MAX = 32, NOTES_KEPT = 13, NOTE_BYTES = 2048, SHOWN_RANKS = 16, NAME_SHOWN = 120 };

static enum ts_status note(struct ts_notes *a, const char *text, struct ts_error *err)
{
	struct ts_analysis *out = a->analysis;

	if (!out->notes)
		out->notes = ts_arena_array(a->arena, NOTES_MAX, sizeof *out->notes);
	if (!out->notes)
		return ts_arena_error(a->arena, err);
	if (out->n_notes == NOTES_MAX)
		return ts_error_set(err, TS_INTERNAL, "more than %d notes", NOTES_MAX);
	out->notes[out->n_notes] = ts_arena_span(a->arena, ts_span_str(text));
	return out->notes[out->n_notes++].data ? TS_OK : ts_arena_error(a->arena, err);
}

static void put_ranks(struct ts_buf *out, const int32_t *ranks, size_t n)
{
	for (size_t i = 0; i < n && i < SHOWN_RANKS; i++)
		ts_buf_printf(out, "%s%" PRId32, i ? ", " : "", ranks[i]);
	if (n > SHOWN_RANKS)
		ts_buf_printf(out, " and %zu more", n - SHOWN_RANKS);
}

static enum ts_status note_buf(struct ts_notes *a, struct ts_buf *text, struct ts_error *err)
{
	enum ts_status status = ts_buf_check(text, err);

	ts_buf_char(text, '\0');
	if (!status)
		status = ts_buf_check(text, err);
	return status ? status : note(a, (const char *)text->data, err);
}

enum ts_status ts_note_elsewhere(struct ts_notes *a, struct ts_span series, int32_t rank, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(NOTE_BYTES);
	enum ts_status status;

	if (a->analysis->n_notes >= NOTES_MAX - NOTES_KEPT)
		return TS_OK;
	ts_buf_span(&text, series);
	ts_buf_printf(&text, " comes from rank %" PRId32 ", the lowest rank that has it", rank);
	status = note_buf(a, &text, err);
	ts_buf_finish(&text);
	return status;
}

enum ts_status ts_note_files(struct ts_notes *a, const char *what, int32_t rank, size_t n, struct ts_span name, size_t others,
			     struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(NOTE_BYTES);
	enum ts_status status;

	ts_buf_printf(&text, "rank %" PRId32 " has %zu %s, of which ", rank, n, what);
	ts_buf_span(&text, name);
	ts_buf_str(&text, ", the last by name, counts");
	if (others)
		ts_buf_printf(&text, "; so it is with %zu other rank%s", others, others == 1 ? "" : "s");
	status = note_buf(a, &text, err);
	ts_buf_finish(&text);
	return status;
}

enum ts_status ts_note_snapshot_of_any(struct ts_notes *a, size_t n, struct ts_span name, bool counts, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(NOTE_BYTES);
	enum ts_status status;

	if (n > 1)
		ts_buf_printf(&text, "nothing says of which rank %zu memory snapshots are; of these ", n);
	else
		ts_buf_str(&text, "nothing says of which rank the memory snapshot ");
	ts_buf_span(&text, name);
	ts_buf_printf(&text, "%s%s", n > 1 ? ", the last by name, " : " is; it ",
		      counts ? "counts as one of the run" : "does not count: tscope analyze RUN --snapshot NAME shows it");
	status = note_buf(a, &text, err);
	ts_buf_finish(&text);
	return status;
}

enum ts_status ts_note_unused_trace(struct ts_notes *a, struct ts_span name, int32_t rank, size_t others, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(NOTE_BYTES);
	enum ts_status status;

	ts_buf_str(&text, "the trace ");
	ts_buf_span(&text, name);
	if (rank == TS_RANK_JOB)
		ts_buf_str(&text, " does not say of which rank it is");
	else
		ts_buf_printf(&text, " says that it is of rank %" PRId32 ", of which the run has no steps", rank);
	ts_buf_str(&text, "; so its figures do not count here, and --trace ");
	ts_buf_span(&text, name);
	ts_buf_str(&text, " shows them");
	if (others)
		ts_buf_printf(&text, "; the same holds for %zu other trace%s", others, others == 1 ? "" : "s");
	status = note_buf(a, &text, err);
	ts_buf_finish(&text);
	return status;
}

enum ts_status ts_note_missing(struct ts_notes *a, const struct ts_description *d, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(NOTE_BYTES);
	enum ts_status status;

	if (d->n_missing == 0)
		return TS_OK;
	ts_buf_printf(&text, "the world size is %" PRId64 ", but rank%s ", d->world_size, d->n_missing == 1 ? "" : "s");
	put_ranks(&text, d->missing, d->n_missing);
	ts_buf_printf(&text, " %s not in this run", d->n_missing == 1 ? "is" : "are");
	status = note_buf(a, &text, err);
	ts_buf_finish(&text);
	return status;
}

enum ts_status ts_note_untimed(struct ts_notes *a, const int32_t *ranks, size_t n, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(NOTE_BYTES);
	enum ts_status status;

	if (n == 0)
		return TS_OK;
	ts_buf_str(&text, n == 1 ? "rank " : "ranks ");
	put_ranks(&text, ranks, n);
	ts_buf_printf(&text, " %s no step times and %s not compared with the other ranks", n == 1 ? "has" : "have",
		      n == 1 ? "is" : "are");
	status = note_buf(a, &text, err);
	ts_buf_finish(&text);
	return status;
}

enum ts_status ts_note_superseded(struct ts_notes *a, const struct ts_index *index, struct ts_error *err)
{
	char text[NOTE_BYTES];
	uint64_t rows = ts_index_superseded(index);

	TS_DOOR(ts_index_holds(index));
	if (rows == 0)
		return TS_OK;
	snprintf(text, sizeof text, "%" PRIu64 " row%s that a restart wrote again %s not counted", rows,
		 rows == 1 ? "" : "s", rows == 1 ? "is" : "are");
	return note(a, text, err);
}

enum ts_status ts_note_stamped(struct ts_notes *a, struct ts_error *err)
{
	return note(a, "no phase was recorded, so the time of a step is the time between its timestamp and the one before", err);
}

enum ts_status ts_note_gaps(struct ts_notes *a, struct ts_span column, const struct ts_step_gaps *gaps, struct ts_error *err)
{
	static const char group[] = "scalars.";
	struct ts_buf text = TS_BUF_INIT(NOTE_BYTES);
	enum ts_status status;

	if (ts_span_starts(column, ts_span_str(group)))
		column = ts_span_from(column, sizeof group - 1);
	ts_buf_span(&text, ts_utf8_cut(column, NAME_SHOWN));
	ts_buf_printf(&text, " has no value from step %" PRId64 " to %" PRId64 " (%" PRIu64 " missing), and one every ", gaps->from,
		      gaps->to, gaps->longest);
	if (gaps->every > 1)
		ts_buf_printf(&text, "%" PRId64 " steps", gaps->every);
	else
		ts_buf_str(&text, "step");
	ts_buf_str(&text, " before and behind that");
	if (gaps->gaps > 1)
		ts_buf_printf(&text, "; %" PRIu64 " are missing in all %" PRIu64 " gaps", gaps->missing, gaps->gaps);
	status = note_buf(a, &text, err);
	ts_buf_finish(&text);
	return status;
}

enum ts_status ts_note_coarse(struct ts_notes *a, uint64_t rows, bool any, struct ts_error *err)
{
	char text[NOTE_BYTES];

	if (rows == 0)
		return TS_OK;
	snprintf(text, sizeof text,
		 "%" PRIu64 " rows have the same timestamp as two or more beside them, which is too coarse for the time of a step: %s",
		 rows, any ? "what passes until the next timestamp is divided among their steps" : "it is not known");
	return note(a, text, err);
}

enum ts_status ts_note_overlapped(struct ts_notes *a, struct ts_error *err)
{
	return note(a,
		    "phases of the device's clock overlap those of the host's, so the time of a step is the time between its timestamp "
		    "and the one before, and shares of phases are of their sum",
		    err);
}

enum ts_status ts_note_device_memory(struct ts_notes *a, const struct ts_analyze_request *request,
				     const struct ts_work_number *recorded, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(NOTE_BYTES);
	enum ts_status status;

	if (!request->has_device_bytes || (recorded->known && recorded->value == request->device_bytes))
		return TS_OK;
	ts_buf_str(&text, "the memory of the device is ");
	ts_print_bytes(&text, request->device_bytes);
	ts_buf_str(&text, ", as --device-memory says; ");
	if (recorded->known) {
		ts_buf_str(&text, "the run says ");
		ts_print_bytes(&text, recorded->value);
		ts_buf_printf(&text, " (%s)", recorded->source);
	} else {
		ts_buf_str(&text, "the run does not say it");
	}
	status = note_buf(a, &text, err);
	ts_buf_finish(&text);
	return status;
}

enum ts_status ts_note_warmup(struct ts_notes *a, const struct ts_analyze_request *request, bool of_run, struct ts_error *err)
{
	char text[NOTE_BYTES];

	if (!request->has_warmup && a->analysis->warmup_cut) {
		snprintf(text, sizeof text,
			 "the first %" PRIu64
			 " step%s slower than the rest, so the analysis leaves %s out as warm-up; --warmup 0 "
			 "keeps %s",
			 a->analysis->warmup_cut, a->analysis->warmup_cut == 1 ? " is" : "s are",
			 a->analysis->warmup_cut == 1 ? "it" : "them", a->analysis->warmup_cut == 1 ? "it" : "them");
		return note(a, text, err);
	}
	if (!request->has_warmup || request->warmup == 0)
		return TS_OK;
	if (a->analysis->warmup_cut < request->warmup)
		snprintf(text, sizeof text,
			 "all %" PRIu64 " steps are left out, because %s %" PRIu64 " covers the whole run%s",
			 a->analysis->warmup_cut, of_run ? "work.warmup_steps =" : "--warmup", request->warmup,
			 of_run ? "; --warmup 0 keeps them" : "");
	else
		snprintf(text, sizeof text, "the first %" PRIu64 " step%s of each rank %s left out%s",
			 a->analysis->warmup_cut, a->analysis->warmup_cut == 1 ? "" : "s",
			 a->analysis->warmup_cut == 1 ? "is" : "are",
			 of_run ? ", as the run declares by work.warmup_steps; --warmup 0 keeps all" : "");
	return note(a, text, err);
}

bool ts_rank_has_steps(const struct ts_index *index)
{
	TS_DOOR(ts_index_holds(index));
	for (size_t t = 0; t < index->n_tables; t++)
		if (index->tables[t].kind == TS_TABLE_STEPS && index->tables[t].rows > 0)
			return true;
	return false;
}

enum ts_status ts_no_such_rank(const struct ts_run *run, int32_t rank, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(NOTE_BYTES);
	int32_t shown[SHOWN_RANKS] = {0};
	size_t n = 0, total = 0;

	for (size_t i = 0; i < run->head.n_ranks; i++) {
		if (run->head.ranks[i].rank == TS_RANK_JOB)
			continue;
		if (n < SHOWN_RANKS)
			shown[n++] = run->head.ranks[i].rank;
		total++;
	}
	put_ranks(&text, shown, n);
	if (total > n)
		ts_buf_printf(&text, " and %zu more", total - n);
	ts_error_set(err, TS_NOT_FOUND, "the run has no rank %" PRId32 "; it has %s%.*s", rank, total ? "" : "none",
		     TS_SPAN_ARG(ts_buf_view(&text)));
	ts_buf_finish(&text);
	return TS_NOT_FOUND;
}

enum ts_status ts_note_rank(struct ts_notes *a, const struct ts_analyze_request *request, const struct ts_index *index,
			    struct ts_error *err)
{
	char text[NOTE_BYTES];

	TS_DOOR(ts_index_holds(index));
	if (a->analysis->run.steps == 0)
		return note(a, "the run has no steps", err);
	if (!ts_rank_has_steps(index)) {
		snprintf(text, sizeof text, "rank %" PRId32 " has no steps", index->rank);
		return note(a, text, err);
	}
	if (a->analysis->run.ranks < 2)
		return TS_OK;
	if (request->has_rank)
		snprintf(text, sizeof text,
			 "the findings on timing, memory and convergence are about rank %" PRId32
			 " alone; without --rank they are about all ranks",
			 index->rank);
	else
		snprintf(text, sizeof text,
			 "the findings are about all ranks; the sections on timing, memory and convergence show rank %" PRId32
			 ", the lowest rank that has steps, and --rank K shows another rank",
			 index->rank);
	return note(a, text, err);
}
