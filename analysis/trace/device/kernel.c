#include "analysis/trace/device/kernel.h"

#include "base/words.h"

#include <stdint.h>

enum where { START, HEAD, ANY, WHOLE };

static const struct row {
	uint8_t category, where, len;
	const char *pattern;
} rows[] = {
#define KERNEL(category, where, pattern) {TS_KERNEL_##category, where, sizeof(pattern) - 1, pattern},
#include "analysis/trace/device/kernels.inc"
#undef KERNEL
};

static const struct row operators[] = {
#define OPERATOR(category, where, pattern) {TS_KERNEL_##category, where, sizeof(pattern) - 1, pattern},
#include "analysis/trace/device/kernel_operators.inc"
#undef OPERATOR
};

static uint8_t lower(uint8_t c)
{
	return c >= 'A' && c <= 'Z' ? c | 32 : c;
}

static bool begins(struct ts_span name, size_t at, const char *pattern, size_t len)
{
	if (at > name.len || name.len - at < len)
		return false;
	for (size_t i = 0; i < len; i++)
		if (lower(name.data[at + i]) != (uint8_t)pattern[i])
			return false;
	return true;
}

static bool has(struct ts_span name, const char *pattern)
{
	size_t len = strlen(pattern);

	for (size_t i = 0; i + len <= name.len; i++)
		if (begins(name, i, pattern, len))
			return true;
	return false;
}

/* The bracket that the last one closes; SIZE_MAX: none. */
static size_t opening(struct ts_span name)
{
	size_t depth = 0;

	for (size_t i = name.len; i-- > 0;) {
		depth += name.data[i] == ')';
		if (name.data[i] == '(' && --depth == 0)
			return i;
	}
	return SIZE_MAX;
}

/* The first bracket that nothing closes, in a name that was cut; SIZE_MAX: none. */
static size_t unclosed(struct ts_span name)
{
	size_t depth = 0, at = SIZE_MAX;

	for (size_t i = name.len; i-- > 0;) {
		if (name.data[i] == ')') {
			depth++;
		} else if (name.data[i] == '(') {
			if (depth)
				depth--;
			else
				at = i;
		}
	}
	return at;
}

/* The length without what may follow the list of arguments: "f(int) [clone .kd]", "f(int) const". */
static size_t without_tail(struct ts_span name)
{
	if (ts_span_ends(name, ") const"))
		return name.len - strlen(" const");
	if (!ts_span_ends(name, "]"))
		return name.len;
	for (size_t i = name.len - 1; i-- > 1;)
		if (name.data[i] == '[')
			return i >= 2 && name.data[i - 1] == ' ' && name.data[i - 2] == ')' ? i - 1 : name.len;
	return name.len;
}

struct ts_span ts_kernel_without_arguments(struct ts_span name)
{
	size_t at = unclosed(name);

	if (at == SIZE_MAX) {
		name = ts_span_part(name, 0, without_tail(name));
		at = name.len && name.data[name.len - 1] == ')' ? opening(name) : SIZE_MAX;
	}
	return at == SIZE_MAX || at == 0 || name.data[at - 1] == ' ' ? name : ts_span_part(name, 0, at);
}

/* What stands behind the return type, "void " or "std::enable_if<...>::type ", and before the template arguments. */
static struct ts_span head_of(struct ts_span bare)
{
	size_t depth = 0, begin = 0, end = bare.len;

	for (size_t i = 0; i < bare.len; i++) {
		uint8_t c = bare.data[i];
		bool arrow = c == '>' && i && bare.data[i - 1] == '-';

		if (c == ' ' && !depth) {
			begin = i + 1;
			end = bare.len;
		} else if (c == '<' && !depth && end == bare.len) {
			end = i;
		}
		if (c == '<' || c == '(')
			depth++;
		else if ((c == '>' || c == ')') && depth && !arrow)
			depth--;
	}
	return begin < end ? ts_span_part(bare, begin, end - begin) : bare;
}

/* Composable kernel has one function of which the template arguments say what it is. */
static struct ts_span said_of(struct ts_span bare)
{
	static const char entry[] = "ck_tile::kentry";
	struct ts_span head = head_of(bare);

	return begins(head, 0, entry, sizeof entry - 1) ? bare : head;
}

struct ts_kernel_told ts_kernel_tell(struct ts_span name)
{
	enum { LOOK_MAX = 4096 }; /* of a name that is longer, what comes first */
	struct ts_span bare = ts_kernel_without_arguments(ts_span_part(name, 0, name.len < LOOK_MAX ? name.len : LOOK_MAX));
	struct ts_span head = said_of(bare);

