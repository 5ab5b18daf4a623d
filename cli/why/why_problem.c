#include "cli/why/why_problem.h"

#include "base/digest.h"
#include "base/text.h"
#include "cli/core/ask.h"
#include "cli/core/names.h"
#include "cli/view/show_value.h"
#include "cli/why/why_slots.h"
#include "cli/why/why_variables.h"
#include "ingest/host/environment.h"
#include "launch/git.h"
#include "run/head.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

enum { VALUE_MOST = 1 << 16, HERE_MOST = 200 };

/* How likely a fact is the cause, beside one that diff says nothing of: by whether its sentence, its experiments or its evidence name
 * it. */
#define WEIGHT_SENTENCE 6
#define WEIGHT_EXPERIMENT 3
#define WEIGHT_EVIDENCE 2
#define WEIGHT_CODE 2

/* --- from which step on --- */

/* Inputs of a step, by the last key of the column's name. What they differ in shows in effects, or has none. */
static bool is_input(struct ts_span name)
{
	static const char *const inputs[] = {"lr",	"learning_rate", "rng",	   "rng_pass", "batch",
					     "indices", "samples",	 "tokens", "epoch"};
	uint8_t room[TS_PATH_MAX];
	struct ts_span leaf = ts_column_leaf(name, room);

	for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++)
		if (ts_span_is(leaf, inputs[i]))
			return true;
	return ts_column_is_loss_scale(name);
}

int64_t ts_why_parts(const struct ts_diff *diff, int64_t stop)
{
	int64_t first = INT64_MAX;

	for (size_t i = 0; i < diff->n_series; i++) {
		const struct ts_series_row *row = &diff->series[i];

		if (row->state == TS_SERIES_PARTS && row->role == TS_ROLE_TRAJECTORY && row->first_step < stop &&
		    row->first_step < first && !is_input(row->name))
			first = row->first_step;
	}
	return first;
}

/* --- commits --- */

static bool git(const struct ts_why_problem *p, char said[TS_GIT_SAID], const char *const *words)
{
	return p->clone && ts_git(p->clone, words, said);
}

/* A name that git takes for nothing but a commit. */
static bool is_commit(struct ts_span text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!ts_is_digit(text.data[i]) && !(text.data[i] >= 'a' && text.data[i] <= 'f'))
			return false;
	return text.len == 40 || text.len == 64;
}

static const char *recorded_commit(struct ts_why_problem *p, size_t side)
{
	static const char *const paths[] = {"code.commit", "code.git_commit"};

	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
		const struct ts_fact *fact = ts_facts_find(&p->facts[side], ts_span_str(paths[i]));

		if (fact && fact->type == TS_FACT_TEXT && is_commit(fact->text))
			return ts_arena_printf(&p->cli->arena, "%.*s", TS_SPAN_ARG(fact->text));
	}
	return NULL;
}

static bool is_here(const struct ts_why_problem *p, const char *commit)
{
	char said[TS_GIT_SAID];
	const char *name = ts_arena_phrase(&p->cli->arena, "%s^{commit}", commit);

	return git(p, said, (const char *const[]){"cat-file", "-e", name, NULL});
}

static size_t count_between(const struct ts_why_problem *p, const char *from, const char *to)
{
	char said[TS_GIT_SAID];
	const char *range = ts_arena_phrase(&p->cli->arena, "%s..%s", from, to);

	if (!git(p, said, (const char *const[]){"merge-base", "--is-ancestor", from, to, NULL}) ||
	    !git(p, said, (const char *const[]){"rev-list", "--count", "--first-parent", range, NULL}))
		return 0;
	return strtoul(said, NULL, 10);
}

enum ts_status ts_why_commit(const struct ts_why_problem *p, size_t i, struct ts_arena *arena, const char **ret_commit,
			     struct ts_error *err)
{
	char said[TS_GIT_SAID];
	const char *range = ts_arena_phrase(arena, "%s..%s", p->commit[p->backwards], p->commit[!p->backwards]);
	/* rev-list begins with the newest. Backwards, the i-th on the way is the parent of the i-th from A. */
	const char *skip = ts_arena_phrase(arena, "--skip=%zu", p->backwards ? i - 1 : p->n_commits - i);
	bool found = git(p, said, (const char *const[]){"rev-list", "--first-parent", "--max-count=1", skip, range, NULL});

