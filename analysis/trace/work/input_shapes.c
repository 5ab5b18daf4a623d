/* input_shapes.c - the shapes of inputs of an operator, as the profiler writes them: "[[2,3],[3,4],[]]". */
#include "analysis/trace/work/work_parts.h"

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
static bool shape_at(struct ts_span *s, struct ts_input_shape *ret)
{
	ret->n = 0;
	if (!skip(s, '['))
		return false;
	while (!skip(s, ']')) {
		if ((ret->n && !skip(s, ',')) || ret->n == TS_SHAPE_DIMENSIONS || !number(s, &ret->at[ret->n]))
			return false;
		ret->n++;
	}
	return true;
}

bool ts_input_shapes(struct ts_span s, struct ts_input_shape *ret, size_t n)
{
	if (!skip(&s, '['))
		return false;
	for (size_t i = 0; i < n; i++)
		if ((i && !skip(&s, ',')) || !shape_at(&s, &ret[i]))
			return false;
	return true;
}
