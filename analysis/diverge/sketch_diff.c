#include "analysis/diverge/sketch_diff.h"

#include "analysis/answer/say.h"
#include "analysis/diverge/sketch_bound.h"
#include "analysis/diverge/sketch_group.h"
#include "base/order.h"
#include "base/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- words --- */

TS_WORDS(ts_sketch_part_word, enum ts_sketch_part, "update", [TS_SKETCH_FORWARD] = "forward", [TS_SKETCH_BACKWARD] = "backward",
	 [TS_SKETCH_UPDATE] = "update")

TS_WORDS(ts_sketch_state_word, enum ts_sketch_state, "not_finite", [TS_SKETCH_EQUAL] = "equal", [TS_SKETCH_WITHIN] = "within",
	 [TS_SKETCH_ABOVE] = "above", [TS_SKETCH_UNJUDGED] = "unjudged", [TS_SKETCH_NOISE] = "noise", [TS_SKETCH_SIZES] = "sizes",
	 [TS_SKETCH_NOT_FINITE] = "not_finite")

TS_WORDS(ts_sketch_group_word, enum ts_sketch_group, "alone", [TS_SKETCH_ALONE] = "alone", [TS_SKETCH_GRADIENTS] = "gradients",
	 [TS_SKETCH_CLIPPED] = "clipped", [TS_SKETCH_ACCUMULATED] = "accumulated", [TS_SKETCH_UPDATES] = "updates",
	 [TS_SKETCH_SETTINGS] = "settings", [TS_SKETCH_OUTLIERS] = "outliers")

struct ts_span ts_sketch_says(const struct ts_sketch_row *row, struct ts_arena *arena)
{
	static const struct {
		const char *kind, *says;
	} known[] = {{"output", "the output of"},
		     {"grad", "the gradient of the output of"},
		     {"param_grad", "the gradient of the parameter"},
		     {"update", "the update of"}};
	const char *text = NULL;

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (ts_span_is(row->kind, known[i].kind))
			text = ts_arena_printf(arena, "%s %.*s", known[i].says, TS_SPAN_ARG(row->name));
	if (!text)
		text = ts_arena_printf(arena, "the %.*s of %.*s", TS_SPAN_ARG(row->kind), TS_SPAN_ARG(row->name));
	if (text && row->occurrence)
		text = ts_arena_printf(arena, "%s (occurrence %" PRIu64 ")", text, row->occurrence);
	return text ? ts_span_str(text) : ts_span_of("", 0);
}

struct ts_span ts_sketch_claims(const struct ts_sketch_diff *diff, struct ts_arena *arena)
{
	struct ts_span what;
	const char *text;

	if (!diff->has_first || diff->claim.len)
		return diff->claim;
	what = ts_sketch_says(&diff->rows[diff->first], arena);
	text = what.len ? ts_arena_printf(arena, "the first tensor that differs by more than rounding is %.*s, at step %" PRId64,
					  TS_SPAN_ARG(what), diff->rows[diff->first].step)
			: NULL;
	return text ? ts_span_str(text) : ts_span_of("", 0);
}

const struct ts_sketch_row *ts_sketch_told(const struct ts_sketch_diff *diff)
{
	return diff->has_first ? &diff->rows[diff->first] : (diff->n ? &diff->rows[0] : NULL);
}

uint64_t ts_sketch_judged(const struct ts_sketch_diff *diff)
{
	return diff->shown && !diff->flat ? diff->within + diff->above + diff->equal : 0;
}

bool ts_sketch_explained(const struct ts_sketch_diff *diff)
{
	return !diff->has_first && !diff->estimated && diff->within > 0 && diff->unjudged + diff->sizes + diff->not_finite == 0;
}

/* ": its distance is 0.05, which is 1.2e+05 times rounding" */
static const char *say_size(const struct ts_sketch_row *row, struct ts_arena *arena)
{
	if (isnan(row->ratio) && row->nonfinite_b == 0)
		return ts_arena_printf(arena, "it is 0 in the second run alone");
	if (isnan(row->ratio))
		return ts_arena_printf(arena, "%s of its %s %s not finite, in the second run alone",
				       ts_say_count((double)row->nonfinite_b).text, ts_say_plural((double)row->count_b, "element").text,
				       row->nonfinite_b == 1 ? "is" : "are");
	return ts_arena_printf(arena, "its distance is %s, which is %s times rounding", ts_say_number(row->distance).text,
			       ts_say_number(row->ratio).text);
}

/* Where a difference may have begun in steps that were not sketched, what moved the parameters meanwhile is not known. */
static const char *say_first(const struct ts_sketch_diff *diff, struct ts_arena *arena)
{
	const struct ts_sketch_row *first = &diff->rows[diff->first];
	struct ts_span claim = ts_sketch_claims(diff, arena);
	const char *size = say_size(first, arena), *text;

	if (diff->why.len)
		return ts_arena_printf(arena, "%.*s: %.*s", TS_SPAN_ARG(claim), TS_SPAN_ARG(diff->why));
	text = claim.len && size ? ts_arena_printf(arena, "%.*s: %s", TS_SPAN_ARG(claim), size) : NULL;
	if (!text || !diff->has_step_before || first->step == diff->step_before + 1)
		return text;
	return ts_arena_printf(arena,
			       "%s; the last step before it that could be judged is %" PRId64
			       ", and what went wrong since may have begun elsewhere and reached it through the parameters: "
			       "sketch every step there",
			       text, diff->step_before);
}

