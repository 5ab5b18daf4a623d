#include "ingest/rundir/attempt_files.h"

#include "base/below.h"
#include "base/path.h"
#include "ingest/facts/run_facts.h"
#include "record/attempt.h"

#include <stdio.h>
#include <unistd.h>

static struct ts_span file_name(const struct ts_rank_dir *dir, const char *name, struct ts_arena *arena)
{
	char *text = ts_arena_printf(arena, "%.*s%s", TS_SPAN_ARG(dir->name), name);

	return ts_span_str(text ? text : name);
}

/* --- finding and opening them --- */

/* Whether the directory has the recording of each attempt: has[number]. */
static enum ts_status find(const struct ts_rank_dir *dir, bool has[TS_ATTEMPTS_MAX + 1], struct ts_arena *arena, struct ts_error *err)
{
	char **names;
	size_t n;

	if (ts_below_list(dir->top, dir->path, arena, &names, &n, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		uint32_t number = ts_attempt_of(names[i], "recording", "tscope");

		if (number > TS_ATTEMPTS_MAX)
			return ts_error_set(err, TS_TOO_LARGE, "%s/%s: a run has at most %d attempts", dir->path, names[i],
					    TS_ATTEMPTS_MAX);
		has[number] = number > 0;
	}
	return TS_OK;
}

static enum ts_status open_one(struct ts_attempts *a, uint32_t number, const struct ts_rank_dir *dir, struct ts_read_progress *progress,
			       struct ts_notices *notices, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_attempt *attempt = &a->items[a->n];
	char name[TS_ATTEMPT_NAME], *path;

	ts_attempt_name(name, "recording", "tscope", number);
	path = ts_path_join(arena, dir->path, name);
	if (!path)
		return ts_arena_error(arena, err);
	*attempt = (struct ts_attempt){
		.number = number,
		.source = {.fd = -1, .name = file_name(dir, name, arena), .path = ts_span_str(path), .progress = progress},
	};
	a->n++;
	return ts_below_open(dir->top, path, &attempt->source.fd, &attempt->source.size, err) ||
			       ts_recording_open(&attempt->source, notices, &attempt->recording, err)
		       ? err->status
		       : TS_OK;
}

static void tell_missing(const bool has[TS_ATTEMPTS_MAX + 1], uint32_t last, const struct ts_rank_dir *dir, struct ts_notices *notices,
			 struct ts_arena *arena)
{
	char name[TS_ATTEMPT_NAME];

	for (uint32_t i = 1; i < last; i++) {
		if (has[i])
			continue;
		ts_attempt_name(name, "recording", "tscope", i);
		ts_notice_add(notices, "lost_attempt", TS_NOTICE_SKIPPED, file_name(dir, name, arena), 0,
			      "the recording of this attempt is missing, and later ones are here");
	}
}

enum ts_status ts_attempts_open(struct ts_attempts *a, const struct ts_rank_dir *dir, struct ts_read_progress *progress,
				struct ts_notices *notices, struct ts_arena *arena, struct ts_error *err)
{
	bool has[TS_ATTEMPTS_MAX + 1] = {false};
	char name[TS_ATTEMPT_NAME], *steps = ts_path_join(arena, dir->path, "steps.jsonl");
	uint32_t last = 0, n = 0;

