#include "analysis/retention/retention_policy.h"

#include "base/number.h"
#include "base/text.h"

enum { LAST_MOST = 1000000, SECONDS_MOST = 315360000 /* ten years */, PATTERN_MOST = 256, TEXT_MOST = 1024, NOTE_KEY_MOST = 64 };

static bool is_rule(struct ts_span name)
{
	return ts_span_is(name, "branch") || ts_span_is(name, "runs");
}

bool ts_retention_setting_name(struct ts_span name, struct ts_buf *why)
{
	if (is_rule(name) || ts_span_is(name, "notes"))
		return true;
	ts_buf_printf(why, "%s has no setting %s; it has branch, runs, notes", TS_RETENTION_CODE, ts_show(name).text);
	return false;
}

/* Takes the text up to the next separator off the front, trimmed. */
static struct ts_span next_part(struct ts_span *io_rest, char separator)
{
	const uint8_t *end = io_rest->len ? memchr(io_rest->data, separator, io_rest->len) : NULL;
	size_t n = end ? (size_t)(end - io_rest->data) : io_rest->len;
	struct ts_span part = ts_span_of(io_rest->data, n);

	n += end != NULL;
	*io_rest = ts_span_of(io_rest->data + n, io_rest->len - n);
	return ts_trim(part);
}

static bool parse_age(struct ts_span text, int64_t *ret_ns)
{
	static const struct { char letter; uint64_t seconds; } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
	uint64_t value, unit = 0;

	if (text.len < 2)
		return false;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (text.data[text.len - 1] == (uint8_t)units[i].letter)
			unit = units[i].seconds;
	text.len--;
	if (!unit || !ts_parse_u64(text, &value) || value == 0 || value > SECONDS_MOST / unit)
		return false;
	*ret_ns = (int64_t)(value * unit) * 1000000000;
	return true;
}

/* Reads "last 200", "younger 90d" or "all". */
static bool parse_keep(struct ts_span part, struct ts_retention_rule *rule, struct ts_buf *why)
{
	struct ts_span rest = part, word = next_part(&rest, ' '), value = ts_trim(rest);

	if (ts_span_is(part, "all") && !rule->all) {
		rule->all = true;
		return true;
	}
	if (ts_span_is(word, "last") && !rule->last && ts_parse_u64(value, &rule->last) && rule->last > 0 && rule->last <= LAST_MOST)
		return true;
	if (ts_span_is(word, "younger") && !rule->younger_ns && parse_age(value, &rule->younger_ns))
		return true;
	ts_buf_printf(why, "'%s' does not say what stays: last N (1 to %d), younger TIME (such as 90d; s, m, h or d, at most ten "
			   "years), each once, or all",
		      ts_show(part).text, LAST_MOST);
	return false;
}

static bool parse_rule(struct ts_span name, struct ts_span text, struct ts_retention_rule *ret, struct ts_buf *why)
{
	struct ts_span rest = text;
	struct ts_retention_rule rule = {.branch = ts_span_is(name, "branch"), .pattern = next_part(&rest, ':')};

	rule.text = ts_trim(rest);
	if (rule.pattern.len == 0 || rule.text.len == 0 || rule.pattern.len > PATTERN_MOST || text.len > TEXT_MOST) {
		ts_buf_printf(why, "'%s' is no rule: PATTERN: last N, younger TIME", ts_show(text).text);
		return false;
	}
	rest = rule.text;
	do {
		if (!parse_keep(next_part(&rest, ','), &rule, why))
			return false;
	} while (rest.len);
	if (rule.all && (rule.last || rule.younger_ns)) {
		ts_buf_printf(why, "'%s' says all, and less than all", ts_show(rule.text).text);
		return false;
	}
	*ret = rule;
	return true;
}

static bool is_note_key(struct ts_span key)
{
	for (size_t i = 0; i < key.len; i++) {
		uint8_t c = key.data[i];

		if (!ts_is_digit(c) && !(c >= 'a' && c <= 'z') && c != '_' && c != '.' && c != '-')
			return false;
	}
	return key.len > 0 && key.len <= NOTE_KEY_MOST;
}

static bool parse_notes(struct ts_span text, struct ts_retention_policy *policy, struct ts_buf *why)
{
	struct ts_span rest = text;

	policy->n_notes = 0;
	if (ts_span_is(text, "none"))
		return true;
	do {
		struct ts_span key = next_part(&rest, ',');

		if (!is_note_key(key)) {
			ts_buf_printf(why, "'%s' is not the key of a note (a-z, 0-9, _.-); 'none' names none", ts_show(key).text);
			return false;
		}
		if (policy->n_notes == TS_RETENTION_NOTES_MAX) {
			ts_buf_printf(why, "more than %d keys of notes", TS_RETENTION_NOTES_MAX);
			return false;
		}
		policy->notes[policy->n_notes++] = key;
	} while (rest.len);
	return true;
}

bool ts_retention_setting_check(const struct ts_policy_item *item, struct ts_buf *why)
{
	struct ts_retention_policy policy;
	struct ts_retention_rule rule;

	if (is_rule(item->threshold))
		return parse_rule(item->threshold, item->text, &rule, why);
	if (ts_span_is(item->threshold, "notes"))
		return parse_notes(item->text, &policy, why);
	return ts_retention_setting_name(item->threshold, why);
}

bool ts_retention_setting_read(struct ts_span text, struct ts_policy_item *item, struct ts_buf *why)
{
	if (!ts_retention_setting_name(item->threshold, why))
		return false;
	item->text = text;
	item->off = false;
	return ts_retention_setting_check(item, why);
}

enum ts_status ts_retention_policy_of(const struct ts_policy *items, struct ts_arena *arena, struct ts_retention_policy *ret_policy,
				      struct ts_error *err)
{
	struct ts_retention_policy policy = {.notes = {ts_span_str("accepted")}, .n_notes = 1};
	struct ts_buf why = TS_BUF_INIT(TS_ERROR_TEXT);
	bool good = true;

	policy.rules = ts_arena_array(arena, items->n, sizeof *policy.rules);
	if (!policy.rules)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < items->n && good; i++) {
		const struct ts_policy_item *item = &items->items[i];

		if (!ts_span_is(item->code, TS_RETENTION_CODE))
			continue;
		if (is_rule(item->threshold))
			good = parse_rule(item->threshold, item->text, &policy.rules[policy.n_rules++], &why);
		else
			good = parse_notes(item->text, &policy, &why);
	}
	if (!good)
		(void)ts_error_set(err, TS_INVALID, "%.*s", TS_SPAN_ARG(ts_buf_view(&why)));
	else if (policy.n_rules == 0)
		(void)ts_error_set(err, TS_INVALID,
				   "the policy has no rule of retention, such as %s.branch = */main: last 200, younger 90d",
				   TS_RETENTION_CODE);
	else
		*ret_policy = policy;
	ts_buf_finish(&why);
	return good && policy.n_rules ? TS_OK : err->status;
}