/* What to do where no tensor could be held against rounding; NULL: some could. */
static const char *say_why_not(const struct ts_sketch_diff *diff)
{
	if (diff->estimated && ts_sketch_judged(diff) == 0)
		return "which of these distances exceed rounding is not known: record the recipe of the first run once more with "
		       "the model's input perturbed by one unit of its last place, say so in the fact work.perturbation, and name "
		       "that run by --rounding";
	if (!diff->shown)
		return "which of these distances exceed rounding is not known: the run that was to show rounding has no sketches of "
		       "these tensors at these steps";
	if (diff->flat)
		return "the run that was to show rounding is equal to the first run, so it shows none: record one whose input is "
		       "perturbed, or that computes in the precision of the second run";
	if (ts_sketch_judged(diff) > 0)
		return NULL;
	if (diff->noise > 0)
		return "no tensor could be judged: the run that was to show rounding lies so far from the first that rounding alone "
		       "seems to make each into something else; record one of the first run's recipe and data";
	return "no tensor could be judged: the run that shows rounding has none of them, or their types are not known";
}

/* What the comparison comes to, and what to record where it cannot come to anything. */
static const char *say_outcome(const struct ts_sketch_diff *diff, struct ts_arena *arena)
{
	uint64_t judged = ts_sketch_judged(diff), left = diff->unjudged + diff->sizes + diff->not_finite;
	const char *why;

	if (diff->has_first)
		return say_first(diff, arena);
	if (diff->compared == diff->equal)
		return ts_arena_printf(arena, "the sketches of %s agree", ts_say_plural((double)diff->compared, "tensor").text);
	why = say_why_not(diff);
	if (why)
		return why;
	return ts_arena_printf(arena, "none of %s that could be judged differs by more than rounding%s",
			       ts_say_plural((double)judged, "tensor").text, left ? "; of others it is not known" : "");
}

static const char *sentence_of(const struct ts_sketch_diff *diff, struct ts_arena *arena)
{
	const char *text = say_outcome(diff, arena);

	if (text && diff->apart_first)
		text = ts_arena_printf(arena, "%.*s; %s", TS_SPAN_ARG(diff->apart), text);
	else if (text && diff->apart.len)
		text = ts_arena_printf(arena, "%s; %.*s", text, TS_SPAN_ARG(diff->apart));
	if (text && diff->estimated && ts_sketch_judged(diff) > diff->equal)
		text = ts_arena_printf(
			arena,
			"%s; how far rounding goes is estimated from the types and the depth, and not measured: a run whose "
			"input is perturbed, named by --rounding, measures it",
			text);
	return text;
}

double ts_sketch_roundoff(struct ts_span dtype)
{
	static const struct {
		const char *name;
		int bits; /* of precision, the hidden one included */
	} known[] = {{"fp32", 24},	     {"f32", 24},	    {"float32", 24},	  {"float", 24},   {"bf16", 8},
		     {"bfloat16", 8},	     {"fp16", 11},	    {"f16", 11},	  {"float16", 11}, {"half", 11},
		     {"tf32", 11},	     {"fp64", 53},	    {"f64", 53},	  {"float64", 53}, {"double", 53},
		     {"fp8_e4m3", 4},	     {"float8_e4m3", 4},    {"float8_e4m3fn", 4}, {"fp8_e5m2", 3}, {"float8_e5m2", 3},
		     {"float8_e4m3fnuz", 4}, {"float8_e5m2fnuz", 3}};
	static const char torch[] = "torch.";

	if (ts_span_starts(dtype, ts_span_str(torch)))
		dtype = ts_span_of(dtype.data + strlen(torch), dtype.len - strlen(torch));
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (ts_span_is(dtype, known[i].name))
			return ldexp(1, -known[i].bits);
	return 0;
}

static enum ts_sketch_part part_of(struct ts_span kind)
{
	if (ts_span_is(kind, "output"))
		return TS_SKETCH_FORWARD;
	return ts_span_is(kind, "grad") ? TS_SKETCH_BACKWARD : TS_SKETCH_UPDATE;
}

/* --- a step --- */

enum ts_status ts_sketch_walk_init(struct ts_sketch_walk *walk, bool rounding, double perturbation, struct ts_arena *arena,
				   struct ts_arena *scratch, struct ts_error *err)
{
	*walk = (struct ts_sketch_walk){.arena = arena, .scratch = scratch, .alike = true};
	ts_arena_init(&walk->kept, scratch->ceiling);
	walk->diff.has_rounding = rounding;
	walk->diff.estimated = !rounding;
	walk->diff.factor = (double)NAN;
	walk->shown = walk->moved = !rounding;
	walk->diff.perturbation = perturbation;
	walk->keys = ts_dictionary_create(err);
	walk->names = walk->keys ? ts_dictionary_create(err) : NULL;
	if (walk->names)
		return TS_OK;
	ts_sketch_walk_drop(walk);
	return err->status;
}

void ts_sketch_walk_drop(struct ts_sketch_walk *walk)
{
	ts_arena_finish(&walk->kept);
	ts_dictionary_destroy(walk->keys);
	ts_dictionary_destroy(walk->names);
	walk->keys = walk->names = NULL;
}

