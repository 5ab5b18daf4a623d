/* verb_compare.c - tscope compare: which settings an outcome goes with, over all runs that match, or which groups of them differ in it.
 * It asks for lists and facts alone, so that a server of any version that has these answers, too. */
#include "analysis/settings/comparison.h"
#include "base/grow.h"
#include "base/map.h"
#include "base/number.h"
#include "base/order.h"
#include "cli/core/ask.h"
#include "cli/core/list_pages.h"
#include "cli/json/json_parts.h"
#include "cli/text/text_comparison.h"
#include "cli/verbs/verbs.h"
#include "cli/view/show_value.h"
#include "cli/view/view.h"
#include "run/direction.h"
#include "run/head.h"
#include "run/score.h"

#include <math.h>

/* Settings are looked for in so many runs, spread over all; and at most so many are compared. */
enum { LOOKED_AT = 64, SETTINGS_MOST = 48 };

/* A path of the configuration, and what the first run that has it says. */
struct candidate {
	struct ts_span path;
	struct ts_fact first;
	bool differs;
};
TS_ORDER(by_path, struct candidate, TS_TEXT(path))

struct candidates {
	struct candidate *items;
	size_t n, cap;
};

struct comparing {
	struct ts_cli *cli;
	struct ts_list_request request;
	struct ts_listing list;
	struct ts_comparison answer;
	double *outcome; /* of the runs that have it */
	size_t *rows;	 /* in the list */
	size_t n;
};

/* "loss" is its best value where the name says what that is, else its last. */
static struct ts_span outcome_of(struct ts_cli *cli)
{
	struct ts_span word = ts_span_str(ts_cli_word(cli, 0));
	bool known = ts_direction_of(word) != TS_DIRECTION_UNKNOWN;

	if (memchr(word.data, '.', word.len) || word.len == 0)
		return word;
	return ts_span_str(ts_arena_phrase(&cli->arena, "%.*s.%s", TS_SPAN_ARG(word), known ? "best" : "last"));
}

static struct ts_span series_of(struct ts_span outcome)
{
	struct ts_span series;
	enum ts_stat stat;

	return ts_metric_split(outcome, &series, &stat) ? series : outcome;
}

/* -- which settings there are -- */

static bool is_setting(const struct ts_fact *fact)
{
	return ts_span_starts(fact->path, ts_span_str("config.")) &&
	       (fact->type == TS_FACT_BOOL || fact->type == TS_FACT_INT || fact->type == TS_FACT_FLOAT || fact->type == TS_FACT_TEXT);
}

static enum ts_status look_at(struct comparing *c, const struct ts_list_row *row, struct candidates *found, struct ts_error *err)
{
	struct ts_arena *arena = &c->cli->arena;
	char hex[TS_ID_HEX + 1];
	const char *spec = ts_arena_phrase(arena, "id:%s", ts_id_hex(&row->id, hex));
	struct ts_get_reply run;
	struct ts_head head;

	if (ts_ask_get(c->cli->target.channel, ts_span_str(spec), arena, &run, err) || ts_head_decode(run.head, arena, &head, err))
		return err->status;
	for (size_t i = 0; i < head.facts.n; i++) {
		const struct ts_fact *fact = &head.facts.items[i];
		size_t k = 0;

		if (!is_setting(fact) || !ts_fact_counts(&head.facts, i))
			continue;
		while (k < found->n && !ts_span_eq(found->items[k].path, fact->path))
			k++;
		if (k < found->n)
			found->items[k].differs |= !ts_fact_same(&found->items[k].first, fact);
		else if (TS_GROW_IN(arena, found->items, found->cap, found->n + 1, 64))
			found->items[found->n++] = (struct candidate){.path = fact->path, .first = *fact};
	}
	return ts_arena_check(arena, err);
}

/* Names the settings that differ among some of the runs, as columns. */
static enum ts_status find_settings(struct comparing *c, struct ts_span *columns, size_t *ret_n, struct ts_error *err)
{
	struct candidates found = {.n = 0};
	size_t many = c->n < LOOKED_AT ? c->n : LOOKED_AT, left_out = 0;

	for (size_t i = 0; i < many; i++)
		if (look_at(c, &c->list.rows[c->rows[i * c->n / many]], &found, err))
			return err->status;
	TS_SORT(found.items, found.n, by_path);
	*ret_n = 0;
	for (size_t i = 0; i < found.n; i++) {
		if (!found.items[i].differs)
			continue;
		if (*ret_n < SETTINGS_MOST)
			columns[(*ret_n)++] = found.items[i].path;
		else
			left_out++;
	}
	if (left_out)
		ts_cli_say(c->cli, "%zu more settings differ; --settings names those that matter", left_out);
	return TS_OK;
}

