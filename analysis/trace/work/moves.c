/* moves.c - the bytes that one elementwise operator or norm moves, by its shapes and types as the profiler wrote them. */
#include "analysis/trace/work/work_parts.h"

#include "analysis/trace/work/operator_arguments.h"

enum form { UNARY, COPY, BINARY, NORM, NORM_BACKWARD };

/* each: operations an element. */
static const struct mover {
	const char *name;
	uint8_t form, each;
} movers[] = {
	{"copy", COPY, 1},
	{"clamp", UNARY, 1},
	{"clamp_min", UNARY, 1},
	{"clamp_max", UNARY, 1},
	{"sigmoid", UNARY, 1},
	{"tanh", UNARY, 1},
	{"relu", UNARY, 1},
	{"silu", UNARY, 1},
	{"gelu", UNARY, 1},
	{"rsqrt", UNARY, 1},
	{"sqrt", UNARY, 1},
	{"exp", UNARY, 1},
	{"neg", UNARY, 1},
	{"pow", UNARY, 1},
	{"add", BINARY, 1},
	{"sub", BINARY, 1},
	{"mul", BINARY, 1},
	{"div", BINARY, 1},
	{"sigmoid_backward", BINARY, 1},
	{"threshold_backward", BINARY, 1},
	{"silu_backward", BINARY, 1},
	{"gelu_backward", BINARY, 1},
	{"native_batch_norm", NORM, 5},
	{"cudnn_batch_norm", NORM, 5},
	{"miopen_batch_norm", NORM, 5},
	{"native_layer_norm", NORM, 5},
	{"native_group_norm", NORM, 5},
	{"_fused_rms_norm", NORM, 4},
	{"native_batch_norm_backward", NORM_BACKWARD, 9},
	{"cudnn_batch_norm_backward", NORM_BACKWARD, 9},
	{"miopen_batch_norm_backward", NORM_BACKWARD, 9},
	{"native_layer_norm_backward", NORM_BACKWARD, 9},
};

static const struct mover *mover_of(struct ts_span name)
{
	if (!ts_span_skip(&name, "aten::"))
		return NULL;
	if (ts_span_ends(name, "_")) /* in place, which moves the same */
		name.len--;
	for (size_t i = 0; i < sizeof movers / sizeof movers[0]; i++)
		if (ts_span_is(name, movers[i].name))
			return &movers[i];
	return NULL;
}

bool ts_moves_known(struct ts_span name, size_t *ret_input)
{
	const struct mover *mover = mover_of(name);

	if (mover)
		*ret_input = 0;
	return mover != NULL;
}

static bool elements_of(const struct ts_numbers *shape, uint64_t *ret)
{
	*ret = 0;
	return ts_bytes_add(ret, shape, 1, 1);
}

static uint64_t size_of(const struct ts_arguments *a, size_t input)
{
	return input < a->n_sizes ? a->sizes[input] : 0;
}

/* The shape of both together; false: they do not fit. A number has no shape. */
static bool together(const struct ts_numbers *x, const struct ts_numbers *y, struct ts_numbers *ret)
{
	const struct ts_numbers *longer = x->n >= y->n ? x : y, *shorter = longer == x ? y : x;
	struct ts_numbers out = *longer;
	int ahead = longer->n - shorter->n;

	if (x->n < 0 || y->n < 0 || longer->n < 1)
		return false;
	for (int i = 0; i < shorter->n; i++) {
		int64_t a = longer->v[ahead + i], b = shorter->v[i];

		if (a != b && a != 1 && b != 1)
			return false;
		out.v[ahead + i] = a == 1 ? b : a;
	}
	*ret = out;
	return true;
}

/* Each tensor is read once, and what comes out has the larger type of them, unless a third one is given, into which it goes. */
static bool binary(const struct ts_arguments *a, uint64_t *ret_elements, uint64_t *io)
{
	enum { OUT = 2 };
	struct ts_numbers out;
	uint64_t size = 0;

	if (a->n_shapes < 2 || !together(&a->shapes[0], &a->shapes[1], &out) || !elements_of(&out, ret_elements))
		return false;
	for (size_t i = 0; i < 2; i++) {
		if (!ts_argument_given(a, i))
			continue;
		if (!ts_bytes_add_input(a, i, 1, io))
			return false;
		size = size_of(a, i) > size ? size_of(a, i) : size;
	}
	return ts_bytes_add(io, &out, ts_argument_given(a, OUT) ? size_of(a, OUT) : size, 1);
}

/* What comes out has the shape of the first input, and its type, unless another tensor is given, into which it goes. */
static bool unary(const struct ts_arguments *a, uint64_t *ret_elements, uint64_t *io)
{
	return a->n_shapes && elements_of(&a->shapes[0], ret_elements) && ts_bytes_add_input(a, 0, 1, io) &&
	       ts_bytes_add(io, &a->shapes[0], size_of(a, ts_argument_given(a, 1)), 1);
}

/* From the second input into the first. */
static bool copy(const struct ts_arguments *a, uint64_t *ret_elements, uint64_t *io)
{
	return a->n_shapes > 1 && elements_of(&a->shapes[0], ret_elements) && ts_bytes_add_input(a, 0, 1, io) &&
	       (!ts_argument_given(a, 1) || ts_bytes_add_input(a, 1, 1, io));
}

/* The first `whole` inputs have the shape of what comes out, which is written; weights and statistics among the others are read. */
static bool norm(const struct ts_arguments *a, size_t whole, uint64_t *ret_elements, uint64_t *io)
{
	uint64_t elements;

	if (a->n_shapes < whole || !elements_of(&a->shapes[0], ret_elements))
		return false;
	for (size_t i = 1; i < whole; i++)
		if (!elements_of(&a->shapes[i], &elements) || elements != *ret_elements)
			return false;
	for (size_t i = 0; i < a->n_shapes; i++)
		if (ts_argument_given(a, i) && !ts_bytes_add_input(a, i, i + 1 == whole ? 2 : 1, io))
			return false;
	return true;
}

bool ts_moves_of(struct ts_span name, struct ts_span shapes, struct ts_span types, struct ts_span inputs, uint64_t *ret,
		 uint64_t *ret_bytes)
{
	const struct mover *mover = mover_of(name);
	uint64_t elements = 0, bytes = 0;
	struct ts_arguments a;
	bool known = false;

	if (!mover || !ts_arguments_of(shapes, types, inputs, &a))
		return false;
	switch ((enum form)mover->form) {
	case UNARY:
		known = unary(&a, &elements, &bytes);
		break;
	case COPY:
		known = copy(&a, &elements, &bytes);
		break;
	case BINARY:
		known = binary(&a, &elements, &bytes);
		break;
	case NORM:
		known = norm(&a, 1, &elements, &bytes);
		break;
	case NORM_BACKWARD:
		known = norm(&a, 2, &elements, &bytes);
		break;
	}
	if (!known || __builtin_mul_overflow(elements, mover->each, &elements))
		return false;
	*ret = elements;
	*ret_bytes = bytes;
	return true;
}
