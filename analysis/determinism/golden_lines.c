/* golden_lines.c - see golden_lines.h. */
#include "analysis/determinism/golden_lines.h"

#include "base/grow.h"
#include "base/number.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>

enum { COLUMNS_MOST = 16 };

struct words {
	struct ts_span at[COLUMNS_MOST];
	size_t n; /* COLUMNS_MOST + 1: there are more */
};

/* The room of a series. */
struct caps {
	size_t values, empty;
};

static struct words split(struct ts_span line)
{
	struct words w = {.n = 0};

	for (line = ts_trim(line); line.len && w.n <= COLUMNS_MOST; line = ts_trim(line)) {
		size_t n = 0;

		while (n < line.len && !ts_is_space(line.data[n]))
			n++;
		if (w.n < COLUMNS_MOST)
			w.at[w.n] = ts_span_part(line, 0, n);
		w.n++;
		line = ts_span_from(line, n);
	}
	return w;
}

static enum ts_status refuse(uint64_t line, const char *what, struct ts_error *err)
{
	return ts_error_set(err, TS_INVALID, "line %" PRIu64 ": %s", line, what);
}

/* A series for each name behind "step". */
static enum ts_status begin(const struct words *names, uint64_t line, struct ts_arena *arena, struct ts_golden *g, struct ts_error *err)
{
	g->series = ts_arena_array(arena, names->n - 1, sizeof *g->series);
	if (!g->series)
		return ts_arena_error(arena, err);
	for (g->n = 0; g->n + 1 < names->n; g->n++) {
		struct ts_span name = ts_arena_span(arena, names->at[g->n + 1]);

		if (!name.data)
			return ts_arena_error(arena, err);
		for (size_t i = 0; i < g->n; i++)
			if (ts_span_eq(g->series[i].name, name))
				return refuse(line, "two columns have one name", err);
		g->series[g->n] = (struct ts_golden_series){.name = name};
	}
	return TS_OK;
}

static enum ts_status take_row(const struct words *row, uint64_t line, struct ts_arena *arena, struct ts_golden *g, struct caps *caps,
			       int64_t *io_step, struct ts_error *err)
{
	struct ts_golden_value v = {.step = 0};

	if (row->n != g->n + 1)
		return refuse(line, "it has not as many numbers as there are columns", err);
	if (!ts_parse_i64(row->at[0], &v.step) || v.step <= *io_step)
		return refuse(line, "it does not begin with a step that is higher than the one before", err);
	*io_step = v.step;
	for (size_t i = 0; i < g->n; i++) {
		struct ts_golden_series *s = &g->series[i];

		if (ts_span_is(row->at[i + 1], "nan")) {
			if (!TS_GROW_IN(arena, s->empty, caps[i].empty, s->n_empty + 1, 8))
				return ts_arena_error(arena, err);
			s->empty[s->n_empty++] = v.step;
			continue;
		}
		if (!ts_parse_double(row->at[i + 1], &v.real) || !isfinite(v.real))
			return refuse(line, "a value is a number, or nan", err);
		if (!TS_GROW_IN(arena, s->values, caps[i].values, s->n + 1, 64))
			return ts_arena_error(arena, err);
		s->values[s->n++] = v;
	}
	return TS_OK;
}

bool ts_golden_is_lines(struct ts_span text)
{
	text = ts_trim(text);
	return text.len && (text.data[0] == '#' || ts_is_digit(text.data[0]));
}

enum ts_status ts_golden_of_lines(struct ts_span text, struct ts_arena *arena, struct ts_golden *ret, struct ts_error *err)
{
	struct words names = {.at = {ts_span_str("step"), ts_span_str("loss")}, .n = 2};
	struct ts_golden golden = {.n = 0};
	struct caps caps[COLUMNS_MOST] = {{0}};
	int64_t step = INT64_MIN;
	uint64_t line = 0;

	if (!ts_utf8_valid(text) || memchr(text.data, 0, text.len))
		return ts_error_set(err, TS_INVALID, "it is not text");
	while (text.len) {
		struct ts_span raw = ts_trim(ts_span_next_line(&text));
		bool comment = ts_span_skip(&raw, "#");
		struct words w = split(raw);

		line++;
		if (comment && !golden.n && w.n > 1 && ts_span_is(w.at[0], "step")) {
			if (w.n > COLUMNS_MOST)
				return refuse(line, "it names more columns than a golden record has", err);
			names = w;
		}
		if (comment || !w.n)
			continue;
		if (!golden.n && begin(&names, line, arena, &golden, err))
			return err->status;
		if (take_row(&w, line, arena, &golden, caps, &step, err))
			return err->status;
	}
	if (!golden.n)
		return ts_error_set(err, TS_INVALID, "it has no line of a step and a loss");
	*ret = golden;
	return TS_OK;
}
