/* verb_explain.c - tscope explain: the rules behind findings, from their table. */
#include "analysis/answer/say.h"
#include "analysis/rules/playbook.h"
#include "analysis/rules/rule.h"
#include "base/text.h"
#include "cli/core/context.h"
#include "cli/text/text_parts.h"
#include "cli/verbs/verbs.h"
#include "cli/view/view.h"

#include <stdio.h>

static enum ts_status find(struct ts_cli *cli, const struct ts_rule **ret_rule, struct ts_error *err)
{
	const char *word = ts_cli_word(cli, 0), *near;

	*ret_rule = NULL;
	if (!word)
		return TS_OK;
	*ret_rule = ts_rule_find(ts_span_str(word));
	if (*ret_rule)
		return TS_OK;
	near = ts_rule_near(ts_span_str(word));
	if (near)
		return ts_error_set(err, TS_NOT_FOUND, "there is no rule '%s'; did you mean '%s'?", word, near);
	return ts_error_set(err, TS_NOT_FOUND, "there is no rule '%s'; 'tscope explain' lists the rules", word);
}

/* Shows the number as a policy file takes it, and also as people read it if that is another text. */
static const char *value_text(struct ts_cli *cli, const struct ts_threshold *t)
{
	struct ts_say plain, said = ts_say_value(t->value, t->unit);

	(void)snprintf(plain.text, sizeof plain.text, "%.15g", t->value);
	if (t->unit != TS_UNIT_RATIO && t->unit != TS_UNIT_BYTES && t->unit != TS_UNIT_SECONDS)
		return ts_arena_printf(&cli->arena, "%s", plain.text);
	return ts_arena_printf(&cli->arena, "%s (%s)", plain.text, said.text);
}

static void json_rule(struct ts_json *j, const struct ts_rule *rule)
{
	const char *const texts[][2] = {{"code", rule->code},	    {"title", rule->title},   {"severity", rule->severity},
					{"trigger", rule->trigger}, {"advice", rule->advice}, {"source", rule->source}};

	ts_json_object(j);
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		ts_json_key(j, texts[i][0]);
		ts_json_string(j, texts[i][1]);
	}
	ts_json_key(j, "thresholds");
	ts_json_array(j);
	for (const struct ts_threshold *t = rule->thresholds; t->name; t++) {
		const char *suffix = ts_unit_suffix(t->unit);

		ts_json_object(j);
		ts_json_key(j, "name");
		ts_json_string(j, t->name);
		ts_json_key(j, "default");
		ts_json_double(j, t->value);
		ts_json_key(j, "unit");
		ts_json_string(j, *suffix ? suffix + 1 : NULL);
		ts_json_key(j, "meaning");
		ts_json_string(j, t->what);
		ts_json_end(j);
	}
	ts_json_end(j);
	ts_json_end(j);
}

static void json(struct ts_cli *cli, const struct ts_rule *rule)
{
	struct ts_json writer = ts_cli_json(cli), *j = &writer;

	ts_json_object(j);
	ts_json_key(j, "rules");
	ts_json_array(j);
	for (size_t i = 0; i < ts_rules_n; i++)
		if (!rule || rule == &ts_rules[i])
			json_rule(j, &ts_rules[i]);
	ts_json_end(j);
	ts_json_end(j);
	ts_cli_json_end(cli, j);
}

static bool in_word(char c)
{
	return c == '_' || ts_is_alpha((unsigned char)c);
}

/* Returns whether the text has this word by itself: "below" does not contain "low", and "high_share" does not contain
 * "high". */
static bool says(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
		if ((at == text || !in_word(at[-1])) && !in_word(at[n]))
			return true;
	return false;
}

/* Lists the severities that a rule may have, worst first: "high, medium". */
static const char *severities(struct ts_cli *cli, const struct ts_rule *rule)
{
	const char *text = "";

	for (int s = TS_SEVERITY_HIGH; text && s >= TS_SEVERITY_LOW; s--) {
		const char *word = ts_severity_word((enum ts_severity)s);

		if (says(rule->severity, word))
			text = ts_arena_printf(&cli->arena, "%s%s%s", text, *text ? ", " : "", word);
	}
	return text;
}

static enum ts_status list(struct ts_cli *cli, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {TS_LEFT("code", 0), TS_LEFT("severity", 0), TS_LEFT("fires when", 20)};
	struct ts_view view;

	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	for (size_t i = 0; i < ts_rules_n; i++) {
		ts_view_row(&view, NULL);
		ts_view_set(&view, "code", TS_STYLE_BOLD, ts_rules[i].code);
		ts_view_set(&view, "severity", TS_STYLE_PLAIN, severities(cli, &ts_rules[i]));
		ts_view_set(&view, "fires when", TS_STYLE_PLAIN, ts_rules[i].trigger);
	}
	return ts_view_print(&view, &cli->term, 0, &cli->out, err);
}

static void paragraph(struct ts_cli *cli, const char *heading, const char *text, const char *end)
{
	const char *whole = ts_arena_printf(&cli->arena, "%s%s", text, end);

	ts_text_heading(cli, heading);
	ts_wrap(&cli->out, whole ? whole : text, cli->term.width, 2);
}

static void one(struct ts_cli *cli, const struct ts_rule *rule)
{
	const struct ts_threshold *first = rule->thresholds;

	ts_styled(&cli->out, &cli->term, TS_STYLE_BOLD, rule->code);
	ts_buf_printf(&cli->out, "\n%s.\n", rule->title);
	paragraph(cli, "Fires when", rule->trigger, ".");
	paragraph(cli, "Severity", rule->severity, ".");
	paragraph(cli, "What to try", rule->advice, "");
	paragraph(cli, "Source", rule->source, ".");
	paragraph(cli, "Thresholds", first->name ? "" : "This rule has no thresholds", first->name ? "" : ".");
	for (const struct ts_threshold *t = first; t->name; t++) {
		const char *value = value_text(cli, t);

		ts_buf_printf(&cli->out, "  %s = %s\n", t->name, value ? value : "");
		ts_wrap(&cli->out, t->what, cli->term.width, 6);
	}
	ts_text_heading(cli, "In a policy file");
	if (first->name)
		ts_buf_printf(&cli->out, "  %s.%s = %.15g\n", rule->code, first->name, first->value);
	ts_buf_printf(&cli->out, "  %s = off\n", rule->code);
}

enum ts_status ts_verb_explain(struct ts_cli *cli, struct ts_error *err)
{
	const struct ts_rule *rule;
	enum ts_status status = find(cli, &rule, err);

	if (status)
		return status;
	if (ts_args_has(&cli->args, "playbook")) {
		if (rule || cli->json || ts_args_has(&cli->args, "markdown"))
			return ts_error_set(err, TS_INVALID, "explain: --playbook stands alone");
		ts_playbook_markdown(&cli->out);
		return TS_OK;
	}
	if (ts_args_has(&cli->args, "markdown")) {
		if (rule || cli->json)
			return ts_error_set(err, TS_INVALID, "explain: --markdown and --json cannot be combined");
		ts_rules_markdown(&cli->out);
		return TS_OK;
	}
	if (cli->json) {
		json(cli, rule);
		return TS_OK;
	}
	if (!rule)
		return list(cli, err);
	one(cli, rule);
	return TS_OK;
}