	if (a->looked)
		return TS_OK;
	if (!steps)
		return ts_arena_error(arena, err);
	if (find(dir, has, arena, err))
		return err->status;
	a->looked = true;
	for (uint32_t i = 1; i <= TS_ATTEMPTS_MAX; i++) {
		last = has[i] ? i : last;
		n += has[i];
	}
	if (!n)
		return TS_OK;
	if (ts_below_kind(dir->top, steps) != TS_FILE_NONE) {
		ts_attempt_name(name, "recording", "tscope", last);
		return ts_error_set(err, TS_INVALID, "%s/%s and %s are both there: a rank has either", dir->path, name, steps);
	}
	a->items = ts_arena_array(arena, n, sizeof *a->items);
	if (!a->items)
		return ts_arena_error(arena, err);
	for (uint32_t i = 1; i <= last; i++)
		if (has[i] && open_one(a, i, dir, progress, notices, arena, err))
			return err->status;
	tell_missing(has, last, dir, notices, arena);
	return TS_OK;
}

void ts_attempts_close(struct ts_attempts *a)
{
	for (size_t i = 0; i < a->n; i++) {
		ts_recording_close(a->items[i].recording);
		a->items[i].recording = NULL;
		if (a->items[i].source.fd >= 0)
			(void)close(a->items[i].source.fd);
		a->items[i].source.fd = -1;
	}
}

uint64_t ts_attempts_size(const struct ts_rank_dir *dir, struct ts_arena *arena)
{
	struct ts_error ignored;
	uint64_t all = 0;
	char **names;
	size_t n;

	if (ts_below_list(dir->top, dir->path, arena, &names, &n, &ignored))
		return 0;
	for (size_t i = 0; i < n; i++) {
		char *path = ts_attempt_of(names[i], "recording", "tscope") ? ts_path_join(arena, dir->path, names[i]) : NULL;
		uint64_t size;
		int fd;

		if (!path || ts_below_kind(dir->top, path) != TS_FILE_REGULAR || ts_below_open(dir->top, path, &fd, &size, &ignored))
			continue;
		(void)close(fd);
		all += size;
	}
	return all;
}

/* --- facts --- */

/* What is gathered of several attempts. */
struct gathering {
	const struct ts_rank_dir *dir;
	struct ts_notices *notices;
	struct ts_arena *arena;
	struct ts_facts facts; /* of the run */
	struct ts_facts known; /* what the attempts so far said last */
};

static bool below(struct ts_span path, const char *prefix)
{
	struct ts_span p = ts_span_str(prefix);

	return ts_span_starts(path, p) && (path.len == p.len || path.data[p.len] == '.' || path.data[p.len] == '[');
}

/* What each attempt says of itself, and what is not a change of the training where it differs. */
static bool is_of_attempt(struct ts_span path)
{
	static const char *const prefixes[] = {
		"session.end",		"session.wall_time",  "session.n_steps", "session.started", "session.attempts",
		"session.collected_at", "session.generators", "session.name",	 "lineage",	    "columns",
		"parallelism.rank"};

	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (below(path, prefixes[i]))
			return true;
	return false;
}

/* Adds a fact below session.attempts.K. A path that is too long is left out where facts are prepared, with a notice. */
static enum ts_status add(struct gathering *g, uint32_t number, const char *prefix, struct ts_span path, struct ts_fact fact,
			  struct ts_error *err)
{
	char *text = ts_arena_printf(g->arena, "session.attempts.%u.%s%.*s", number, prefix, TS_SPAN_ARG(path));

	if (!text)
		return ts_arena_error(g->arena, err);
	fact.path = ts_span_str(text);
	fact.source = TS_SOURCE_FACTS_JSON;
	return ts_facts_add(&g->facts, &fact, g->arena, err);
}

static enum ts_status add_int(struct gathering *g, uint32_t number, const char *name, int64_t value, struct ts_error *err)
{
	return add(g, number, name, ts_span_str(""), (struct ts_fact){.type = TS_FACT_INT, .integer = value}, err);
}

static enum ts_status add_real(struct gathering *g, uint32_t number, const char *name, double value, struct ts_error *err)
{
	return add(g, number, name, ts_span_str(""), (struct ts_fact){.type = TS_FACT_FLOAT, .real = value}, err);
}

/* What the recording tells of the attempt. The end of one that is being recorded is not known yet. */
static enum ts_status add_extent(struct gathering *g, const struct ts_attempt *attempt, struct ts_error *err)
{
	struct ts_recording_extent x;

	ts_recording_extent(attempt->recording, &x);
	if (x.timed && (add_real(g, attempt->number, "began", x.began, err) ||
			(!x.running && add_real(g, attempt->number, "ended", x.ended, err))))
		return err->status;
	if (add_int(g, attempt->number, "steps", (int64_t)x.steps, err))
		return err->status;
	if (x.steps && (add_int(g, attempt->number, "first_step", x.first_step, err) ||
			add_int(g, attempt->number, "last_step", x.last_step, err)))
		return err->status;
	return TS_OK;
}

/* How it ended and from which checkpoint it went on; said: by its files and its recording. */
static enum ts_status add_said(struct gathering *g, uint32_t number, const struct ts_facts *said, struct ts_error *err)
{
	for (size_t i = 0; i < said->n; i++) {
		const struct ts_fact *fact = &said->items[i];
		size_t skip = below(fact->path, "session.end") ? strlen("session.")
			      : below(fact->path, "lineage")   ? strlen("lineage.")
							       : 0;

		if (skip && ts_fact_counts(said, i) && fact->path.len > skip &&
		    add(g, number, "", ts_span_from(fact->path, skip), *fact, err))
			return err->status;
	}
	return TS_OK;
}

/* Facts that an attempt says otherwise than the one before that said them. */
static enum ts_status add_changes(struct gathering *g, uint32_t number, const struct ts_facts *said, struct ts_error *err)
{
	for (size_t i = 0; i < said->n; i++) {
		const struct ts_fact *fact = &said->items[i], *before = ts_facts_find(&g->known, fact->path);

		if (before && ts_fact_counts(said, i) && !ts_fact_same(fact, before) && !is_of_attempt(fact->path) &&
		    add(g, number, "changed.", fact->path, *fact, err))
			return err->status;
	}
	return TS_OK;
}

/* Settings that run.json said before, and no longer says. */
static enum ts_status add_gone(struct gathering *g, uint32_t number, const struct ts_facts *said, struct ts_error *err)
{
	const struct ts_fact none = {.type = TS_FACT_NULL};

