/* verb_why.c - tscope why: finds by experiments which facts make two runs differ. */
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/json/json_parts.h"
#include "cli/verbs/again_words.h"
#include "cli/verbs/experiment_copies.h"
#include "cli/verbs/experiment_place.h"
#include "cli/verbs/experiment_push.h"
#include "cli/verbs/verbs.h"
#include "cli/view/show_value.h"
#include "cli/why/why_say.h"
#include "cli/why/why_text.h"
#include "experiment/foresight.h"
#include "experiment/search.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEP_ARENA = 64 << 20, TIMES_AS_LONG = 10 };
#define SPARE_NS (INT64_C(600) * 1000000000)
#define LONGEST_S 1e7

struct asking {
	struct ts_cli *cli;
	struct ts_why_problem *problem;
	struct ts_why_runs *runs;
	int64_t began, most_ns; /* 0: no limit of time */
	size_t jobs;		/* runs side by side */
	const char *const *argv; /* the command, where runs begin at a checkpoint; NULL: they begin where A and B did */
	int64_t start;		 /* where these did */
	bool push, told;
};

/* --budget 20, or a time with its unit. */
static enum ts_status budget(struct ts_cli *cli, struct ts_why_problem *p, int64_t *ret_most_ns, struct ts_error *err)
{
	const char *text = ts_args_text(&cli->args, "budget");
	uint64_t n;
	bool given;

	*ret_most_ns = 0;
	if (!text)
		return TS_OK;
	if (*text && ts_is_digit((uint8_t)text[strlen(text) - 1])) {
		if (ts_args_uint(&cli->args, "budget", TS_SEARCH_ANSWERS_MOST, &given, &n, err))
			return err->status;
		p->search.most_runs = n;
		return TS_OK;
	}
	if (ts_args_seconds(&cli->args, "budget", &given, &n, err))
		return err->status;
	*ret_most_ns = (int64_t)n * 1000000000;
	return TS_OK;
}

/* The words of --resume, with the checkpoint in the place of {checkpoint}. */
static const char *const *resumed_words(struct ts_cli *cli, const char *const *argv, const char *resume, const char *checkpoint,
					struct ts_error *err)
{
	static const char slot[] = "{checkpoint}";
	const char *const *more = NULL;
	const char **words, *at;
	struct ts_buf line = TS_BUF_INIT(1 << 16);
	size_t n = 0, k = 0;

	/* The slot is no word of a shell, so it is filled before words are made of it, as one of them. */
	at = strstr(resume, slot);
	if (at && !strchr(checkpoint, '\'')) {
		ts_buf_printf(&line, "%.*s'%s'%s", (int)(at - resume), resume, checkpoint, at + strlen(slot));
		if (!line.failed)
			more = ts_again_words(ts_buf_view(&line), &cli->arena);
	}
	ts_buf_finish(&line);
	while (argv[n])
		n++;
	while (more && more[k])
		k++;
	words = ts_arena_array(&cli->arena, n + k + 1, sizeof *words);
	if (ts_arena_check(&cli->arena, err))
		return NULL;
	if (!more) {
		(void)ts_error_set(err, TS_INVALID,
				   "--resume has the words that go on from a checkpoint, with {checkpoint} once, such as '--load "
				   "{checkpoint}'");
		return NULL;
	}
	for (size_t i = 0; i < n + k; i++)
		words[i] = i < n ? argv[i] : more[i - n];
	words[n + k] = NULL;
	return words;
}

/* The nearest checkpoint before the first difference so far. */
struct nearest {
	int64_t step; /* -1: none */
	const char *path;
};

static void offer(const struct ts_why_problem *p, int64_t step, const char *path, struct nearest *n)
{
	if (step < p->first && step >= p->start && step > n->step)
		*n = (struct nearest){step, path};
}

/* checkpoints/step{step}.pt: all files of the folder whose names are so. */
static enum ts_status offer_all(struct ts_cli *cli, const struct ts_why_problem *p, const char *text, struct nearest *n,
				struct ts_error *err)
{
	static const char slot[] = "{step}";
	const char *name = ts_path_last(text), *at = strstr(name, slot), *folder;
	char **names;
	size_t n_names;

