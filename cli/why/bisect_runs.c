#include "cli/why/bisect_runs.h"

#include "base/text.h"
#include "cli/text/text_parts.h"
#include "cli/view/show_value.h"
#include "experiment/foresight.h"
#include "launch/git.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	COMMIT_SHOWN = 12,
	STEP_ARENA = 64 << 20,
	ENDS_MOST = 4,
	ENDS_APART = 4,
	ENDS_LEAST = 3,
	AGAIN_MOST = 3,
	CONTROL = 1 << 20, /* the repeat */
	TURNS = 2,	   /* runs of two neighbours, in turn */
	TURNS_MOST = 4,	   /* versions that are found, and do not stand so */
};
#define CLEAR 2.0	    /* evidence, of a run that measures as the other end */
#define SCATTER_LEAST 0.001 /* of what is measured: no clock and no machine repeats better */

struct searching {
	const struct ts_bisect_question *q;
	struct ts_arena *arena;
	struct ts_judged judged[TS_BISECT_RUNS_MOST];
	double values[TS_BISECT_RUNS_MOST];
	struct ts_bisected_run told[TS_BISECT_RUNS_MOST];
	size_t n, runs;
	struct ts_two_levels levels;
};

size_t ts_bisect_count(const char *clone, const char *good, const char *bad)
{
	char range[160], said[TS_GIT_SAID];

	(void)snprintf(range, sizeof range, "%.70s..%.70s", good, bad);
	if (!ts_git(clone, (const char *const[]){"merge-base", "--is-ancestor", good, bad, NULL}, said) ||
	    !ts_git(clone, (const char *const[]){"rev-list", "--count", "--first-parent", range, NULL}, said))
		return 0;
	return strtoul(said, NULL, 10);
}

const char *ts_bisect_commit(const char *clone, const char *word, struct ts_arena *arena)
{
	char said[TS_GIT_SAID];
	const char *name = ts_arena_phrase(arena, "%s^{commit}", word);

	if (word[0] == '-' ||
	    !ts_git(clone, (const char *const[]){"rev-parse", "--verify", "--quiet", "--end-of-options", name, NULL}, said) ||
	    (strlen(said) != 40 && strlen(said) != 64))
		return NULL;
	return ts_arena_printf(arena, "%s", said);
}

/* The name of a version; 0 is the good one. NULL: git does not tell. */
static const char *name_of(const struct searching *s, size_t version)
{
	const struct ts_bisect_question *q = s->q;
	char said[TS_GIT_SAID];
	const char *range, *skip;

	if (q->versions)
		return version ? q->versions[version - 1] : q->good_version;
	if (!version)
		return q->good;
	range = ts_arena_phrase(s->arena, "%s..%s", q->good, q->bad);
	skip = ts_arena_phrase(s->arena, "--skip=%zu", q->n - version);
	if (!ts_git(q->clone, (const char *const[]){"rev-list", "--first-parent", "--max-count=1", skip, range, NULL}, said))
		return NULL;
	return ts_arena_phrase(s->arena, "%s", said);
}

/* The run of a version: its name, and the key of all that it is made of. */
struct version_run {
	const char *name;
	char key[TS_KEPT_RUN_KEY + 1];
	struct ts_recipe recipe;
	struct ts_recipe_pair slot;
};

static enum ts_status version_run(const struct searching *s, size_t version, size_t repeat, struct version_run *ret,
				  struct ts_error *err)
{
	const struct ts_bisect_question *q = s->q;
	const char *name = name_of(s, version);
	struct ts_buf text = TS_BUF_INIT(TS_KEPT_RUN_KEY_TEXT);

