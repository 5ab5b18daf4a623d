#include "analysis/policy.h"

#include "analysis/diverge/cuts.h"
#include "analysis/rules/rule.h"
#include "base/key_value.h"
#include "base/number.h"
#include "base/suggest.h"
#include "base/text.h"

#include <math.h>

/* The position in a policy's text. */
struct place {
	const char *file; /* NULL: the policy was not read from text */
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

/* --- sections: what may be set beside the rules --- */

/* A section holds settings that share a first word. */
struct section {
	const char *code;
	const char *noun;  /* what messages call one of its settings */
	const char *value; /* what messages call the value of a setting, where nothing else is known */
	/* Reports what is wrong with the name below the code; check_value does so for the value. */
	enum ts_status (*check_name)(const struct place *p, const struct ts_policy_item *item);
	enum ts_status (*check_value)(const struct place *p, const struct ts_policy_item *item);
	/* Reads the text after '='. NULL means that the value is a finite number. */
	enum ts_status (*read_value)(const struct place *p, struct ts_span text, struct ts_policy_item *item);
};

static enum ts_status cut_name(const struct place *p, const struct ts_policy_item *item)
{
	struct ts_shown typed = ts_show(item->threshold);
	size_t bound = ts_suggest_bound(typed.text), cut;
	struct ts_buf all = TS_BUF_INIT(TS_ERROR_TEXT);
	const char *near = NULL;
	enum ts_status status;

	if (ts_cut_find(item->threshold, &cut))
		return TS_OK;
	for (size_t i = 0; i < TS_CUTS; i++) {
		near = ts_suggest(typed.text, ts_cut_rows[i].name, near, &bound);
		ts_buf_printf(&all, "%s%s", i ? ", " : "", ts_cut_rows[i].name);
	}
	if (near)
		status = bad(p, "%s has no cut-off %s; did you mean %s?", TS_CUTS_CODE, typed.text, near);
	else
		status = bad(p, "%s has no cut-off %s; it has %.*s", TS_CUTS_CODE, typed.text, TS_SPAN_ARG(ts_buf_view(&all)));
	ts_buf_finish(&all);
	return status;
}

static enum ts_status cut_value(const struct place *p, const struct ts_policy_item *item)
{
	const struct ts_cut_row *row;
	size_t cut;

	if (!ts_cut_find(item->threshold, &cut))
		return cut_name(p, item);
	row = &ts_cut_rows[cut];
	if (item->text.len)
		return bad(p, "'%s' is not a finite number", ts_show(item->text).text);
	if (!isfinite(item->value))
		return bad(p, "%s.%s is not a finite number", TS_CUTS_CODE, row->name);
	if (row->whole && (item->value != floor(item->value) || item->value < row->least || item->value > TS_CUT_MOST))
		return bad(p, "%s.%s is a whole number from %g to %g, not %g", TS_CUTS_CODE, row->name, row->least, TS_CUT_MOST,
			   item->value);
	if (item->value < row->least)
		return bad(p, "%s.%s is at least %g, not %g", TS_CUTS_CODE, row->name, row->least, item->value);
	return TS_OK;
}

/* Reports the text of `why` as an error unless the value is good. */
static enum ts_status told(const struct place *p, bool good, struct ts_buf *why)
{
	enum ts_status status = TS_OK;

	if (!good)
		status = bad(p, "%.*s", TS_SPAN_ARG(ts_buf_view(why)));
	ts_buf_finish(why);
	return status;
}

static enum ts_status gate_name(const struct place *p, const struct ts_policy_item *item)
{
	struct ts_buf why = TS_BUF_INIT(TS_ERROR_TEXT);

	return told(p, ts_gate_setting_name(item->threshold, &why), &why);
}

static enum ts_status gate_value(const struct place *p, const struct ts_policy_item *item)
{
	struct ts_buf why = TS_BUF_INIT(TS_ERROR_TEXT);

	return told(p, ts_gate_setting_check(item, &why), &why);
}

static enum ts_status gate_read(const struct place *p, struct ts_span text, struct ts_policy_item *item)
{
	struct ts_buf why = TS_BUF_INIT(TS_ERROR_TEXT);

	return told(p, ts_gate_setting_read(text, item, &why), &why);
}

static enum ts_status retention_name(const struct place *p, const struct ts_policy_item *item)
{
	struct ts_buf why = TS_BUF_INIT(TS_ERROR_TEXT);