	if (!at)
		return ts_error_set(err, TS_INVALID,
				    "--checkpoint %s: {step} stands in the name of the file, not in that of a folder", text);
	folder = name == text ? "." : ts_arena_phrase(&cli->arena, "%.*s", (int)(name - text), text);
	if (ts_list_dir(folder, &cli->arena, &names, &n_names, err))
		return err->status == TS_NO_MEMORY
			       ? err->status
			       : ts_error_set(err, TS_NOT_FOUND, "--checkpoint: the folder %s cannot be read", folder);
	for (size_t i = 0; i < n_names; i++) {
		struct ts_span found = ts_span_str(names[i]), before = ts_span_of(name, (size_t)(at - name));
		const char *after = at + strlen(slot);
		int64_t step;

		if (found.len <= before.len + strlen(after) || !ts_span_starts(found, before) || !ts_span_ends(found, after))
			continue;
		found = ts_span_part(found, before.len, found.len - before.len - strlen(after));
		if (ts_is_digit(found.data[0]) && ts_parse_i64(found, &step))
			offer(p, step, ts_arena_phrase(&cli->arena, "%s/%s", folder, names[i]), n);
	}
	return ts_arena_check(&cli->arena, err);
}

/* --checkpoint STEP:FILE, as often as there are some, or a FILE with {step}: runs begin at the nearest before the first difference. */
static enum ts_status from_checkpoint(struct asking *a, struct ts_error *err)
{
	struct ts_cli *cli = a->cli;
	struct ts_why_problem *p = a->problem;
	const char *resume = ts_args_text(&cli->args, "resume"), *text;
	struct nearest nearest = {-1, NULL};
	char whole[PATH_MAX];

	for (size_t i = 0; (text = ts_args_nth(&cli->args, "checkpoint", i)) != NULL; i++) {
		const char *colon = strchr(text, ':');
		int64_t step;

		if (strstr(text, "{step}")) {
			if (offer_all(cli, p, text, &nearest, err))
				return err->status;
			continue;
		}
		if (!colon || !colon[1] || !ts_parse_i64(ts_span_of(text, (size_t)(colon - text)), &step) || step < 0)
			return ts_error_set(err, TS_INVALID,
					    "--checkpoint is the step behind which it was written, and its path, as "
					    "400:step400.pt; or the path of all of them, as step{step}.pt");
		offer(p, step, colon + 1, &nearest);
	}
	if (!ts_args_nth(&cli->args, "checkpoint", 0) != !resume)
		return ts_error_set(err, TS_INVALID,
				    "--checkpoint and --resume belong together: where it lies, and how a training goes on from it");
	if (!nearest.path || !p->argv)
		return TS_OK;
	if (!realpath(nearest.path, whole))
		return ts_error_set(err, TS_NOT_FOUND, "--checkpoint: %s is not there", nearest.path);
	a->argv = p->argv;
	a->start = p->start;
	p->argv = resumed_words(cli, p->argv, resume, ts_arena_phrase(&cli->arena, "%s", whole), err);
	if (!p->argv)
		return err->status;
	p->start = p->search.start = nearest.step + 1;
	ts_cli_say(cli, "runs begin at step %" PRId64 ", from the checkpoint %s", p->start, nearest.path);
	return TS_OK;
}

/* Where A and B do not come out from the checkpoint as they were recorded, it does not have all that they are made of, and nothing
 * that is found from it counts. */
static void from_the_beginning(struct asking *a)
{
	struct ts_why_problem *p = a->problem;

	ts_cli_say(a->cli, "from the checkpoint A and B do not come out as they were recorded: runs begin at step %" PRId64 " now",
		   a->start);
	p->argv = a->argv;
	p->start = p->search.start = a->start;
	p->search.record[0] = p->search.record[1] = TS_RECORD_OPEN;
	a->argv = NULL;
	a->runs->n = 0;
	a->runs->numbers = TS_LIKE_OTHER;
	memset(a->runs->known, 0, sizeof a->runs->known);
}

/* A patch is code that somebody else may have written: its text is on the screen before anything of it is run. */
static enum ts_status show_patches(struct ts_cli *cli, const struct ts_why_problem *p, struct ts_error *err)
{
	static const char name[] = "AB";
	bool any = false;

	for (size_t i = 0; i < 2; i++) {
		if (!p->patch[i].len)
			continue;
		any = true;
		(void)fprintf(stderr, "%c (%s) has these changes that were not committed:\n", name[i], p->words[i]);
		for (struct ts_span rest = p->patch[i]; rest.len;) {
			const uint8_t *end = memchr(rest.data, '\n', rest.len);
			size_t n = end ? (size_t)(end - rest.data) : rest.len;

			(void)fprintf(stderr, "  %s\n", ts_show_text(ts_span_of(rest.data, n), &cli->arena));
			rest = ts_span_from(rest, n + (end != NULL));
		}
	}
	return any ? ts_experiment_confirm(cli, "run this code", err) : TS_OK;
}