	if (found && p->backwards) {
		const char *parent = ts_arena_phrase(arena, "%s^1", said);

		found = git(p, said, (const char *const[]){"rev-parse", "--verify", parent, NULL});
	}
	if (!found || !is_commit(ts_span_str(said)))
		return ts_error_set(err, TS_NOT_FOUND, "git does not tell commit %zu of %zu between the two runs", i, p->n_commits);
	*ret_commit = ts_arena_printf(arena, "%s", said);
	return *ret_commit ? TS_OK : ts_arena_error(arena, err);
}

const char *ts_why_subject(const struct ts_why_problem *p, const char *commit, struct ts_arena *arena)
{
	char said[TS_GIT_SAID];

	if (!git(p, said, (const char *const[]){"log", "-1", "--format=%s", commit, NULL}))
		return "";
	return ts_arena_phrase(arena, "%s", said);
}

/* --- what differs --- */

static void fixed(struct ts_why_problem *p, struct ts_span path, const char *why)
{
	p->fixed[p->n_fixed++] = ts_span_str(ts_arena_phrase(&p->cli->arena, "%.*s: %s", TS_SPAN_ARG(path), why));
}

static double weight(const struct ts_why_problem *p, struct ts_span path)
{
	const struct ts_diagnosis *d = &p->diff.diagnosis;

	if (ts_span_has(d->sentence, path))
		return d->confidence >= TS_CONFIDENCE_MEDIUM ? WEIGHT_SENTENCE : WEIGHT_EXPERIMENT;
	for (size_t i = 0; i < d->n_experiments; i++)
		if (ts_span_has(d->experiments[i].what, path))
			return WEIGHT_EXPERIMENT;
	for (size_t i = 0; i < d->n_for; i++)
		if (ts_span_has(d->evidence_for[i], path))
			return WEIGHT_EVIDENCE;
	return 1;
}

static const char *text_of(struct ts_why_problem *p, const struct ts_fact *fact)
{
	struct ts_buf text = TS_BUF_INIT(VALUE_MOST);
	const char *made;

	if (!fact || fact->type == TS_FACT_LONG || fact->type == TS_FACT_ABSENT)
		return NULL;
	ts_fact_print(fact, &text);
	made = text.failed ? NULL : ts_arena_printf(&p->cli->arena, "%.*s", TS_SPAN_ARG(ts_buf_view(&text)));
	ts_buf_finish(&text);
	return made;
}

static void factor(struct ts_why_problem *p, enum ts_factor_kind kind, struct ts_span path, const char *variable, const char *a,
		   const char *b, double how_likely)
{
	if (p->n == TS_FACTORS_MOST) {
		fixed(p, path, "more facts differ than a search takes");
		return;
	}
	p->factors[p->n] = (struct ts_factor){path, kind, how_likely};
	p->values[p->n++] = (struct ts_why_value){path, variable, {a, b}, false};
}

/* The name of a recorded variable; NULL: the path is none's. */
static const char *variable_of(struct ts_why_problem *p, struct ts_span path)
{
	static const char *const prefixes[] = {"determinism.env.", "session.env."};

	for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
		if (ts_span_starts(path, ts_span_str(prefixes[i])) && path.len > strlen(prefixes[i])) {
			struct ts_span name = ts_span_from(path, strlen(prefixes[i]));

			for (size_t k = 0; k < name.len; k++)
				if (!ts_is_alnum(name.data[k]) && name.data[k] != '_')
					return NULL;
			return ts_arena_printf(&p->cli->arena, "%.*s", TS_SPAN_ARG(name));
		}
	return NULL;
}

static bool records_variables(const struct ts_facts *facts)
{
	for (size_t i = 0; i < facts->n; i++)
		if (ts_span_starts(facts->items[i].path, ts_span_str("determinism.env.")))
			return true;
	return false;
}

static void setting(struct ts_why_problem *p, const struct ts_fact_row *row)
{
	const char *a = text_of(p, row->a), *b = text_of(p, row->b);
	bool config = ts_span_starts(row->path, ts_span_str("config."));

	if (p->config_file && config)
		factor(p, TS_FACTOR_SETTING, row->path, NULL, a, b, weight(p, row->path));
	else if (!ts_why_has_slot(p->argv, row->path))
		fixed(p, row->path,
		      config ? "the command has no slot {config-file}, nor one of its name" : "the command has no slot of its name");
	else if (!a || !b)
		fixed(p, row->path, "one run has no value that could fill its slot");
	else
		factor(p, ts_span_starts(row->path, ts_span_str("data.")) ? TS_FACTOR_DATA : TS_FACTOR_SETTING, row->path, NULL, a, b,
		       weight(p, row->path));
}

