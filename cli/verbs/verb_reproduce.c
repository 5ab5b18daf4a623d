/* verb_reproduce.c - tscope reproduce: runs a recorded training again, and says from which step on it is another one. */
#include "analysis/answer/reproduced.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/core/ask.h"
#include "cli/core/find_repeats.h"
#include "cli/core/names.h"
#include "cli/core/path_run.h"
#include "cli/json/json_parts.h"
#include "cli/report/render_report.h"
#include "cli/report/report.h"
#include "cli/verbs/again_here.h"
#include "cli/verbs/built_python.h"
#include "cli/verbs/experiment_place.h"
#include "cli/verbs/launch_python.h"
#include "cli/verbs/verbs.h"
#include "cli/view/show_value.h"
#include "cli/why/run_output.h"
#include "launch/runner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FIRST_LOOK_NS (INT64_C(2) * 1000000000)
#define SPARE_NS (INT64_C(600) * 1000000000)

enum { COST_SHARE = 20, TIMES_AS_LONG = 10, TEXT_MOST = 16 << 20 };

struct reproducing {
	struct ts_cli *cli;
	struct ts_runner *runner;
	struct ts_span spec; /* of the recorded run */
	struct ts_get_reply run;
	struct ts_again again;
	struct ts_here here;
	struct ts_recipe recipe;
	struct ts_diff diff; /* of the last look */
	bool looked, builds;
	struct ts_python_plan python; /* where it builds one */
	int64_t look_at_ns;
};

/* --- where --- */

static const char *absolute(struct ts_arena *arena, const char *path)
{
	char *here = path[0] == '/' ? NULL : realpath(".", NULL);
	const char *whole = here ? ts_arena_printf(arena, "%s/%s", here, path) : path;

	free(here);
	return whole;
}

static const char *own_folder(struct reproducing *r)
{
	const char *named = ts_args_text(&r->cli->args, "directory");
	time_t now = (time_t)(ts_now_real_ns() / 1000000000);
	char text[32] = "";
	struct tm local;

	if (named)
		return absolute(&r->cli->arena, named);
	if (localtime_r(&now, &local) && strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local) == 0)
		text[0] = '\0';
	return absolute(&r->cli->arena,
			ts_arena_printf(&r->cli->arena, "runs/again-%.8s-%s", ts_show_id(&r->run.run.id, &r->cli->arena), text));
}

/* --- the recipe --- */

/* The words with the recorded interpreter in the place of a python that PATH finds, and with the checkpoint that --from names. */
static enum ts_status words_of(struct reproducing *r, struct ts_error *err)
{
	const char *const *words = r->again.words, *from = ts_args_text(&r->cli->args, "from"), *why = NULL;
	const char **made;
	size_t n = 0, placed = 0;

	while (words[n])
		n++;
	made = ts_arena_array(&r->cli->arena, n + 1, sizeof *made);
	if (!made)
		return ts_arena_error(&r->cli->arena, err);
	for (size_t i = 0; i <= n; i++) {
		made[i] = words[i];
		if (words[i] && from && r->again.checkpoint && strcmp(words[i], r->again.checkpoint) == 0) {
			made[i] = absolute(&r->cli->arena, from);
			placed++;
		}
	}
	if (from && !placed)
		return ts_error_set(
			err, TS_INVALID,
			"reproduce: --from takes the place of the checkpoint that the recorded command names, and it names none");
	if (r->builds && strncmp(ts_path_last(words[0]), "python", 6) == 0)
		made[0] = ts_arena_printf(&r->cli->arena, "%s/bin/python", r->python.folder);
	else if (strncmp(words[0], "python", 6) == 0 && !strchr(words[0], '/') && r->again.interpreter &&
	    access(r->again.interpreter, X_OK) == 0)
		made[0] = r->again.interpreter;
	r->recipe.argv = made;
	if (r->again.launched &&
	    ts_python_record(made, r->recipe.folder, NULL, &r->cli->arena, (const char *const **)&r->recipe.argv, &why, err))
		return err->status;
	return TS_OK;
}

