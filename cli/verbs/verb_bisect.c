/* verb_bisect.c - tscope bisect: from which commit or version on runs differ, are slower, or are what a judge calls bad. */
#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "cli/core/ask.h"
#include "cli/core/names.h"
#include "cli/gate/gate_request.h"
#include "cli/json/json_parts.h"
#include "cli/verbs/experiment_copies.h"
#include "cli/verbs/experiment_place.h"
#include "cli/verbs/experiment_push.h"
#include "cli/verbs/inner.h"
#include "cli/verbs/verbs.h"
#include "cli/view/show_value.h"
#include "cli/why/bisect_runs.h"
#include "cli/why/why_problem.h"
#include "experiment/bisection.h"
#include "experiment/foresight.h"
#include "run/head.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CANNOT = 125, PRINTED_MOST = 4096, ENDS_KNOWN = 3 };
#define WRONG_DIFF 1e-6 /* bits do not lie, where the good version repeats itself */
#define WRONG_GATE 0.008 /* so many clean runs at most fail one look of the gate, by what docs/gate.md measured of series */
#define WRONG_PROGRAM 0.01
#define SURE 0.99

extern char **environ;

struct judging {
	struct ts_cli *cli;
	const char *program;	 /* NULL: none */
	const char *good_folder; /* of the good version's run, once it is there */
	const char *good[TS_BISECT_ENDS_MOST]; /* all of them, where the gate judges */
	size_t n_good, n;		       /* n: the version that is bad */
	const char *metric;		       /* of the gate; NULL: its own */
	const char *policy;		       /* the path of the gate's, in which no pairs are asked for */
	double wrong;
	bool gate, noise, push, told;
	struct ts_bisect_others others; /* with the question */
	struct ts_span good_run;	/* that GOOD names; empty: it names a commit */
};

/* --- judges --- */

static enum ts_status judge_diff(struct judging *g, const char *folder, size_t version, struct ts_bisect_judgement *ret,
				 struct ts_error *err)
{
	struct ts_diff_request request = {.plots = TS_PLOTS_NONE};
	const char *words[2] = {g->good_folder, folder};
	struct ts_span specs[2];
	struct ts_diff diff;

	if (!version) {
		ret->evidence = ts_judge_evidence(false, g->wrong);
		return TS_OK;
	}
	if (ts_cli_runs(g->cli, words, 2, specs, err))
		return err->status;
	request.a = specs[0];
	request.b = specs[1];
	if (ts_ask_diff(g->cli->target.channel, &request, &g->cli->arena, &diff, err))
		return err->status;
	ret->evidence = ts_judge_evidence(ts_why_parts(&diff, INT64_MAX) != INT64_MAX, g->wrong);
	return TS_OK;
}

/* A verdict of the gate, as far as a judge wants it: what the metric that decides is of each run. */
struct measured {
	enum ts_gate_state state;
	double good[TS_BISECT_ENDS_MOST], candidates[TS_BISECT_ENDS_MOST];
	size_t n_good, n_candidates;
	const char *sentence;
	struct ts_arena *arena;
};

static enum ts_status gate_verdict(struct ts_cli *cli, void *ctx, struct ts_error *err)
{
	struct measured *m = ctx;
	struct ts_gate_request request;
	struct ts_gate_policy policy;
	struct ts_policy items;
	struct ts_verdict v;
	size_t row = 0;

	if (ts_gate_options(cli, &items, &policy, err) ||
	    ts_gate_request_of(cli, cli->args.words, cli->args.n_words, NULL, &items, &request, err) ||
	    ts_gate_ask(cli, &request, &v, err))
		return err->status;
	while (row < v.n_rows && !v.rows[row].gates)
		row++;
	for (size_t i = 0; i < v.input.n_runs && row < v.n_rows; i++) {
		const struct ts_gate_run *run = &v.input.runs[i];
		const struct ts_reduced *value = ts_gate_reduced(&v.input.policy, &run->reduction, v.rows[row].metric);
		bool good = run->role == TS_GATE_BASELINE;

		if ((good || run->role == TS_GATE_CANDIDATE) && value && value->known && value->value > 0 &&
		    (good ? m->n_good : m->n_candidates) < TS_BISECT_ENDS_MOST)
			*(good ? &m->good[m->n_good++] : &m->candidates[m->n_candidates++]) = value->value;
	}
	m->state = v.state;
	m->sentence = ts_arena_phrase(m->arena, "%.*s", TS_SPAN_ARG(v.sentence));
	return TS_OK;
}

