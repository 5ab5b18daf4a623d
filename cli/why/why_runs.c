#include "cli/why/why_runs.h"

#include "analysis/stats/m4.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/text.h"
#include "cli/core/ask.h"
#include "cli/core/names.h"
#include "cli/text/show_ops.h"
#include "cli/view/show_value.h"
#include "cli/why/why_record.h"
#include "cli/why/why_slots.h"
#include "cli/why/why_variables.h"
#include "run/head.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DIFF_ARENA = 256 << 20, NAMES_SHOWN = 4 };

/* --- what a run is made of --- */

/* The value that a factor has in this run; NULL: none. */
static const char *value_of(const struct ts_why_problem *p, const struct ts_trial *trial, size_t i)
{
	return p->values[i].side[ts_factor_in(&trial->from_b, i)];
}

static size_t code_of(const struct ts_why_problem *p)
{
	size_t i = 0;

	while (i < p->n && p->factors[i].kind != TS_FACTOR_CODE)
		i++;
	return i;
}

static bool has_code_of_b(const struct ts_why_problem *p, const struct ts_trial *trial)
{
	size_t code = code_of(p);

	return code < p->n && ts_factor_in(&trial->from_b, code);
}

static enum ts_status commit_of(const struct ts_why_problem *p, const struct ts_trial *trial, struct ts_arena *arena,
				const char **ret_commit, struct ts_error *err)
{
	bool b = has_code_of_b(p, trial);

	if (trial->commit)
		return ts_why_commit(p, trial->commit, arena, ret_commit, err);
	*ret_commit = p->commit[b] ? p->commit[b] : p->commit[!b];
	if (!*ret_commit)
		return ts_error_set(err, TS_INVALID, "neither run recorded the commit of its code");
	return TS_OK;
}

const char *ts_why_trial_text(const struct ts_why_problem *p, const struct ts_trial *trial, struct ts_arena *arena)
{
	size_t in = 0, all = 0, shown = 0, here = 0;
	struct ts_buf text = TS_BUF_INIT(1 << 16);
	const char *said;
	bool back;

	for (size_t i = 0; i < p->n; i++) {
		bool has = ts_factor_in(&trial->from_b, i);

		all += p->factors[i].kind != TS_FACTOR_HERE;
		in += has && p->factors[i].kind != TS_FACTOR_HERE;
		here += has && p->factors[i].kind == TS_FACTOR_HERE;
	}
	/* The shorter list is said: what it has of B, or what of A. */
	back = in * 2 > all;
	ts_buf_str(&text, !all ? "A, whose recipe B has, too" : in == all ? "B" : back ? "B with A's " : in ? "A with B's " : "A");
	for (size_t i = 0; i < p->n; i++) {
		if (p->factors[i].kind == TS_FACTOR_HERE || ts_factor_in(&trial->from_b, i) == back || in == all || !in)
			continue;
		if (shown < NAMES_SHOWN)
			ts_buf_printf(&text, "%s%.*s", shown ? ", " : "", TS_SPAN_ARG(p->values[i].path));
		shown++;
	}
	if (shown > NAMES_SHOWN)
		ts_buf_printf(&text, " and %zu more", shown - NAMES_SHOWN);
	if (here)
		ts_buf_printf(&text, ", without %zu of the variables of this environment", here);
	if (trial->commit)
		ts_buf_printf(&text, ", at commit %zu of %zu", trial->commit, p->n_commits);
	if (trial->deterministic)
		ts_buf_str(&text, ", deterministic");
	said = text.failed ? "" : ts_arena_phrase(arena, "%.*s", TS_SPAN_ARG(ts_buf_view(&text)));
	ts_buf_finish(&text);
	return said;
}

