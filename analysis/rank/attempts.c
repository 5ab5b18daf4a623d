#include "analysis/rank/attempts.h"

#include "base/door.h"
#include "base/order.h"

#include <math.h>

/* The times of all attempts, s. */
struct times {
	double productive, repeated, startup, unfinished, gaps, wall;
	uint64_t repeated_steps;
	bool known;
};

/* One attempt while the sums are made: its executions, and when it began and ended as far as anything tells. */
struct attempt {
	const struct ts_executed *rows;
	size_t n;
	double began, ended;
};

TS_ORDER(by_segment, struct ts_executed, TS_UP(segment); TS_UP(end))

static size_t count_segments(const struct ts_executed *rows, size_t n)
{
	size_t segments = n > 0;

	for (size_t i = 1; i < n; i++)
		segments += rows[i].segment != rows[i - 1].segment;
	return segments;
}

/* Takes the rows of the next segment, which follow each other. */
static void take_segment(struct attempt *a, const struct ts_executed *rows, size_t n, size_t *at)
{
	size_t from = *at;

	while (*at < n && rows[*at].segment == rows[from].segment)
		++*at;
	a->rows = rows + from;
	a->n = *at - from;
}

/* Takes the rows that ended before the next attempt began: an attempt whose steps went back has several segments. */
static void take_until(struct attempt *a, const struct ts_executed *rows, size_t n, double next, size_t *at)
{
	size_t from = *at;

	while (*at < n && !(rows[*at].end >= next))
		++*at;
	a->rows = rows + from;
	a->n = *at - from;
}

/* Divides the executions among the attempts. */
static void divide(struct attempt *attempts, const struct ts_executed *rows, size_t n_rows, const struct ts_attempt_said *said,
		   size_t n)
{
	size_t at = 0, stepped = 0, segments = count_segments(rows, n_rows);

	for (size_t i = 0; said && i < n; i++)
		stepped += said[i].stepped;
	for (size_t i = 0; i < n; i++) {
		attempts[i] = (struct attempt){
			.rows = rows + at, .began = said ? said[i].began : (double)NAN, .ended = said ? said[i].ended : (double)NAN};
		if (said && stepped != segments)
			take_until(&attempts[i], rows, n_rows, i + 1 < n ? said[i + 1].began : (double)INFINITY, &at);
		else if (!said || said[i].stepped)
			take_segment(&attempts[i], rows, n_rows, &at);
	}
}

/* Adds the executions of an attempt, and gives when its first began and its last ended. */
static void add_rows(struct times *t, const struct attempt *a, double *ret_first, double *ret_last)
{
	double before = a->rows[0].end - (isfinite(a->rows[0].own) && a->rows[0].own > 0 ? a->rows[0].own : 0);

	*ret_first = before;
	for (size_t i = 0; i < a->n; i++) {
		double took = a->rows[i].end - before;

		before = a->rows[i].end;
		*(a->rows[i].superseded ? &t->repeated : &t->productive) += took;
		t->repeated_steps += a->rows[i].superseded;
	}
	*ret_last = before;
}

/* Fails where a time goes back, as clocks of several hosts can. */
static bool add_time(double *to, double from, double until)
{
	if (!(until - from >= -1e-3))
		return false;
	*to += until > from ? until - from : 0;
	return true;
}

/* One attempt behind another, which ended at *last; NaN: it is the first. */
static bool add_attempt(struct times *t, const struct attempt *a, double *last)
{
	double began = a->began, first = began, ended = began;

	if (a->n) {
		add_rows(t, a, &first, &ended);
		began = isfinite(began) ? began : first;
	}
	if (!isfinite(began))
		return true; /* nothing is known of it, and its time is in the gap */
	if (isfinite(*last) && !add_time(&t->gaps, *last, began))
		return false;
	if (a->n && !add_time(&t->startup, began, first))
		return false;
	if (isfinite(a->ended) && !add_time(a->n ? &t->unfinished : &t->startup, ended, a->ended))
		return false;
	*last = isfinite(a->ended) && a->ended > ended ? a->ended : ended;
	return true;
}