	return told(p, ts_retention_setting_name(item->threshold, &why), &why);
}

static enum ts_status retention_value(const struct place *p, const struct ts_policy_item *item)
{
	struct ts_buf why = TS_BUF_INIT(TS_ERROR_TEXT);

	return told(p, ts_retention_setting_check(item, &why), &why);
}

static enum ts_status retention_read(const struct place *p, struct ts_span text, struct ts_policy_item *item)
{
	struct ts_buf why = TS_BUF_INIT(TS_ERROR_TEXT);

	return told(p, ts_retention_setting_read(text, item, &why), &why);
}

static const struct section sections[] = {
	{TS_CUTS_CODE, "cut-off", "NUMBER", cut_name, cut_value, NULL},
	{TS_GATE_CODE, "setting", "VALUE", gate_name, gate_value, gate_read},
	{TS_RETENTION_CODE, "setting", "VALUE", retention_name, retention_value, retention_read},
};

enum { SECTIONS = sizeof sections / sizeof sections[0] };

static const struct section *section_of(struct ts_span code)
{
	for (size_t i = 0; i < SECTIONS; i++)
		if (ts_span_is(code, sections[i].code))
			return &sections[i];
	return NULL;
}

/* Returns the part of the key before the first dot. */
static struct ts_span first_word(struct ts_span key)
{
	const uint8_t *dot = key.len ? memchr(key.data, '.', key.len) : NULL;

	return dot ? ts_span_of(key.data, (size_t)(dot - key.data)) : key;
}

/* Returns the section whose name differs from a mistyped word by a letter or two, in lower or upper case. */
static const char *section_near(struct ts_span word)
{
	char typed[TS_SUGGEST_MAX + 1];
	const char *near = NULL;
	size_t n = 0, bound = 3;

	for (; n < word.len && n < TS_SUGGEST_MAX; n++)
		typed[n] = (char)(word.data[n] >= 'a' && word.data[n] <= 'z' ? word.data[n] - 'a' + 'A' : word.data[n]);
	typed[n] = '\0';
	for (size_t i = 0; i < SECTIONS; i++)
		near = ts_suggest(typed, sections[i].code, near, &bound);
	return near;
}

/* --- rules --- */

static enum ts_status no_rule(const struct place *p, struct ts_span code)
{
	const char *section = section_near(first_word(code)), *near = section ? section : ts_rule_near(code);

	if (near)
		return bad(p, "there is no rule %s; did you mean %s?", ts_show(code).text, near);
	return bad(p, "there is no rule %s; 'tscope explain' lists them", ts_show(code).text);
}

static enum ts_status no_threshold(const struct place *p, const struct ts_rule *rule, struct ts_span name)
{
	struct ts_buf all = TS_BUF_INIT(TS_ERROR_TEXT);
	enum ts_status status;

	for (const struct ts_threshold *t = rule->thresholds; t->name; t++)
		ts_buf_printf(&all, "%s%s", t == rule->thresholds ? "" : ", ", t->name);
	if (all.len == 0)
		status = bad(p, "rule %s has no threshold %s: it has none, it can only be off or on", rule->code,
			     ts_show(name).text);
	else
		status = bad(p, "rule %s has no threshold %s; it has %.*s", rule->code, ts_show(name).text,
			     TS_SPAN_ARG(ts_buf_view(&all)));
	ts_buf_finish(&all);
	return status;
}

static enum ts_status check_name(const struct place *p, const struct ts_policy_item *item)
{
	const struct section *section = section_of(item->code);
	const struct ts_rule *rule = section ? NULL : ts_rule_find(item->code);
	const struct ts_threshold *t;

	if (section && item->threshold.len)
		return section->check_name(p, item);
	if (section)
		return bad(p, "%s cannot be off or on; a %s is set as %s.NAME = %s", section->code, section->noun, section->code,
			   section->value);
	if (!rule)
		return no_rule(p, item->code);
	if (item->threshold.len == 0)
		return TS_OK;
	for (t = rule->thresholds; t->name && !ts_span_is(item->threshold, t->name); t++)
		;
	return t->name ? TS_OK : no_threshold(p, rule, item->threshold);
}

static enum ts_status item_check(const struct place *p, const struct ts_policy_item *item)
{
	const struct section *section = section_of(item->code);