/* Facts that follow from others, or of which no one expects an effect. */
static bool is_derived(struct ts_span path)
{
	static const char *const prefixes[] = {"session.", "columns.", "lineage.", "code.", "work.", "other."};

	for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
		if (ts_span_starts(path, ts_span_str(prefixes[i])))
			return true;
	return false;
}

static void add_code(struct ts_why_problem *p)
{
	bool patched = p->patch[0].len || p->patch[1].len;
	struct ts_span path = ts_span_str(patched ? "code.patch_sha256" : "code.commit");

	if (!p->commit[0] || !p->commit[1]) {
		if (p->commit[0] || p->commit[1])
			fixed(p, ts_span_str("code.commit"), "one run did not record it");
		return;
	}
	if (strcmp(p->commit[0], p->commit[1]) != 0) {
		for (size_t i = 0; i < 2; i++)
			if (!is_here(p, p->commit[i])) {
				fixed(p, ts_span_str("code.commit"),
				      p->clone ? "a commit is not in this clone; git fetch may bring it"
					       : "no clone of the code is here");
				return;
			}
		path = ts_span_str("code.commit");
		if (!patched) {
			p->n_commits = count_between(p, p->commit[0], p->commit[1]);
			p->backwards = !p->n_commits;
			if (p->backwards)
				p->n_commits = count_between(p, p->commit[1], p->commit[0]);
			p->backwards = p->backwards && p->n_commits;
		}
	} else if (ts_span_eq(p->patch[0], p->patch[1])) {
		return;
	}
	factor(p, TS_FACTOR_CODE, path, NULL, p->commit[0], p->commit[1], fmax(WEIGHT_CODE, weight(p, ts_span_str("code.commit"))));
}

static void add_facts(struct ts_why_problem *p)
{
	bool recorded[2] = {records_variables(&p->facts[0]), records_variables(&p->facts[1])};

	for (size_t i = 0; i < p->diff.n_facts; i++) {
		const struct ts_fact_row *row = &p->diff.facts[i];
		const char *variable = variable_of(p, row->path);

		if (row->rank != TS_RANK_JOB)
			continue;
		if (variable && ts_why_has_slot(p->argv, row->path))
			setting(p, row); /* who typed its slot said where it goes */
		else if (variable && !(ts_why_may_set(variable, text_of(p, row->a)) && ts_why_may_set(variable, text_of(p, row->b))))
			fixed(p, row->path, "a variable that may name code is not taken from a record; set it for both");
		else if (variable && (row->a || recorded[0]) && (row->b || recorded[1]))
			factor(p, TS_FACTOR_ENVIRONMENT, row->path, variable, text_of(p, row->a), text_of(p, row->b),
			       weight(p, row->path));
		else if (variable)
			fixed(p, row->path, "one run recorded no environment");
		else if (ts_why_has_slot(p->argv, row->path) || !is_derived(row->path))
			setting(p, row);
	}
}

/* Is the value of this variable among the facts of either run? */
static bool has_value(struct ts_why_problem *p, struct ts_span name)
{
	for (size_t side = 0; side < 2; side++)
		for (size_t k = 0; k < p->facts[side].n; k++) {
			const char *variable = variable_of(p, p->facts[side].items[k].path);

			if (variable && ts_span_is(name, variable))
				return true;
		}
	return false;
}

static struct ts_span recorded_text(const struct ts_why_problem *p, size_t side, const char *path)
{
	const struct ts_fact *fact = ts_facts_find(&p->facts[side], ts_span_str(path));

	return fact && (fact->type == TS_FACT_TEXT || fact->type == TS_FACT_LONG) ? fact->text : ts_span_of(NULL, 0);
}

/* The variables of this environment with their digests, where both runs were recorded under the key of this user; else empty. */
static struct ts_span digests_here(struct ts_why_problem *p, struct ts_buf *room)
{
	struct ts_environment_key key;
	struct ts_error ignored;

	if (!ts_environment_key(&key) || ts_environment_write(&key, &p->cli->arena, room, &ignored))
		return ts_span_of(NULL, 0);
	for (size_t side = 0; side < 2; side++)
		if (!ts_span_is(recorded_text(p, side, "session.environment_key"), key.id))
			return ts_span_of(NULL, 0);
	return ts_buf_view(room);
}