/* Asks the gate about some runs, beside all of the good version. */
static enum ts_status ask_gate(struct judging *g, const char *const *folders, size_t n, struct measured *ret, struct ts_error *err)
{
	const char *words[TS_INNER_WORDS];
	size_t k = 0;

	*ret = (struct measured){.arena = &g->cli->arena};
	/* A store of its own, which stays empty: in the user's, the gate would find the same runs once more, as of the same commit. */
	words[k++] = ts_arena_phrase(&g->cli->arena, "--store=%s.store", g->policy);
	words[k++] = ts_arena_phrase(&g->cli->arena, "--policy=%s", g->policy);
	if (g->metric)
		words[k++] = ts_arena_phrase(&g->cli->arena, "--metric=%s", g->metric);
	for (size_t i = 0; i < g->n_good; i++)
		words[k++] = ts_arena_phrase(&g->cli->arena, "--baseline=%s", g->good[i]);
	words[k++] = "--";
	for (size_t i = 0; i < n; i++)
		words[k++] = folders[i];
	return ts_inner_call(NULL, "gate", false, words, k, gate_verdict, ret, err);
}

static void push_run(struct judging *g, const char *folder, size_t version, const char *judged);

/* Is what differs in time or memory said to be worse? The whole test of the gate, by all runs of both ends. */
static enum ts_status gate_ends(void *ctx, const char *const *good, const char *const *bad, size_t n, struct ts_bisect_ends *ret,
				struct ts_error *err)
{
	struct judging *g = ctx;
	struct measured m;

	for (size_t i = g->n_good; i < n; i++) {
		g->good[i] = good[i];
		push_run(g, good[i], 0, "good");
		push_run(g, bad[i], g->n, "bad");
	}
	g->n_good = n;
	if (ask_gate(g, bad, n, &m, err))
		return err->status;
	*ret = (struct ts_bisect_ends){.apart = m.state == TS_GATE_REGRESSION && m.n_good >= ENDS_KNOWN && m.n_candidates >= ENDS_KNOWN,
				       .why = m.sentence,
				       .n = {m.n_good, m.n_candidates}};
	memcpy(ret->values[0], m.good, sizeof m.good);
	memcpy(ret->values[1], m.candidates, sizeof m.candidates);
	return TS_OK;
}

/* What the gate measures of one run; where it lies between both ends is the search's to say. */
static enum ts_status judge_gate(struct judging *g, const char *folder, struct ts_bisect_judgement *ret, struct ts_error *err)
{
	struct measured m;

	if (ask_gate(g, &folder, 1, &m, err)) {
		ret->skipped = true;
		ret->problem = ts_arena_phrase(&g->cli->arena, "gate: %s", err->text);
	} else if (m.n_candidates != 1) {
		ret->skipped = true;
		ret->problem = m.sentence;
	} else {
		ret->value = m.candidates[0];
	}
	return TS_OK;
}

