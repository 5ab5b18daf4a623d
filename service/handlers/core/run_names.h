/* run_names.h - lists the names of runs, once per call, and finds the notes of one run.
 *
 * Notes belong to names, and there is no index from ids to names, so finding the notes of an id means looking at all names.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_RUN_NAMES_H
#define TSCOPE_SERVICE_HANDLERS_CORE_RUN_NAMES_H

#include "service/handlers/core/handler.h"

struct ts_run_name {
	struct ts_span name;
	struct ts_id id;
};

struct ts_run_names {
	const struct ts_run_name *refs; /* that moved last first */
	size_t n;
};

/* Who wrote the marks because of which a run does not count (`bad`, and `state` of one that trains), over all of its names. */
struct ts_run_marks {
	bool any;
	bool maintained;   /* a maintainer wrote one of them */
	int64_t since_ns;  /* the first of them */
	struct ts_span by; /* who wrote that */
};

struct ts_run_notes {
	struct ts_span name; /* the name that was moved last; empty: no name points at the run */
	struct ts_span bad;  /* the note `bad`; empty: the run is not marked bad */
	struct ts_span accepted; /* the note `accepted`; empty: there is none */
	bool training; /* the state at one of its names is "running" or "hung" */
	struct ts_run_marks marks;
};

/* Adds a note to the marks, if it is one. by is not copied. */
void ts_run_marks_add(struct ts_run_marks *marks, const struct ts_note *note);
/* Whether a run ceased to count after a time, by people who do not maintain its project. */
static inline bool ts_run_marks_doubtful(const struct ts_run_marks *marks, int64_t time_ns)
{
	return marks->any && !marks->maintained && marks->since_ns > time_ns;
}

/* Lists the names that begin with prefix ("project/"; empty: those of all projects), in the arena. */
enum ts_status ts_run_names_load(const struct ts_call *call, struct ts_span prefix, struct ts_arena *arena,
				 struct ts_run_names *ret_names, struct ts_error *err);
enum ts_status ts_run_notes_of(const struct ts_call *call, const struct ts_run_names *names, const struct ts_id *id,
			       struct ts_arena *arena, struct ts_run_notes *ret_notes, struct ts_error *err);

#endif
