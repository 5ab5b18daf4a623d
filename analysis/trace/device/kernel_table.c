#include "analysis/trace/device/kernel_table.h"

#include "analysis/trace/device/device_events.h"
#include "analysis/trace/device/nest.h"
#include "base/door.h"
#include "base/scratch.h"
#include "base/text.h"

/* --- the user's table --- */

static struct ts_span trimmed(struct ts_span text)
{
	while (text.len && ts_is_space(text.data[0]))
		text = ts_span_from(text, 1);
	while (text.len && ts_is_space(text.data[text.len - 1]))
		text.len--;
	return text;
}

static enum ts_status parse_rule(struct ts_span line, size_t number, struct ts_kernel_rule *ret, struct ts_error *err)
{
	enum ts_kernel_category category;
	size_t n = 0;

	while (n < line.len && !ts_is_space(line.data[n]))
		n++;
	category = ts_kernel_category_of(ts_span_part(line, 0, n));
	if (category == TS_KERNEL_CATEGORIES)
		return ts_error_set(err, TS_INVALID, "line %zu: \"%.*s\" is no category of kernels, such as gemm or attention", number,
				    (int)(n < 64 ? n : 64), (const char *)line.data);
	*ret = (struct ts_kernel_rule){(uint8_t)category, trimmed(ts_span_from(line, n))};
	return ret->pattern.len ? TS_OK : ts_error_set(err, TS_INVALID, "line %zu: a category without a pattern", number);
}

enum ts_status ts_kernel_rules_parse(struct ts_span text, struct ts_arena *arena, struct ts_kernel_rules *ret, struct ts_error *err)
{
	struct ts_kernel_rules rules = {0};
	size_t lines = 1, number = 0;

	for (size_t i = 0; i < text.len; i++)
		lines += text.data[i] == '\n';
	rules.items = ts_arena_array(arena, lines, sizeof *rules.items);
	if (!rules.items)
		return ts_arena_error(arena, err);
	while (text.len) {
		const uint8_t *end = memchr(text.data, '\n', text.len);
		size_t n = end ? (size_t)(end - text.data) : text.len;
		struct ts_span line = trimmed(ts_span_part(text, 0, n));

		text = ts_span_from(text, end ? n + 1 : n);
		number++;
		if (!line.len || line.data[0] == '#')
			continue;
		if (parse_rule(line, number, &rules.items[rules.n++], err))
			return err->status;
	}
	*ret = rules;
	return TS_OK;
}

static uint8_t lower(uint8_t c)
{
	return c >= 'A' && c <= 'Z' ? c | 32 : c;
}

static bool has(struct ts_span name, struct ts_span pattern)
{
	for (size_t i = 0; i + pattern.len <= name.len; i++) {
		size_t n = 0;

		while (n < pattern.len && lower(name.data[i + n]) == lower(pattern.data[n]))
			n++;
		if (n == pattern.len)
			return true;
	}
	return false;
}

static struct ts_kernel_told tell(struct ts_span name, const struct ts_kernel_rules *rules)
{
	for (size_t i = 0; rules && i < rules->n; i++)
		if (has(name, rules->items[i].pattern))
			return (struct ts_kernel_told){rules->items[i].category, TS_KERNEL_BY_USER, rules->items[i].pattern};
	return ts_kernel_tell(name);
}

/* --- by the operators --- */

/* What launched the kernels of a name. */
struct asked {
	uint32_t name;
	uint64_t all_ns;
	uint64_t ns[TS_KERNEL_CATEGORIES]; /* by the category of the operator */
	uint32_t operator[TS_KERNEL_CATEGORIES]; /* one of them: its name */
};

struct table {
	struct ts_trace *trace;
	struct ts_kernel_told *told;
	uint32_t *asked_of; /* a name's number in asked and 1; 0: it does not ask */
	uint8_t *of_operator; /* a name's category as an operator and 1; 0: not looked at yet */
	struct asked *asked;
	size_t n_asked;
};

/* Whether an operator could say more than the name does. */
static bool asks(struct ts_kernel_told told)
{
	bool asks = false;

	for (int i = 0; i < TS_KERNEL_CATEGORIES; i++)
		asks |= ts_kernel_operator_counts(told, (enum ts_kernel_category)i);
	return asks;
}

