#include "analysis/diverge/layer_drift.h"

#include "base/grow.h"
#include "base/order.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>

enum { PARTS_MAX = 24, WORDS_MAX = 16, FIRST = 64, ROWS_MAX = 1 << 18, SCRATCH = 1 << 16 };

/* --- names --- */

/* Of what, and which figure of it. */
static const char *const subjects[] = {"grad",	      "grads",	     "gradient", "gradients", "param",	"params",  "parameter",
				       "parameters",  "weight",	     "weights",	 "act",	      "acts",	"activation", "activations",
				       "output",      "outputs",     "update",	 "updates",   NULL};
static const char *const figures[] = {"norm", "norms", "rms", "std", "mean", "max", "min", "absmax", "abs", "var", "ratio", "l2", NULL};
/* Say all of a measure by themselves; "weight" and "output" also end the names of parameters. */
static const char *const alone[] = {"grad",   "grads",	  "gradient",	 "gradients", "params", "parameters",
				    "weights", "activations", "updates", "outputs",   NULL};
/* Parts of a name that are no layer. */
static const char *const general[] = {"train", "training", "val",   "valid", "validation", "eval",  "test",	 "debug",
				      "stats", "metrics",  "monitor", "model", "optim",	   "optimizer", "total", "global",
				      "all",   "overall",  "clip",  "clipped", "unclipped", "before",	"after", "pre",
				      "post",  "loss",	   "lr",    NULL};

static bool is_word(struct ts_span text, const char *const *words)
{
	for (; *words; words++) {
		size_t i = 0;

		for (; i < text.len && (*words)[i]; i++)
			if ((ts_is_alpha(text.data[i]) ? text.data[i] | 32 : text.data[i]) != (unsigned char)(*words)[i])
				break;
		if (i == text.len && !(*words)[i])
			return true;
	}
	return false;
}

static bool is_number(struct ts_span text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!ts_is_digit(text.data[i]))
			return false;
	return text.len > 0;
}

static bool has_digit(struct ts_span text)
{
	for (size_t i = 0; i < text.len; i++)
		if (ts_is_digit(text.data[i]))
			return true;
	return false;
}

/* Cuts a text at each of these bytes; more than `most` pieces are none. */
static size_t cut(struct ts_span text, const char *at, struct ts_span *out, size_t most)
{
	size_t n = 0, from = 0;

	for (size_t i = 0; i <= text.len; i++) {
		if (i < text.len && !strchr(at, text.data[i]))
			continue;
		if (n == most)
			return 0;
		out[n++] = ts_span_part(text, from, i - from);
		from = i + 1;
	}
	return n;
}

/* "grad_norm", "gradients", "act.rms", "grad_2.0_norm". */
static bool is_measure(const struct ts_span *words, size_t n)
{
	bool subject = false, figure = false;

	for (size_t i = 0; i < n; i++) {
		bool s = is_word(words[i], subjects), f = is_word(words[i], figures);

		if (!s && !f && !is_number(words[i]))
			return false;
		subject |= s;
		figure |= f;
	}
	return (subject && figure) || (n == 1 && is_word(words[0], alone));
}

static bool part_is_measure(struct ts_span part)
{
	struct ts_span words[WORDS_MAX];
	size_t n = cut(part, "_-. ", words, WORDS_MAX);

	return n && is_measure(words, n);
}

/* Is a part of a name that of no layer: "train", "mean"? */
static bool is_general(struct ts_span part)
{
	return part.len == 0 || is_word(part, general) || is_word(part, figures);
}

/* The parts of a name, cut at "/" too, without the group. */
static size_t parts_of(struct ts_span column, struct ts_arena *arena, struct ts_span *parts)
{
	size_t n = 0, at = 0, index;
	struct ts_span key;
	bool is_index;

	for (size_t level = 0; ts_path_next(column, &at, arena, &key, &is_index, &index); level++) {
		size_t more;

		if (level == 0 && !is_index && ts_span_is(key, "scalars"))
			continue;
		if (is_index) {
			const char *text = ts_arena_printf(arena, "%zu", index);

			key = ts_span_str(text ? text : "");
		}
		more = cut(key, "/", parts + n, PARTS_MAX - n);
		if (!more)
			return 0;
		n += more;
	}
	return n;
}

/* One part has both: "grad_norm.layers.0", "layers.0.grad_norm", "grad_norm_layer_3", "layer3_grad_norm". */
static bool cut_one(struct ts_span part, const char *at, struct ts_span *ret_layer, struct ts_span *ret_what)
{
	struct ts_span words[WORDS_MAX];
	size_t n = cut(part, at, words, WORDS_MAX);

	for (size_t k = n; k-- > 1;) { /* the longest measure */
		size_t front = (size_t)(words[k - 1].data + words[k - 1].len - part.data);
		size_t back = (size_t)(words[n - k].data - part.data);

		*ret_what = ts_span_part(part, 0, front);
		*ret_layer = ts_span_part(part, front + 1, part.len - front - 1);
		if (part_is_measure(*ret_what) && has_digit(*ret_layer) && !is_number(words[k - 1]))
			return true;
		*ret_what = ts_span_part(part, back, part.len - back);
		*ret_layer = ts_span_part(part, 0, back - 1);
		if (part_is_measure(*ret_what) && has_digit(*ret_layer) && !is_number(words[n - k]))
			return true;
	}
	return false;
}

