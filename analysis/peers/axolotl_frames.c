#include "analysis/peers/axolotl_frames.h"

#include "analysis/peers/peer_page.h"

static bool is_own(struct ts_span file)
{
	static const char *const parts[] = {
		"torch/autograd/",
		"torch/utils/checkpoint",
		"torch/nn/modules/module.py",
		"torch/_dynamo/",
		"torch/_compile",
		"torch/_ops",
		"torch/_functorch/",
		"torch/_inductor/",
		"torch/library",
		"torch/cuda",
		"torch/_C",
		"<frozen",
		"<unknown>",
		"fire/core.py",
		"runpy",
	};

	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		if (ts_peer_has(file, parts[i], false))
			return true;
	return false;
}

static bool is_python(struct ts_span file)
{
	return file.len >= 3 && memcmp(file.data + file.len - 3, ".py", 3) == 0;
}

/* What each frame is, found once: 1 Python, 2 Python and not torch's own. */
static uint8_t *classes(const struct ts_snapshot *s, struct ts_arena *arena)
{
	uint8_t *out = ts_arena_array(arena, s->n_frames + 1, 1);

	for (size_t i = 0; out && i < s->n_frames; i++) {
		struct ts_span file = ts_snapshot_text(s, s->frames[i].file);

		if (is_python(file))
			out[i] = is_own(file) ? 1 : 2;
	}
	return out;
}

uint32_t *ts_axolotl_frames(const struct ts_snapshot *s, struct ts_arena *arena)
{
	uint32_t *out = ts_arena_array(arena, s->n_stacks + 1, sizeof *out);
	uint8_t *class = classes(s, arena);

	if (!out || !class)
		return NULL;
	for (size_t i = 0; i < s->n_stacks; i++) {
		uint8_t best = 0;

		out[i] = TS_SNAPSHOT_NONE;
		for (uint32_t k = 0; k < s->stacks[i].n && best < 2; k++) {
			uint32_t frame = s->stack_frames[s->stacks[i].first + k];

			if (class[frame] <= best)
				continue;
			best = class[frame];
			out[i] = frame;
		}
	}
	return out;
}

enum ts_axolotl_source ts_axolotl_source(const struct ts_snapshot *s, uint32_t frame)
{
	struct ts_span file = ts_span_str("<unknown>"), function = ts_span_str("<no attribution>");

	if (frame != TS_SNAPSHOT_NONE) {
		file = ts_snapshot_text(s, s->frames[frame].file);
		function = ts_snapshot_text(s, s->frames[frame].function);
	}
	if (ts_peer_has(file, "checkpoint", true) || ts_peer_has(function, "backward", false))
		return TS_SOURCE_CHECKPOINT;
	if (ts_peer_has(file, "bitsandbytes", false))
		return TS_SOURCE_BNB;
	if (ts_peer_has(file, "scattermoe", false) || ts_peer_has(function, "scatter", true))
		return TS_SOURCE_SCATTERMOE;
	if (ts_peer_has(function, "adam", true) || ts_peer_has(file, "optim", true) || ts_peer_has(file, "inductor", false))
		return TS_SOURCE_OPTIMIZER;
	if (ts_peer_has(function, "norm", true))
		return TS_SOURCE_NORM;
	if (ts_peer_has(file, "fla/", false) || ts_peer_has(file, "gated_delta", false))
		return TS_SOURCE_FLA;
	return TS_SOURCE_OTHER;
}

const char *ts_axolotl_source_word(enum ts_axolotl_source source)
{
	static const char *const words[TS_SOURCES] = {"Gradient checkpoint recompute",
						      "BnB dequantization",
						      "ScatterMoE LoRA",
						      "Optimizer",
						      "LayerNorm",
						      "FLA linear attention",
						      "Other",
						      "Unknown"};

	return words[source];
}

/* Where the part begins first; text.len: nowhere. */
static size_t place_of(struct ts_span text, const char *part)
{
	size_t n = strlen(part);

	for (size_t i = 0; i + n <= text.len; i++)
		if (memcmp(text.data + i, part, n) == 0)
			return i;
	return text.len;
}

/* What stands between the first occurrence of a part and the next. */
static bool behind(struct ts_span path, const char *part, struct ts_span *ret)
{
	size_t at = place_of(path, part);

	if (at == path.len)
		return false;
	*ret = ts_span_from(path, at + strlen(part));
	ret->len = place_of(*ret, part);
	return true;
}

const char *ts_axolotl_short_path(struct ts_span path, struct ts_arena *arena)
{
	size_t characters = 0, slashes = 0, from = path.len;
	struct ts_span rest;

	if (behind(path, "/site-packages/", &rest))
		return ts_arena_printf(arena, "...%.*s", TS_SPAN_ARG(rest));
	if (behind(path, "/axolotl/src/", &rest) || behind(path, "/axolotl/", &rest))
		return ts_arena_printf(arena, "axolotl/%.*s", TS_SPAN_ARG(rest));
	for (size_t i = 0; i < path.len; i++)
		characters += (path.data[i] & 0xc0) != 0x80;
	if (characters <= 60)
		return ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(path));
	for (; from > 0; from--)
		if (path.data[from - 1] == '/' && ++slashes == 3)
			break;
	return ts_arena_printf(arena, ".../%.*s", TS_SPAN_ARG(ts_span_of(path.data + from, path.len - from)));
}