/* All that makes a run another one, as text. */
static enum ts_status key_of(const struct ts_why_runs *r, const struct ts_trial *trial, const char *commit, bool operations,
			     char ret_key[TS_KEPT_RUN_KEY + 1], struct ts_error *err)
{
	const struct ts_why_problem *p = r->problem;
	struct ts_buf key = TS_BUF_INIT(TS_KEPT_RUN_KEY_TEXT);
	char hex[TS_ID_HEX + 1];

	ts_buf_printf(&key, "%s\n", ts_id_hex(&p->diff.a.id, hex));
	ts_buf_printf(&key, "%s\n", ts_id_hex(&p->environment, hex));
	ts_buf_printf(&key, "%s\n%s %d %" PRId64 " %u\n", ts_id_hex(&p->diff.b.id, hex), commit, trial->deterministic, trial->stop,
		      trial->repeat);
	ts_kept_run_words(&key, "", p->argv);
	ts_kept_run_words(&key, "by ", p->launcher);
	for (size_t i = 0; i < p->n; i++)
		if (ts_factor_in(&trial->from_b, i))
			ts_buf_printf(&key, "%.*s\n", TS_SPAN_ARG(p->values[i].path));
	if (operations)
		ts_buf_str(&key, "operations\n");
	return ts_kept_run_key(&key, ret_key, err);
}

/* The recorded settings of A with those of the factors from their sides. */
static enum ts_status config_file(const struct ts_why_problem *p, const struct ts_trial *trial, const char *path,
				  struct ts_arena *arena, struct ts_error *err)
{
	struct ts_facts facts = {0};
	struct ts_buf text = TS_BUF_INIT(64 << 20);
	enum ts_status status = TS_OK;

	for (size_t side = 0; side < 2 && !status; side++)
		for (size_t i = 0; i < p->facts[side].n && !status; i++) {
			const struct ts_fact *fact = &p->facts[side].items[i];
			bool from_b = false;

			for (size_t k = 0; k < p->n; k++)
				from_b |= ts_span_eq(p->values[k].path, fact->path) && ts_factor_in(&trial->from_b, k);
			if (ts_span_starts(fact->path, ts_span_str("config.")) && ts_fact_counts(&p->facts[side], i) &&
			    from_b == (side == 1))
				status = ts_facts_add(&facts, fact, arena, err);
		}
	if (!status) {
		ts_facts_sort(&facts);
		status = ts_why_config(&facts, &text, arena, err);
	}
	if (!status && text.failed)
		status = ts_error_set(err, TS_NO_MEMORY, "out of memory for the configuration");
	if (!status)
		status = ts_file_replace(path, ts_buf_view(&text), 0600, err);
	ts_buf_finish(&text);
	return status;
}

static enum ts_status slots(const struct ts_why_problem *p, const struct ts_trial *trial, const char *config, struct ts_arena *arena,
			    struct ts_recipe *recipe, struct ts_error *err)
{
	size_t n = 0, cap = 0;
	struct ts_recipe_pair *pairs = NULL;

	for (size_t i = 0; p->argv[i]; i++) {
		struct ts_span name;

		for (size_t at = 0; ts_why_next_slot(p->argv[i], &at, &name);) {
			const char *value = NULL;
			const struct ts_fact *fact = ts_facts_find(&p->facts[0], name);
			struct ts_buf text = TS_BUF_INIT(1 << 16);
			bool known = false;

			for (size_t k = 0; k < p->n; k++)
				if (ts_span_eq(p->values[k].path, name)) {
					value = value_of(p, trial, k);
					known = true;
				}
			if (ts_span_is(name, "config-file"))
				value = config;
			else if (!known && fact) {
				ts_fact_print(fact, &text);
				value = text.failed ? NULL : ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(ts_buf_view(&text)));
			}
			ts_buf_finish(&text);
			if (!value && (known || fact))
				return ts_error_set(err, TS_INVALID, "there is no value for the slot {%.*s}", TS_SPAN_ARG(name));
			if (!value) /* braces of the command itself */
				continue;
			/* A value stands for no option of the program. */
			if (p->argv[i][0] == '{' && value[0] == '-' && !ts_is_digit((uint8_t)value[1]) && value[1] != '.')
				return ts_error_set(
					err, TS_INVALID,
					"the value of {%.*s} begins with '-' as an option does; write the option before it, "
					"as --name={%.*s}",
					TS_SPAN_ARG(name), TS_SPAN_ARG(name));
			if (!TS_GROW_IN(arena, pairs, cap, n + 1, 16))
				return ts_arena_error(arena, err);
			pairs[n++] = (struct ts_recipe_pair){ts_arena_phrase(arena, "%.*s", TS_SPAN_ARG(name)), value};
		}
	}
	recipe->slots = pairs;
	recipe->n_slots = n;
	return TS_OK;
}