void ts_sketch_walk_begin(struct ts_sketch_walk *walk, int64_t step)
{
	ts_arena_reset(walk->scratch);
	ts_dictionary_reset(walk->keys);
	ts_dictionary_reset(walk->names);
	walk->alike = walk->diff.steps == 0 || (walk->alike && step == walk->step + 1);
	walk->step = step;
	walk->tensors = NULL;
	walk->counts = NULL;
	walk->given = NULL;
	walk->n = walk->cap = walk->n_counts = walk->cap_counts = walk->n_given = walk->cap_given = 0;
	walk->side = TS_SKETCH_SIDES;
}

/* Makes room in an array of scratch for the entry number n. */
static void *room(struct ts_arena *arena, void *items, size_t n, size_t *cap, size_t size)
{
	size_t more = *cap ? *cap * 2 : 256;
	void *grown;

	if (n < *cap)
		return items;
	grown = ts_arena_array(arena, more, size);
	if (!grown)
		return NULL;
	if (*cap)
		memcpy(grown, items, *cap * size);
	*cap = more;
	return grown;
}

/* The key begins with the length of the name, so that no name and kind read like another pair. */
static enum ts_status number_of(struct ts_dictionary *keys, struct ts_arena *scratch, const struct ts_sketch_record *r,
				uint64_t occurrence, uint32_t *ret_number, struct ts_error *err)
{
	uint64_t head[2] = {r->name.len, occurrence};
	size_t len = sizeof head + r->name.len + r->kind.len;
	uint8_t *key = ts_arena_alloc(scratch, len);

	if (!key)
		return ts_arena_error(scratch, err);
	memcpy(key, head, sizeof head);
	memcpy(key + sizeof head, r->name.data, r->name.len);
	memcpy(key + sizeof head + r->name.len, r->kind.data, r->kind.len);
	return ts_dictionary_code(keys, ts_span_of(key, len), ret_number, err);
}

/* The number of a name and kind, whose records on the rank are counted from here on. */
static enum ts_status called(struct ts_sketch_walk *walk, const struct ts_sketch_record *r, uint32_t *ret, struct ts_error *err)
{
	uint64_t *counts;

	if (number_of(walk->names, walk->scratch, r, 0, ret, err))
		return err->status;
	while (walk->cap_counts <= *ret) {
		counts = room(walk->scratch, walk->counts, walk->cap_counts, &walk->cap_counts, sizeof *counts);
		if (!counts)
			return ts_arena_error(walk->scratch, err);
		walk->counts = counts;
	}
	for (; walk->n_counts <= *ret; walk->n_counts++)
		walk->counts[walk->n_counts] = 0;
	return TS_OK;
}

/* Which occurrence a record is: said, or counted on its rank. */
static enum ts_status occurrence_of(struct ts_sketch_walk *walk, const struct ts_sketch_record *r, uint64_t *ret, struct ts_error *err)
{
	uint32_t name = 0;

	if (called(walk, r, &name, err))
		return err->status;
	*ret = r->occurrence == TS_SKETCH_COUNTED ? walk->counts[name] : r->occurrence;
	walk->counts[name]++;
	return TS_OK;
}

/* The module that a parameter belongs to. */
static struct ts_span module_of(struct ts_span parameter)
{
	size_t n = parameter.len;

	while (n > 0 && parameter.data[n - 1] != '.')
		n--;
	return n > 1 ? ts_span_of(parameter.data, n - 1) : ts_span_str("(model)");
}

static enum ts_status tensor_of(struct ts_sketch_walk *walk, const struct ts_sketch_record *r, uint64_t occurrence,
				struct ts_sketch_tensor **ret, struct ts_error *err)
{
	struct ts_sketch_tensor **tensors, *t;
	uint32_t number;

	if (number_of(walk->keys, walk->scratch, r, occurrence, &number, err))
		return err->status;
	if (number == walk->n) {
		uint32_t name = 0;

		if (called(walk, r, &name, err))
			return err->status;
		tensors = room(walk->scratch, walk->tensors, number, &walk->cap, sizeof(struct ts_sketch_tensor *));
		t = ts_arena_alloc(walk->scratch, sizeof *t);
		if (!tensors || !t)
			return ts_arena_error(walk->scratch, err);
		*t = (struct ts_sketch_tensor){.occurrence = occurrence,
					       .called = name,
					       .part = part_of(r->kind),
					       .measured = (double)NAN,
					       .limit = (double)NAN};
		t->name = ts_arena_span(walk->scratch, r->name);
		t->kind = ts_arena_span(walk->scratch, r->kind);
		if (!t->name.data || !t->kind.data)
			return ts_arena_error(walk->scratch, err);
		walk->tensors = tensors;
		tensors[walk->n++] = t;
		if (ts_span_is(r->kind, "param_grad")) {
			struct ts_sketch_record grad = {.name = module_of(r->name), .kind = ts_span_str("grad")};
			struct ts_sketch_tensor *through = NULL;

			if (tensor_of(walk, &grad, 0, &through, err))
				return err->status;
			t->through = through;
		}
	}
	*ret = walk->tensors[number];
	return TS_OK;
}