static enum ts_status limits_of(struct reproducing *r, struct ts_error *err)
{
	const struct ts_run_ref *ref = &r->run.run;
	uint64_t steps = 0, minutes = 0;
	bool has_steps = false, has_limit = false;

	if (ts_args_uint(&r->cli->args, "steps", INT32_MAX, &has_steps, &steps, err) ||
	    ts_args_uint(&r->cli->args, "limit", 1000000, &has_limit, &minutes, err))
		return ts_error_prefix(err, "reproduce");
	if (has_steps && !steps)
		return ts_error_set(err, TS_INVALID, "reproduce: --steps is 1 or more");
	if (ref->steps && ref->last_step >= 0) {
		r->recipe.stops = true;
		r->recipe.stop = ref->last_step;
		if (has_steps && ref->first_step + (int64_t)steps - 1 < ref->last_step)
			r->recipe.stop = ref->first_step + (int64_t)steps - 1;
	}
	if (has_limit)
		r->recipe.limit_ns = (int64_t)minutes * 60 * 1000000000;
	else if (r->again.wall_s > 0 && r->again.wall_s < 1e7)
		r->recipe.limit_ns = (int64_t)(r->again.wall_s * TIMES_AS_LONG * 1e9) + SPARE_NS;
	return TS_OK;
}

/* The variables, with the programs of the environment that is built before those of PATH. */
static enum ts_status add_python(struct reproducing *r, struct ts_error *err)
{
	const char *path = getenv("PATH");
	struct ts_recipe_pair *pairs = ts_arena_array(&r->cli->arena, r->recipe.n_variables + 2, sizeof *pairs);
	size_t n = 0;

	for (size_t i = 0; pairs && i < r->recipe.n_variables; i++)
		if (strcmp(r->recipe.variables[i].name, "PATH") != 0 && strcmp(r->recipe.variables[i].name, "VIRTUAL_ENV") != 0)
			pairs[n++] = r->recipe.variables[i];
	if (!pairs)
		return ts_arena_error(&r->cli->arena, err);
	pairs[n++] = (struct ts_recipe_pair){"PATH", ts_arena_phrase(&r->cli->arena, "%s/bin:%s", r->python.folder, path ? path : "")};
	pairs[n++] = (struct ts_recipe_pair){"VIRTUAL_ENV", r->python.folder};
	r->recipe.variables = pairs;
	r->recipe.n_variables = n;
	return TS_OK;
}

static enum ts_status recipe_of(struct reproducing *r, struct ts_error *err)
{
	r->recipe = (struct ts_recipe){
		.directory = r->again.directory,
		.commit = r->again.commit,
		.patch = r->again.patch,
		.variables = r->here.variables,
		.n_variables = r->here.n_variables,
		.files = r->here.files,
		.folder = own_folder(r),
	};
	if (!r->recipe.folder)
		return ts_arena_error(&r->cli->arena, err);
	if ((r->builds && add_python(r, err)) || ts_experiment_launcher(r->cli, &r->recipe.launcher, err) || words_of(r, err) ||
	    limits_of(r, err))
		return err->status;
	return ts_recipe_check(&r->recipe, err);
}

/* --- what is shown before anything is executed --- */

static void put(struct ts_buf *out, const char *name, const char *text)
{
	ts_buf_printf(out, "  %-13s", name);
	ts_escape(out, ts_span_str(text));
	ts_buf_char(out, '\n');
}

static void put_patch(struct ts_buf *out, struct ts_span patch)
{
	ts_buf_str(out, "  patch\n");
	while (patch.len) {
		struct ts_span line = ts_span_through(patch, '\n');
		size_t n = line.len ? line.len : patch.len;

		ts_buf_str(out, "    ");
		ts_escape(out, ts_span_part(patch, 0, n - (line.len > 0)));
		ts_buf_char(out, '\n');
		patch = ts_span_from(patch, n);
	}
}

