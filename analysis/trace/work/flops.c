/* flops.c - the floating-point operations of one operator, by its shapes and arguments as the profiler wrote them. */
#include "analysis/trace/work/work_parts.h"

#include "analysis/trace/work/operator_arguments.h"

/* --- formulas --- */

/* The product of 2 and n factors. */
static bool product(const int64_t *factors, size_t n, uint64_t *ret)
{
	uint64_t v = 2;

	for (size_t i = 0; i < n; i++)
		if (__builtin_mul_overflow(v, (uint64_t)factors[i], &v))
			return false;
	*ret = v;
	return true;
}

/* The product with batches of two matrices, the first of which is the input `first`. */
static bool matrices(const struct ts_arguments *a, size_t first, int dims, uint64_t *ret)
{
	const struct ts_numbers *x = &a->shapes[first], *y = &a->shapes[first + 1];

	if (a->n_shapes < first + 2 || x->n != dims || y->n != dims || x->v[dims - 1] != y->v[dims - 2])
		return false;
	if (dims == 3 && x->v[0] != y->v[0])
		return false;
	return product((int64_t[]){x->v[dims - 2], x->v[dims - 1], y->v[dims - 1], dims == 3 ? x->v[0] : 1}, 4, ret);
}

/* Of a list for each dimension of space, or one number for all; -1: it is not there. */
static int64_t of_axis(const struct ts_arguments *a, size_t input, int axis)
{
	const struct ts_numbers *list = &a->inputs[input];

	if (input >= a->n_inputs || list->n < 1 || (list->n > 1 && axis >= list->n))
		return -1;
	return list->v[list->n == 1 ? 0 : axis];
}

/* 2 batch positions weights, of positions that are given by their shape. */
static bool convolved(const struct ts_numbers *x, const struct ts_numbers *w, const struct ts_numbers *positions, uint64_t *ret)
{
	int64_t factors[2 * TS_DIMENSIONS_MAX + 1] = {x->v[0]};
	size_t n = 1;

	if (x->n < 3 || w->n != x->n || positions->n != x->n)
		return false;
	for (int i = 2; i < positions->n; i++)
		factors[n++] = positions->v[i];
	for (int i = 0; i < w->n; i++)
		factors[n++] = w->v[i];
	return product(factors, n, ret);
}

enum { STRIDE = 3, PADDING, DILATION };

/* The output, but for its channels, which are those of the input here; of a transposed one the input. */
static bool positions_of(const struct ts_arguments *a, int64_t transposed, struct ts_numbers *ret)
{
	const struct ts_numbers *x = &a->shapes[0], *w = &a->shapes[1];
	struct ts_numbers out = *x;

	if (a->n_shapes < 2 || x->n < 3 || w->n != x->n || transposed < 0)
		return false;
	for (int i = 2; i < x->n && !transposed; i++) {
		int64_t stride = of_axis(a, STRIDE, i - 2), padding = of_axis(a, PADDING, i - 2),
			dilation = of_axis(a, DILATION, i - 2);
		int64_t room, reach;

		if (stride < 1 || padding < 0 || dilation < 1 || w->v[i] < 1 || __builtin_mul_overflow(padding, 2, &room) ||
		    __builtin_add_overflow(room, x->v[i], &room) || __builtin_mul_overflow(dilation, w->v[i] - 1, &reach) ||
		    room <= reach)
			return false;
		out.v[i] = (room - reach - 1) / stride + 1;
	}
	*ret = out;
	return true;
}

static bool convolution(const struct ts_arguments *a, int64_t transposed, uint64_t *ret)
{
	struct ts_numbers positions;

	return positions_of(a, transposed, &positions) && convolved(&a->shapes[0], &a->shapes[1], &positions, ret);
}

enum { TRANSPOSED = 7, MASK = 10 };

static bool convolution_backward(const struct ts_arguments *a, uint64_t *ret)
{
	const struct ts_numbers *mask = &a->inputs[MASK];
	int64_t transposed = of_axis(a, TRANSPOSED, 0);
	uint64_t one;

	if (a->n_shapes < 3 || a->n_inputs <= MASK || mask->n < 2 || transposed < 0 ||
	    !convolved(&a->shapes[1], &a->shapes[2], &a->shapes[transposed ? 1 : 0], &one))
		return false;
	return !__builtin_mul_overflow(one, (uint64_t)((mask->v[0] != 0) + (mask->v[1] != 0)), ret);
}