/* A variable that differs by its digests can be set on a side where it was not set, or where it has that digest here. */
static void add_by_digest(struct ts_why_problem *p, struct ts_span name, struct ts_span here)
{
	const char *variable = ts_arena_phrase(&p->cli->arena, "%.*s", TS_SPAN_ARG(name)), *side[2];
	struct ts_span path = ts_span_str(ts_arena_phrase(&p->cli->arena, "session.environment.%s", variable));
	size_t n = p->n;

	for (size_t i = 0; i < 2; i++) {
		struct ts_span digest = ts_why_digest_of(recorded_text(p, i, "session.environment"), name);

		side[i] = digest.len ? getenv(variable) : NULL;
		if (digest.len && !ts_span_eq(digest, ts_why_digest_of(here, name))) {
			fixed(p, path,
			      i ? "its value in B was not recorded, and is not here"
				: "its value in A was not recorded, and is not here");
			return;
		}
	}
	factor(p, TS_FACTOR_ENVIRONMENT, path, variable, side[0], side[1], WEIGHT_EVIDENCE);
	if (n < p->n)
		p->values[n].own = true;
}

static void add_digests(struct ts_why_problem *p, struct ts_span here)
{
	for (size_t i = 0; i < p->apart.n && here.len; i++)
		if (p->apart.items[i].part == TS_WHY_VARIABLE && !has_value(p, p->apart.items[i].name))
			add_by_digest(p, p->apart.items[i].name, here);
}

/* Is a variable as it was in A, or is it set as A and B had it? */
static bool is_settled(struct ts_why_problem *p, struct ts_span name, struct ts_span here)
{
	struct ts_span digest = ts_why_digest_of(here, name);

	for (size_t k = 0; k < p->n; k++)
		if (p->values[k].variable && ts_span_is(name, p->values[k].variable))
			return true;
	return has_value(p, name) ||
	       (digest.len && ts_span_eq(digest, ts_why_digest_of(recorded_text(p, 0, "session.environment"), name)));
}

/* Variables of this environment that no record knows, but for those that every session has. */
static void add_here(struct ts_why_problem *p, struct ts_span here)
{
	static const char *const everywhere[] = {"PATH",    "HOME",  "LANG",  "PWD",	"OLDPWD", "SHLVL",    "TERM",	 "USER",
						 "LOGNAME", "SHELL", "_",     "TMPDIR", "LC_*",	  "SSH_*",    "XDG_*",	 "TSCOPE_*",
						 "COLUMNS", "LINES", "PAGER", "EDITOR", "MAIL",	  "HOSTNAME", "DISPLAY", "TZ"};

	for (size_t i = 0, n = 0; environ && environ[i] && n < HERE_MOST; i++) {
		size_t len = strcspn(environ[i], "=");
		struct ts_span name = ts_span_of(environ[i], len);
		bool known = false;

		for (size_t k = 0; k < sizeof everywhere / sizeof everywhere[0]; k++)
			known |= ts_glob(ts_span_str(everywhere[k]), name);
		if (known || !len || is_settled(p, name, here))
			continue;
		factor(p, TS_FACTOR_HERE, ts_span_str(ts_arena_phrase(&p->cli->arena, "%.*s", TS_SPAN_ARG(name))),
		       ts_arena_phrase(&p->cli->arena, "%.*s", TS_SPAN_ARG(name)), NULL, NULL, 1);
		n++;
	}
}

/* --- both runs --- */

static enum ts_status read_side(struct ts_why_problem *p, size_t side, struct ts_span spec, struct ts_error *err)
{
	struct ts_get_reply run;
	struct ts_head head;
	const struct ts_fact *text, *dirty;

	if (ts_ask_get(p->cli->target.channel, spec, &p->cli->arena, &run, err) || ts_head_decode(run.head, &p->cli->arena, &head, err))
		return ts_error_prefix(err, "%s", p->words[side]);
	if (ts_why_record_load(p->cli, &head.facts, err))
		return ts_error_prefix(err, "%s", p->words[side]);
	p->facts[side] = head.facts;
	p->commit[side] = recorded_commit(p, side);
	dirty = ts_facts_find(&head.facts, ts_span_str("code.dirty"));
	text = ts_facts_find(&head.facts, ts_span_str("session.patch"));
	if (!dirty || dirty->type != TS_FACT_BOOL || !dirty->boolean)
		return TS_OK;
	if (text && text->type == TS_FACT_LONG)
		return ts_ask_long_text(p->cli->target.channel, text, &p->cli->arena, &p->patch[side], err);
	if (text && text->type == TS_FACT_TEXT)
		p->patch[side] = text->text;
	p->lost_patch[side] = !p->patch[side].len;
	return TS_OK;
}