/* What has kernels be deterministic that a variable can say; the recorder asks the framework for the rest. */
static const struct ts_recipe_pair deterministic[] = {
	{"TSCOPE_DETERMINISTIC", "1"}, {"CUBLAS_WORKSPACE_CONFIG", ":4096:8"}, {"OMP_NUM_THREADS", "1"}, {"MKL_NUM_THREADS", "1"},
	{"PYTHONHASHSEED", "0"},
};
enum { DETERMINISTIC = sizeof deterministic / sizeof deterministic[0] };

/* The variables that A recorded, those that differ from their sides, and without those of here that the trial takes away. */
static enum ts_status variables(const struct ts_why_problem *p, const struct ts_trial *trial, struct ts_arena *arena,
				struct ts_recipe *recipe, struct ts_error *err)
{
	static const char *const prefixes[] = {"determinism.env.", "session.env."};
	struct ts_recipe_pair *pairs = ts_arena_array(arena, p->facts[0].n + p->n + DETERMINISTIC, sizeof *pairs);
	size_t n = 0;

	if (!pairs)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < p->facts[0].n; i++)
		for (size_t k = 0; k < sizeof prefixes / sizeof prefixes[0]; k++) {
			const struct ts_fact *fact = &p->facts[0].items[i];
			const char *name, *value;
			bool factor = false;

			for (size_t m = 0; m < p->n; m++)
				factor |= ts_span_eq(p->values[m].path, fact->path);
			if (factor || fact->type != TS_FACT_TEXT || !ts_span_starts(fact->path, ts_span_str(prefixes[k])))
				continue;
			name = ts_arena_phrase(arena, "%.*s", TS_SPAN_ARG(ts_span_from(fact->path, strlen(prefixes[k]))));
			value = ts_arena_phrase(arena, "%.*s", TS_SPAN_ARG(fact->text));
			if (ts_why_may_set(name, value))
				pairs[n++] = (struct ts_recipe_pair){name, value};
		}
	for (size_t i = 0; i < p->n; i++)
		if (p->factors[i].kind == TS_FACTOR_ENVIRONMENT ||
		    (p->factors[i].kind == TS_FACTOR_HERE && ts_factor_in(&trial->from_b, i)))
			pairs[n++] = (struct ts_recipe_pair){p->values[i].variable, value_of(p, trial, i)};
	for (size_t i = 0; i < DETERMINISTIC && trial->deterministic; i++)
		pairs[n++] = deterministic[i];
	recipe->variables = pairs;
	recipe->n_variables = n;
	return TS_OK;
}

static enum ts_status recipe_of(const struct ts_why_runs *r, const struct ts_trial *trial, const char *commit, const char *folder,
				struct ts_arena *arena, struct ts_recipe *ret, struct ts_error *err)
{
	const struct ts_why_problem *p = r->problem;
	const char *config = p->config_file ? ts_arena_printf(arena, "%s.config.json", folder) : NULL;
	const struct ts_fact *directory = ts_facts_find(&p->facts[0], ts_span_str("session.directory"));
	bool b = has_code_of_b(p, trial);

	*ret = (struct ts_recipe){
		.launcher = p->launcher, .argv = p->argv, .commit = commit, .stops = true, .stop = trial->stop - 1,
		.folder = folder, .limit_ns = r->limit_ns};
	/* A short run says where it differs first by its digests; one to the end is compared by what was recorded. */
	if (trial->stop < p->end)
		ret->watch = (struct ts_recipe_steps){p->start, trial->stop - p->start};
	if (!trial->commit)
		ret->patch = p->patch[b];
	if (directory && directory->type == TS_FACT_TEXT && directory->text.len && directory->text.data[0] != '/')
		ret->directory = ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(directory->text));
	if (config && config_file(p, trial, config, arena, err))
		return err->status;
	if (slots(p, trial, config, arena, ret, err) || variables(p, trial, arena, ret, err))
		return err->status;
	return ts_arena_check(arena, err);
}

/* --- whom it is like --- */

/* The first step at which two runs differ, of those before `stop`. */
static enum ts_status compare(struct ts_why_runs *r, struct ts_span a, struct ts_span b, int64_t stop, int64_t *ret_parts,
			      struct ts_error *err)
{
	struct ts_diff_request request = {.a = a, .b = b, .plots = TS_PLOTS_NONE};
	struct ts_diff diff;
	struct ts_arena arena;
	enum ts_status status;

