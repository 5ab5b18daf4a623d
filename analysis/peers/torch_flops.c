#include "analysis/peers/torch_flops.h"

#include "analysis/trace/flops.h"
#include "analysis/trace/input_shapes.h"

enum ts_torch_flops ts_torch_flops_kind(struct ts_span name)
{
	static const struct {
		const char *name;
		enum ts_torch_flops kind;
	} ops[] = {
		{"aten::mm", TS_FLOPS_GEMM},	     {"aten::addmm", TS_FLOPS_ADDMM}, {"aten::bmm", TS_FLOPS_BMM},
		{"aten::baddbmm", TS_FLOPS_BADDBMM}, {"aten::mul", TS_FLOPS_EACH},    {"aten::add", TS_FLOPS_EACH},
		{"aten::conv2d", TS_FLOPS_CONV},
	};

	for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
		if (ts_span_is(name, ops[i].name))
			return ops[i].kind;
	return TS_FLOPS_NONE;
}

static bool times(uint64_t *product, uint64_t n)
{
	return !__builtin_mul_overflow(*product, n, product) && *product <= INT64_MAX;
}

static uint64_t product(const struct ts_input_shape *s)
{
	uint64_t n = 1;

	for (size_t i = 0; i < s->n; i++)
		if (!times(&n, s->at[i]))
			return 0;
	return n;
}

/* Two for each element of a and each column of b. */
static uint64_t matrices(const struct ts_input_shape *a, const struct ts_input_shape *b)
{
	uint64_t n = product(a);

	return a->n >= 2 && b->n >= 2 && times(&n, b->at[b->n - 1]) && times(&n, 2) ? n : 0;
}

uint64_t ts_torch_flops(enum ts_torch_flops kind, struct ts_span shapes, struct ts_span inputs)
{
	struct ts_input_shape in[3];
	uint64_t n;

	switch (kind) {
	case TS_FLOPS_GEMM:
	case TS_FLOPS_BMM:
		return ts_input_shapes(shapes, in, 2) ? matrices(&in[0], &in[1]) : 0;
	case TS_FLOPS_ADDMM:
	case TS_FLOPS_BADDBMM:
		return ts_input_shapes(shapes, in, 3) ? matrices(&in[1], &in[2]) : 0;
	case TS_FLOPS_EACH:
		return ts_input_shapes(shapes, in, 1) ? product(&in[0]) : 0;
	case TS_FLOPS_CONV:
		return ts_flops_conv2d(shapes, inputs, &n) && n <= INT64_MAX ? n : 0;
	case TS_FLOPS_NONE:
		break;
	}
	return 0;
}