static void put_words(struct ts_buf *out, const char *name, const char *const *words)
{
	ts_buf_printf(out, "  %-13s", name);
	for (size_t i = 0; words[i]; i++) {
		bool plain = words[i][0] && strcspn(words[i], " \t'\"\\$`|&;<>()*?[]{}!#~") == strlen(words[i]);

		ts_buf_str(out, i ? " " : "");
		ts_buf_str(out, plain ? "" : "'");
		ts_escape(out, ts_span_str(words[i]));
		ts_buf_str(out, plain ? "" : "'");
	}
	ts_buf_char(out, '\n');
}

static void put_variables(struct ts_buf *out, const struct ts_recipe *recipe)
{
	size_t n = 0;

	for (size_t i = 0; i < recipe->n_variables; i++) {
		n += !recipe->variables[i].value;
		if (!recipe->variables[i].value)
			continue;
		ts_buf_printf(out, "  %-13s%s=", "set", recipe->variables[i].name);
		ts_escape(out, ts_span_str(recipe->variables[i].value));
		ts_buf_char(out, '\n');
	}
	if (n)
		ts_buf_printf(out, "  %-13s", "unset");
	for (size_t i = 0, k = 0; i < recipe->n_variables; i++)
		if (!recipe->variables[i].value && k++ < TS_HERE_NAMED)
			ts_buf_printf(out, "%s%s", k > 1 ? " " : "", recipe->variables[i].name);
	if (n > TS_HERE_NAMED)
		ts_buf_printf(out, " and %zu more", n - TS_HERE_NAMED);
	if (n)
		ts_buf_char(out, '\n');
}

static void put_python(struct ts_buf *out, const struct ts_python_plan *python)
{
	ts_buf_printf(out, "  %-13s", "environment");
	ts_escape(out, ts_span_str(python->folder));
	if (python->there)
		ts_buf_str(out, ", which is there\n");
	else
		ts_buf_printf(out, ", which %s makes with Python %s and these wheels of its index:\n", python->tool, python->version);
	for (size_t i = 0; i < python->n_wanted && !python->there; i++)
		ts_buf_printf(out, "    %s\n", python->wanted[i]);
	for (size_t i = 0; i < python->n_left; i++)
		put(out, "not built", python->left[i]);
}

static void show_plan(struct reproducing *r, struct ts_buf *out)
{
	const struct ts_recipe *recipe = &r->recipe;

	ts_buf_str(out,
		   "tscope executes this here, in a git worktree of its own. It comes from the record; read it before you agree.\n");
	put_words(out, "command", recipe->argv);
	if (recipe->launcher)
		put_words(out, "by", recipe->launcher);
	put(out, "commit", recipe->commit);
	put(out, "clone", r->here.clone);
	if (recipe->directory[0])
		put(out, "directory", recipe->directory);
	if (recipe->patch.len)
		put_patch(out, recipe->patch);
	if (r->builds)
		put_python(out, &r->python);
	put_variables(out, recipe);
	for (size_t i = 0; recipe->files[i]; i++)
		put(out, "copy", recipe->files[i]);
	if (recipe->stops)
		ts_buf_printf(out, "  %-13sbehind step %" PRId64 ", or where it parts from the record\n", "ends", recipe->stop);
	if (recipe->limit_ns)
		ts_buf_printf(out, "  %-13s%" PRId64 " s at most\n", "time", recipe->limit_ns / 1000000000);
	put(out, "recorded in", recipe->folder);
	for (size_t i = 0; i < r->here.n_differs; i++)
		put(out, "differs", r->here.differs[i]);
	for (size_t i = 0; i < r->again.n_unsure; i++)
		put(out, "not known", r->again.unsure[i]);
}