/* Shards are added up. A whole tensor stands for itself, that of the lowest rank for all. */
static enum ts_status hold(struct ts_sketch_walk *walk, struct ts_sketch_held *h, const struct ts_sketch_record *r,
			   struct ts_error *err)
{
	if (h->has && (h->whole || r->shard)) {
		if (!h->whole) {
			tscope_sketch_join(h->sketch, r->sketch);
			h->records++;
		}
		return TS_OK;
	}
	if (!h->has) {
		h->rank = r->rank;
		h->ordinal = walk->ordinal;
		h->dtype = ts_arena_span(walk->scratch, r->dtype);
		h->sketch = ts_arena_alloc(walk->scratch, sizeof *h->sketch);
		if (!h->dtype.data || !h->sketch)
			return ts_arena_error(walk->scratch, err);
	}
	h->has = true;
	h->whole = !r->shard;
	h->records = 1;
	*h->sketch = *r->sketch;
	return TS_OK;
}

/* Remembers that a run has no gradient of its own for the output of a module. */
static enum ts_status mark_given(struct ts_sketch_walk *walk, enum ts_sketch_side side, const struct ts_sketch_record *r,
				 struct ts_error *err)
{
	struct ts_sketch_record grad = {.name = r->name, .kind = ts_span_str("grad")};
	uint32_t number = 0;
	uint8_t *given;

	if (called(walk, &grad, &number, err))
		return err->status;
	while (walk->cap_given <= number) {
		given = room(walk->scratch, walk->given, walk->cap_given, &walk->cap_given, sizeof *given);
		if (!given)
			return ts_arena_error(walk->scratch, err);
		walk->given = given;
	}
	for (; walk->n_given <= number; walk->n_given++)
		walk->given[walk->n_given] = 0;
	walk->given[number] |= (uint8_t)(1u << side);
	return TS_OK;
}

/* What another module gave on this rank counts for this one, too. */
static enum ts_status hold_same(struct ts_sketch_walk *walk, struct ts_sketch_held *h, const struct ts_sketch_record *r,
				struct ts_error *err)
{
	struct ts_sketch_record of = {.name = r->same, .kind = r->kind};
	struct ts_sketch_tensor *other = NULL;
	uint32_t number = 0;

	if (h->has)
		return TS_OK;
	if (called(walk, &of, &number, err) || mark_given(walk, walk->side, r, err))
		return err->status;
	if (walk->counts[number] == 0 || ts_span_eq(r->same, r->name))
		return TS_OK;
	if (tensor_of(walk, &of, walk->counts[number] - 1, &other, err))
		return err->status;
	if (!other->of[walk->side].has)
		return TS_OK;
	*h = other->of[walk->side];
	h->rank = r->rank;
	h->ordinal = walk->ordinal;
	h->idle = r->idle;
	h->same = ts_arena_span(walk->scratch, r->same);
	return h->same.data ? TS_OK : ts_arena_error(walk->scratch, err);
}

enum ts_status ts_sketch_walk_add(struct ts_sketch_walk *walk, enum ts_sketch_side side, const struct ts_sketch_record *record,
				  struct ts_error *err)
{
	struct ts_sketch_tensor *tensor = NULL;
	uint64_t occurrence = 0;

	if (side != walk->side || record->rank != walk->rank) {
		walk->side = side;
		walk->rank = record->rank;
		walk->ordinal = 0;
		walk->n_counts = 0;
	}
	if (occurrence_of(walk, record, &occurrence, err) || tensor_of(walk, record, occurrence, &tensor, err))
		return err->status;
	if (record->same.len ? hold_same(walk, &tensor->of[side], record, err) : hold(walk, &tensor->of[side], record, err))
		return err->status;
	walk->ordinal++;
	return TS_OK;
}

/* --- order of execution --- */

/* That of the first run. Ranks that hold different modules, as stages of a pipeline do, come to them one after the other, and to
 * their gradients in the other direction. */
TS_ORDER_OF_POINTERS(by_execution, struct ts_sketch_tensor, TS_UP(part);
		     if (a->part == TS_SKETCH_BACKWARD) TS_DOWN(of[TS_SKETCH_A].rank); TS_UP(of[TS_SKETCH_A].rank);
		     TS_UP(of[TS_SKETCH_A].ordinal))

static bool is_given(const struct ts_sketch_walk *walk, const struct ts_sketch_tensor *t, enum ts_sketch_side side)
{
	return t->called < walk->n_given && (walk->given[t->called] >> side & 1);
}

static struct ts_span says(const struct ts_sketch_tensor *t, struct ts_arena *arena)
{
	struct ts_sketch_row row = {.name = t->name, .kind = t->kind, .occurrence = t->occurrence};

	return ts_sketch_says(&row, arena);
}

/* A module that one run lacks changes what comes behind it. */
static void note_alone(struct ts_sketch_walk *walk, const struct ts_sketch_tensor *t, enum ts_sketch_side side)
{
	walk->alone = (struct ts_sketch_alone){.has = t->part == TS_SKETCH_FORWARD,
					       .side = side,
					       .step = walk->step,
					       .rank = t->of[side].rank,
					       .ordinal = t->of[side].ordinal};
}

static bool comes_before(const struct ts_sketch_alone *alone, const struct ts_sketch_tensor *t)
{
	const struct ts_sketch_held *of = &t->of[alone->side];

	return alone->rank != of->rank ? alone->rank < of->rank : alone->ordinal < of->ordinal;
}