static enum ts_status named_settings(const char *text, struct ts_span *columns, size_t *ret_n, struct ts_error *err)
{
	for (*ret_n = 0; *text; text += *text == ',') {
		size_t len = strcspn(text, ",");

		if (len == 0)
			return ts_error_set(err, TS_INVALID, "a setting in --settings is empty");
		if (*ret_n == SETTINGS_MOST)
			return ts_error_set(err, TS_INVALID, "--settings takes at most %d settings", SETTINGS_MOST);
		columns[(*ret_n)++] = ts_span_of(text, len);
		text += len;
	}
	return *ret_n ? TS_OK : ts_error_set(err, TS_INVALID, "--settings is empty");
}

/* -- the runs -- */

static enum ts_status ask(struct comparing *c, struct ts_span *columns, size_t n, struct ts_error *err)
{
	c->list = (struct ts_listing){.columns = columns, .n_columns = n, .kind = TS_REF_RUN, .project = c->request.project};
	c->request.columns = columns;
	c->request.n_columns = n;
	if (ts_list_pages(c->cli, &c->request, NULL, UINT64_MAX, &c->list, err))
		return err->status;
	return TS_OK;
}

static bool number_of(const struct ts_list_cell *cell, double *ret)
{
	if (!cell->known)
		return false;
	*ret = cell->value.type == TS_FACT_INT ? (double)cell->value.integer : cell->value.real;
	if (cell->value.type == TS_FACT_NUMBER)
		return ts_parse_double(cell->value.text, ret);
	return cell->value.type == TS_FACT_INT || cell->value.type == TS_FACT_FLOAT;
}

/* Takes the outcome, the first column, of the runs that have one. */
static enum ts_status take_outcomes(struct comparing *c, struct ts_error *err)
{
	c->n = 0;
	c->outcome = ts_arena_array(&c->cli->arena, c->list.n, sizeof *c->outcome);
	c->rows = ts_arena_array(&c->cli->arena, c->list.n, sizeof *c->rows);
	if (!c->outcome || !c->rows)
		return ts_arena_error(&c->cli->arena, err);
	for (size_t i = 0; i < c->list.n; i++) {
		const struct ts_list_cell *cell = &c->list.rows[i].cells[0];
		double value;

		if (cell->known && !number_of(cell, &value))
			return ts_error_set(err, TS_INVALID, "%.*s of %.*s is no number", TS_SPAN_ARG(c->answer.outcome),
					    TS_SPAN_ARG(c->list.rows[i].name));
		if (!cell->known || !isfinite(value))
			continue;
		c->outcome[c->n] = value;
		c->rows[c->n++] = i;
	}
	c->answer.runs = c->n;
	c->answer.without = c->list.n - c->n;
	if (c->list.n == 0)
		return ts_error_set(err, TS_NOT_FOUND, "none of the runs matches%s",
				    ts_cli_word(c->cli, 1) ? "; to compare two runs, 'tscope diff A B'" : "");
	if (c->n == 0 && c->list.unscored < c->list.n)
		return ts_error_set(err, TS_NOT_FOUND, "none of the %zu runs that match has %.*s%s", c->list.n,
				    TS_SPAN_ARG(c->answer.outcome),
				    ts_cli_word(c->cli, 1) ? "; to compare two runs, 'tscope diff A B'"
							   : "; 'tscope show RUN' lists the series of a run");
	if (c->n == 0)
		return ts_error_set(err, TS_NOT_FOUND,
				    "the metrics of these %zu runs are not known, because an older tscope pushed them; 'tscope gc' "
				    "makes them",
				    c->list.n);
	return TS_OK;
}

static struct ts_span word_of(struct comparing *c, const struct ts_list_cell *cell)
{
	const char *text;

	if (cell->value.type == TS_FACT_TEXT)
		return cell->value.text;
	text = ts_show_fact(&cell->value, &c->cli->arena);
	return ts_span_str(text ? text : "");
}

/* -- settings -- */

/* Numbers where all values are numbers, else words, numbered as they come. */
static enum ts_status take_setting(struct comparing *c, size_t column, struct ts_setting_values *ret, struct ts_error *err)
{
	struct ts_arena *arena = &c->cli->arena;
	double *values = ts_arena_array(arena, c->n, sizeof *values);
	struct ts_span *words = ts_arena_array(arena, c->n, sizeof *words);
	struct ts_map by_word = {0};
	bool numbers = true;
	size_t n = 0;

	if (!values || !words || !ts_map_reserve_in(&by_word, arena, c->n))
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < c->n; i++) {
		const struct ts_list_cell *cell = &c->list.rows[c->rows[i]].cells[column];

		values[i] = NAN;
		numbers &= !cell->known || number_of(cell, &values[i]);
	}
	*ret = (struct ts_setting_values){.path = c->list.columns[column], .values = values};
	if (numbers)
		return TS_OK;
	for (size_t i = 0; i < c->n; i++) {
		const struct ts_list_cell *cell = &c->list.rows[c->rows[i]].cells[column];
		struct ts_span word = cell->known ? word_of(c, cell) : ts_span_of(NULL, 0);
		uint64_t hash = ts_hash_bytes(ts_hash_open, word);
		uint32_t at;

		values[i] = NAN;
		if (!cell->known)
			continue;
		TS_MAP_FIND(by_word, hash, k, ts_span_eq(words[k], word), at);
		if (at == TS_MAP_NONE) {
			at = (uint32_t)n;
			words[n++] = word;
			(void)ts_map_add(&by_word, hash, at); /* there is room */
		}
		values[i] = (double)at;
	}
	ret->words = words;
	ret->n_words = n;
	return ts_arena_check(arena, err);
}