	ts_arena_init(&arena, DIFF_ARENA);
	status = ts_ask_diff(r->problem->cli->target.channel, &request, &arena, &diff, err);
	if (!status) {
		*ret_parts = ts_why_parts(&diff, stop);
		/* Runs without a step in common agree in nothing. */
		if (!diff.a.steps || !diff.b.steps || diff.a.last_step < diff.b.first_step || diff.b.last_step < diff.a.first_step)
			*ret_parts = r->problem->start;
	}
	ts_arena_finish(&arena);
	return status;
}

static struct ts_span recorded(const struct ts_why_runs *r, size_t side)
{
	char hex[TS_ID_HEX + 1];
	const struct ts_id *id = side ? &r->problem->diff.b.id : &r->problem->diff.a.id;

	return ts_span_str(ts_arena_phrase(&r->problem->cli->arena, "id:%s", ts_id_hex(id, hex)));
}

/* Does a run agree with all that have this number and ran as far? *ret_any: there are some. */
static enum ts_status agrees_with(struct ts_why_runs *r, const struct ts_trial *trial, struct ts_span spec, unsigned like,
				  bool *ret_any, bool *ret_agrees, struct ts_error *err)
{
	int64_t parts = INT64_MAX;

	*ret_any = like < TS_LIKE_OTHER && !trial->deterministic;
	if (*ret_any && compare(r, spec, recorded(r, like), trial->stop, &parts, err))
		return err->status;
	for (size_t i = 0; i < r->n && parts == INT64_MAX; i++) {
		const struct ts_trial_answer *other = &r->answers[i];

		if (other->outcome.untestable || other->outcome.like != like || other->trial.deterministic != trial->deterministic ||
		    other->trial.stop < trial->stop)
			continue;
		*ret_any = true;
		if (compare(r, spec, r->specs[i], trial->stop, &parts, err))
			return err->status;
	}
	*ret_agrees = parts == INT64_MAX;
	return TS_OK;
}

/* Gives the run of a trial the first number with whose runs it agrees; else a new one. */
static enum ts_status number(struct ts_why_runs *r, const struct ts_trial *trial, struct ts_span spec, struct ts_trial_result *result,
			     struct ts_error *err)
{
	result->parts_from_b = INT64_MAX;
	if (!trial->deterministic && compare(r, spec, recorded(r, TS_LIKE_B), trial->stop, &result->parts_from_b, err))
		return err->status;
	for (unsigned like = 0; like < r->numbers; like++) {
		bool any = false, agrees = false;

		if (agrees_with(r, trial, spec, like, &any, &agrees, err))
			return err->status;
		if (any && agrees) {
			result->like = like;
			return TS_OK;
		}
	}
	result->like = r->numbers++;
	return TS_OK;
}

/* The loss of each step, as its logarithm where it is above 0; none where a step lacks it. */
static void effects(struct ts_why_runs *r, struct ts_span spec, int64_t stop, const double **ret_effects, size_t *ret_n)
{
	struct ts_chart_request request = {.runs = &spec, .n = 1, .column = ts_span_str("loss"), .columns = TS_M4_COLUMNS_MAX};
	struct ts_arena *arena = &r->problem->cli->arena;
	struct ts_chart chart;
	struct ts_error ignored;
	double *row;

	*ret_n = 0;
	if (ts_ask_chart(r->problem->cli->target.channel, &request, arena, &chart, &ignored) || !chart.n)
		return;
	row = ts_arena_array(arena, chart.lines[0].n + 1, sizeof *row);
	for (size_t i = 0; row && i < chart.lines[0].n; i++) {
		double y = chart.lines[0].y[i];

		/* A point of each step, in order, from the first on. */
		if (*ret_n && chart.lines[0].x[i] == (double)r->problem->start + (double)(*ret_n - 1))
			continue;
		if (chart.lines[0].x[i] >= (double)stop || chart.lines[0].x[i] != (double)r->problem->start + (double)*ret_n ||
		    !isfinite(y))
			break;
		row[(*ret_n)++] = y > 0 ? log(y) : y;
	}
	*ret_effects = row;
}

/* --- what of a record is not as it was --- */