/* Shows the plan and asks. */
static enum ts_status confirm(struct reproducing *r, bool *ret_yes, struct ts_error *err)
{
	struct ts_buf plan = TS_BUF_INIT(TEXT_MOST);
	bool yes = ts_args_has(&r->cli->args, "yes");
	char answer[16] = "";
	enum ts_status status;

	show_plan(r, &plan);
	status = ts_buf_check(&plan, err);
	if (!status) {
		(void)fwrite(plan.data, 1, plan.len, stderr);
		if (!yes && !isatty(STDIN_FILENO))
			status = ts_error_set(err, TS_INVALID,
					      "reproduce: nothing was executed: where nobody can be asked, --yes says that "
					      "this may be");
	}
	ts_buf_finish(&plan);
	if (!status && !yes) {
		(void)fprintf(stderr, "Execute it? [y/N] ");
		(void)fflush(stderr);
		yes = fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
	}
	*ret_yes = yes;
	return status;
}

/* --- looking --- */

/* Compares what is recorded so far. ret_parts: a common step differs. */
static enum ts_status look(struct reproducing *r, bool *ret_parts, struct ts_error *err)
{
	struct ts_diff_request request = {.outcomes = false};
	struct ts_span specs[2] = {r->spec};
	bool quiet = r->cli->quiet;
	enum ts_status status;

	r->cli->quiet = true; /* that it grows is known */
	status = ts_path_run(r->cli, r->recipe.folder, &specs[1], err);
	r->cli->quiet = quiet;
	if (status)
		return status;
	ts_take_specs(specs, 2, &request);
	status = ts_ask_diff(r->cli->target.channel, &request, &r->cli->arena, &r->diff, err);
	r->looked = !status;
	*ret_parts = !status && r->diff.verdict == TS_DIFF_DIFFERENT;
	return status;
}

static uint64_t common_steps(const struct ts_diff *diff)
{
	return diff->b.steps > diff->steps_only_b ? diff->b.steps - diff->steps_only_b : 0;
}

/* How many series of the trajectory were compared, and agree as far as both go. */
static uint64_t agreeing(const struct ts_diff *diff)
{
	uint64_t n = diff->verdict == TS_DIFF_SAME ? diff->n_same : 0;

	for (size_t i = 0; i < diff->n_series; i++)
		n += diff->series[i].state == TS_SERIES_EXTENT && diff->series[i].role == TS_ROLE_TRAJECTORY;
	return n;
}

/* Waits for the end of the run, and ends it once it has parted. Looks cost a twentieth of the time at most, and become rare. */
static enum ts_status wait_for_end(struct reproducing *r, uint32_t job, struct ts_ran *ret_ran, bool *ret_parts, struct ts_error *err)
{
	int64_t begun = ts_now_mono_ns(), next = begun + FIRST_LOOK_NS;
	struct ts_error look_error;

	for (;;) {
		int64_t now = ts_now_mono_ns(), cost;
		enum ts_status status = ts_runner_wait(r->runner, next > now ? next - now : 0, ret_ran, err);

		if (status != TS_DEADLINE)
			return status;
		now = ts_now_mono_ns();
		if (!*ret_parts && !look(r, ret_parts, &look_error) && *ret_parts)
			ts_runner_end(r->runner, job);
		cost = ts_now_mono_ns() - now;
		next = ts_now_mono_ns() + FIRST_LOOK_NS;
		next += cost * COST_SHARE > (now - begun) / 4 ? cost * COST_SHARE : (now - begun) / 4;
	}
}

/* --- the answer --- */

static struct ts_reproduced_texts texts(struct reproducing *r, const char *const *from, size_t n)
{
	struct ts_reproduced_texts made = {ts_arena_array(&r->cli->arena, n + 1, sizeof *made.items), 0};

	for (; made.items && made.n < n; made.n++)
		made.items[made.n] = ts_span_str(from[made.n]);
	return made;
}