/* Says which module does nothing in one run alone, or which tensor one run lacks: a difference that is no distance. */
static enum ts_status say_apart(struct ts_sketch_walk *walk, const struct ts_sketch_tensor *idle,
				const struct ts_sketch_tensor *const alone[2], const uint64_t n[2], struct ts_error *err)
{
	static const char *const runs[] = {"first", "second"};
	const char *text;

	if (walk->diff.apart.len || (!idle && !alone[0] && !alone[1]))
		return TS_OK;
	if (idle) {
		bool b = idle->of[TS_SKETCH_B].idle;

		text = ts_arena_printf(walk->arena,
				       "%.*s gives its input in the %s run, and something else in the %s, at step %" PRId64,
				       TS_SPAN_ARG(idle->name), runs[b], runs[!b], walk->step);
	} else {
		bool b = alone[0] == NULL;
		struct ts_span first = says(alone[b], walk->scratch);

		text = ts_arena_printf(walk->arena, "the %s run alone has %s at step %" PRId64 ", of which the first is %.*s", runs[b],
				       ts_say_plural((double)n[b], "tensor").text, walk->step, TS_SPAN_ARG(first));
		if (text && alone[0] && alone[1])
			text = ts_arena_printf(walk->arena, "%s; the second run alone has %s, of which the first is %.*s", text,
					       ts_say_plural((double)n[1], "tensor").text,
					       TS_SPAN_ARG(says(alone[1], walk->scratch)));
		note_alone(walk, alone[b], b ? TS_SKETCH_B : TS_SKETCH_A);
	}
	if (!text)
		return ts_arena_error(walk->arena, err);
	walk->diff.apart = ts_span_str(text);
	return TS_OK;
}

/* Whether the two have one tensor each of their own, or one that is another module's in both. */
static bool is_compared(const struct ts_sketch_tensor *t)
{
	const struct ts_sketch_held *a = &t->of[TS_SKETCH_A], *b = &t->of[TS_SKETCH_B];

	return a->has && b->has && !(a->same.len && b->same.len);
}

/* Keeps those that both runs have, in order. */
static enum ts_status sort_compared(struct ts_sketch_walk *walk, struct ts_error *err)
{
	const struct ts_sketch_tensor *idle = NULL, *alone[2] = {NULL, NULL};
	uint64_t n_alone[2] = {0, 0};
	size_t n = 0;

	for (size_t i = 0; i < walk->n; i++) {
		struct ts_sketch_tensor *t = walk->tensors[i];
		bool a = t->of[TS_SKETCH_A].has, b = t->of[TS_SKETCH_B].has;
		bool only_a = a && !b && !is_given(walk, t, TS_SKETCH_B), only_b = b && !a && !is_given(walk, t, TS_SKETCH_A);

		if (only_a || only_b) {
			alone[only_b] = alone[only_b] ? alone[only_b] : t;
			n_alone[only_b]++;
		}
		if (a && b && t->of[TS_SKETCH_A].idle != t->of[TS_SKETCH_B].idle && !idle)
			idle = t;
		if (is_compared(t))
			walk->tensors[n++] = t;
	}
	walk->diff.only_a += n_alone[0];
	walk->diff.only_b += n_alone[1];
	walk->n = n;
	TS_SORT(walk->tensors, n, by_execution);
	return n ? say_apart(walk, idle, alone, n_alone, err) : TS_OK;
}

/* --- the judgement --- */

static double larger(double x, double y)
{
	return x > y ? x : y;
}

/* The unit roundoff of this tensor in a run; 0 where it is not known. What was finer before it carries the coarser on. */
static double roundoff_at(struct ts_sketch_walk *walk, const struct ts_sketch_tensor *t, enum ts_sketch_side side)
{
	double u = t->of[side].has ? ts_sketch_roundoff(t->of[side].dtype) : 0;

	walk->roundoff[side] = larger(walk->roundoff[side], u);
	return u > 0 ? walk->roundoff[side] : 0;
}

/* How far a gradient jumps where rounding flips what was decided by comparison: a few elements, or in a coarse precision a share of
 * all. */
static double kink(uint64_t elements, double roundoff)
{
	return TS_SKETCH_KINK * sqrt(larger(elements ? 1 / (double)elements : 0, roundoff));
}

static double limit_of(enum ts_sketch_part part, double roundoff, bool own, bool later)
{
	if (roundoff <= 0x1p-24)
		return TS_SKETCH_LIMIT_FINE;
	if (own && (part == TS_SKETCH_FORWARD || !later))
		return TS_SKETCH_LIMIT_OWN;
	return part == TS_SKETCH_FORWARD ? TS_SKETCH_LIMIT_FORWARD : TS_SKETCH_LIMIT_BACKWARD;
}

/* An update is rounded to the units of its parameter, which may be as large as itself: only a third run whose parameters are no finer
 * shows that. */
static bool is_rounded_away(const struct ts_sketch_tensor *t)
{
	return ts_span_is(t->kind, "update") &&
	       ts_sketch_roundoff(t->of[TS_SKETCH_B].dtype) >
		       larger(ts_sketch_roundoff(t->of[TS_SKETCH_A].dtype), ts_sketch_roundoff(t->of[TS_SKETCH_R].dtype));
}

/* How much smaller the gradient of a parameter is than what was added up to it: where most of it cancels, as in the bias of a
 * key before a softmax, rounding is no smaller for that. */
static double cancelled(const struct ts_sketch_tensor *t)
{
	const struct ts_sketch_held *through = t->through ? &t->through->of[TS_SKETCH_A] : NULL;
	double all = through && through->has ? through->sketch->squares : 0, left = t->of[TS_SKETCH_A].sketch->squares;

	return all > left && left > 0 ? sqrt(all / left) : 1;
}

