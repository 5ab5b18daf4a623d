/* run_name.c - see run_name.h. */
#include "cli/core/run_name.h"

#include "base/file.h"
#include "base/limits.h"
#include "base/order.h"
#include "base/path.h"
#include "run/name.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

enum {
	DEPTH_MAX = 256,		    /* a path of PATH_MAX bytes that is deeper is refused */
	LENGTH_MAX = TS_NAME_MAX / 4 * 3, /* of a name that its tool gives, so that there is room for a project */
};

/* Names of folders that say that runs lie in them, and of folders and files that trainings call alike in every run. */
static const char *const kinds[] = {
	/* folders of runs */
	"checkpoints", "experiments", "exps", "lightning_logs", "log", "logs", "mlruns", "models", "multirun", "output", "outputs",
	"results", "runs", "saved", "sweeps", "tb_logs", "tensorboard", "wandb", "work_dirs",
	/* what one run holds */
	"dvclive", "eval", "evaluation", "latest", "metrics", "profile", "run", "test", "train", "training", "val", "validation"};

/* Files, and folders of files, that have the same name in every run. */
static const char *const files[] = {"final_summary.json",
				    "kineto.json",
				    "kineto.json.gz",
				    "log.csv",
				    "log.jsonl",
				    "log.out",
				    "log.txt",
				    "memory_snapshot",
				    "memory_snapshot.pickle",
				    "memory_snapshots",
				    "metrics.csv",
				    "metrics.json",
				    "metrics.jsonl",
				    "metrics.tsv",
				    "output.log",
				    "profile_trace",
				    "profile_traces",
				    "profiler",
				    "profiler_trace",
				    "profiler_trace.json",
				    "profiler_trace.json.gz",
				    "profiler_traces",
				    "progress.csv",
				    "result.json",
				    "results.csv",
				    "results.json",
				    "scalars.json",
				    "snapshot.pickle",
				    "snapshots",
				    "stdout.log",
				    "stdout.txt",
				    "steps.jsonl",
				    "trace",
				    "trace.json",
				    "trace.json.gz",
				    "traces",
				    "train.log",
				    "train.txt",
				    "train_log.txt",
				    "trainer_state.json",
				    "training.log",
				    "training_log.txt",
				    "vis_data"};

/* What stands before the number of a folder that counts runs or parts of one. */
static const char *const counted[] = {"",	"checkpoint-", "checkpoint_", "ckpt-", "ckpt_", "epoch-", "epoch_", "global_step",
				      "global_step_", "iter_",	   "iteration_",  "rank",  "step-", "step_",  "version_"};

/* The real path of a run, cut into its components. */
struct parts {
	char real[PATH_MAX];
	struct ts_span at[DEPTH_MAX + 1]; /* with the part of a file at the end, if there is one */
	size_t n;
	size_t folders; /* how many of them are folders above the run or above its file */
};

static bool listed(struct ts_span name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ts_span_is(name, list[i]))
			return true;
	return false;
}

static bool is_counted(struct ts_span name)
{
	for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++) {
		size_t at = strlen(counted[i]);

		if (!ts_span_starts(name, ts_span_str(counted[i])) || at == name.len)
			continue;
		while (at < name.len && name.data[at] >= '0' && name.data[at] <= '9')
			at++;
		if (at == name.len)
			return true;
	}
	return false;
}

static bool is_kind(struct ts_span name)
{
	return listed(name, kinds, sizeof kinds / sizeof kinds[0]);
}

/* Whether many runs are called so. */
static bool tells_nothing(struct ts_span name)
{
	return is_kind(name) || is_counted(name) || listed(name, files, sizeof files / sizeof files[0]);
}

static enum ts_status cut(const struct ts_run_place *place, struct parts *p, struct ts_error *err)
{
	const char *at = p->real;

