#include "analysis/snapshot/stack_pairs.h"

#include "analysis/snapshot/origin.h"
#include "base/door.h"
#include "base/order.h"
#include "base/text.h"

#include <stdlib.h>

struct maker {
	const struct ts_snapshot *s[2];
	struct ts_arena *arena;
	uint32_t *text[2];  /* the number of each text */
	uint32_t *frame[2]; /* of each frame */
	uint8_t *is[2];	    /* of each frame: enum frame_of */
};

/* --- texts --- */

struct text {
	struct ts_span text;
	uint32_t at;
	uint8_t side;
};

TS_ORDER(by_text, struct text, TS_TEXT(text))

/* Compiled code lies in files named by a digest ("/tmp/torchinductor_me/ab/cabxyz.py", "<eval_with_key>.12"), and some of its functions
 * have numbers ("torch_dynamo_resume_in_f_at_31", "triton_poi_fused_add_3"), which another shape changes. What is left of such a text
 * is what both sides share. */
static bool generated(struct ts_span file)
{
	return ts_span_contains(file, "torchinductor_") || ts_span_contains(file, "<eval_with_key>") ||
	       ts_span_contains(file, "torch_compile_debug/");
}

static struct ts_span without_generated(struct maker *m, struct ts_span text)
{
	uint8_t *out;
	size_t n = 0;

	if (generated(text))
		return ts_span_starts(text, ts_span_str("<")) ? ts_span_str("<eval_with_key>") : ts_span_str("torchinductor");
	if (!ts_span_starts(text, ts_span_str("torch_dynamo_resume_in_")) && !ts_span_starts(text, ts_span_str("triton_")) &&
	    !ts_span_starts(text, ts_span_str("cpp_fused_")))
		return text;
	out = ts_arena_dup(m->arena, text.data, text.len);
	for (size_t i = 0; out && i < text.len; i++)
		if (!ts_is_digit(text.data[i]))
			out[n++] = text.data[i];
	return ts_span_of(out, n);
}

static bool number_texts(struct maker *m, bool with_generated)
{
	size_t n = m->s[0]->n_texts + m->s[1]->n_texts, at = 0;
	struct text *texts = ts_arena_array(m->arena, n, sizeof *texts);
	uint32_t number = 0;

	for (uint8_t k = 0; k < 2; k++) {
		m->text[k] = ts_arena_array(m->arena, m->s[k]->n_texts, sizeof **m->text);
		if (!texts || !m->text[k])
			return false;
		for (size_t i = 0; i < m->s[k]->n_texts; i++)
			texts[at++] = (struct text){with_generated ? m->s[k]->texts[i] : without_generated(m, m->s[k]->texts[i]),
						    (uint32_t)i, k};
	}
	TS_SORT(texts, n, by_text);
	for (size_t i = 0; i < n; i++) {
		number += i && ts_span_cmp(texts[i].text, texts[i - 1].text) != 0;
		m->text[texts[i].side][texts[i].at] = number;
	}
	return true;
}

/* --- frames --- */

struct frame {
	uint32_t file, function, at;
	int32_t line;
	uint8_t side;
};

TS_ORDER(by_frame, struct frame, TS_UP(file); TS_UP(function); TS_UP(line))

static bool number_frames(struct maker *m, bool lines)
{
	size_t n = m->s[0]->n_frames + m->s[1]->n_frames, at = 0;
	struct frame *frames = ts_arena_array(m->arena, n, sizeof *frames);
	uint32_t number = 0;

	for (uint8_t k = 0; k < 2; k++) {
		m->frame[k] = ts_arena_array(m->arena, m->s[k]->n_frames, sizeof **m->frame);
		if (!frames || !m->frame[k])
			return false;
		for (size_t i = 0; i < m->s[k]->n_frames; i++) {
			const struct ts_snapshot_frame *f = &m->s[k]->frames[i];

			frames[at++] =
				(struct frame){m->text[k][f->file], m->text[k][f->function], (uint32_t)i, lines ? f->line : 0, k};
		}
	}
	TS_SORT(frames, n, by_frame);
	for (size_t i = 0; i < n; i++) {
		number += i && by_frame(&frames[i], &frames[i - 1]) != 0;
		m->frame[frames[i].side][frames[i].at] = number;
	}
	return true;
}