static size_t words_in(const char *const *words)
{
	size_t n = 0;

	while (words && words[n])
		n++;
	return n;
}

/* Prints the answer as JSON. made: there is a new run. */
static enum ts_status as_json(struct reproducing *r, const char *verdict, const char *sentence, bool made, struct ts_error *err)
{
	const char *const *words = r->recipe.argv ? r->recipe.argv : r->again.words;
	struct ts_reproduced answer = {
		.run = r->run.run,
		.verdict = ts_span_str(verdict),
		.sentence = ts_span_str(sentence ? sentence : ""),
		.parted = r->cli->exit_code == TS_EXIT_NO,
		.step = INT64_MAX,
		.steps = made && r->looked ? common_steps(&r->diff) : 0,
		.series = made && r->looked ? agreeing(&r->diff) : 0,
		.command = texts(r, words, words_in(words)),
		.commit = ts_span_str(r->again.commit ? r->again.commit : ""),
		.lacks = texts(r, r->again.lacks, r->again.n_lacks),
		.gone = texts(r, r->here.gone, r->here.n_gone),
		.differs = texts(r, r->here.differs, r->here.n_differs),
		.unsure = texts(r, r->again.unsure, r->again.n_unsure),
		.folder = ts_span_str(made ? r->recipe.folder : ""),
	};

	for (size_t i = 0; answer.parted && i < r->diff.n_series; i++)
		if (r->diff.series[i].state == TS_SERIES_PARTS && r->diff.series[i].role == TS_ROLE_TRAJECTORY &&
		    r->diff.series[i].first_step < answer.step)
			answer.step = r->diff.series[i].first_step;
	if (answer.parted)
		answer.steps = answer.series = 0;
	return ts_arena_check(&r->cli->arena, err) ? err->status : ts_json_answer(r->cli, &ts_shape_reproduced, &answer, err);
}

static enum ts_status lacking(struct reproducing *r, struct ts_error *err)
{
	struct ts_buf *out = &r->cli->out;

	r->cli->exit_code = TS_EXIT_INCONCLUSIVE;
	if (r->cli->json)
		return as_json(r, "not_known", "The run cannot be run again here.", false, err);
	ts_buf_str(out, "The run cannot be run again here. What is missing:\n");
	for (size_t i = 0; i < r->again.n_lacks; i++)
		put(out, "record", r->again.lacks[i]);
	for (size_t i = 0; i < r->here.n_gone; i++)
		put(out, "here", r->here.gone[i]);
	return TS_OK;
}

static void say_where(struct reproducing *r)
{
	if (ts_file_kind(r->recipe.folder) == TS_FILE_NONE) /* it never began */
		return;
	ts_buf_str(&r->cli->out, "\nThe run is in ");
	ts_escape(&r->cli->out, ts_span_str(r->recipe.folder));
	ts_escape(&r->cli->out, ts_span_str(ts_run_output_place(r->recipe.folder, &r->cli->arena)));
	ts_buf_str(&r->cli->out, ".\n");
}

/* What was another before it began, which the answer is to be read with. */
static void say_differences(struct reproducing *r)
{
	if (r->here.n_differs)
		ts_buf_str(&r->cli->out, "\nBefore it began, this differed from the record:\n");
	for (size_t i = 0; i < r->here.n_differs; i++)
		put(&r->cli->out, "differs", r->here.differs[i]);
}

static enum ts_status parted(struct reproducing *r, struct ts_error *err)
{
	struct ts_report report;

	r->cli->exit_code = TS_EXIT_NO;
	ts_cli_call_run(r->cli, ts_cli_word(r->cli, 0), &r->diff.a);
	ts_cli_call_run(r->cli, r->recipe.folder, &r->diff.b);
	if (r->cli->json)
		return as_json(r, "parted", ts_arena_phrase(&r->cli->arena, "%.*s", TS_SPAN_ARG(r->diff.diagnosis.sentence)), true,
			       err);
	if (ts_report_of_diff(&r->diff, false, NULL, &r->cli->arena, &report, err) || ts_render_report_text(r->cli, &report, err))
		return err->status;
	say_differences(r);
	say_where(r);
	return TS_OK;
}