/* Without a third run: how far rounding may go from equal parameters. What an optimizer makes of it is not known. */
static void estimate_rounding(struct ts_sketch_walk *walk, struct ts_sketch_tensor *t, uint64_t place, struct ts_sketch_row *row)
{
	double a = roundoff_at(walk, t, TS_SKETCH_A), b = roundoff_at(walk, t, TS_SKETCH_B), roundoff = larger(a, b);

	if (a <= 0 || b <= 0 || !walk->alike)
		return;
	if (ts_span_is(t->kind, "update")) {
		t->measured = TS_SKETCH_UPDATE_UNITS; /* for what all of them have in common */
		t->limit = limit_of(row->part, roundoff, false, false);
		return;
	}
	t->measured = row->rounding = ts_sketch_bound(roundoff, place, row->count_a) * cancelled(t);
	t->limit = row->limit = limit_of(row->part, roundoff, false, false);
	if (row->rounding * row->limit > 1)
		row->state = TS_SKETCH_NOISE;
	if (row->part != TS_SKETCH_FORWARD)
		row->rounding = larger(row->rounding, kink(row->count_a, roundoff) / row->limit);
}

/* How far rounding goes at a tensor, into row->rounding, and its limit; the state is left where it can be told without. Scaling tells
 * how far it goes in one step and not over steps, in which the parameters move apart. */
static void measure_rounding(struct ts_sketch_walk *walk, struct ts_sketch_tensor *t, struct ts_sketch_row *row)
{
	double u[TS_SKETCH_SIDES], of_ab, of_ar, d;

	for (int side = 0; side < TS_SKETCH_SIDES; side++)
		u[side] = roundoff_at(walk, t, (enum ts_sketch_side)side);
	if (!t->of[TS_SKETCH_R].has)
		return;
	d = tscope_sketch_distance(t->of[TS_SKETCH_A].sketch, t->of[TS_SKETCH_R].sketch);
	walk->shown = true;
	walk->moved |= d != 0;
	if (u[TS_SKETCH_A] <= 0 || u[TS_SKETCH_B] <= 0 || u[TS_SKETCH_R] <= 0 || isnan(d))
		return;
	of_ab = larger(u[TS_SKETCH_A], u[TS_SKETCH_B]);
	of_ar = larger(larger(u[TS_SKETCH_A], u[TS_SKETCH_R]), walk->diff.perturbation);
	if ((of_ab > of_ar && walk->diff.compared > 0) || is_rounded_away(t))
		return;
	t->limit = row->limit = limit_of(row->part, of_ab, of_ab <= of_ar,
						  walk->diff.compared > 0 || ts_span_is(t->kind, "update"));
	t->measured = row->rounding = larger(d * larger(of_ab / of_ar, 1), of_ab);
	if (d > TS_SKETCH_NOISE_LEAST || row->rounding > 1)
		row->state = TS_SKETCH_NOISE;
	if (row->part != TS_SKETCH_FORWARD)
		row->rounding = larger(row->rounding, kink(row->count_a, of_ab <= of_ar ? 0 : of_ab) / row->limit);
}

static void judge_not_finite(const struct ts_sketch_walk *walk, const struct ts_sketch_tensor *t, struct ts_sketch_row *row)
{
	const struct ts_sketch_held *r = &t->of[TS_SKETCH_R];

	row->state = TS_SKETCH_NOT_FINITE;
	if (row->nonfinite_a == 0 && walk->diff.has_rounding && r->has && r->sketch->nonfinite == 0)
		row->state = TS_SKETCH_ABOVE;
}

/* Rounding moves an update, and leaves none of it out, unless the parameter is coarser than in the other runs. */
static bool is_missing(const struct ts_sketch_walk *walk, const struct ts_sketch_tensor *t)
{
	const struct ts_sketch_held *a = &t->of[TS_SKETCH_A], *b = &t->of[TS_SKETCH_B], *r = &t->of[TS_SKETCH_R];

	return ts_span_is(t->kind, "update") && walk->diff.has_rounding && r->has && !is_rounded_away(t) && a->sketch->squares > 0 &&
	       b->sketch->squares == 0 && r->sketch->squares > 0 &&
	       tscope_sketch_distance(a->sketch, r->sketch) <= TS_SKETCH_MISSING_MOST;
}

static void judge(struct ts_sketch_walk *walk, struct ts_sketch_tensor *t, uint64_t place, struct ts_sketch_row *row)
{
	const struct tscope_sketch *a = t->of[TS_SKETCH_A].sketch, *b = t->of[TS_SKETCH_B].sketch;

	*row = (struct ts_sketch_row){.step = walk->step,
				      .name = t->name,
				      .kind = t->kind,
				      .occurrence = t->occurrence,
				      .part = t->part,
				      .count_a = a->count,
				      .count_b = b->count,
				      .nonfinite_a = a->nonfinite,
				      .nonfinite_b = b->nonfinite,
				      .rounding = (double)NAN,
				      .ratio = (double)NAN,
				      .limit = (double)NAN};
	row->distance = tscope_sketch_distance(a, b);
	if (walk->diff.estimated)
		estimate_rounding(walk, t, place, row);
	else
		measure_rounding(walk, t, row);
	if (a->count != b->count) {
		row->state = TS_SKETCH_SIZES;
	} else if (a->nonfinite || b->nonfinite) {
		judge_not_finite(walk, t, row);
	} else if (is_missing(walk, t)) {
		row->state = TS_SKETCH_ABOVE;
	} else if (row->distance == 0) {
		row->state = TS_SKETCH_EQUAL;
	} else if (isinf(row->distance)) {
		row->state = TS_SKETCH_NOISE;
	} else if (row->state != TS_SKETCH_NOISE && isnan(row->rounding)) {
		row->state = TS_SKETCH_UNJUDGED;
	} else if (row->state != TS_SKETCH_NOISE) {
		row->ratio = row->distance / row->rounding;
		row->state = row->ratio > row->limit ? TS_SKETCH_ABOVE : TS_SKETCH_WITHIN;
	}
	if (row->state != TS_SKETCH_ABOVE && row->state != TS_SKETCH_WITHIN)
		row->ratio = row->limit = (double)NAN;
}