	if (!ts_facts_have_source(said, TS_SOURCE_RUN_JSON))
		return TS_OK;
	for (size_t i = 0; i < g->known.n; i++) {
		struct ts_span path = g->known.items[i].path;

		if (below(path, "config") && g->known.items[i].source == TS_SOURCE_RUN_JSON && !ts_facts_find(said, path) &&
		    add(g, number, "changed.", path, none, err))
			return err->status;
	}
	return TS_OK;
}

/* The facts of `from` that do not belong to an attempt, or with `end` those of its end. */
static enum ts_status some_of(const struct ts_facts *from, bool end, struct ts_arena *arena, struct ts_facts *ret, struct ts_error *err)
{
	struct ts_facts some = {.n = 0};

	for (size_t i = 0; i < from->n; i++) {
		struct ts_span path = from->items[i].path;
		bool own = below(path, "session") || below(path, "lineage") || below(path, "parallelism.rank");

		if ((end ? below(path, "session.end") : !own) && ts_facts_add(&some, &from->items[i], arena, err))
			return err->status;
	}
	*ret = some;
	return TS_OK;
}

/* Reads what the files of an attempt and its recording say. */
static enum ts_status said_by(const struct gathering *g, const struct ts_attempt *attempt, const struct ts_facts *own,
			      struct ts_facts *ret, struct ts_error *err)
{
	char run_json[TS_ATTEMPT_NAME], facts_json[TS_ATTEMPT_NAME];
	struct ts_facts files = *own, recorded;

	ts_attempt_name(run_json, "run", "json", attempt->number);
	ts_attempt_name(facts_json, "facts", "json", attempt->number);
	if (attempt->number > 1 &&
	    ts_facts_read_files(g->dir->top, g->dir->path, g->dir->name, run_json, facts_json, g->notices, g->arena, &files, err))
		return err->status;
	return ts_recording_facts(attempt->recording, g->arena, &recorded, err) ? err->status
										: ts_facts_merge(&files, &recorded, g->arena, ret, err);
}

static enum ts_status lay_under(struct ts_facts *facts, const struct ts_facts *under, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_facts all;

	if (ts_facts_merge(facts, under, arena, &all, err))
		return err->status;
	*facts = all;
	return TS_OK;
}

static enum ts_status take_attempt(struct gathering *g, const struct ts_attempt *attempt, bool last, const struct ts_facts *own,
				   struct ts_error *err)
{
	struct ts_facts said, some;

	if (said_by(g, attempt, own, &said, err) || add_extent(g, attempt, err) || add_said(g, attempt->number, &said, err) ||
	    add_changes(g, attempt->number, &said, err) || add_gone(g, attempt->number, &said, err))
		return err->status;
	(void)ts_facts_sort(&g->facts);
	if (some_of(&said, false, g->arena, &some, err) || lay_under(&g->facts, &some, g->arena, err))
		return err->status;
	if (last && (some_of(&said, true, g->arena, &some, err) || lay_under(&g->facts, &some, g->arena, err)))
		return err->status;
	if (lay_under(&said, &g->known, g->arena, err))
		return err->status;
	g->known = said;
	return TS_OK;
}

/* What the first attempt says of the run stays, except how and when it ended, which it says of itself. */
static enum ts_status begin(struct gathering *g, const struct ts_facts *own, struct ts_error *err)
{
	for (size_t i = 0; i < own->n; i++) {
		struct ts_span path = own->items[i].path;

		if (!below(path, "session.end") && !below(path, "session.wall_time") && !below(path, "session.n_steps") &&
		    ts_facts_add(&g->facts, &own->items[i], g->arena, err))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status facts_of_several(const struct ts_attempts *a, struct gathering *g, const struct ts_facts *own,
				       struct ts_error *err)
{
	if (begin(g, own, err))
		return err->status;
	for (size_t i = 0; i < a->n; i++)
		if (take_attempt(g, &a->items[i], i + 1 == a->n, own, err))
			return err->status;
	return TS_OK;
}

enum ts_status ts_attempts_facts(const struct ts_attempts *a, const struct ts_rank_dir *dir, const struct ts_facts *own,
				 struct ts_notices *notices, struct ts_arena *arena, struct ts_facts *ret_facts, struct ts_error *err)
{
	struct gathering g = {.dir = dir, .notices = notices, .arena = arena};
	struct ts_facts recorded;

	if (a->n == 1 && a->items[0].number == 1) {
		if (ts_recording_facts(a->items[0].recording, arena, &recorded, err))
			return err->status;
		return ts_facts_merge(own, &recorded, arena, ret_facts, err);
	}
	if (facts_of_several(a, &g, own, err))
		return err->status;
	*ret_facts = g.facts;
	return TS_OK;
}