static enum ts_status untested(struct reproducing *r, const struct ts_ran *ran, struct ts_error *err)
{
	const char *why = ran->why[0] ? ts_run_output_problem(ran->why, r->recipe.folder, NULL, NULL, &r->cli->arena)
				      : "nothing was recorded that both runs have";

	r->cli->exit_code = TS_EXIT_INCONCLUSIVE;
	if (r->cli->json)
		return as_json(r, "not_known", why, true, err);
	ts_buf_str(&r->cli->out, "Whether it repeats is not known: ");
	ts_escape(&r->cli->out, ts_span_str(why));
	ts_buf_str(&r->cli->out, ".\n");
	say_where(r);
	return TS_OK;
}

static enum ts_status conclude(struct reproducing *r, const struct ts_ran *ran, bool parts, struct ts_error *err)
{
	uint64_t steps, wanted;

	if (ran->kind != TS_RAN_CANNOT && look(r, &parts, err))
		return err->status == TS_NOT_FOUND || err->status == TS_INVALID ? untested(r, ran, err) : err->status;
	if (parts)
		return parted(r, err);
	steps = r->looked ? common_steps(&r->diff) : 0;
	if (ran->kind == TS_RAN_CANNOT || !steps || !agreeing(&r->diff))
		return untested(r, ran, err);
	r->cli->exit_code = TS_EXIT_YES;
	if (r->cli->json)
		return as_json(r, "same", ran->kind == TS_RAN_WELL ? "Bit for bit the same." : ran->why, true, err);
	wanted = r->recipe.stops ? (uint64_t)(r->recipe.stop - r->run.run.first_step + 1) : r->run.run.steps;
	ts_buf_printf(&r->cli->out, "Bit for bit the same in %" PRIu64 " steps, in %" PRIu64 " series.\n", steps, agreeing(&r->diff));
	if (ran->kind != TS_RAN_WELL) {
		ts_buf_str(&r->cli->out, "It ended there: ");
		ts_escape(&r->cli->out, ts_span_str(ran->why));
		ts_buf_str(&r->cli->out, ".\n");
	} else if (steps < wanted && steps < r->run.run.steps) {
		ts_buf_printf(&r->cli->out, "It ended by itself before step %" PRId64 ".\n", r->recipe.stop);
	}
	say_differences(r);
	say_where(r);
	return TS_OK;
}

static enum ts_status execute(struct reproducing *r, struct ts_error *err)
{
	struct ts_ran ran = {.kind = TS_RAN_CANNOT};
	bool parts = false;
	uint32_t job;

	if (r->builds && !r->python.there)
		ts_cli_say(r->cli, "building the environment, whose log is %s.log", r->python.folder);
	if (r->builds && ts_python_build(&r->python, &r->cli->arena, err)) {
		r->here.gone[r->here.n_gone++] = ts_arena_phrase(&r->cli->arena, "%s", err->text);
		return err->status == TS_IO ? lacking(r, err) : err->status;
	}
	if (ts_runner_begin(r->runner, r->here.clone, &r->recipe, &job, err) || wait_for_end(r, job, &ran, &parts, err))
		return ts_error_prefix(err, "reproduce");
	return conclude(r, &ran, parts, err);
}

/* Is a file that was read the checkpoint, which the command may have named from another folder? */
static bool is_checkpoint(const char *path, const char *checkpoint)
{
	while (strncmp(checkpoint, "../", 3) == 0 || strncmp(checkpoint, "./", 2) == 0)
		checkpoint += checkpoint[1] == '.' ? 3 : 2;
	return checkpoint[0] == '/' ? strcmp(path, checkpoint) == 0
				    : ts_span_ends(ts_span_str(path), checkpoint) && strlen(path) > strlen(checkpoint) &&
					      path[strlen(path) - strlen(checkpoint) - 1] == '/';
}