/* Does a trial have all facts of this side, and nothing else? */
static bool is_rerun(const struct ts_why_problem *p, const struct ts_trial *trial, size_t side)
{
	for (size_t i = 0; i < p->n; i++)
		if (ts_factor_in(&trial->from_b, i) != (side && p->factors[i].kind != TS_FACTOR_HERE))
			return false;
	return !trial->commit && !trial->deterministic;
}

static enum ts_status know(struct ts_why_runs *r, const struct ts_trial *trial, struct ts_span spec, struct ts_error *err)
{
	struct ts_cli *cli = r->problem->cli;
	struct ts_get_reply run;
	struct ts_head head;

	if (!is_rerun(r->problem, trial, 0) && !is_rerun(r->problem, trial, 1))
		return TS_OK;
	if (ts_ask_get(cli->target.channel, spec, &cli->arena, &run, err) || ts_head_decode(run.head, &cli->arena, &head, err) ||
	    ts_why_record_load(cli, &head.facts, err))
		return err->status;
	for (size_t side = 0; side < 2; side++) {
		const struct ts_facts *recorded = &r->problem->facts[side];
		struct ts_why_known *known = &r->known[side];

		if (!is_rerun(r->problem, trial, side))
			continue;
		known->compared = true;
		known->lacks = ts_why_record_lacks(recorded);
		if (!known->lacks)
			known->lacks = ts_why_record_lacks(&head.facts);
		if (!known->lacks && !ts_why_comparable(recorded, &head.facts))
			known->lacks = "digests of variables under the key of this user (session.environment_key)";
		if (ts_why_apart(recorded, &head.facts, &cli->arena, &known->gone, err))
			return err->status;
	}
	return TS_OK;
}

static bool is_apart(const struct ts_why_problem *p, const struct ts_why_thing *thing)
{
	for (size_t i = 0; i < p->apart.n; i++)
		if (p->apart.items[i].part == thing->part && ts_span_eq(p->apart.items[i].name, thing->name))
			return true;
	return false;
}

enum ts_search_record ts_why_record_of(const struct ts_why_runs *r, size_t side)
{
	const struct ts_why_known *known = &r->known[side];
	size_t of_part[TS_WHY_PARTS] = {0}, paths = 0;

	if (!known->compared || known->lacks || r->problem->lost_patch[side])
		return TS_RECORD_OPEN;
	if (!known->gone.n)
		return TS_RECORD_WHOLE;
	for (size_t i = 0; i < known->gone.n; i++) {
		const struct ts_why_thing *thing = &known->gone.items[i];

		if (!is_apart(r->problem, thing))
			return TS_RECORD_OPEN;
		of_part[thing->part]++;
		paths += thing->part == TS_WHY_VARIABLE && ts_glob(ts_span_str("*PATH*"), thing->name);
	}
	/* A package that is found elsewhere and the variable that says where are one thing. */
	return known->gone.n == 1 || (of_part[TS_WHY_PACKAGE] == 1 && paths + 1 == known->gone.n) ? TS_RECORD_ONE_GONE : TS_RECORD_OPEN;
}

/* --- making it --- */

/* Begins the run of a trial, unless it is there, or begun; ret_kept: it is there. */
static enum ts_status begin_run(struct ts_why_runs *r, const struct ts_trial *trial, const char *commit, const char *key,
				struct ts_kept_run *ret_kept, struct ts_error *err)
{
	struct ts_arena *arena = &r->problem->cli->arena;
	struct ts_recipe recipe;

	if (ts_kept_runs_has(&r->making, key))
		return TS_OK;
	if (ts_kept_run_find(r->directory, key, arena, ret_kept, err))
		return err->status;
	/* What A or B again could not be made of may be here by now; what does not build stays as it is. */
	if (ret_kept->problem && (is_rerun(r->problem, trial, 0) || is_rerun(r->problem, trial, 1))) {
		ts_kept_run_forget(ret_kept, arena);
		if (ts_kept_run_find(r->directory, key, arena, ret_kept, err))
			return err->status;
	}
	if (ret_kept->there)
		return TS_OK;
	return recipe_of(r, trial, commit, ret_kept->folder, arena, &recipe, err) ||
			       ts_kept_run_begin(&r->making, key, &recipe, ret_kept, err)
		       ? err->status
		       : TS_OK;
}