static void push(struct asking *a, size_t i)
{
	const struct ts_why_run *run = &a->runs->runs[i];
	const struct ts_trial *trial = &a->runs->answers[i].trial;
	struct ts_arena *arena = &a->cli->arena;
	char hex[TS_ID_HEX + 1];
	const struct ts_experiment_fact facts[] = {
		{"session.experiment.of", "why"},
		{"session.experiment.reason", ts_trial_why_text(trial->why)},
		{"session.experiment.recipe", ts_why_trial_text(a->problem, trial, arena)},
		{"session.experiment.a", ts_arena_phrase(arena, "%s", ts_id_hex(&a->problem->diff.a.id, hex))},
		{"session.experiment.b", ts_arena_phrase(arena, "%s", ts_id_hex(&a->problem->diff.b.id, hex))},
		{"session.experiment.stop", ts_arena_phrase(arena, "%" PRId64, trial->stop)},
	};
	bool pushed;

	if (!a->push || run->kept.there || a->runs->answers[i].outcome.untestable)
		return;
	ts_experiment_push(a->cli, run->kept.folder, ts_arena_phrase(arena, "why-%s", ts_path_last(run->kept.folder)), facts,
			   sizeof facts / sizeof facts[0], &pushed);
	if (!pushed && !a->told)
		ts_cli_say(a->cli, "runs of experiments could not be pushed; they are in %s", a->runs->directory);
	a->told |= !pushed;
}

static void tell(const struct asking *a, size_t i)
{
	const struct ts_why_run *run = &a->runs->runs[i];
	const struct ts_trial_answer *answer = &a->runs->answers[i];
	const char *result = answer->outcome.untestable						 ? "could not be made"
			     : answer->outcome.like == TS_LIKE_A && !answer->trial.deterministic ? "as A"
			     : answer->outcome.like == TS_LIKE_B && !answer->trial.deterministic ? "as B"
												 : "as neither";

	ts_cli_say(a->cli, "run %zu%s: %s, to step %" PRId64 ": %s%s%s", i + 1, run->kept.there ? " (from before)" : "",
		   ts_why_trial_text(a->problem, &answer->trial, &a->cli->arena), answer->trial.stop - 1, result,
		   run->kept.problem ? ": " : "", run->kept.problem ? run->kept.problem : "");
}

/* Begins what may be asked for, beside what is asked for now. */
static enum ts_status ahead(struct asking *a, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_trial trials[TS_AHEAD_MOST];
	size_t n;

	return ts_search_ahead(&a->problem->search, a->runs->answers, a->runs->n, a->jobs, arena, trials, &n, err) ||
			       ts_why_begin(a->runs, trials, n, a->jobs, err)
		       ? err->status
		       : TS_OK;
}

/* Asks for runs and makes them, until there is a verdict. */
static enum ts_status search(struct asking *a, struct ts_search_verdict *ret_verdict, struct ts_error *err)
{
	struct ts_search_step step;
	struct ts_arena arena;
	enum ts_status status;
	size_t spare;

	ts_arena_init(&arena, STEP_ARENA);
	for (;;) {
		if (a->most_ns && ts_now_mono_ns() - a->began > a->most_ns)
			a->problem->search.most_runs = a->runs->n;
		ts_arena_reset(&arena);
		status = ts_search_next(&a->problem->search, a->runs->answers, a->runs->n, &arena, &step, err);
		if (status || step.done)
			break;
		status = a->jobs > 1 ? ahead(a, &arena, err) : TS_OK;
		if (!status)
			status = ts_why_run(a->runs, &step.trial, err);
		if (status)
			break;
		for (size_t side = 0; side < 2; side++)
			a->problem->search.record[side] = ts_why_record_of(a->runs, side);
		tell(a, a->runs->n - 1);
		push(a, a->runs->n - 1);
	}
	ts_arena_finish(&arena);
	spare = ts_kept_runs_end(&a->runs->making);
	if (spare)
		ts_cli_say(a->cli, "%zu run%s begun ahead, and not needed", spare, spare == 1 ? " was" : "s were");
	if (!status)
		*ret_verdict = step.verdict;
	return status;
}

static int exit_code(const struct ts_why *why)
{
	return why->proved ? TS_EXIT_YES : why->decided ? TS_EXIT_NO : TS_EXIT_INCONCLUSIVE;
}

