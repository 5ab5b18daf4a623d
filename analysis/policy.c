#include "analysis/rule.h"

#include "base/number.h"
#include "base/suggest.h"
#include "base/text.h"

#include <math.h>

/* Where in a policy's text we are. */
struct place {
	const char *file; /* NULL: a policy that was not read from text */
	size_t line;
	struct ts_error *err;
};

static enum ts_status bad(const struct place *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

static enum ts_status bad(const struct place *p, const char *format, ...)
{
	struct ts_buf text = TS_BUF_INIT(TS_ERROR_TEXT);
	va_list args;

	va_start(args, format);
	ts_buf_vprintf(&text, format, args);
	va_end(args);
	if (text.failed && text.failed != TS_TOO_LARGE)
		(void)ts_error_set(p->err, TS_NO_MEMORY, "no memory for what is wrong with a policy");
	else if (p->file)
		(void)ts_error_set(p->err, TS_INVALID, "%s:%zu: %.*s", p->file, p->line, TS_SPAN_ARG(ts_buf_view(&text)));
	else
		(void)ts_error_set(p->err, TS_INVALID, "policy: %.*s", TS_SPAN_ARG(ts_buf_view(&text)));
	ts_buf_finish(&text);
	return p->err->status;
}

static struct ts_span trimmed(struct ts_span s)
{
	while (s.len && ts_is_space(s.data[0]))
		s = ts_span_of(s.data + 1, s.len - 1);
	while (s.len && ts_is_space(s.data[s.len - 1]))
		s.len--;
	return s;
}

/* Foreign words in messages are cut and made harmless. */
struct word {
	char text[80];
};

static struct word shown(struct ts_span s)
{
	struct word w;
	size_t at = 0, n = 0;

	while (at < s.len && n + TS_ESCAPE_TEXT + 4 < sizeof w.text)
		n += ts_escape_next(s, &at, w.text + n);
	if (at < s.len) {
		memcpy(w.text + n, "...", 3);
		n += 3;
	}
	w.text[n] = '\0';
	return w;
}

static enum ts_status no_rule(const struct place *p, struct ts_span code)
{
	const char *near = ts_rule_near(code);

	if (near)
		return bad(p, "there is no rule %s; did you mean %s?", shown(code).text, near);
	return bad(p, "there is no rule %s; 'tscope explain' lists them", shown(code).text);
}

static enum ts_status no_threshold(const struct place *p, const struct ts_rule *rule, struct ts_span name)
{
	struct ts_buf all = TS_BUF_INIT(TS_ERROR_TEXT);
	enum ts_status status;

	for (const struct ts_threshold *t = rule->thresholds; t->name; t++)
		ts_buf_printf(&all, "%s%s", t == rule->thresholds ? "" : ", ", t->name);
	if (all.len == 0)
		status = bad(p, "rule %s has no threshold %s: it has none, it can only be off or on", rule->code,
			     shown(name).text);
	else
		status = bad(p, "rule %s has no threshold %s; it has %.*s", rule->code, shown(name).text,
			     TS_SPAN_ARG(ts_buf_view(&all)));
	ts_buf_finish(&all);
	return status;
}

static enum ts_status item_check(const struct place *p, const struct ts_policy_item *item)
{
	const struct ts_rule *rule = ts_rule_find(item->code);
	const struct ts_threshold *t;

	if (!rule)
		return no_rule(p, item->code);
	if (item->threshold.len == 0)
		return TS_OK;
	for (t = rule->thresholds; t->name && !ts_span_is(item->threshold, t->name); t++)
		;
	if (!t->name)
		return no_threshold(p, rule, item->threshold);
	if (!isfinite(item->value))
		return bad(p, "%s.%s is no finite number", rule->code, t->name);
	return TS_OK;
}

/* "TIMING.JITTER.min_cv" is the code and its threshold; a rule's code has exactly one dot. */
static void key_split(struct ts_span key, struct ts_policy_item *item)
{
	size_t at = 0;

	item->code = key;
	for (int dots = 0; at < key.len; at++)
		if (key.data[at] == '.' && ++dots == 2)
			break;
	if (at == key.len)
		return;
	item->code = ts_span_of(key.data, at);
	item->threshold = ts_span_of(key.data + at + 1, key.len - at - 1);
}

static enum ts_status line_parse(const struct place *p, struct ts_span line, struct ts_policy_item *item)
{
	const uint8_t *equals = memchr(line.data, '=', line.len);
	struct ts_span key, value;
	bool switches;

	if (!equals)
		return bad(p, "'%s' sets nothing: CODE.threshold = NUMBER, or CODE = off", shown(line).text);
	key = trimmed(ts_span_of(line.data, (size_t)(equals - line.data)));
	value = trimmed(ts_span_of(equals + 1, (size_t)(line.data + line.len - (equals + 1))));
	*item = (struct ts_policy_item){.off = ts_span_is(value, "off")};
	key_split(key, item);
	switches = item->off || ts_span_is(value, "on");
	if (key.len == 0)
		return bad(p, "there is no name before '='");
	if (item->threshold.data && item->threshold.len == 0)
		return bad(p, "there is no threshold after the last '.' of %s", shown(key).text);
	if (item->threshold.len == 0) {
		if (!ts_rule_find(item->code))
			return no_rule(p, item->code);
		if (!switches)
			return bad(p, "%s can be off or on, not '%s'; a threshold is set as %s.NAME = NUMBER",
				   shown(key).text, shown(value).text, shown(key).text);
		return TS_OK;
	}
	if (switches)
		return bad(p, "a threshold cannot be off or on; a rule can: %s = %s", shown(item->code).text,
			   item->off ? "off" : "on");
	if (!ts_parse_double(value, &item->value) || !isfinite(item->value)) {
		/* A wrong name is the worse mistake: it is told first. */
		item->value = 0;
		if (item_check(p, item))
			return p->err->status;
		return bad(p, "'%s' is no finite number", shown(value).text);
	}
	return item_check(p, item);
}

static struct ts_span line_next(struct ts_span *rest)
{
	const uint8_t *end = rest->len ? memchr(rest->data, '\n', rest->len) : NULL;
	size_t len = end ? (size_t)(end - rest->data) : rest->len;
	struct ts_span line = ts_span_of(rest->data, len);
	const uint8_t *comment;

	*rest = ts_span_of(rest->data + len, rest->len - len);
	if (rest->len)
		*rest = ts_span_of(rest->data + 1, rest->len - 1);
	comment = line.len ? memchr(line.data, '#', line.len) : NULL;
	if (comment)
		line.len = (size_t)(comment - line.data);
	return trimmed(line);
}

enum ts_status ts_policy_parse(struct ts_span text, const char *name, struct ts_arena *arena, struct ts_policy *ret_policy,
			       struct ts_error *err)
{
	struct place p = {.file = name, .err = err};
	struct ts_policy policy = {.n = 0};
	struct ts_span rest = text;
	size_t settings = 0;

	while (rest.len)
		settings += line_next(&rest).len > 0;
	policy.items = ts_arena_array(arena, settings, sizeof *policy.items);
	if (!policy.items)
		return ts_arena_error(arena, err);
	for (rest = text; rest.len;) {
		struct ts_span line = line_next(&rest);

		p.line++;
		if (line.len == 0)
			continue;
		if (line_parse(&p, line, &policy.items[policy.n]))
			return err->status;
		policy.n++;
	}
	*ret_policy = policy;
	return TS_OK;
}

enum ts_status ts_policy_check(const struct ts_policy *policy, struct ts_error *err)
{
	struct place p = {.err = err};

	for (size_t i = 0; i < policy->n; i++)
		if (item_check(&p, &policy->items[i]))
			return err->status;
	return TS_OK;
}
