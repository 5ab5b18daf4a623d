#include "analysis/trace/work/operator_arguments.h"

#include "base/json_reader.h"
#include "base/number.h"

static void put(struct ts_numbers *list, int64_t v)
{
	if (list->n < 0 || list->n == TS_DIMENSIONS_MAX || v < 0)
		list->n = -1;
	else
		list->v[list->n++] = v;
}

static void shape_token(struct ts_arguments *a, const struct ts_json_token *t, int depth)
{
	struct ts_numbers *entry = a->n_shapes ? &a->shapes[a->n_shapes - 1] : NULL;
	int64_t v;

	if (depth == 1 && t->type != TS_JSON_END) {
		if (a->n_shapes < TS_ARGUMENTS_MAX)
			a->shapes[a->n_shapes++] = (struct ts_numbers){.n = t->type == TS_JSON_ARRAY ? 0 : -1};
		else
			a->shapes[TS_ARGUMENTS_MAX - 1].n = -1;
	} else if (depth >= 2 && t->type == TS_JSON_ARRAY && entry) {
		entry->n = -1; /* a list of tensors */
	} else if (depth == 2 && t->type != TS_JSON_END && entry) {
		put(entry, t->type == TS_JSON_NUMBER && ts_parse_i64(t->raw, &v) ? v : -1);
	}
}

/* "[1, 1]", "[True, False]", "2", "False"; others, such as "0.125" and "", are none. */
static struct ts_numbers argument(struct ts_span text)
{
	struct ts_numbers out = {.n = 0};
	bool list = text.len >= 2 && text.data[0] == '[' && text.data[text.len - 1] == ']';

	if (list)
		text = ts_span_part(text, 1, text.len - 2);
	for (size_t at = 0; at <= text.len && out.n >= 0 && text.len;) {
		size_t end = at;
		struct ts_span word;
		int64_t v;

		while (end < text.len && text.data[end] != ',')
			end++;
		word = ts_span_part(text, at, end - at);
		while (word.len && word.data[0] == ' ')
			word = ts_span_from(word, 1);
		if (ts_span_is(word, "True") || ts_span_is(word, "False"))
			put(&out, ts_span_is(word, "True"));
		else
			put(&out, ts_parse_i64(word, &v) ? v : -1);
		at = end + 1;
	}
	return list || out.n > 0 ? out : (struct ts_numbers){.n = -1};
}

/* "1", "0.5", "1.": a number as PyTorch writes it. */
static bool is_not_zero(struct ts_span text)
{
	double v;

	if (ts_span_ends(text, "."))
		text = ts_span_part(text, 0, text.len - 1);
	return ts_parse_double(text, &v) && v != 0;
}

static void input_token(struct ts_arguments *a, const struct ts_json_token *t, int depth)
{
	if (depth != 1 || t->type == TS_JSON_END || a->n_inputs == TS_ARGUMENTS_MAX)
		return;
	a->inputs[a->n_inputs] = t->type == TS_JSON_STRING ? argument(t->text) : (struct ts_numbers){.n = -1};
	a->counts[a->n_inputs++] = t->type == TS_JSON_STRING && is_not_zero(t->text);
}

static void size_token(struct ts_arguments *a, const struct ts_json_token *t, int depth)
{
	static const struct {
		const char *name;
		uint64_t size;
	} types[] = {
		{"double", 8}, {"long int", 8}, {"float", 4}, {"int", 4}, {"c10::Half", 2}, {"c10::BFloat16", 2}, {"short int", 2},
		{"c10::Float8_e4m3fn", 1}, {"c10::Float8_e5m2", 1}, {"c10::Float8_e4m3fnuz", 1}, {"c10::Float8_e5m2fnuz", 1},
		{"signed char", 1}, {"unsigned char", 1}, {"bool", 1},
	};

	if (depth != 1 || t->type == TS_JSON_END || a->n_sizes == TS_ARGUMENTS_MAX)
		return;
	a->sizes[a->n_sizes] = 0;
	for (size_t i = 0; i < sizeof types / sizeof types[0] && t->type == TS_JSON_STRING; i++)
		if (ts_span_is(t->text, types[i].name))
			a->sizes[a->n_sizes] = types[i].size;
	a->n_sizes++;
}

static bool read(struct ts_span text, struct ts_arguments *a,
		 void (*token)(struct ts_arguments *a, const struct ts_json_token *t, int depth))
{
	struct ts_buf scratch = {0};
	struct ts_json_reader r;
	struct ts_json_token t;
	struct ts_error err;
	bool good = true;
	int depth = 0;

	ts_json_reader_init(&r, text, &scratch);
	while ((good = ts_json_next(&r, &t, &err) == TS_OK) && t.type != TS_JSON_EOF) {
		depth -= t.type == TS_JSON_END;
		token(a, &t, depth);
		depth += t.type == TS_JSON_ARRAY || t.type == TS_JSON_OBJECT;
	}
	ts_buf_finish(&scratch);
	return good;
}

bool ts_arguments_of(struct ts_span shapes, struct ts_span types, struct ts_span inputs, struct ts_arguments *ret)
{
	struct ts_arguments a = {.n_shapes = 0};

	if (!shapes.len || !read(shapes, &a, shape_token) || !read(inputs, &a, input_token))
		return false;
	if (!types.len || !read(types, &a, size_token))
		a.n_sizes = 0;
	*ret = a;
	return true;
}

bool ts_argument_given(const struct ts_arguments *a, size_t input)
{
	return input < a->n_shapes && a->shapes[input].n > 0;
}

bool ts_bytes_add(uint64_t *io, const struct ts_numbers *shape, uint64_t size, uint64_t times)
{
	uint64_t v = size;

	if (shape->n < 1 || !size || __builtin_mul_overflow(v, times, &v))
		return false;
	for (int i = 0; i < shape->n; i++)
		if (__builtin_mul_overflow(v, (uint64_t)shape->v[i], &v))
			return false;
	return !__builtin_add_overflow(*io, v, io);
}

bool ts_bytes_add_input(const struct ts_arguments *a, size_t input, uint64_t times, uint64_t *io)
{
	return input < a->n_shapes && input < a->n_sizes && ts_bytes_add(io, &a->shapes[input], a->sizes[input], times);
}