/* Starts the judge with the folder as its word, and reads what it prints. */
static bool run_judge(const char *program, const char *folder, char printed[PRINTED_MOST], int *ret_code)
{
	const char *const words[] = {program, folder, NULL};
	posix_spawn_file_actions_t actions;
	int ends[2], status = 0;
	size_t n = 0;
	ssize_t got;
	pid_t pid = -1;

	if (pipe(ends) || posix_spawn_file_actions_init(&actions))
		return false;
	if (posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO) ||
	    posix_spawn_file_actions_addclose(&actions, ends[0]) ||
	    posix_spawnp(&pid, program, &actions, NULL, (char *const *)(uintptr_t)words, environ))
		pid = -1;
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)close(ends[1]);
	while (pid > 0 && ((got = read(ends[0], printed + n, PRINTED_MOST - 1 - n)) > 0 || (got < 0 && errno == EINTR)))
		n += got > 0 ? (size_t)got : 0;
	printed[n] = '\0';
	(void)close(ends[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	*ret_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
	return pid > 0;
}

static enum ts_status judge_program(struct judging *g, const char *folder, struct ts_bisect_judgement *ret, struct ts_error *err)
{
	char printed[PRINTED_MOST];
	int code;

	if (!run_judge(g->program, folder, printed, &code))
		return ts_error_set(err, TS_INVALID, "the judge %s could not be started", g->program);
	ret->skipped = code == CANNOT || (g->noise && code != 0);
	if (ret->skipped)
		ret->problem = ts_arena_phrase(&g->cli->arena, "the judge ended with %d", code);
	else if (g->noise) {
		struct ts_span text = ts_trim(ts_span_str(printed));

		if (!ts_parse_double(text, &ret->value))
			ret->value = (double)NAN;
	} else {
		ret->evidence = ts_judge_evidence(code != 0, g->wrong);
	}
	return TS_OK;
}

static void push_run(struct judging *g, const char *folder, size_t version, const char *judged)
{
	const struct ts_experiment_fact facts[] = {
		{"session.experiment.of", "bisect"},
		{"session.experiment.reason", ts_arena_phrase(&g->cli->arena, "version %zu", version)},
		{"session.experiment.question", g->others.question},
		{"session.experiment.version", ts_arena_phrase(&g->cli->arena, "%zu", version)},
		{"session.experiment.judged", judged},
		{"session.experiment.place", g->others.place},
	};
	bool pushed = true;

	if (g->push)
		ts_experiment_push(g->cli, folder,
				   ts_arena_phrase(&g->cli->arena, "bisect-%s-%.8s", strrchr(folder, '/') + 1, g->others.place), facts,
				   sizeof facts / sizeof facts[0], &pushed);
	if (!pushed && !g->told)
		ts_cli_say(g->cli, "runs of experiments could not be pushed; they are kept beside %s", folder);
	g->told |= !pushed;
}

static enum ts_status judge(void *ctx, const char *folder, size_t version, struct ts_bisect_judgement *ret, struct ts_error *err)
{
	struct judging *g = ctx;

	if (!version && !g->good_folder)
		g->good_folder = ts_arena_phrase(&g->cli->arena, "%s", folder);
	if (g->program ? judge_program(g, folder, ret, err)
	    : g->gate  ? judge_gate(g, folder, ret, err)
		       : judge_diff(g, folder, version, ret, err))
		return err->status;
	/* What was measured here is no judgement yet, and of no other machine. */
	push_run(g, folder, version, ret->skipped ? "skipped" : g->gate || g->noise ? "measured" : ret->evidence > 0 ? "bad" : "good");
	return TS_OK;
}

/* --- the question --- */

/* The commit that a word names in the clone, or that the run of this name recorded. */
static enum ts_status commit_of(struct ts_cli *cli, const char *clone, const char *word, const char **ret_commit,
				struct ts_span *ret_spec, struct ts_error *err)
{
	const struct ts_fact *fact;
	struct ts_get_reply run;
	struct ts_span spec;
	struct ts_head head;

	*ret_commit = ts_bisect_commit(clone, word, &cli->arena);
	if (*ret_commit)
		return TS_OK;
	if (ts_cli_run(cli, word, &spec, err) || ts_ask_get(cli->target.channel, spec, &cli->arena, &run, err) ||
	    ts_head_decode(run.head, &cli->arena, &head, err))
		return ts_error_prefix(err, "%s is no commit of this clone, nor a run", word);
	fact = ts_facts_find(&head.facts, ts_span_str("code.commit"));
	if (fact && fact->type == TS_FACT_TEXT)
		*ret_commit = ts_bisect_commit(clone, ts_arena_phrase(&cli->arena, "%.*s", TS_SPAN_ARG(fact->text)), &cli->arena);
	if (!*ret_commit)
		return ts_error_set(err, TS_INVALID, "%s did not record a commit that this clone has", word);
	*ret_spec = spec;
	return TS_OK;
}

/* --versions 2.1,2.2,2.3: GOOD is the one before the first of them to be tried. */
static enum ts_status version_list(struct ts_cli *cli, const char *list, struct ts_bisect_question *q, struct ts_error *err)
{
	size_t n = 1, k = 0, good = SIZE_MAX, bad = SIZE_MAX;
	const char **names;

	for (const char *at = list; *at; at++)
		n += *at == ',';
	names = ts_arena_array(&cli->arena, n + 1, sizeof *names);
	if (!names)
		return ts_arena_error(&cli->arena, err);
	for (const char *at = list; k < n; k++) {
		size_t len = strcspn(at, ",");

		names[k] = ts_arena_phrase(&cli->arena, "%.*s", (int)len, at);
		good = strcmp(names[k], ts_cli_word(cli, 0)) == 0 ? k : good;
		bad = strcmp(names[k], ts_cli_word(cli, 1)) == 0 ? k : bad;
		at += len + (at[len] == ',');
	}
	if (good == SIZE_MAX || bad == SIZE_MAX || good >= bad)
		return ts_error_set(err, TS_INVALID, "--versions has %s and behind it %s: from good to bad", ts_cli_word(cli, 0),
				    ts_cli_word(cli, 1));
	q->good_version = names[good];
	q->versions = names + good + 1;
	q->n = bad - good;
	q->good = ts_bisect_commit(q->clone, "HEAD", &cli->arena);
	return q->good ? TS_OK : ts_error_set(err, TS_INVALID, "the clone has no commit that is checked out");
}

static enum ts_status commits(struct ts_cli *cli, struct judging *g, struct ts_bisect_question *q, struct ts_error *err)
{
	struct ts_span bad;

	if (commit_of(cli, q->clone, ts_cli_word(cli, 0), &q->good, &g->good_run, err) ||
	    commit_of(cli, q->clone, ts_cli_word(cli, 1), &q->bad, &bad, err))
		return err->status;
	q->n = ts_bisect_count(q->clone, q->good, q->bad);
	if (!q->n)
		return ts_error_set(err, TS_INVALID, "%s is no ancestor of %s, so there is nothing between them", ts_cli_word(cli, 0),
				    ts_cli_word(cli, 1));
	return q->n <= TS_BISECTION_VERSIONS_MOST
		       ? TS_OK
		       : ts_error_set(err, TS_TOO_LARGE, "there are more than %d commits between them", TS_BISECTION_VERSIONS_MOST);
}

static enum ts_status share(struct ts_cli *cli, const char *option, double most, double *io, struct ts_error *err)
{
	bool given;
	double value;

	if (ts_args_above_zero(&cli->args, option, &given, &value, err))
		return err->status;
	if (given && value >= most)
		return ts_error_set(err, TS_INVALID, "--%s is a share, above 0 and below %g", option, most);
	if (given)
		*io = value;
	return TS_OK;
}

static enum ts_status read_options(struct ts_cli *cli, struct judging *g, struct ts_bisect_question *q, struct ts_error *err)
{
	const char *judge_word = ts_args_text(&cli->args, "judge");
	uint64_t steps = 0, limit = 0, most = 0;
	bool given;

	g->gate = judge_word && strcmp(judge_word, "gate") == 0;
	g->program = judge_word && !g->gate && strcmp(judge_word, "diff") != 0 ? judge_word : NULL;
	g->wrong = g->program ? WRONG_PROGRAM : g->gate ? WRONG_GATE : WRONG_DIFF;
	if (share(cli, "wrong", 0.5, &g->wrong, err) || share(cli, "noise", 1, &q->noise, err) ||
	    ts_args_uint(&cli->args, "steps", INT64_MAX, &given, &steps, err) ||
	    ts_args_seconds(&cli->args, "limit", &given, &limit, err) ||
	    ts_args_uint(&cli->args, "budget", TS_BISECT_RUNS_MOST, &given, &most, err))
		return err->status;
	g->metric = ts_args_text(&cli->args, "metric");
	if (g->metric && !g->gate)
		return ts_error_set(err, TS_INVALID, "--metric is for --judge gate");
	if (q->noise > 0 && !g->program)
		return ts_error_set(err, TS_INVALID, "--noise is for a judge that is a program and prints a number");
	g->noise = q->noise > 0;
	q->ends = g->gate ? gate_ends : NULL;
	q->wrong = g->wrong;
	q->sure = SURE;
	q->most = given ? most : TS_BISECT_RUNS_MOST;
	q->steps = (int64_t)steps;
	q->limit_ns = (int64_t)limit * 1000000000;
	return TS_OK;
}

/* --part 2/3 */
static enum ts_status part_of(struct ts_cli *cli, const struct judging *g, struct ts_bisect_question *q, struct ts_error *err)
{
	const char *text = ts_args_text(&cli->args, "part"), *slash = text ? strchr(text, '/') : NULL;
	uint64_t part = 0, parts = 0;

	q->part = q->parts = 1;
	if (!text)
		return TS_OK;
	if (!slash || !ts_parse_u64(ts_span_of(text, (size_t)(slash - text)), &part) || !ts_parse_u64(ts_span_str(slash + 1), &parts) ||
	    !part || part > parts || parts > TS_AHEAD_MOST)
		return ts_error_set(err, TS_INVALID, "--part is the number of this machine and how many there are, as 1/3; at most %d",
				    TS_AHEAD_MOST);
	if (g->gate || g->noise || !g->push)
		return ts_error_set(err, TS_INVALID, "--part: %s",
				    g->push ? "what is measured on one machine says nothing of another one"
					    : "machines tell each other by the runs that they push, so --no-push cannot be");
	q->part = part;
	q->parts = parts;
	return TS_OK;
}

/* All that the question is made of, and where this command makes its runs. */
static enum ts_status question_of(struct judging *g, const struct ts_bisect_question *q, struct ts_error *err)
{
	struct ts_arena *arena = &g->cli->arena;
	struct ts_buf text = TS_BUF_INIT(TS_KEPT_RUN_KEY_TEXT), place = TS_BUF_INIT(TS_KEPT_RUN_KEY_TEXT);
	char key[TS_KEPT_RUN_KEY + 1], host[256] = "";
	const char *project;

	ts_buf_printf(&text, "%s\n%s\n%" PRId64 "\n%s\n", q->good, q->bad ? q->bad : "", q->steps, g->program ? g->program : "");
	for (size_t i = 0; q->versions && i < q->n; i++)
		ts_buf_printf(&text, "version %s\n", q->versions[i]);
	ts_kept_run_words(&text, "", q->argv);
	if (ts_kept_run_key(&text, key, err) || ts_cli_project(g->cli, &project, err))
		return err->status;
	g->others = (struct ts_bisect_others){
		.cli = g->cli, .project = ts_span_str(project), .question = ts_arena_phrase(arena, "%s", key)};
	if (gethostname(host, sizeof host - 1))
		host[0] = '\0';
	ts_buf_printf(&place, "%s\n%s\n", host, q->directory);
	if (ts_kept_run_key(&place, key, err))
		return err->status;
	g->others.place = ts_arena_phrase(arena, "%s", key);
	return ts_arena_check(arena, err);
}

static enum ts_status prepare(struct ts_cli *cli, struct judging *g, struct ts_bisect_question *q, struct ts_error *err)
{
	const char *list = ts_args_text(&cli->args, "versions");
	struct ts_id ids[2];

	if (read_options(cli, g, q, err) || ts_experiment_jobs(cli, &q->jobs, err) ||
	    ts_experiment_launcher(cli, &q->launcher, err) || ts_experiment_copies(cli, q->clone, NULL, 0, &q->making->files, err) ||
	    (list ? version_list(cli, list, q, err) : commits(cli, g, q, err)))
		return err->status;
	if (q->jobs > 1 && g->gate)
		return ts_error_set(err, TS_INVALID,
				    "--jobs: runs side by side slow each other down, so the gate judges one after the other");
	ts_digest(ts_span_str(ts_cli_word(cli, 0)), &ids[0]);
	ts_digest(ts_span_str(ts_cli_word(cli, 1)), &ids[1]);
	if (ts_experiment_directory(cli, "bisect", &ids[0], &ids[1], &q->directory, err) || part_of(cli, g, q, err) ||
	    question_of(g, q, err))
		return err->status;
	if (!g->gate && !g->noise && g->push && !ts_cli_open(cli, TS_USE_READ, err))
		q->others = &g->others;
	if (!g->gate && !g->program && !list)
		q->recorded = g->good_run;
	if (!g->gate)
		return TS_OK;
	g->n = q->n;
	g->policy = ts_arena_phrase(&cli->arena, "%s/gate.policy", q->directory);
	return ts_file_replace(g->policy, ts_span_str("GATE.rerun = off\n"), 0600, err);
}

enum ts_status ts_verb_bisect(struct ts_cli *cli, struct ts_error *err)
{
	struct judging g = {.cli = cli, .push = !ts_args_has(&cli->args, "no-push")};
	struct ts_kept_runs making = {.arena = &cli->arena};
	struct ts_bisect_question q = {.cli = cli, .argv = cli->args.words + 2, .making = &making, .judge = judge, .ctx = &g};
	struct ts_bisected answer;
	enum ts_status status;

	if (cli->args.n_words < 3)
		return ts_error_set(err, TS_INVALID, "bisect: the command that trains is missing: tscope bisect GOOD BAD -- COMMAND");
	/* The runner is a process of its own, made before there is any thread. */
	status = ts_experiment_clone(cli, &q.clone, err);
	if (!status)
		status = ts_experiment_runner(cli, &making.runner, err);
	making.clone = q.clone;
	if (!status)
		status = prepare(cli, &g, &q, err);
	if (!status)
		status = ts_bisect_by_runs(&q, &answer, err);
	ts_runner_close(making.runner);
	if (status)
		return ts_error_prefix(err, "bisect");
	cli->exit_code = answer.found ? TS_EXIT_YES : TS_EXIT_INCONCLUSIVE;
	return cli->json ? ts_json_answer(cli, &ts_shape_bisected, &answer, err) : ts_render_bisected_text(cli, &answer, err);
}