	*ret = (struct version_run){.name = name, .slot = {"version", name}};
	if (!name)
		return ts_error_set(err, TS_NOT_FOUND, "git does not tell commit %zu of %zu", version, q->n);
	ret->recipe = (struct ts_recipe){.launcher = q->launcher,
					 .argv = q->argv,
					 .commit = q->versions ? q->good : name,
					 .limit_ns = q->limit_ns,
					 .stops = q->steps > 0,
					 .stop = q->steps - 1};
	if (q->versions) {
		ret->recipe.slots = &ret->slot;
		ret->recipe.n_slots = 1;
	}
	ts_buf_printf(&text, "%s\n%s\n%" PRId64 " %zu\n", ret->recipe.commit, name, q->steps, repeat);
	ts_kept_run_words(&text, "", q->argv);
	ts_kept_run_words(&text, "by ", q->launcher);
	return ts_kept_run_key(&text, ret->key, err);
}

/* Begins the run of a version, unless it is there, or begun. */
static enum ts_status begin_run(struct searching *s, size_t version, size_t repeat, struct version_run *ret_run,
				struct ts_kept_run *ret_kept, struct ts_error *err)
{
	const struct ts_bisect_question *q = s->q;

	*ret_kept = (struct ts_kept_run){.there = false};
	if (version_run(s, version, repeat, ret_run, err))
		return err->status;
	if (ts_kept_runs_has(q->making, ret_run->key))
		return TS_OK;
	if (ts_kept_run_find(q->directory, ret_run->key, s->arena, ret_kept, err) || ret_kept->there)
		return ret_kept->there ? TS_OK : err->status;
	ret_run->recipe.folder = ret_kept->folder;
	return ts_kept_run_begin(q->making, ret_run->key, &ret_run->recipe, ret_kept, err);
}

/* Makes the run of a version, or takes the one that is there. */
static enum ts_status run_of(struct searching *s, size_t version, size_t repeat, const char **ret_name, struct ts_kept_run *ret_kept,
			     struct ts_error *err)
{
	struct version_run run;

	if (begin_run(s, version, repeat, &run, ret_kept, err) ||
	    (!ret_kept->there && ts_kept_run_take(s->q->making, run.key, ret_kept, err)))
		return err->status;
	*ret_name = run.name;
	s->runs++;
	return TS_OK;
}

static bool measures(const struct ts_bisect_question *q)
{
	return q->noise > 0 || q->ends;
}

static const char *word_of(const struct ts_judged *j)
{
	if (j->skipped)
		return "skipped";
	return j->evidence > 0.5 ? "bad" : j->evidence < -0.5 ? "good" : "unclear";
}

/* Runs and judges a version. *ret_value: what was measured. */
static enum ts_status look(struct searching *s, size_t version, size_t repeat, struct ts_bisect_judgement *ret,
			   struct ts_bisected_run *told, struct ts_error *err)
{
	const struct ts_bisect_question *q = s->q;
	struct ts_bisect_judgement judgement = {.value = (double)NAN};
	struct ts_kept_run kept;
	const char *name = NULL;

	if (run_of(s, version, repeat, &name, &kept, err))
		return err->status;
	if (kept.problem) {
		judgement.skipped = true;
		judgement.problem = kept.problem;
	} else if (q->judge(q->ctx, kept.folder, version, &judgement, err)) {
		return err->status;
	}
	if (measures(q) && !judgement.skipped && !isfinite(judgement.value)) {
		judgement.skipped = true;
		judgement.problem = "the judge measured no number";
	}
	*told = (struct ts_bisected_run){.number = s->runs,
					 .version = version,
					 .name = ts_span_str(name),
					 .evidence = (double)NAN,
					 .value = judgement.value,
					 .problem = ts_span_str(judgement.problem ? judgement.problem : ""),
					 .folder = ts_span_str(kept.folder),
					 .seconds = kept.seconds};
	judgement.ran = !kept.problem;
	*ret = judgement;
	return TS_OK;
}

/* Runs and judges an end for the repeat-th time; *ret_value: what was measured. */
static enum ts_status look_at_end(struct searching *s, size_t side, size_t repeat, double *ret_value, struct ts_error *err)
{
	static const char *const called[] = {"good", "bad"};
	const struct ts_bisect_question *q = s->q;
	struct ts_bisect_judgement j;
	struct ts_bisected_run told;