/* --- what wraps modules --- */

enum frame_of { COMPILED, PYTHON, WRAPPER };

static uint8_t frame_of(struct ts_span file)
{
	static const char *const wrappers[] = {
		"torch/nn/modules/module.py", "torch/nn/parallel/",	    "torch/distributed/",	 "torch/_dynamo/",
		"torch/utils/_contextlib.py", "torch/amp/autocast_mode.py", "site-packages/accelerate/", "site-packages/deepspeed/"};

	if (!ts_is_python(file))
		return COMPILED;
	for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++)
		if (ts_span_contains(file, wrappers[i]))
			return WRAPPER;
	return PYTHON;
}

static bool find_wrappers(struct maker *m)
{
	for (uint8_t k = 0; k < 2; k++) {
		const struct ts_snapshot *s = m->s[k];

		m->is[k] = ts_arena_alloc(m->arena, s->n_frames + 1);
		if (!m->is[k])
			return false;
		for (size_t i = 0; i < s->n_frames; i++)
			m->is[k][i] = frame_of(s->texts[s->frames[i].file]);
	}
	return true;
}

/* --- stacks --- */

struct stack {
	const uint32_t *frames; /* numbers */
	uint32_t n, at;
	uint8_t side;
};

/* Any order of frames will do. */
TS_ORDER(by_stack, struct stack, TS_UP(n); TS_THEN(memcmp(a->frames, b->frames, a->n * sizeof *a->frames)))

/* Writes the numbers of the frames of a stack, the innermost first, and returns how many there are. */
static uint32_t frames_of(const struct maker *m, uint8_t side, const struct ts_snapshot_stack *stack, bool wrappers, uint32_t *ret)
{
	const uint32_t *frames = m->s[side]->stack_frames + stack->first;
	bool within = false;
	uint32_t n = 0;

	for (uint32_t i = 0; i < stack->n; i++) {
		uint8_t is = m->is[side][frames[i]];

		if (wrappers || !within || is != WRAPPER)
			ret[n++] = m->frame[side][frames[i]];
		within |= is == PYTHON;
	}
	return n;
}

static bool number_stacks(struct maker *m, bool wrappers, uint32_t *numbers[2], uint32_t *ret_n)
{
	size_t n = m->s[0]->n_stacks + m->s[1]->n_stacks, at = 0;
	struct stack *stacks = ts_arena_array(m->arena, n, sizeof *stacks);
	uint32_t number = 1;

	for (uint8_t k = 0; k < 2; k++) {
		uint32_t *frames = ts_arena_array(m->arena, m->s[k]->n_stack_frames, sizeof *frames);

		numbers[k] = ts_arena_array(m->arena, m->s[k]->n_stacks, sizeof **numbers);
		if (!stacks || !frames || !numbers[k])
			return false;
		for (size_t i = 0; i < m->s[k]->n_stacks; i++) {
			uint32_t *of = frames + m->s[k]->stacks[i].first;

			stacks[at++] = (struct stack){of, frames_of(m, k, &m->s[k]->stacks[i], wrappers, of), (uint32_t)i, k};
		}
	}
	TS_SORT(stacks, n, by_stack);
	for (size_t i = 0; i < n; i++) {
		number += i && by_stack(&stacks[i], &stacks[i - 1]) != 0;
		numbers[stacks[i].side][stacks[i].at] = number;
	}
	*ret_n = number + 1;
	return true;
}

enum ts_status ts_stack_pairs(const struct ts_snapshot *a, const struct ts_snapshot *b, struct ts_arena *arena,
			      struct ts_stack_pairs *ret_pairs, struct ts_error *err)
{
	struct maker m = {.s = {a, b}, .arena = arena};
	struct ts_stack_pairs pairs = {0};

	TS_DOOR(ts_snapshot_holds(a) && ts_snapshot_holds(b));
	if (!number_texts(&m, true) || !find_wrappers(&m) || !number_frames(&m, true) ||
	    !number_stacks(&m, true, pairs.exact, &pairs.n_exact) || !number_texts(&m, false) || !number_frames(&m, false) ||
	    !number_stacks(&m, false, pairs.loose, &pairs.n_loose))
		return ts_arena_error(arena, err);
	*ret_pairs = pairs;
	return TS_OK;
}