/* Of [batch, heads, sequence, size], or [batch, sequence, heads, size]. */
static bool attention(const struct ts_arguments *a, size_t first, int heads, int64_t times_q, int64_t times_v, uint64_t *ret)
{
	const struct ts_numbers *q = &a->shapes[first], *k = q + 1, *v = q + 2;
	int at = 3 - heads;
	int64_t size;

	if (a->n_shapes < first + 3 || q->n != 4 || k->n != 4 || v->n != 4)
		return false;
	if (q->v[0] != k->v[0] || q->v[0] != v->v[0] || q->v[3] != k->v[3] || k->v[at] != v->v[at] || k->v[heads] != v->v[heads])
		return false;
	if (k->v[heads] < 1 || q->v[heads] % k->v[heads])
		return false;
	if (__builtin_mul_overflow(times_q, q->v[3], &times_q) || __builtin_mul_overflow(times_v, v->v[3], &times_v) ||
	    __builtin_add_overflow(times_q, times_v, &size))
		return false;
	return product((int64_t[]){q->v[0], q->v[heads], q->v[at], k->v[at], size}, 5, ret);
}

/* --- operators --- */

enum formula { MATRICES, BATCHES, CONVOLUTION, CONVOLUTION_BACKWARD, ATTENTION, ATTENTION_BACKWARD, FLASH, EFFICIENT };

static const struct operator
{
	const char *name;
	uint8_t formula, typed; /* typed: the first input of the product, whose type is that of the arithmetic */
}
operators[] = {
	{"mm", MATRICES, 0},
	{"addmm", MATRICES, 1},
	{"_addmm_activation", MATRICES, 1},
	{"_scaled_mm", MATRICES, 0},
	{"bmm", BATCHES, 0},
	{"baddbmm", BATCHES, 1},
	{"convolution", CONVOLUTION, 0},
	{"_convolution", CONVOLUTION, 0},
	{"convolution_backward", CONVOLUTION_BACKWARD, 1},
	{"_scaled_dot_product_flash_attention", ATTENTION, 0},
	{"_scaled_dot_product_flash_attention_for_cpu", ATTENTION, 0},
	{"_scaled_dot_product_efficient_attention", ATTENTION, 0},
	{"_scaled_dot_product_cudnn_attention", ATTENTION, 0},
	{"_scaled_dot_product_flash_attention_backward", ATTENTION_BACKWARD, 1},
	{"_scaled_dot_product_flash_attention_for_cpu_backward", ATTENTION_BACKWARD, 1},
	{"_scaled_dot_product_efficient_attention_backward", ATTENTION_BACKWARD, 1},
	{"_scaled_dot_product_cudnn_attention_backward", ATTENTION_BACKWARD, 1},
	{"_flash_attention_forward", FLASH, 0},
	{"_efficient_attention_forward", EFFICIENT, 0},
};

static const struct operator* operator_of(struct ts_span name)
{
	if (!ts_span_skip(&name, "aten::"))
		return NULL;
	for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
		if (ts_span_is(name, operators[i].name))
			return &operators[i];
	return NULL;
}

bool ts_flops_known(struct ts_span name, size_t *ret_input)
{
	const struct operator* op = operator_of(name);

	if (op)
		*ret_input = op->typed;
	return op != NULL;
}

/* --- bytes --- */

/* What is added to the product stands before it, and is not read where beta, behind it, is 0. */
static bool matrices_bytes(const struct ts_arguments *a, size_t first, int dims, uint64_t *io)
{
	enum { BETA = 3 };
	bool added = first && a->n_inputs > BETA && a->counts[BETA];
	struct ts_numbers out = a->shapes[first];

	out.v[dims - 1] = a->shapes[first + 1].v[dims - 1];
	return (!added || ts_bytes_add_input(a, 0, 1, io)) && ts_bytes_add_input(a, first, 1, io) &&
	       ts_bytes_add_input(a, first + 1, 1, io) &&
	       ts_bytes_add(io, &out, a->sizes[first], 1);
}