static enum ts_status answer(struct asking *a, bool plan, struct ts_error *err)
{
	struct ts_search_verdict verdict;
	struct ts_why why;

	if (!plan && search(a, &verdict, err))
		return err->status;
	if (!plan && a->argv && (verdict.causes[0].found != TS_ROOT_SET || verdict.only_here)) {
		from_the_beginning(a);
		if (search(a, &verdict, err))
			return err->status;
	}
	if (plan ? ts_why_plan(a->runs, &why, err)
		 : ( ts_why_operation(a->runs, &verdict, err) ||
		    ts_why_say(a->runs, &verdict, false, &why, err)))
		return err->status;
	a->cli->exit_code = exit_code(&why);
	return a->cli->json ? ts_json_answer(a->cli, &ts_shape_why, &why, err) : ts_render_why_text(a->cli, &why, err);
}

/* A training that never ends is ended: after ten times as long as the longer record took, and 10 minutes; 0: neither says how long. */
static int64_t usual_limit_ns(const struct ts_why_problem *p)
{
	double longest = 0;

	for (size_t side = 0; side < 2; side++) {
		const struct ts_fact *wall = ts_facts_find(&p->facts[side], ts_span_str("session.wall_time"));

		if (wall && wall->type == TS_FACT_FLOAT && wall->real > longest && wall->real < LONGEST_S)
			longest = wall->real;
	}
	return longest > 0 ? (int64_t)(longest * TIMES_AS_LONG * 1e9) + SPARE_NS : 0;
}

static enum ts_status prepare(struct asking *a, const char *clone, bool plan, struct ts_error *err)
{
	struct ts_cli *cli = a->cli;
	const char *const words[2] = {ts_cli_word(cli, 0), ts_cli_word(cli, 1)};
	const struct ts_facts *const records[2] = {&a->problem->facts[0], &a->problem->facts[1]};
	uint64_t limit_s = 0;
	bool given;

	if (ts_why_problem_of(cli, words, cli->args.n_words > 2 ? cli->args.words + 2 : NULL, clone, a->problem, err) ||
	    ts_experiment_launcher(cli, &a->problem->launcher, err) || budget(cli, a->problem, &a->most_ns, err) ||
	    (clone && ts_experiment_copies(cli, clone, records, 2, &a->runs->making.files, err)) ||
	    ts_args_seconds(&cli->args, "limit", &given, &limit_s, err))
		return err->status;
	a->runs->problem = a->problem;
	if (ts_experiment_jobs(cli, &a->jobs, err) || from_checkpoint(a, err))
		return err->status;
	a->runs->numbers = TS_LIKE_OTHER;
	a->runs->limit_ns = given ? (int64_t)limit_s * 1000000000 : usual_limit_ns(a->problem);
	if (plan)
		return TS_OK;
	return show_patches(cli, a->problem, err) || ts_experiment_directory(cli, "why", &a->problem->diff.a.id, &a->problem->diff.b.id,
									     &a->runs->directory, err)
		       ? err->status
		       : TS_OK;
}

enum ts_status ts_verb_why(struct ts_cli *cli, struct ts_error *err)
{
	bool plan = ts_args_has(&cli->args, "dry-run") || cli->args.n_words == 2;
	struct asking a = {.cli = cli, .began = ts_now_mono_ns(), .push = !ts_args_has(&cli->args, "no-push")};
	const char *clone = NULL;
	enum ts_status status;

	a.problem = ts_arena_array(&cli->arena, 1, sizeof *a.problem);
	a.runs = ts_arena_array(&cli->arena, 1, sizeof *a.runs);
	if (!a.problem || !a.runs)
		return ts_arena_error(&cli->arena, err);
	if (cli->args.n_words > 2 && ts_experiment_clone(cli, &clone, err))
		return err->status;
	/* Before there is any thread. */
	a.runs->making = (struct ts_kept_runs){.clone = clone, .arena = &cli->arena};
	if (!plan && ts_experiment_runner(cli, &a.runs->making.runner, err))
		return err->status;
	status = prepare(&a, clone, plan, err);
	if (!status && cli->args.n_words == 2 && !ts_args_has(&cli->args, "dry-run"))
		ts_cli_say(cli, "nothing is run without a command behind --; this is the plan (tscope help why)");
	if (!status)
		status = answer(&a, plan, err);
	ts_runner_close(a.runs->making.runner);
	return status ? ts_error_prefix(err, "why") : TS_OK;
}