static struct times sum_up(const struct attempt *attempts, size_t n)
{
	struct times t = {.known = true};
	double last = (double)NAN;

	for (size_t i = 0; i < n && t.known; i++)
		t.known = add_attempt(&t, &attempts[i], &last);
	t.wall = t.productive + t.repeated + t.startup + t.unfinished + t.gaps;
	t.known &= isfinite(t.wall) && t.wall > 0;
	return t;
}

static bool put_times(const struct times *t, size_t n, struct ts_measures *m, struct ts_arena *arena)
{
	static const char unknown[] = "the times of the attempts are not known, or go back";
	const struct {
		enum ts_measure_name what;
		double value;
	} rows[] = {
		{TS_M_ATTEMPTS_GOODPUT, t->productive / t->wall},
		{TS_M_ATTEMPTS_PRODUCTIVE, t->productive},
		{TS_M_ATTEMPTS_REPEATED, t->repeated},
		{TS_M_ATTEMPTS_STARTUP, t->startup},
		{TS_M_ATTEMPTS_UNFINISHED, t->unfinished},
		{TS_M_ATTEMPTS_GAPS, t->gaps},
		{TS_M_ATTEMPTS_WALL, t->wall},
	};
	bool fits = ts_measure_add(m, arena, TS_M_ATTEMPTS_COUNT, TS_NO_SUBJECT, (double)n);

	for (size_t i = 0; fits && i < sizeof rows / sizeof *rows; i++)
		fits = t->known ? ts_measure_add(m, arena, rows[i].what, TS_NO_SUBJECT, rows[i].value)
				: ts_measure_unknown(m, arena, rows[i].what, TS_NO_SUBJECT, unknown);
	return fits;
}

static bool put_text(struct ts_measures *m, struct ts_arena *arena, enum ts_measure_name what, struct ts_span of, struct ts_span text)
{
	return !text.len || ts_measure_text(m, arena, what, of, text);
}

static bool put_said(const struct ts_attempt_said *said, struct ts_measures *m, struct ts_arena *arena)
{
	const char *subject = ts_measure_subject(TS_M_ATTEMPT_AT, said->number, arena);
	struct ts_span of;

	if (!subject)
		return false;
	of = ts_span_str(subject);
	if (said->stepped ? !ts_measure_add(m, arena, TS_M_ATTEMPT_AT, of, (double)said->first_step)
			  : !ts_measure_unknown(m, arena, TS_M_ATTEMPT_AT, of, "it came to no step"))
		return false;
	return ts_measure_add(m, arena, TS_M_ATTEMPT_STEPS, of, (double)said->steps) &&
	       put_text(m, arena, TS_M_ATTEMPT_END, of, said->end) &&
	       put_text(m, arena, TS_M_ATTEMPT_CHECKPOINT, of, said->checkpoint) &&
	       put_text(m, arena, TS_M_ATTEMPT_CHANGED, of, said->changed);
}

enum ts_status ts_attempts_measure(struct ts_executed *rows, size_t n_rows, const struct ts_attempt_said *said, size_t n,
				   struct ts_arena *arena, struct ts_measures *measures, struct ts_error *err)
{
	struct attempt *attempts;
	struct times t;
	bool fits;

	TS_DOOR(ts_measures_hold(measures));
	TS_SORT(rows, n_rows, by_segment);
	n = said ? n : count_segments(rows, n_rows);
	if (n < 2)
		return TS_OK;
	attempts = ts_arena_array(arena, n, sizeof *attempts);
	if (!attempts)
		return ts_arena_error(arena, err);
	divide(attempts, rows, n_rows, said, n);
	t = sum_up(attempts, n);
	fits = put_times(&t, n, measures, arena) &&
	       ts_measure_add(measures, arena, TS_M_ATTEMPTS_REPEATED_STEPS, TS_NO_SUBJECT, (double)t.repeated_steps);
	for (size_t i = n > TS_ATTEMPTS_TOLD ? n - TS_ATTEMPTS_TOLD : 0; said && fits && i < n; i++)
		fits = put_said(&said[i], measures, arena);
	return fits ? TS_OK : ts_arena_error(arena, err);
}