	if (!realpath(place->path, p->real))
		return ts_error_errno(err, errno, "%s", place->path);
	for (p->n = 0; *at;) {
		size_t n = strcspn(at, "/");

		if (n && p->n == DEPTH_MAX)
			return ts_error_set(err, TS_TOO_LARGE, "%s: the path is more than %d folders deep; give a name with --name",
					    place->path, DEPTH_MAX);
		if (n)
			p->at[p->n++] = ts_span_of(at, n);
		at += n + (at[n] == '/');
	}
	if (p->n == 0)
		return ts_error_set(err, TS_INVALID, "%s: the root folder has no name for a run; give one with --name", place->path);
	p->folders = p->n - 1;
	if (place->part)
		p->at[p->n++] = ts_span_str(place->part);
	if (place->own_name)
		p->at[p->n - 1] = ts_span_str(place->own_name);
	return TS_OK;
}

/* Whether a project begins in the folder whose path ends with component i. */
static bool is_marked(const struct parts *p, size_t i, struct ts_arena *arena)
{
	static const char *const marks[] = {".git", ".tscope"};
	int len = (int)(p->at[i].data + p->at[i].len - (const uint8_t *)p->real);

	for (size_t k = 0; k < sizeof marks / sizeof marks[0]; k++) {
		const char *path = ts_arena_printf(arena, "%.*s/%s", len, p->real, marks[k]);

		if (path && ts_file_kind(path) != TS_FILE_NONE)
			return true;
	}
	return false;
}

/* The first component of the name. */
static size_t begin_of(const struct parts *p, struct ts_arena *arena)
{
	size_t begin = p->folders;

	for (size_t i = p->folders; i-- > 0;)
		if (is_kind(p->at[i]) || is_marked(p, i, arena)) {
			begin = i + 1;
			break;
		}
	for (size_t i = begin; i < p->n; i++)
		if (!tells_nothing(p->at[i]))
			return begin;
	while (begin > 0 && tells_nothing(p->at[begin]))
		begin--;
	return begin;
}

enum ts_status ts_name_component(struct ts_span text, struct ts_arena *arena, const char **ret_name, bool *io_changed,
				 struct ts_error *err)
{
	char *name = ts_arena_alloc(arena, text.len + 1);
	size_t n = 0;

	if (!name)
		return ts_arena_error(arena, err);
	for (size_t i = 0, some; i < text.len; i += some ? some : 1) {
		some = ts_name_char(ts_span_of(text.data + i, text.len - i), n == 0);
		if (some)
			memcpy(name + n, text.data + i, some);
		else if (n > 0 && (text.data[i] & 0xc0) != 0x80) /* one '-' for each character, not for each byte */
			name[n++] = '-';
		n += some;
	}
	name[n] = '\0';
	if (n == 0)
		return ts_error_set(err, TS_INVALID, "'%.*s' cannot be part of a run's name; give a name with --name",
				    TS_SPAN_ARG(text));
	*io_changed |= n != text.len || memcmp(name, text.data, n) != 0;
	*ret_name = name;
	return TS_OK;
}

/* Names the place with `above` more folders in front, as far as there are any. */
static enum ts_status name_one(struct ts_run_place *place, size_t above, struct ts_arena *arena, struct ts_error *err)
{
	struct parts p;
	const char *name = "";
	size_t begin;

	if (cut(place, &p, err))
		return err->status;
	begin = begin_of(&p, arena);
	for (size_t i = begin > above ? begin - above : 0; i < p.n; i++) {
		const char *one;

		if (ts_name_component(p.at[i], arena, &one, &place->changed, err)) {
			if (i + 1 < p.n && !arena->failed)
				continue; /* a folder that no name can have only lacks in the name */
			return ts_error_prefix(err, "%s", place->path);
		}
		name = ts_arena_printf(arena, "%s%s%s", name, *name ? "/" : "", one);
		if (!name)
			return ts_arena_error(arena, err);
	}
	place->name = name;
	return TS_OK;
}