/* A third run that is equal to the first so far shows no rounding. */
static void leave_unjudged(struct ts_sketch_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (rows[i].state == TS_SKETCH_ABOVE || rows[i].state == TS_SKETCH_WITHIN || rows[i].state == TS_SKETCH_NOISE)
			rows[i].state = TS_SKETCH_UNJUDGED;
		rows[i].rounding = rows[i].ratio = rows[i].limit = (double)NAN;
	}
}

static void count(struct ts_sketch_diff *diff, const struct ts_sketch_row *row)
{
	uint64_t *const counts[] = {
		[TS_SKETCH_EQUAL] = &diff->equal,	   [TS_SKETCH_WITHIN] = &diff->within, [TS_SKETCH_ABOVE] = &diff->above,
		[TS_SKETCH_UNJUDGED] = &diff->unjudged,	   [TS_SKETCH_NOISE] = &diff->noise,   [TS_SKETCH_SIZES] = &diff->sizes,
		[TS_SKETCH_NOT_FINITE] = &diff->not_finite};

	diff->compared++;
	++*counts[row->state];
}

/* --- what is shown --- */

static bool keep_texts(struct ts_sketch_row *row, struct ts_arena *arena)
{
	row->name = ts_arena_span(arena, row->name);
	row->kind = ts_arena_span(arena, row->kind);
	return row->name.data && row->kind.data;
}

/* Keeps two rows before the first that is above, and those after it. */
static enum ts_status keep_around(struct ts_sketch_walk *walk, const struct ts_sketch_row *rows, size_t n, size_t first,
				  struct ts_error *err)
{
	struct ts_sketch_diff *diff = &walk->diff;
	size_t from = first < 2 ? 0 : first - 2;

	diff->has_first = true;
	diff->has_step_before = walk->has_judged;
	diff->step_before = walk->judged;
	diff->before = first;
	diff->first = first - from;
	diff->n = n - from < TS_SKETCH_ROWS ? n - from : TS_SKETCH_ROWS;
	diff->rows = ts_arena_array(walk->arena, diff->n, sizeof *diff->rows);
	if (!diff->rows)
		return ts_arena_error(walk->arena, err);
	memcpy(diff->rows, rows + from, diff->n * sizeof *rows);
	for (size_t i = 0; i < diff->n; i++)
		if (!keep_texts(&diff->rows[i], walk->arena))
			return ts_arena_error(walk->arena, err);
	return TS_OK;
}

/* A ratio weighs more than any distance that has none. */
static bool outweighs(const struct ts_sketch_row *x, const struct ts_sketch_row *y)
{
	if (isnan(x->ratio) != isnan(y->ratio))
		return isnan(y->ratio);
	return isnan(x->ratio) ? x->distance > y->distance : x->ratio > y->ratio;
}

static enum ts_status note_greatest(struct ts_sketch_walk *walk, const struct ts_sketch_row *row, struct ts_error *err)
{
	size_t part = (size_t)row->part - 1;

	if (!(row->distance > 0) || row->state == TS_SKETCH_NOISE ||
	    (walk->has_greatest[part] && !outweighs(row, &walk->greatest[part])))
		return TS_OK;
	walk->greatest[part] = *row;
	walk->has_greatest[part] = true;
	return keep_texts(&walk->greatest[part], walk->arena) ? TS_OK : ts_arena_error(walk->arena, err);
}

/* --- what a group has in common --- */

/* Keeps the gradients of parameters for the next step. */
static enum ts_status keep_before(struct ts_sketch_walk *walk, struct ts_error *err)
{
	struct ts_sketch_before *before;
	size_t n = 0;

	ts_arena_reset(&walk->kept);
	walk->before = NULL;
	for (size_t i = 0; i < walk->n; i++)
		n += ts_span_is(walk->tensors[i]->kind, "param_grad");
	before = ts_arena_alloc(&walk->kept, sizeof *before);
	if (!before)
		return ts_arena_error(&walk->kept, err);
	*before = (struct ts_sketch_before){.names = ts_arena_array(&walk->kept, n, sizeof(struct ts_span)),
					    .a = ts_arena_array(&walk->kept, n, sizeof(struct tscope_sketch)),
					    .b = ts_arena_array(&walk->kept, n, sizeof(struct tscope_sketch))};
	if (!before->names || !before->a || !before->b)
		return ts_arena_error(&walk->kept, err);
	for (size_t i = 0; i < walk->n; i++) {
		const struct ts_sketch_tensor *t = walk->tensors[i];

		if (!ts_span_is(t->kind, "param_grad"))
			continue;
		before->names[before->n] = ts_arena_span(&walk->kept, t->name);
		before->a[before->n] = *t->of[TS_SKETCH_A].sketch;
		before->b[before->n] = *t->of[TS_SKETCH_B].sketch;
		if (!before->names[before->n++].data)
			return ts_arena_error(&walk->kept, err);
	}
	walk->before = before;
	walk->kept_step = walk->step;
	return TS_OK;
}