/* The checkpoint that --from names takes the place of the recorded one also among the files that have to be here. *ret_other: that it
 * is another one; NULL. */
static enum ts_status take_from(struct reproducing *r, const char **ret_other, struct ts_error *err)
{
	const char *from = ts_args_text(&r->cli->args, "from");
	struct ts_again_file *left;
	char digest[17];
	uint64_t size;
	size_t n = 0;

	*ret_other = NULL;
	if (!from || !r->again.checkpoint)
		return TS_OK;
	if (!ts_here_file(from, &size, digest))
		return ts_error_set(err, TS_NOT_FOUND, "reproduce: --from: %s is no file that can be read", from);
	left = ts_arena_array(&r->cli->arena, r->again.n_files + 1, sizeof *left);
	if (!left)
		return ts_arena_error(&r->cli->arena, err);
	for (size_t i = 0; i < r->again.n_files; i++) {
		const struct ts_again_file *file = &r->again.files[i];

		if (!is_checkpoint(file->path, r->again.checkpoint))
			left[n++] = *file;
		else if (!ts_span_is(file->digest, digest))
			*ret_other = ts_arena_printf(
				&r->cli->arena, "the checkpoint %s is not the one that it went on from: its digest is another", from);
	}
	r->again.files = left;
	r->again.n_files = n;
	return TS_OK;
}

static enum ts_status plan(struct reproducing *r, bool *ret_go, struct ts_error *err)
{
	const char *other;

	const char *clone = ts_args_text(&r->cli->args, "clone");

	*ret_go = false;
	if (ts_cli_run(r->cli, ts_cli_word(r->cli, 0), &r->spec, err) || ts_again_ask(r->cli, r->spec, &r->run, &r->again, err))
		return err->status;
	if (r->again.n_lacks)
		return lacking(r, err);
	if (take_from(r, &other, err))
		return err->status;
	if (ts_here_look(&r->again, clone ? clone : ".", &r->cli->arena, &r->here, err))
		return ts_error_prefix(err, "reproduce");
	if (other && r->here.n_differs < TS_HERE_ROWS)
		r->here.differs[r->here.n_differs++] = other;
	if (r->here.n_gone)
		return lacking(r, err);
	r->builds = ts_args_has(&r->cli->args, "build");
	if (r->builds && ts_python_plan(r->cli, &r->again, &r->python, err)) {
		if (err->status != TS_NOT_FOUND)
			return err->status;
		r->here.gone[r->here.n_gone++] = ts_arena_phrase(&r->cli->arena, "%s", err->text);
		return lacking(r, err);
	}
	if (recipe_of(r, err))
		return err->status;
	if (ts_args_has(&r->cli->args, "dry-run") && r->cli->json)
		return as_json(r, "planned", "Nothing was executed.", false, err);
	if (ts_args_has(&r->cli->args, "dry-run")) {
		show_plan(r, &r->cli->out);
		return TS_OK;
	}
	return confirm(r, ret_go, err);
}

enum ts_status ts_verb_reproduce(struct ts_cli *cli, struct ts_error *err)
{
	struct reproducing r = {.cli = cli};
	enum ts_status status = TS_OK;
	bool go = false;

	if (!ts_args_has(&cli->args, "dry-run") && ts_experiment_runner(cli, &r.runner, err)) /* before any thread is made */
		return ts_error_prefix(err, "reproduce");
	status = plan(&r, &go, err);
	if (!status && go)
		status = execute(&r, err);
	else if (!status && !ts_args_has(&cli->args, "dry-run") && cli->exit_code != TS_EXIT_INCONCLUSIVE)
		ts_cli_say(cli, "nothing was executed");
	ts_runner_close(r.runner);
	return status;
}