static enum ts_status name_or_fail(struct ts_run_place *place, size_t above, struct ts_arena *arena, struct ts_error *err)
{
	enum ts_status status = name_one(place, above, arena, err);

	/* No character of it can be in a name, or it is a sentence. */
	if (!arena->failed && place->own_name && (status || strlen(place->name) > LENGTH_MAX)) {
		place->own_name = NULL;
		place->changed = false;
		status = name_one(place, above, arena, err);
	}
	if (!status || arena->failed)
		return status;
	place->failed = ts_arena_alloc(arena, sizeof *place->failed);
	if (!place->failed)
		return ts_arena_error(arena, err);
	*place->failed = *err;
	return TS_OK;
}

TS_ORDER_OF_POINTERS(by_name, struct ts_run_place, TS_THEN(strcmp(a->name, b->name)))

/* Whether the places are one: a run that was named twice. */
static bool same_place(const struct ts_run_place *a, const struct ts_run_place *b)
{
	char real[2][PATH_MAX];

	return (a->part && b->part ? strcmp(a->part, b->part) == 0 : a->part == b->part) && realpath(a->path, real[0]) &&
	       realpath(b->path, real[1]) && strcmp(real[0], real[1]) == 0;
}

/* Whether some of these places, which have one name, are not the same run. */
static bool are_apart(struct ts_run_place *const *sorted, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (!same_place(sorted[0], sorted[i]))
			return true;
	return false;
}

/* Takes the names of their folders for places that are called the same in their tool, or that cannot be called so. */
static enum ts_status drop_own_names(struct ts_run_place **sorted, size_t n, struct ts_arena *arena, struct ts_error *err)
{
	TS_SORT(sorted, n, by_name);
	for (size_t i = 0, end; i < n; i = end) {
		bool apart;

		for (end = i + 1; end < n && strcmp(sorted[i]->name, sorted[end]->name) == 0; end++)
			;
		apart = are_apart(sorted + i, end - i);
		for (size_t k = i; apart && k < end; k++) {
			if (!sorted[k]->own_name)
				continue;
			sorted[k]->own_name = NULL;
			sorted[k]->changed = false;
			if (name_one(sorted[k], 0, arena, err))
				return err->status;
		}
	}
	return TS_OK;
}

/* Puts `above` folders in front of names that several places have. *ret_some: some names became longer. */
static enum ts_status tell_apart(struct ts_run_place **sorted, size_t n, size_t above, struct ts_arena *arena, bool *ret_some,
				 struct ts_error *err)
{
	TS_SORT(sorted, n, by_name);
	*ret_some = false;
	for (size_t i = 0, end; i < n; i = end) {
		bool apart;

		for (end = i + 1; end < n && strcmp(sorted[i]->name, sorted[end]->name) == 0; end++)
			;
		apart = are_apart(sorted + i, end - i);
		for (size_t k = i; apart && k < end; k++) {
			const char *before = sorted[k]->name;

			if (name_one(sorted[k], above, arena, err))
				return err->status;
			sorted[k]->longer |= strlen(sorted[k]->name) > strlen(before);
			*ret_some |= strlen(sorted[k]->name) > strlen(before);
		}
	}
	return TS_OK;
}

enum ts_status ts_run_names(struct ts_run_place *places, size_t n, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_run_place **named = ts_arena_array(arena, n ? n : 1, sizeof *named);
	size_t n_named = 0;
	bool some = true;

	if (!named)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++) {
		if (name_or_fail(&places[i], 0, arena, err))
			return err->status;
		if (!places[i].failed)
			named[n_named++] = &places[i];
	}
	if (drop_own_names(named, n_named, arena, err))
		return err->status;
	for (size_t above = 1; some && above < DEPTH_MAX; above++)
		if (tell_apart(named, n_named, above, arena, &some, err))
			return err->status;
	return TS_OK;
}