	for (const struct row *r = rows; r < rows + sizeof rows / sizeof rows[0]; r++)
		if (r->where == START ? begins(head, 0, r->pattern, r->len) : has(r->where == HEAD ? head : bare, r->pattern))
			return (struct ts_kernel_told){r->category, r->where == START ? TS_KERNEL_BY_GRAMMAR : TS_KERNEL_BY_WORD,
						       ts_span_of(r->pattern, r->len)};
	return (struct ts_kernel_told){TS_KERNEL_OTHER, TS_KERNEL_BY_NOTHING, ts_span_of(NULL, 0)};
}

enum ts_kernel_category ts_kernel_category(struct ts_span name)
{
	return (enum ts_kernel_category)ts_kernel_tell(name).category;
}

static bool is_whole(struct ts_span name, const struct row *r)
{
	struct ts_span rest;

	if (!begins(name, 0, r->pattern, r->len))
		return false;
	rest = ts_span_from(name, r->len);
	return !rest.len || ts_span_is(rest, "_") || ts_span_is(rest, "_backward");
}

enum ts_kernel_category ts_kernel_of_operator(struct ts_span name)
{
	for (const struct row *r = operators; r < operators + sizeof operators / sizeof operators[0]; r++)
		if (r->where == START  ? begins(name, 0, r->pattern, r->len)
		    : r->where == HEAD ? has(name, r->pattern)
				       : is_whole(name, r))
			return r->category;
	return TS_KERNEL_OTHER;
}

bool ts_kernel_operator_counts(struct ts_kernel_told by_name, enum ts_kernel_category of_operator)
{
	if (of_operator == TS_KERNEL_OTHER || by_name.by == TS_KERNEL_BY_USER)
		return false;
	switch ((enum ts_kernel_category)by_name.category) {
	case TS_KERNEL_OTHER:
		return true;
	case TS_KERNEL_GEMM:
		return of_operator == TS_KERNEL_CONVOLUTION || of_operator == TS_KERNEL_ATTENTION;
	case TS_KERNEL_REDUCTION:
	case TS_KERNEL_INDEX:
	case TS_KERNEL_ELEMENTWISE:
		return of_operator == TS_KERNEL_NORMALIZATION || of_operator == TS_KERNEL_SOFTMAX || of_operator == TS_KERNEL_LOSS ||
		       of_operator == TS_KERNEL_EMBEDDING;
	case TS_KERNEL_COMMUNICATION:
	case TS_KERNEL_CONVOLUTION:
	case TS_KERNEL_ATTENTION:
	case TS_KERNEL_MOE:
	case TS_KERNEL_EMBEDDING:
	case TS_KERNEL_QUANTIZATION:
	case TS_KERNEL_NORMALIZATION:
	case TS_KERNEL_SOFTMAX:
	case TS_KERNEL_LOSS:
	case TS_KERNEL_OPTIMIZER:
	case TS_KERNEL_RANDOM:
	case TS_KERNEL_ROTARY:
	case TS_KERNEL_POOLING:
	case TS_KERNEL_SORT:
	case TS_KERNEL_FILL:
	case TS_KERNEL_COPY:
	case TS_KERNEL_FUSED:
	case TS_KERNEL_CATEGORIES:
		break;
	}
	return false;
}

bool ts_kernel_is_float32_product(struct ts_span name)
{
	static const char *const words[] = {"sgemm", "_f32f32_f32f32_f32"};
	struct ts_span bare = ts_kernel_without_arguments(name);

	if (ts_kernel_category(name) != TS_KERNEL_GEMM)
		return false;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (has(bare, words[i]))
			return true;
	return false;
}