enum ts_status ts_why_begin(struct ts_why_runs *r, const struct ts_trial *trials, size_t n, size_t jobs, struct ts_error *err)
{
	struct ts_kept_run kept;
	char key[TS_KEPT_RUN_KEY + 1];
	const char *commit;

	for (size_t i = 0; i < n && ts_kept_runs_making(&r->making) < jobs; i++) {
		kept = (struct ts_kept_run){.there = false};
		if (commit_of(r->problem, &trials[i], &r->problem->cli->arena, &commit, err) ||
		    key_of(r, &trials[i], commit, false, key, err) || begin_run(r, &trials[i], commit, key, &kept, err))
			return err->status;
	}
	return TS_OK;
}

enum ts_status ts_why_run(struct ts_why_runs *r, const struct ts_trial *trial, struct ts_error *err)
{
	struct ts_arena *arena = &r->problem->cli->arena;
	struct ts_why_run *run = &r->runs[r->n];
	struct ts_trial_result result = {0};
	struct ts_span *spec = &r->specs[r->n];
	char key[TS_KEPT_RUN_KEY + 1];
	const char *commit;
	int64_t began;

	if (r->n == TS_SEARCH_ANSWERS_MOST)
		return ts_error_set(err, TS_TOO_LARGE, "more than %d experiments", TS_SEARCH_ANSWERS_MOST);
	*run = (struct ts_why_run){.commit = NULL};
	if (commit_of(r->problem, trial, arena, &commit, err) || key_of(r, trial, commit, false, key, err) ||
	    begin_run(r, trial, commit, key, &run->kept, err) ||
	    (!run->kept.there && ts_kept_run_take(&r->making, key, &run->kept, err)))
		return err->status;
	run->commit = trial->commit ? commit : NULL;
	began = ts_now_mono_ns();
	if (!run->kept.problem && ts_cli_run(r->problem->cli, run->kept.folder, spec, err)) {
		if (err->status != TS_INVALID && err->status != TS_NOT_FOUND)
			return err->status;
		run->kept.problem = ts_arena_phrase(arena, "it left no run: %s", err->text);
	}
	result.untestable = run->kept.problem != NULL;
	if (!result.untestable) {
		if (number(r, trial, *spec, &result, err) || know(r, trial, *spec, err))
			return err->status;
		effects(r, *spec, trial->stop, &result.effects, &result.n_effects);
	}
	r->spent_s += (double)(ts_now_mono_ns() - began) / 1e9;
	r->answers[r->n++] = (struct ts_trial_answer){*trial, result};
	return TS_OK;
}

/* --- the first operation --- */

/* A short run that was made of these facts and this commit. */
static bool find_run(const struct ts_why_runs *r, const struct ts_factor_set *from_b, size_t commit, bool flags, size_t *ret)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct ts_trial *t = &r->answers[i].trial;

		if (ts_factor_sets_equal(&t->from_b, from_b) && t->commit == commit && t->deterministic == flags &&
		    t->stop < r->problem->end && !r->answers[i].outcome.untestable) {
			*ret = i;
			return true;
		}
	}
	return false;
}

/* The line of the program that an operation was called from: "NAME<tab>OCCURRENCE<tab>FILE:LINE" each. */
static struct ts_span line_of(struct ts_span lines, const struct ts_op_row *op, struct ts_arena *arena)
{
	struct ts_span start = ts_span_str(ts_arena_phrase(arena, "%.*s\t%" PRIu64 "\t", TS_SPAN_ARG(op->name), op->occurrence));

	while (lines.len) {
		struct ts_span line = ts_span_through(lines, '\n');

		if (!line.len)
			break;
		if (ts_span_starts(line, start))
			return ts_trim(ts_span_from(line, start.len));
		lines = ts_span_from(lines, line.len);
	}
	return ts_span_of(NULL, 0);
}

/* Makes a run of an answer once more, to one step behind `step`, in which each operation of torch has digests. They may make other
 * kernels be chosen, so it is compared with nothing but its like. */
static enum ts_status watched(struct ts_why_runs *r, size_t of, int64_t step, struct ts_span *ret_spec, bool *ret_made,
			      struct ts_error *err)
{
	struct ts_arena *arena = &r->problem->cli->arena;
	struct ts_trial trial = r->answers[of].trial;
	char key[TS_KEPT_RUN_KEY + 1];
	struct ts_kept_run kept;
	struct ts_recipe recipe;
	const char *commit;