static enum ts_status compare_settings(struct comparing *c, struct ts_error *err)
{
	const char *named = ts_args_text(&c->cli->args, "settings");
	struct ts_span *columns = ts_arena_array(&c->cli->arena, SETTINGS_MOST + 1, sizeof *columns);
	struct ts_setting_values *settings;
	size_t n = 0;

	if (!columns)
		return ts_arena_error(&c->cli->arena, err);
	columns[0] = c->answer.outcome;
	if (named ? named_settings(named, columns + 1, &n, err)
		  : ask(c, columns, 1, err) || take_outcomes(c, err) || find_settings(c, columns + 1, &n, err))
		return err->status;
	/* Once more, with the settings: in between a run may have come or gone, so both are of this list. */
	if (ask(c, columns, n + 1, err) || take_outcomes(c, err))
		return err->status;
	settings = ts_arena_array(&c->cli->arena, n, sizeof *settings);
	if (!settings)
		return ts_arena_error(&c->cli->arena, err);
	for (size_t i = 0; i < n; i++)
		if (take_setting(c, i + 1, &settings[i], err))
			return err->status;
	return ts_settings_compare(c->outcome, c->n, settings, n, &c->cli->arena, &c->answer, err);
}

/* -- groups -- */

struct member {
	struct ts_span group;
	double outcome;
};
TS_ORDER(by_group, struct member, TS_TEXT(group); TS_UP(outcome))

static enum ts_status compare_groups(struct comparing *c, const char *by, struct ts_error *err)
{
	struct ts_arena *arena = &c->cli->arena;
	struct ts_span columns[] = {c->answer.outcome, ts_span_str(by)};
	struct ts_group_values *groups;
	struct member *members;
	double *values;
	size_t n = 0;

	c->answer.by = columns[1];
	if (ask(c, columns, 2, err) || take_outcomes(c, err))
		return err->status;
	members = ts_arena_array(arena, c->n, sizeof *members);
	groups = ts_arena_array(arena, c->n, sizeof *groups);
	values = ts_arena_array(arena, c->n, sizeof *values);
	if (!members || !groups || !values)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < c->n; i++) {
		const struct ts_list_cell *cell = &c->list.rows[c->rows[i]].cells[1];

		members[i] = (struct member){cell->known ? word_of(c, cell) : ts_span_of(NULL, 0), c->outcome[i]};
	}
	TS_SORT(members, c->n, by_group);
	for (size_t i = 0; i < c->n; i++) {
		if (i == 0 || !ts_span_eq(members[i].group, members[i - 1].group))
			groups[n++] = (struct ts_group_values){.name = members[i].group, .values = values + i};
		values[i] = members[i].outcome;
		groups[n - 1].n++;
	}
	return ts_groups_compare(groups, n, arena, &c->answer, err);
}

enum ts_status ts_verb_compare(struct ts_cli *cli, struct ts_error *err)
{
	const char *filter = ts_cli_word(cli, 1), *by = ts_args_text(&cli->args, "by"), *project;
	struct comparing c = {.cli = cli, .request = {.kind = TS_REF_RUN, .filter = ts_span_str(filter ? filter : "")}};
	enum ts_direction direction;

	if (by && ts_args_has(&cli->args, "settings"))
		return ts_error_set(err, TS_INVALID, "compare: --by compares groups of runs, and no --settings");
	c.answer.outcome = outcome_of(cli);
	direction = ts_direction_of(series_of(c.answer.outcome));
	c.answer.down = direction != TS_DIRECTION_UP;
	c.answer.direction_known = direction != TS_DIRECTION_UNKNOWN;
	if (ts_arena_check(&cli->arena, err))
		return err->status;
	if (!ts_args_has(&cli->args, "all-projects")) {
		if (ts_cli_project(cli, &project, err))
			return err->status;
		c.request.project = ts_span_str(project);
	}
	if (ts_cli_open(cli, TS_USE_READ, err) || (by ? compare_groups(&c, by, err) : compare_settings(&c, err)) ||
	    ts_comparison_say(&c.answer, &cli->arena, err))
		return ts_error_prefix(err, "compare");
	if (c.list.unscored)
		ts_cli_say(cli,
			   "the metrics of %s of these runs are not known, because an older tscope pushed them; 'tscope gc' makes "
			   "them",
			   ts_show_count(c.list.unscored, &cli->arena));
	return cli->json ? ts_json_answer(cli, &ts_shape_comparison, &c.answer, err) : ts_render_comparison_text(cli, &c.answer, err);
}