TS_WORDS(ts_kernel_category_word, enum ts_kernel_category, "unknown", [TS_KERNEL_COMMUNICATION] = "communication",
	 [TS_KERNEL_CONVOLUTION] = "convolution", [TS_KERNEL_ATTENTION] = "attention", [TS_KERNEL_MOE] = "mixture_of_experts",
	 [TS_KERNEL_EMBEDDING] = "embedding", [TS_KERNEL_QUANTIZATION] = "quantization", [TS_KERNEL_GEMM] = "gemm",
	 [TS_KERNEL_NORMALIZATION] = "normalization", [TS_KERNEL_SOFTMAX] = "softmax", [TS_KERNEL_LOSS] = "loss",
	 [TS_KERNEL_OPTIMIZER] = "optimizer", [TS_KERNEL_RANDOM] = "random", [TS_KERNEL_ROTARY] = "rotary",
	 [TS_KERNEL_POOLING] = "pooling", [TS_KERNEL_SORT] = "sort", [TS_KERNEL_INDEX] = "index", [TS_KERNEL_FILL] = "fill",
	 [TS_KERNEL_COPY] = "copy", [TS_KERNEL_REDUCTION] = "reduction", [TS_KERNEL_FUSED] = "fused",
	 [TS_KERNEL_ELEMENTWISE] = "elementwise", [TS_KERNEL_OTHER] = "other")

TS_WORDS_BACK(ts_kernel_category_of, enum ts_kernel_category, ts_kernel_category_word, TS_KERNEL_OTHER, TS_KERNEL_CATEGORIES)

TS_WORDS(ts_kernel_by_word, enum ts_kernel_by, "nothing", [TS_KERNEL_BY_NOTHING] = "nothing", [TS_KERNEL_BY_WORD] = "word",
	 [TS_KERNEL_BY_OPERATOR] = "operator", [TS_KERNEL_BY_GRAMMAR] = "grammar", [TS_KERNEL_BY_USER] = "user")

TS_WORDS(ts_kernel_confidence_word, enum ts_kernel_by, "low", [TS_KERNEL_BY_NOTHING] = "low", [TS_KERNEL_BY_WORD] = "medium",
	 [TS_KERNEL_BY_OPERATOR] = "medium", [TS_KERNEL_BY_GRAMMAR] = "high", [TS_KERNEL_BY_USER] = "high")

TS_WORDS(ts_collective_word, enum ts_collective, "unknown", [TS_COLLECTIVE_ALL_REDUCE] = "all_reduce",
	 [TS_COLLECTIVE_ALL_GATHER] = "all_gather", [TS_COLLECTIVE_REDUCE_SCATTER] = "reduce_scatter",
	 [TS_COLLECTIVE_ALL_TO_ALL] = "all_to_all", [TS_COLLECTIVE_BROADCAST] = "broadcast", [TS_COLLECTIVE_REDUCE] = "reduce",
	 [TS_COLLECTIVE_SEND_RECV] = "send_recv", [TS_COLLECTIVE_OTHER] = "other")

static enum ts_collective collective_in(struct ts_span text)
{
	static const struct {
		const char *pattern;
		enum ts_collective collective;
	} patterns[] = {
		{"allreduce", TS_COLLECTIVE_ALL_REDUCE},
		{"all_reduce", TS_COLLECTIVE_ALL_REDUCE},
		{"all-reduce", TS_COLLECTIVE_ALL_REDUCE}, /* of XLA, as those below */
		{"cross_device_reduce", TS_COLLECTIVE_ALL_REDUCE},
		{"allgather", TS_COLLECTIVE_ALL_GATHER},
		{"all_gather", TS_COLLECTIVE_ALL_GATHER},
		{"all-gather", TS_COLLECTIVE_ALL_GATHER},
		{"reducescatter", TS_COLLECTIVE_REDUCE_SCATTER},
		{"reduce_scatter", TS_COLLECTIVE_REDUCE_SCATTER},
		{"reduce-scatter", TS_COLLECTIVE_REDUCE_SCATTER},
		{"alltoall", TS_COLLECTIVE_ALL_TO_ALL},
		{"all_to_all", TS_COLLECTIVE_ALL_TO_ALL},
		{"all-to-all", TS_COLLECTIVE_ALL_TO_ALL},
		{"broadcast", TS_COLLECTIVE_BROADCAST},
		{"sendrecv", TS_COLLECTIVE_SEND_RECV},
		{"collective-permute", TS_COLLECTIVE_SEND_RECV},
		{"send", TS_COLLECTIVE_SEND_RECV},
		{"recv", TS_COLLECTIVE_SEND_RECV},
		{"reduce", TS_COLLECTIVE_REDUCE},
	};

	for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
		if (has(text, patterns[i].pattern))
			return patterns[i].collective;
	return TS_COLLECTIVE_OTHER;
}

enum ts_collective ts_kernel_collective(struct ts_span name, struct ts_span collective)
{
	enum ts_collective said = collective_in(collective);

	return said != TS_COLLECTIVE_OTHER ? said : collective_in(head_of(ts_kernel_without_arguments(name)));
}