	trial.stop = step + 1;
	*ret_made = false;
	if (commit_of(r->problem, &trial, arena, &commit, err) || key_of(r, &trial, commit, true, key, err) ||
	    ts_kept_run_find(r->directory, key, arena, &kept, err))
		return err->status;
	if (!kept.there && recipe_of(r, &trial, commit, kept.folder, arena, &recipe, err))
		return err->status;
	/* What parts parameters shows in the loss of the next step only. */
	recipe.watch.first = step > r->problem->start ? step - 1 : step;
	recipe.watch.n = step + 1 - recipe.watch.first;
	recipe.operations = recipe.watch;
	recipe.aten = true;
	if (!kept.there && (ts_kept_run_begin(&r->making, key, &recipe, &kept, err) || ts_kept_run_take(&r->making, key, &kept, err)))
		return err->status;
	r->more_runs++;
	r->more_steps += step + 1 - r->problem->start;
	r->more_s += kept.seconds;
	ts_cli_say(r->problem->cli, "run %zu%s: %s, to step %" PRId64 ", with digests of all operations", r->n + r->more_runs,
		   kept.there ? " (from before)" : "", ts_why_trial_text(r->problem, &trial, arena), step);
	if (kept.problem || ts_cli_run(r->problem->cli, kept.folder, ret_spec, err))
		return TS_OK; /* what its operations are is not known, and nothing else is lost */
	*ret_made = true;
	return TS_OK;
}

static enum ts_status operation_between(struct ts_why_runs *r, size_t without, size_t with, int64_t step, struct ts_error *err)
{
	struct ts_cli *cli = r->problem->cli;
	struct ts_diff_request request = {.plots = TS_PLOTS_NONE};
	const struct ts_op_row *op;
	const struct ts_fact *fact;
	struct ts_get_reply run;
	struct ts_head head;
	struct ts_diff diff;
	struct ts_span line = {NULL, 0};
	bool made[2];

	if (watched(r, without, step, &request.a, &made[0], err) || watched(r, with, step, &request.b, &made[1], err))
		return err->status;
	if (!made[0] || !made[1])
		return TS_OK;
	if (ts_ask_diff(cli->target.channel, &request, &cli->arena, &diff, err))
		return err->status;
	op = ts_op_culprit(&diff.ops);
	if (!op)
		return TS_OK;
	if (ts_ask_get(cli->target.channel, request.b, &cli->arena, &run, err) || ts_head_decode(run.head, &cli->arena, &head, err))
		return err->status;
	fact = ts_facts_find(&head.facts, ts_span_str("session.operations.lines"));
	if (fact && fact->type == TS_FACT_TEXT)
		line = fact->text;
	if (fact && fact->type == TS_FACT_LONG && ts_ask_long_text(cli->target.channel, fact, &cli->arena, &line, err))
		return err->status;
	line = line_of(line, op, &cli->arena);
	r->operation = ts_show_first_op(&diff.ops, diff.a.ranks > 1, &cli->arena);
	if (r->operation && line.len)
		r->operation = ts_arena_phrase(&cli->arena, "%s; it is called at %s", r->operation, ts_show_text(line, &cli->arena));
	return TS_OK;
}

enum ts_status ts_why_operation(struct ts_why_runs *r, const struct ts_search_verdict *v, struct ts_error *err)
{
	const struct ts_root_cause *c = &v->causes[0];
	const struct ts_factor_set none = {{0}};
	size_t without, with;

	if (c->found != TS_ROOT_SET || v->placed || r->n + 2 > r->problem->search.most_runs ||
	    !ts_facts_find(&r->problem->facts[0], ts_span_str("libraries.torch")))
		return TS_OK;
	/* Of code: the commit and the one before it differ in least. */
	if (c->commit_first > 1 && find_run(r, &c->set, c->commit_first, v->deterministic, &with) &&
	    find_run(r, &c->set, c->commit_first - 1, v->deterministic, &without))
		return operation_between(r, without, with, c->step, err);
	if (find_run(r, &none, 0, v->deterministic, &without) && find_run(r, &c->set, 0, v->deterministic, &with))
		return operation_between(r, without, with, c->step, err);
	return TS_OK;
}