static bool convolution_bytes(const struct ts_arguments *a, int64_t transposed, uint64_t *io)
{
	const struct ts_numbers *w = &a->shapes[1];
	struct ts_numbers out;

	if (transposed || !positions_of(a, transposed, &out))
		return false;
	out.v[1] = w->v[0];
	return ts_bytes_add_input(a, 0, 1, io) && ts_bytes_add_input(a, 1, 1, io) &&
	       (!ts_argument_given(a, 2) || ts_bytes_add_input(a, 2, 1, io)) &&
	       ts_bytes_add(io, &out, a->sizes[0], 1);
}

/* The gradient of the output; and for each gradient that is asked for, of the input and of the weights, the other of these two, which
 * is read, and the gradient. */
static bool convolution_backward_bytes(const struct ts_arguments *a, uint64_t *io)
{
	const struct ts_numbers *mask = &a->inputs[MASK];
	uint64_t times = (uint64_t)((mask->v[0] != 0) + (mask->v[1] != 0));

	return times && ts_bytes_add_input(a, 0, 1, io) && ts_bytes_add_input(a, 1, times, io) && ts_bytes_add_input(a, 2, times, io);
}

/* q, k and v, and the output, which has the shape of q with the size of v. */
static bool attention_bytes(const struct ts_arguments *a, size_t first, bool backward, uint64_t *io)
{
	struct ts_numbers out = a->shapes[first];

	out.v[3] = a->shapes[first + 2].v[3];
	for (size_t i = 0; i < 3; i++)
		if (!ts_bytes_add_input(a, first + i, backward ? 2 : 1, io))
			return false;
	return ts_bytes_add(io, &out, a->sizes[first], 1);
}

static bool bytes_of(const struct operator* op, const struct ts_arguments *a, uint64_t *io)
{
	switch ((enum formula)op->formula) {
	case MATRICES:
		return !ts_span_is(ts_span_str(op->name), "_scaled_mm") && matrices_bytes(a, op->typed, 2, io);
	case BATCHES:
		return matrices_bytes(a, op->typed, 3, io);
	case CONVOLUTION:
		return convolution_bytes(a, of_axis(a, DILATION + 1, 0), io);
	case CONVOLUTION_BACKWARD:
		return convolution_backward_bytes(a, io);
	case ATTENTION:
	case FLASH:
	case EFFICIENT:
		return attention_bytes(a, op->typed, false, io);
	case ATTENTION_BACKWARD:
		return attention_bytes(a, op->typed, true, io);
	}
	return false;
}

static bool flops_of(const struct operator* op, const struct ts_arguments *a, uint64_t *ret)
{
	switch ((enum formula)op->formula) {
	case MATRICES:
		return matrices(a, op->typed, 2, ret);
	case BATCHES:
		return matrices(a, op->typed, 3, ret);
	case CONVOLUTION:
		return convolution(a, of_axis(a, DILATION + 1, 0), ret);
	case CONVOLUTION_BACKWARD:
		return convolution_backward(a, ret);
	case ATTENTION:
		return attention(a, op->typed, 1, 1, 1, ret);
	case ATTENTION_BACKWARD:
		return attention(a, op->typed, 1, 3, 2, ret);
	case FLASH:
		return !ts_argument_given(a, 3) && attention(a, op->typed, 2, 1, 1, ret);
	case EFFICIENT:
		return !ts_argument_given(a, 4) && attention(a, op->typed, 2, 1, 1, ret);
	}
	return false;
}

bool ts_flops_of(struct ts_span name, struct ts_span shapes, struct ts_span types, struct ts_span inputs, uint64_t *ret,
		 uint64_t *ret_bytes)
{
	const struct operator* op = operator_of(name);
	struct ts_arguments a;
	uint64_t bytes = 0;

	if (!op || !ts_arguments_of(shapes, types, inputs, &a) || !flops_of(op, &a, ret))
		return false;
	*ret_bytes = a.n_sizes && bytes_of(op, &a, &bytes) ? bytes : 0;
	return true;
}