	if (look(s, side ? q->n : 0, repeat, &j, &told, err))
		return err->status;
	if (j.skipped)
		return ts_error_set(err, TS_INVALID, "the %s version cannot be judged: %s; its run is in %.*s", called[side],
				    j.problem ? j.problem : "the judge says so", TS_SPAN_ARG(told.folder));
	if (q->noise <= 0 && (j.evidence > 0) != (side == 1))
		return ts_error_set(err, TS_INVALID, "the judge does not call the %s version %s; its run is in %.*s", called[side],
				    called[side], TS_SPAN_ARG(told.folder));
	ts_cli_say(q->cli, "run %zu: the %s version, %.*s: %s", s->runs, called[side],
		   (int)(told.name.len < COMMIT_SHOWN ? told.name.len : COMMIT_SHOWN), (const char *)told.name.data,
		   q->noise > 0 ? ts_show_rounded(j.value, s->arena) : called[side]);
	*ret_value = j.value;
	return TS_OK;
}

/* Both ends: a judge that cannot tell them apart finds nothing between them. Ends that are measured are run until they lie apart by
 * ENDS_APART standard errors, at most ENDS_MOST times each. */
static enum ts_status look_at_ends(struct searching *s, struct ts_error *err)
{
	const struct ts_bisect_question *q = s->q;
	double sums[2] = {0, 0}, apart = 0, sd = 0;
	struct version_run run;
	struct ts_kept_run kept;
	size_t n = 0;

	do {
		for (size_t side = 0; side < 2 && q->jobs > 1; side++)
			if (begin_run(s, side ? q->n : 0, n, &run, &kept, err))
				return err->status;
		for (size_t side = 0; side < 2; side++) {
			double value = 0;

			if (look_at_end(s, side, n, &value, err))
				return err->status;
			sums[side] += value;
		}
		n++;
		if (q->noise <= 0)
			return TS_OK;
		sd = q->noise * fabs(sums[0] / (double)n);
		apart = fabs(sums[1] - sums[0]) / (double)n / (sd * sqrt(2 / (double)n));
	} while (!(apart >= ENDS_APART) && n < ENDS_MOST);
	if (!(apart >= ENDS_LEAST))
		return ts_error_set(
			err, TS_INVALID,
			"%zu runs of the good version have a mean of %s and those of the bad one %s, which is not apart by what runs "
			"scatter (--noise)",
			n, ts_show_rounded(sums[0] / (double)n, s->arena), ts_show_rounded(sums[1] / (double)n, s->arena));
	s->levels = (struct ts_two_levels){sums[0] / (double)n, sums[1] / (double)n, (double)n, (double)n, sd};
	return TS_OK;
}

static enum ts_status run_end(struct searching *s, size_t side, size_t repeat, const char **ret_folder, struct ts_error *err)
{
	static const char *const called[] = {"good", "bad"};
	struct ts_kept_run kept;
	const char *name;

	if (run_of(s, side ? s->q->n : 0, repeat, &name, &kept, err))
		return err->status;
	if (kept.problem)
		return ts_error_set(err, TS_INVALID, "the %s version cannot be judged: %s; its run is in %s", called[side],
				    kept.problem, kept.folder);
	ts_cli_say(s->q->cli, "run %zu: the %s version, %.*s", s->runs, called[side], COMMIT_SHOWN, name);
	*ret_folder = kept.folder;
	return TS_OK;
}

/* Both ends in turn, until the judge tells them apart. */
static enum ts_status measure_ends(struct searching *s, struct ts_error *err)
{
	const struct ts_bisect_question *q = s->q;
	const char *folders[2][TS_BISECT_ENDS_MOST];
	struct ts_bisect_ends ends = {.why = ""};
	size_t n = 0;