bool ts_layer_of_series(struct ts_span column, struct ts_arena *arena, struct ts_span *ret_layer, struct ts_span *ret_what)
{
	struct ts_span parts[PARTS_MAX], layer, what;
	size_t n = parts_of(column, arena, parts), measure = n;
	const char *said = "";

	for (size_t i = n; i-- > 0;)
		if (part_is_measure(parts[i]))
			measure = i;
	if (measure < n) {
		for (size_t i = 0; i < n && said; i++)
			if (i != measure && !is_general(parts[i]))
				said = ts_arena_printf(arena, "%s%s%.*s", said, *said ? "/" : "", TS_SPAN_ARG(parts[i]));
		if (!said || !*said)
			return false;
		*ret_layer = ts_span_str(said);
		*ret_what = parts[measure];
		return true;
	}
	for (size_t i = 0; i < n; i++)
		if (cut_one(parts[i], ".", &layer, &what) || cut_one(parts[i], "_", &layer, &what)) {
			*ret_layer = layer;
			*ret_what = what;
			return true;
		}
	return false;
}

/* --- rows --- */

/* What is looked at of a name that is none of a layer is forgotten: there may be millions of them. */
static bool name_layer(struct ts_span column, struct ts_arena *arena, struct ts_layer_row *io)
{
	struct ts_arena scratch;
	bool is;

	ts_arena_init(&scratch, SCRATCH);
	is = ts_layer_of_series(column, &scratch, &io->layer, &io->what);
	if (is) {
		io->layer = ts_arena_span(arena, io->layer);
		io->what = ts_arena_span(arena, io->what);
		is = io->layer.data && io->what.data;
	}
	ts_arena_finish(&scratch);
	return is;
}

enum ts_status ts_layer_drift_take(struct ts_layer_drift *drift, const struct ts_series_row *row, struct ts_arena *arena,
				   struct ts_error *err)
{
	struct ts_layer_row one = {.series = row->name, .rank = row->rank, .differs = row->state == TS_SERIES_PARTS, .end = NAN};

	if (row->type != TS_COLUMN_F64 || row->role == TS_ROLE_OBSERVATION ||
	    (row->state != TS_SERIES_SAME && row->state != TS_SERIES_PARTS && row->state != TS_SERIES_EXTENT) ||
	    !name_layer(row->name, arena, &one))
		return ts_arena_check(arena, err);
	if (drift->n == ROWS_MAX) {
		drift->cut = true;
		return TS_OK;
	}
	if (!TS_GROW_IN(arena, drift->rows, drift->cap, drift->n + 1, FIRST))
		return ts_arena_error(arena, err);
	if (one.differs) {
		one.first_step = row->first_step;
		one.visible = row->gap.known && row->gap.visible;
		one.visible_step = one.visible ? row->gap.visible_step : 0;
		one.greatest = row->gap.known ? row->gap.greatest : 0;
		one.greatest_step = row->gap.known ? row->gap.greatest_step : 0;
		one.end = row->gap.known ? row->gap.saturation : (double)NAN;
	}
	drift->rows[drift->n++] = one;
	return TS_OK;
}

/* What differs first, and of that what differs most. */
TS_ORDER(by_drift, struct ts_layer_row, TS_DOWN(visible); TS_DOWN(differs); if (a->visible) TS_UP(visible_step);
	 TS_DOWN(greatest); TS_TEXT(layer); TS_TEXT(what); TS_UP(rank))

TS_ORDER(by_what, struct ts_layer_row, TS_TEXT(what); TS_TEXT(layer))

TS_ORDER(by_layer, struct ts_layer_row, TS_TEXT(layer); TS_THEN(by_drift(a, b)))

static void sort(struct ts_layer_drift *d, int (*order)(const void *, const void *))
{
	TS_SORT(d->rows, d->n, order);
}

/* Leaves what at least two layers have. */
static void drop_single(struct ts_layer_drift *d)
{
	size_t n = 0;

	sort(d, by_what);
	for (size_t i = 0, end; i < d->n; i = end) {
		bool several = false;

		for (end = i; end < d->n && ts_span_eq(d->rows[end].what, d->rows[i].what); end++)
			several |= !ts_span_eq(d->rows[end].layer, d->rows[i].layer);
		for (size_t k = i; several && k < end; k++)
			d->rows[n++] = d->rows[k];
	}
	d->n = n;
}

enum ts_status ts_layer_drift_finish(struct ts_layer_drift *drift, struct ts_arena *arena, struct ts_error *err)
{
	size_t n = 0, most = 0;

	drop_single(drift);
	sort(drift, by_layer);
	for (size_t i = 0; i < drift->n; i++)
		if (i == 0 || !ts_span_eq(drift->rows[i].layer, drift->rows[n - 1].layer))
			drift->rows[n++] = drift->rows[i];
	drift->n = n;
	drift->layers = n;
	sort(drift, by_drift);
	for (n = 0; n < drift->n && drift->rows[n].differs; n++) {
		drift->visible += drift->rows[n].visible;
		drift->within += !drift->rows[n].visible;
		if (drift->rows[n].visible && drift->rows[n].greatest > drift->rows[most].greatest)
			most = n;
	}
	drift->n = (size_t)drift->visible;
	if (drift->n > TS_DRIFTS_SHOWN) {
		if (most >= TS_DRIFTS_SHOWN)
			drift->rows[TS_DRIFTS_SHOWN - 1] = drift->rows[most];
		drift->n = TS_DRIFTS_SHOWN;
	}
	return ts_arena_check(arena, err);
}