/* What a group has in common stands for what its tensors show one by one; the row that it begins with is the first. */
static enum ts_status find_group(struct ts_sketch_walk *walk, struct ts_sketch_row *rows, size_t *first, struct ts_error *err)
{
	static const struct ts_sketch_before none = {.n = 0};
	struct ts_sketch_diff *diff = &walk->diff;
	struct ts_sketch_found found;
	const char *claim, *why;

	ts_sketch_group_find(walk->tensors, rows, walk->n, *first,
			     walk->before && walk->kept_step + 1 == walk->step ? walk->before : &none, &found);
	if (found.group == TS_SKETCH_ALONE)
		return TS_OK;
	*first = found.first;
	rows[*first].state = TS_SKETCH_ABOVE;
	rows[*first].rounding = found.rounding > 0 ? found.rounding : walk->tensors[*first]->measured;
	rows[*first].limit = found.rounding > 0 ? 1 : walk->tensors[*first]->limit;
	rows[*first].ratio = rows[*first].distance / rows[*first].rounding;
	diff->group = found.group;
	diff->factor = found.group == TS_SKETCH_ACCUMULATED || found.group == TS_SKETCH_SETTINGS ? (double)NAN : found.factor;
	claim = ts_sketch_group_claims(&found, &rows[*first], walk->arena);
	why = ts_sketch_group_why(&found, walk->arena);
	if (!claim || !why)
		return ts_arena_error(walk->arena, err);
	diff->claim = ts_span_str(claim);
	diff->why = ts_span_str(why);
	return TS_OK;
}

static size_t first_above(const struct ts_sketch_row *rows, size_t n)
{
	size_t i = 0;

	while (i < n && rows[i].state != TS_SKETCH_ABOVE)
		i++;
	return i;
}

static void note_judged(struct ts_sketch_walk *walk, const struct ts_sketch_row *rows)
{
	for (size_t i = 0; i < walk->n; i++) {
		walk->alike &= rows[i].state == TS_SKETCH_EQUAL;
		if (walk->moved && (rows[i].state == TS_SKETCH_WITHIN || rows[i].state == TS_SKETCH_EQUAL)) {
			walk->has_judged = true;
			walk->judged = walk->step;
		}
	}
}

enum ts_status ts_sketch_walk_end(struct ts_sketch_walk *walk, struct ts_error *err)
{
	struct ts_sketch_row *rows;
	size_t first;

	if (sort_compared(walk, err))
		return err->status;
	walk->diff.recorded |= walk->n > 0;
	walk->diff.steps++;
	rows = ts_arena_array(walk->scratch, walk->n, sizeof *rows);
	if (!rows)
		return ts_arena_error(walk->scratch, err);
	for (size_t i = 0, place = 0; i < walk->n; i++) {
		judge(walk, walk->tensors[i], place, &rows[i]);
		place += walk->tensors[i]->part != TS_SKETCH_UPDATE; /* those come with the gradients of outputs */
	}
	if (!walk->moved)
		leave_unjudged(rows, walk->n);
	first = first_above(rows, walk->n);
	if (walk->moved && find_group(walk, rows, &first, err))
		return err->status;
	for (size_t i = 0; i < walk->n; i++) {
		const struct ts_sketch_tensor *t = walk->tensors[i];

		rows[i].place = i;
		count(&walk->diff, &rows[i]);
		walk->diff.shards += t->of[TS_SKETCH_A].records > 1 || t->of[TS_SKETCH_B].records > 1;
		if (note_greatest(walk, &rows[i], err))
			return err->status;
	}
	if (first < walk->n) {
		walk->diff.apart_first =
			walk->alone.has && walk->alone.step == walk->step && comes_before(&walk->alone, walk->tensors[first]);
		return keep_around(walk, rows, walk->n, first, err);
	}
	note_judged(walk, rows);
	return keep_before(walk, err);
}

static enum ts_status keep_greatest(struct ts_sketch_walk *walk, struct ts_error *err)
{
	struct ts_sketch_diff *diff = &walk->diff;

	diff->rows = ts_arena_array(walk->arena, TS_SKETCH_PARTS, sizeof *diff->rows);
	if (!diff->rows)
		return ts_arena_error(walk->arena, err);
	for (size_t part = 0; part < TS_SKETCH_PARTS; part++)
		if (walk->has_greatest[part])
			diff->rows[diff->n++] = walk->greatest[part];
	return TS_OK;
}

enum ts_status ts_sketch_walk_finish(struct ts_sketch_walk *walk, struct ts_error *err)
{
	struct ts_sketch_diff *diff = &walk->diff;
	const char *sentence;

	diff->shown = walk->shown;
	diff->flat = diff->has_rounding && walk->shown && !walk->moved;
	if (!diff->has_first && keep_greatest(walk, err))
		return err->status;
	if (!diff->recorded)
		return TS_OK;
	sentence = sentence_of(diff, walk->arena);
	if (!sentence)
		return ts_arena_error(walk->arena, err);
	diff->sentence = ts_span_str(sentence);
	return TS_OK;
}