	if (check_name(p, item))
		return p->err->status;
	if (section)
		return section->check_value(p, item);
	if (item->text.len)
		return bad(p, "'%s' is not a finite number", ts_show(item->text).text);
	if (item->threshold.len && !isfinite(item->value))
		return bad(p, "%.*s.%.*s is not a finite number", TS_SPAN_ARG(item->code),
			   TS_SPAN_ARG(item->threshold));
	return TS_OK;
}

/* --- lines --- */

/* Splits "TIMING.JITTER.min_cv" into the code and its threshold. A rule's code has exactly one dot, a section's has
 * none. */
static void key_split(struct ts_span key, struct ts_policy_item *item)
{
	size_t at = 0;

	item->code = first_word(key);
	if (section_of(item->code)) {
		if (item->code.len < key.len)
			item->threshold = ts_span_of(key.data + item->code.len + 1, key.len - item->code.len - 1);
		return;
	}
	item->code = key;
	for (int dots = 0; at < key.len; at++)
		if (key.data[at] == '.' && ++dots == 2)
			break;
	if (at == key.len)
		return;
	item->code = ts_span_of(key.data, at);
	item->threshold = ts_span_of(key.data + at + 1, key.len - at - 1);
}

/* Reports "off" or "on" given to a threshold or a setting, which takes a number. */
static enum ts_status no_switch(const struct place *p, const struct ts_policy_item *item)
{
	const struct section *section = section_of(item->code);

	if (section)
		return bad(p, "a %s cannot be off or on: %s.%s = NUMBER", section->noun, section->code,
			   ts_show(item->threshold).text);
	return bad(p, "a threshold cannot be off or on; a rule can: %s = %s", ts_show(item->code).text, item->off ? "off" : "on");
}

static enum ts_status line_parse(const struct place *p, struct ts_span line, struct ts_policy_item *item)
{
	const struct section *section;
	struct ts_span key, value;
	bool switches;

	if (!ts_key_value(line, &key, &value))
		return bad(p, "'%s' sets nothing: CODE.threshold = NUMBER, or CODE = off", ts_show(line).text);
	*item = (struct ts_policy_item){.off = ts_span_is(value, "off")};
	key_split(key, item);
	section = section_of(item->code);
	switches = item->off || ts_span_is(value, "on");
	if (key.len == 0)
		return bad(p, "there is no name before '='");
	if (item->threshold.data && item->threshold.len == 0)
		return bad(p, "there is no threshold after the last '.' of %s", ts_show(key).text);
	if (item->threshold.len == 0) {
		if (check_name(p, item))
			return p->err->status;
		if (!switches)
			return bad(p, "%s can be off or on, not '%s'; a threshold is set as %s.NAME = NUMBER",
				   ts_show(key).text, ts_show(value).text, ts_show(key).text);
		return TS_OK;
	}
	if (section && section->read_value)
		return section->read_value(p, value, item);
	/* A wrong name is the worse mistake, so it is reported first. */
	if (!switches && check_name(p, item))
		return p->err->status;
	if (switches)
		return no_switch(p, item);
	if (!ts_parse_double(value, &item->value) || !isfinite(item->value))
		return bad(p, "'%s' is not a finite number", ts_show(value).text);
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
	return ts_trim(line);
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

	for (size_t i = 0; i < policy->n; i++) {
		if (check_name(&p, &policy->items[i])) {
			if (err->status == TS_INVALID) /* a newer tscope has more names */
				err->status = TS_UNSUPPORTED;
			return err->status;
		}
		if (item_check(&p, &policy->items[i]))
			return err->status;
	}
	return TS_OK;
}

enum ts_status ts_policy_of_gate(const struct ts_policy *items, struct ts_arena *arena, struct ts_gate_policy *io_policy,
				 struct ts_error *err)
{
	if (ts_policy_check(items, err))
		return err->status;
	return ts_gate_policy_apply(items, arena, io_policy, err);
}

enum ts_status ts_policy_of_retention(const struct ts_policy *items, struct ts_arena *arena, struct ts_retention_policy *ret_policy,
				      struct ts_error *err)
{
	return ts_policy_check(items, err) ? err->status : ts_retention_policy_of(items, arena, ret_policy, err);
}

enum ts_status ts_policy_gate_parse(struct ts_span text, const char *name, struct ts_arena *arena,
				    struct ts_gate_policy *ret_policy, struct ts_error *err)
{
	struct ts_gate_policy policy;
	struct ts_policy items;

	ts_gate_policy_default(&policy);
	if (ts_policy_parse(text, name, arena, &items, err) || ts_policy_of_gate(&items, arena, &policy, err))
		return err->status;
	*ret_policy = policy;
	return TS_OK;
}
