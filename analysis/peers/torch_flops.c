#include "analysis/peers/torch_flops.h"

#include "analysis/trace/flops.h"

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

enum { DIMENSIONS = 8 };

struct shape {
	uint64_t at[DIMENSIONS];
	size_t n;
};

static bool number(struct ts_span *s, uint64_t *ret)
{
	uint64_t n = 0;
	size_t digits = 0;

	while (s->len && s->data[0] >= '0' && s->data[0] <= '9') {
		if (n > UINT64_MAX / 100)
			return false;
		n = 10 * n + (uint64_t)(s->data[0] - '0');
		*s = ts_span_of(s->data + 1, s->len - 1);
		digits++;
	}
	*ret = n;
	return digits > 0;
}

static bool skip(struct ts_span *s, char c)
{
	if (!s->len || s->data[0] != (uint8_t)c)
		return false;
	*s = ts_span_of(s->data + 1, s->len - 1);
	return true;
}

/* One list of numbers. */
static bool shape_at(struct ts_span *s, struct shape *ret)
{
	ret->n = 0;
	if (!skip(s, '['))
		return false;
	while (!skip(s, ']')) {
		if ((ret->n && !skip(s, ',')) || ret->n == DIMENSIONS || !number(s, &ret->at[ret->n]))
			return false;
		ret->n++;
	}
	return true;
}

/* The first n lists; false: there are fewer, or something else among them. */
static bool shapes_of(struct ts_span s, struct shape *ret, size_t n)
{
	if (!skip(&s, '['))
		return false;
	for (size_t i = 0; i < n; i++)
		if ((i && !skip(&s, ',')) || !shape_at(&s, &ret[i]))
			return false;
	return true;
}

static bool times(uint64_t *product, uint64_t n)
{
	return !__builtin_mul_overflow(*product, n, product) && *product <= INT64_MAX;
}

static uint64_t product(const struct shape *s)
{
	uint64_t n = 1;

	for (size_t i = 0; i < s->n; i++)
		if (!times(&n, s->at[i]))
			return 0;
	return n;
}

/* Two for each element of a and each column of b. */
static uint64_t matrices(const struct shape *a, const struct shape *b)
{
	uint64_t n = product(a);

	return a->n >= 2 && b->n >= 2 && times(&n, b->at[b->n - 1]) && times(&n, 2) ? n : 0;
}

uint64_t ts_torch_flops(enum ts_torch_flops kind, struct ts_span shapes, struct ts_span inputs)
{
	struct shape in[3];
	uint64_t n;

	switch (kind) {
	case TS_FLOPS_GEMM:
	case TS_FLOPS_BMM:
		return shapes_of(shapes, in, 2) ? matrices(&in[0], &in[1]) : 0;
	case TS_FLOPS_ADDMM:
	case TS_FLOPS_BADDBMM:
		return shapes_of(shapes, in, 3) ? matrices(&in[1], &in[2]) : 0;
	case TS_FLOPS_EACH:
		return shapes_of(shapes, in, 1) ? product(&in[0]) : 0;
	case TS_FLOPS_CONV:
		return ts_flops_conv2d(shapes, inputs, &n) && n <= INT64_MAX ? n : 0;
	case TS_FLOPS_NONE:
		break;
	}
	return 0;
}