	do {
		for (size_t side = 0; side < 2; side++)
			if (run_end(s, side, n, &folders[side][n], err))
				return err->status;
		n++;
		if (n >= TS_BISECT_ENDS_LEAST && q->ends(q->ctx, folders[0], folders[1], n, &ends, err))
			return err->status;
	} while (n < TS_BISECT_ENDS_LEAST || (!ends.apart && n < TS_BISECT_ENDS_MOST));
	if (!ends.apart)
		return ts_error_set(err, TS_INVALID,
				    "the judge does not tell the good version from the bad one by %zu runs of each: %s", n, ends.why);
	ts_levels_of(ends.values[0], ends.n[0], ends.values[1], ends.n[1], SCATTER_LEAST, &s->levels);
	return TS_OK;
}

static size_t times_judged(const struct searching *s, size_t version)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->judged[i].version == version && s->told[i].folder.len;
	return n;
}

/* A run that was made, and of which nothing could be measured, is made anew: the version builds. */
static enum ts_status look_again(struct searching *s, size_t version, struct ts_bisect_judgement *ret, struct ts_bisected_run *told,
				 struct ts_error *err)
{
	size_t repeat = times_judged(s, version);
	enum ts_status status;

	for (size_t i = 0; i < AGAIN_MOST; i++) {
		status = look(s, version, repeat + i * TS_BISECT_RUNS_MOST, ret, told, err);
		if (status || !ret->skipped || !ret->ran || !measures(s->q))
			break;
	}
	return status;
}

static size_t times_heard(const struct searching *s, size_t version)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->judged[i].version == version && !s->told[i].folder.len;
	return n;
}

/* Begins what may be asked for, with what is asked for now, as long as fewer than jobs are made. What others judged is no repeat of a
 * run here (times_judged). */