/* A slot that is a path of a fact has a value in one run at least; other braces are the command's own. */
static enum ts_status check_slots(const struct ts_why_problem *p, struct ts_error *err)
{
	for (size_t i = 0; p->argv && p->argv[i]; i++) {
		struct ts_span name;
		enum ts_group group;

		for (size_t at = 0; ts_why_next_slot(p->argv[i], &at, &name);)
			if (memchr(name.data, '.', name.len) && ts_group_of(name, &group) && !ts_facts_find(&p->facts[0], name) &&
			    !ts_facts_find(&p->facts[1], name))
				return ts_error_set(err, TS_INVALID,
						    "neither run recorded %.*s, so the slot {%.*s} has no value: what the command was "
						    "given has to be in the record (tscope.start(config=...), or argparse)",
						    TS_SPAN_ARG(name), TS_SPAN_ARG(name));
	}
	return TS_OK;
}

static void make_search(struct ts_why_problem *p)
{
	p->search = (struct ts_search){.factors = p->factors,
				       .n = p->n,
				       .n_commits = p->n_commits,
				       .start = p->start,
				       .first = p->first,
				       .end = p->end,
				       .lost_patch = {p->lost_patch[0], p->lost_patch[1]},
				       .most_runs = TS_SEARCH_ANSWERS_MOST,
				       .most_steps = INT64_MAX};
}

enum ts_status ts_why_problem_of(struct ts_cli *cli, const char *const words[2], const char *const *argv, const char *clone,
				 struct ts_why_problem *ret_problem, struct ts_error *err)
{
	struct ts_why_problem *p = ret_problem;
	struct ts_diff_request request = {.plots = TS_PLOTS_NONE};
	struct ts_buf digests = TS_BUF_INIT(8 << 20);
	struct ts_span specs[2], here;

	*p = (struct ts_why_problem){.cli = cli, .words = {words[0], words[1]}, .argv = argv, .clone = clone};
	if (ts_cli_runs(cli, words, 2, specs, err))
		return err->status;
	request.a = specs[0];
	request.b = specs[1];
	if (ts_ask_diff(cli->target.channel, &request, &cli->arena, &p->diff, err) || read_side(p, 0, specs[0], err) ||
	    read_side(p, 1, specs[1], err))
		return err->status;
	ts_cli_call_run(cli, words[0], &p->diff.a);
	ts_cli_call_run(cli, words[1], &p->diff.b);
	p->start = p->diff.a.first_step > p->diff.b.first_step ? p->diff.a.first_step : p->diff.b.first_step;
	p->end = (p->diff.a.last_step < p->diff.b.last_step ? p->diff.a.last_step : p->diff.b.last_step) + 1;
	p->first = p->diff.a.steps && p->diff.b.steps ? ts_why_parts(&p->diff, p->end) : INT64_MAX;
	if (p->first == INT64_MAX)
		return ts_error_set(
			err, TS_INVALID,
			"%s and %s do not differ in what the training computed, at any step that both have: there is nothing to find",
			words[0], words[1]);
	if (check_slots(p, err))
		return err->status;
	if (ts_why_apart(&p->facts[0], &p->facts[1], &cli->arena, &p->apart, err))
		return err->status;
	p->fixed = ts_arena_array(&cli->arena, p->diff.n_facts + p->apart.n + TS_FACTORS_MOST, sizeof *p->fixed);
	if (!p->fixed)
		return ts_arena_error(&cli->arena, err);
	/* A plan without a command supposes one that can set every setting. */
	p->config_file = !argv || ts_why_has_slot(argv, ts_span_str("config-file"));
	add_facts(p);
	add_code(p);
	here = digests_here(p, &digests);
	add_digests(p, here);
	add_here(p, here);
	ts_digest(here, &p->environment);
	ts_buf_finish(&digests);
	make_search(p);
	return ts_arena_check(&cli->arena, err);
}