static enum ts_status by_names(struct table *t, const struct ts_kernel_rules *rules, struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_trace_spans *s = &t->trace->rows.spans;
	uint8_t *seen = ts_arena_array(arena, t->trace->n_names + 1, 1);

	if (!seen)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < s->n; i++) {
		uint32_t name = s->name[i];

		if (s->kind[i] != TS_TRACE_KERNEL || seen[name])
			continue;
		seen[name] = 1;
		t->told[name] = tell(t->trace->names[name], rules);
		if (t->n_asked < TS_KERNEL_TABLE_MOST && asks(t->told[name]))
			t->asked_of[name] = (uint32_t)++t->n_asked;
	}
	t->asked = ts_arena_array(arena, t->n_asked, sizeof *t->asked);
	return t->asked ? TS_OK : ts_arena_error(arena, err);
}

static enum ts_kernel_category of_operator(struct table *t, uint32_t name)
{
	if (!t->of_operator[name])
		t->of_operator[name] = (uint8_t)(1 + ts_kernel_of_operator(t->trace->names[name]));
	return (enum ts_kernel_category)(t->of_operator[name] - 1);
}

static uint32_t row_of(struct ts_launches *operators, int64_t external)
{
	const struct ts_device_event *found =
		external == TS_TRACE_NONE || !operators->n ? NULL : ts_launch_of(operators, (uint64_t)external);

	return found ? found->row : TS_NEST_NONE;
}

static enum ts_status by_operators(struct table *t, struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_trace_spans *s = &t->trace->rows.spans;
	struct ts_launches operators;
	struct ts_nest nest = {.in_operator = NULL};

	if (ts_operators_by_external(t->trace, arena, &operators, err) || (!operators.n && ts_nest(t->trace, arena, &nest, err)))
		return err->status;
	for (size_t i = 0; i < s->n; i++) {
		uint32_t number = s->kind[i] == TS_TRACE_KERNEL ? t->asked_of[s->name[i]] : 0;
		struct asked *a = number ? &t->asked[number - 1] : NULL;
		enum ts_kernel_category category;
		uint32_t operator;

		if (!a)
			continue;
		a->name = s->name[i];
		a->all_ns += (uint64_t)s->duration_ns[i];
		operator = nest.in_operator ? nest.in_operator[i] : row_of(&operators, s->external[i]);
		if (operator == TS_NEST_NONE)
			continue;
		category = of_operator(t, s->name[operator]);
		a->ns[category] += (uint64_t)s->duration_ns[i];
		a->operator[category] = s->name[operator];
	}
	ts_scratch_give(arena, operators.items);
	ts_nest_give(&nest, arena);
	return TS_OK;
}

static void decide(struct table *t, const struct asked *a)
{
	for (int i = 0; i < TS_KERNEL_CATEGORIES; i++)
		if (a->ns[i] > a->all_ns / 2 && ts_kernel_operator_counts(t->told[a->name], (enum ts_kernel_category)i))
			t->told[a->name] = (struct ts_kernel_told){(uint8_t)i, TS_KERNEL_BY_OPERATOR, t->trace->names[a->operator[i]]};
}

enum ts_status ts_kernel_table(struct ts_trace *io_trace, const struct ts_kernel_rules *rules, struct ts_arena *arena,
			       struct ts_error *err)
{
	size_t n = io_trace->n_names + 1;
	struct table t = {.trace = io_trace,
			  .told = ts_arena_array(arena, n, sizeof *t.told),
			  .asked_of = ts_arena_array(arena, n, sizeof *t.asked_of),
			  .of_operator = ts_arena_array(arena, n, 1)};

	TS_DOOR(ts_trace_holds(io_trace));
	if (!t.told || !t.asked_of || !t.of_operator)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++)
		t.told[i].category = TS_KERNEL_OTHER;
	if (by_names(&t, rules, arena, err) || (t.n_asked && by_operators(&t, arena, err)))
		return err->status;
	for (size_t i = 0; i < t.n_asked; i++)
		decide(&t, &t.asked[i]);
	io_trace->kernels = t.told;
	return TS_OK;
}

struct ts_kernel_told ts_kernel_told(const struct ts_trace *trace, uint32_t name)
{
	return trace->kernels ? trace->kernels[name] : ts_kernel_tell(trace->names[name]);
}