static enum ts_status ahead(struct searching *s, const struct ts_bisection *bisection, struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_bisect_question *q = s->q;
	struct ts_ahead_version versions[TS_AHEAD_MOST];
	struct version_run run;
	struct ts_kept_run kept;
	size_t n;

	if (ts_bisection_ahead(bisection, s->judged, s->n, ts_judge_evidence(true, q->wrong), q->jobs, arena, versions, &n, err))
		return err->status;
	for (size_t i = 0; i < n && ts_kept_runs_making(q->making) < q->jobs; i++) {
		size_t repeat = versions[i].repeat - times_heard(s, versions[i].version);

		if (begin_run(s, versions[i].version, repeat, &run, &kept, err))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status measured(struct searching *s, const struct ts_bisection *bisection, struct ts_arena *arena, struct ts_error *err)
{
	return ts_measured_evidence(bisection, &s->levels, s->values, s->q->wrong, s->judged, s->n, arena, err);
}

static enum ts_status asked_for(struct searching *s, const struct ts_bisection *bisection, struct ts_bisection_step *ret_step,
				struct ts_error *err)
{
	struct ts_arena arena;
	enum ts_status status;

	ts_arena_init(&arena, STEP_ARENA);
	status = measured(s, bisection, &arena, err);
	if (!status)
		status = ts_bisection_next(bisection, s->judged, s->n, &arena, ret_step, err);
	ts_arena_finish(&arena);
	return status;
}

/* A machine has slow and fast times, in which all that is measured errs alike. So the version that was found and the one before it are
 * run once more in turn, and count as any other run: where they do not stand as they were said to, the search goes on. */
static enum ts_status in_turn(struct searching *s, const struct ts_bisection *bisection, size_t turn, struct ts_bisection_step *io_step,
			      struct ts_error *err)
{
	size_t found = io_step->first;

	for (size_t i = 0; i < 2 * TURNS && s->n < TS_BISECT_RUNS_MOST; i++) {
		size_t version = (i + i / 2) % 2 ? found - 1 : found; /* found, before, before, found, ... */
		struct ts_bisect_judgement j;
		struct ts_bisected_run told;

		if (look(s, version, CONTROL + 1 + turn * TURNS + i / 2, &j, &told, err))
			return err->status;
		ts_cli_say(s->q->cli, "run %zu: version %zu of %zu again, in turn with its neighbour", s->runs, version, s->q->n);
		if (j.skipped || !version)
			continue;
		s->told[s->n] = told;
		s->judged[s->n] = (struct ts_judged){version, false, 0};
		s->values[s->n++] = j.value;
	}
	return asked_for(s, bisection, io_step, err);
}

/* Takes judgements of others. A run that was recorded before is of the version whose commit it has. */
static enum ts_status take_others(struct searching *s, const struct ts_bisect_other *others, size_t n, struct ts_error *err)
{
	const struct ts_bisect_question *q = s->q;

	for (size_t i = 0; i < n && s->n < TS_BISECT_RUNS_MOST; i++) {
		const char *commit = ts_arena_phrase(s->arena, "%.*s", TS_SPAN_ARG(others[i].commit)), *name;
		size_t version = others[i].version;

		if (!version && ts_bisect_commit(q->clone, commit, s->arena)) /* as git counts from it to the bad one */
			version = q->n - ts_bisect_count(q->clone, commit, q->bad);
		name = version && version <= q->n ? name_of(s, version) : NULL;
		if (!name || (commit[0] && strcmp(name, commit) != 0))
			continue;
		s->judged[s->n] = (struct ts_judged){version, false, ts_judge_evidence(others[i].bad, q->wrong)};
		s->values[s->n] = (double)NAN;
		s->told[s->n++] = (struct ts_bisected_run){
			.version = version, .name = ts_span_str(name), .evidence = (double)NAN, .value = (double)NAN};
		ts_cli_say(q->cli, "version %zu of %zu, %.*s: %s, by the run %.*s", version, q->n, COMMIT_SHOWN, name,
			   others[i].bad ? "bad" : "good", TS_SPAN_ARG(others[i].name));
	}
	return ts_arena_check(s->arena, err) ? err->status : TS_OK;
}

/* What others have found since. That the store does not tell is no error: this machine finds it by itself. */
static enum ts_status hear(struct searching *s, struct ts_error *err)
{
	struct ts_bisect_other others[TS_BISECT_OTHERS_MOST];
	struct ts_error ignored;
	size_t n;

	if (!s->q->others || ts_bisect_others_new(s->q->others, others, &n, &ignored))
		return TS_OK;
	return take_others(s, others, n, err);
}

static enum ts_status hear_recorded(struct searching *s, struct ts_error *err)
{
	struct ts_bisect_other others[TS_BISECT_OTHERS_MOST];
	struct ts_error ignored;
	size_t n;

	if (!s->q->recorded.len || ts_bisect_recorded(s->q->cli, s->q->recorded, s->q->steps, others, &n, &ignored))
		return TS_OK;
	return take_others(s, others, n, err);
}

/* Of several machines each runs another one of those that may be asked for. */
static enum ts_status choose(struct searching *s, const struct ts_bisection *bisection, struct ts_arena *arena, size_t *io_version,
			     struct ts_error *err)
{
	const struct ts_bisect_question *q = s->q;
	struct ts_ahead_version versions[TS_AHEAD_MOST];
	size_t n;

	if (q->parts <= 1)
		return TS_OK;
	if (ts_bisection_ahead(bisection, s->judged, s->n, ts_judge_evidence(true, q->wrong), q->part, arena, versions, &n, err))
		return err->status;
	*io_version = versions[n - 1].version;
	return TS_OK;
}

static enum ts_status search_on(struct searching *s, const struct ts_bisection *bisection, struct ts_bisection_step *ret_step,
				struct ts_error *err)
{
	const struct ts_bisect_question *q = s->q;
	struct ts_arena arena;
	enum ts_status status;
	size_t spare;

	ts_arena_init(&arena, STEP_ARENA);
	while (!(status = hear(s, err)) && !(status = ts_bisection_next(bisection, s->judged, s->n, &arena, ret_step, err)) &&
	       ret_step->end == TS_BISECTION_GOES_ON) {
		struct ts_bisect_judgement j;
		size_t version = ret_step->next, i = s->n;

		ts_arena_reset(&arena);
		if (choose(s, bisection, &arena, &version, err)) {
			status = err->status;
			break;
		}
		status = q->jobs > 1 ? ahead(s, bisection, &arena, err) : TS_OK;
		if (!status)
			status = look_again(s, version, &j, &s->told[i], err);
		if (status)
			break;
		s->judged[i] = (struct ts_judged){version, j.skipped, j.evidence};
		s->values[i] = j.value;
		s->n++;
		if (measures(q))
			status = measured(s, bisection, &arena, err);
		if (status)
			break;
		ts_cli_say(q->cli, "run %zu: version %zu of %zu, %.*s: %s%s%s", s->runs, version, q->n,
			   (int)(s->told[i].name.len < COMMIT_SHOWN ? s->told[i].name.len : COMMIT_SHOWN),
			   (const char *)s->told[i].name.data, word_of(&s->judged[i]), j.problem ? ": " : "",
			   j.problem ? j.problem : "");
	}
	ts_arena_finish(&arena);
	spare = ts_kept_runs_end(q->making);
	if (spare)
		ts_cli_say(q->cli, "%zu run%s begun ahead, and not needed", spare, spare == 1 ? " was" : "s were");
	return status;
}

static enum ts_status search(struct searching *s, struct ts_bisection_step *ret_step, struct ts_error *err)
{
	const struct ts_bisection bisection = {.n = s->q->n, .sure = s->q->sure, .most = s->q->most};

	for (size_t turn = 0; turn <= TURNS_MOST; turn++) {
		size_t found;

		if (search_on(s, &bisection, ret_step, err))
			return err->status;
		found = ret_step->first;
		if (!s->q->ends || ret_step->end != TS_BISECTION_FOUND || found != ret_step->last)
			return TS_OK;
		if (in_turn(s, &bisection, turn, ret_step, err))
			return err->status;
		if (ret_step->end == TS_BISECTION_FOUND && ret_step->first == found)
			return TS_OK;
	}
	return ts_error_set(err, TS_INVALID,
			    "what is measured has drifted while it was searched: no version that was found stood beside the one before "
			    "it as it was said to; a quieter machine, or another --metric, may tell");
}

/* Both ends once more behind a search whose judge measures: if one of them now measures as the other did, the machine has become
 * another while it searched, and every placement between them is worth nothing. */
static enum ts_status ends_hold(struct searching *s, struct ts_error *err)
{
	static const char *const called[] = {"good", "bad"};
	const struct ts_bisect_question *q = s->q;

	for (size_t side = 0; side < 2; side++) {
		struct ts_bisect_judgement j;
		struct ts_bisected_run told;
		double evidence;

		if (look(s, side ? q->n : 0, CONTROL, &j, &told, err))
			return err->status;
		if (j.skipped)
			continue;
		evidence = ts_level_evidence(&s->levels, j.value, q->wrong);
		if (side ? evidence < -CLEAR : evidence > CLEAR)
			return ts_error_set(
				err, TS_INVALID,
				"what is measured has drifted while it was searched: at the end the %s version measures %s, "
				"and at the beginning %s; a quieter machine, or another --metric, may tell",
				called[side], ts_show_rounded(j.value, s->arena),
				ts_show_rounded(side ? s->levels.bad : s->levels.good, s->arena));
	}
	return TS_OK;
}

static struct ts_span sentence(const struct searching *s, const struct ts_bisected *b)
{
	const char *chance = ts_arena_phrase(s->arena, "%.*f", b->chance > 0.999 ? 1 : 0, 100 * fmin(b->chance, 0.999));
	int shown = s->q->versions ? 64 : COMMIT_SHOWN;

	if (b->found && ts_span_eq(b->first, b->last))
		return ts_span_str(ts_arena_phrase(s->arena, "%.*s is the first bad version%s%.*s (%s %%, after %s).",
						   (int)b->first.len < shown ? (int)b->first.len : shown, (const char *)b->first.data,
						   b->subject.len ? ": " : "", TS_SPAN_ARG(b->subject), chance,
						   ts_show_plural(b->runs, "run", s->arena)));
	return ts_span_str(ts_arena_phrase(s->arena, "The first bad version is one from %.*s to %.*s (%s %%, after %s)%s.",
					   (int)b->first.len < shown ? (int)b->first.len : shown, (const char *)b->first.data,
					   (int)b->last.len < shown ? (int)b->last.len : shown, (const char *)b->last.data, chance,
					   ts_show_plural(b->runs, "run", s->arena),
					   b->found ? "; those between cannot be judged" : "; the runs that were allowed are used up"));
}

enum ts_status ts_bisect_by_runs(const struct ts_bisect_question *q, struct ts_bisected *ret, struct ts_error *err)
{
	struct searching *s = ts_arena_array(&q->cli->arena, 1, sizeof *s);
	struct ts_bisection_step step;
	const char *first, *last;
	char subject[TS_GIT_SAID] = "";

	if (!s)
		return ts_arena_error(&q->cli->arena, err);
	s->q = q;
	s->arena = &q->cli->arena;
	if ((q->ends ? measure_ends(s, err) : look_at_ends(s, err)) || hear_recorded(s, err) || search(s, &step, err))
		return err->status;
	if (q->ends && step.end != TS_BISECTION_OVER && ends_hold(s, err))
		return err->status;
	first = name_of(s, step.first);
	last = name_of(s, step.last);
	if (!first || !last)
		return ts_error_set(err, TS_NOT_FOUND, "git does not tell the commits that were found");
	if (!q->versions && step.first == step.last)
		(void)ts_git(q->clone, (const char *const[]){"log", "-1", "--format=%s", first, NULL}, subject);
	*ret = (struct ts_bisected){.found = step.end != TS_BISECTION_OVER,
				    .first = ts_span_str(first),
				    .last = ts_span_str(last),
				    .subject = ts_span_str(ts_arena_phrase(s->arena, "%s", subject)),
				    .chance = step.chance,
				    .versions = q->n,
				    .judged = s->told,
				    .n_judged = s->n,
				    .runs = s->runs};
	for (size_t i = 0; i < s->n; i++) {
		s->told[i].judged = ts_span_str(word_of(&s->judged[i]));
		s->told[i].evidence = s->judged[i].skipped ? (double)NAN : s->judged[i].evidence;
		ret->seconds += s->told[i].seconds;
	}
	ret->sentence = sentence(s, ret);
	return ts_arena_check(s->arena, err);
}

enum ts_status ts_render_bisected_text(struct ts_cli *cli, const struct ts_bisected *b, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {TS_RIGHT("#"),	      TS_RIGHT("version"),  TS_LEFT("name", 12),
							TS_LEFT("judged", 8), TS_RIGHT("measured"), TS_RIGHT("took")};
	struct ts_view view;

	ts_text_wrapped(cli, b->found ? TS_STYLE_BOLD : TS_STYLE_YELLOW, 0, ts_show_text(b->sentence, &cli->arena));
	ts_text_heading(cli, "JUDGED");
	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	for (size_t i = 0; i < b->n_judged; i++) {
		const struct ts_bisected_run *r = &b->judged[i];

		ts_view_row(&view, NULL);
		ts_view_set(&view, "#", TS_STYLE_DIM, r->number ? ts_show_count(r->number, &cli->arena) : "-");
		ts_view_set(&view, "version", TS_STYLE_PLAIN, ts_show_count(r->version, &cli->arena));
		ts_view_set_span(&view, "name", TS_STYLE_PLAIN,
				 r->name.len == 40 || r->name.len == 64 ? ts_span_of(r->name.data, COMMIT_SHOWN) : r->name);
		ts_view_set_span(&view, "judged", ts_span_is(r->judged, "bad") ? TS_STYLE_RED : TS_STYLE_PLAIN, r->judged);
		ts_view_set(&view, "measured", TS_STYLE_PLAIN, isnan(r->value) ? "-" : ts_show_rounded(r->value, &cli->arena));
		ts_view_set(&view, "took", TS_STYLE_DIM, r->seconds > 0 ? ts_show_seconds(r->seconds, &cli->arena) : "-");
	}
	return ts_view_print(&view, &cli->term, 2, &cli->out, err);
}
