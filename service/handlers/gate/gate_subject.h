/* gate_subject.h - a run that a gate looks at: its reduction, and the facts that tell which code it ran.
 *
 * Those facts are in group code, as `tscope facts` collects them: commit, dirty, patch_sha256, ancestors (one commit per line,
 * newest first, at most 200), shallow.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_GATE_GATE_SUBJECT_H
#define TSCOPE_SERVICE_HANDLERS_GATE_GATE_SUBJECT_H

#include "service/handlers/core/run_names.h"
#include "service/handlers/gate/logged_series.h"

enum { TS_GATE_ANCESTORS = 200 /* the most that tscope facts lists */ };

struct ts_gate_subject {
	struct ts_gate_run run;
	struct ts_facts facts;	  /* of the head; n = 0: the run is not here */
	struct ts_span patch;	  /* digest of the uncommitted change; empty: there is none, or it is not recorded */
	struct ts_span ancestors; /* one commit per line, newest first; empty: not recorded */
	bool cut;		  /* ancestors lacks older commits: the checkout was shallow, or there are too many to list */
};

/* Reads the head and reduces the run. The caller sets role, group and name. */
enum ts_status ts_gate_subject_open(struct ts_fetch *f, const struct ts_id *id, const struct ts_gate_policy *policy,
				    struct ts_arena *arena, struct ts_gate_subject *ret_subject, struct ts_error *err);
/* Reads only the facts of the head, decoded into the arena. */
enum ts_status ts_gate_subject_facts(struct ts_fetch *f, const struct ts_id *id, struct ts_arena *arena,
				     struct ts_facts *ret_facts, struct ts_error *err);
/* What the facts record of the code that ran; empty spans where nothing is recorded. */
struct ts_gate_code {
	struct ts_span commit, patch;
	bool dirty;
};
struct ts_gate_code ts_gate_code_of(const struct ts_facts *facts);
/* Whether both record the same commit with the same patch. */
bool ts_gate_same_code(const struct ts_gate_code *a, const struct ts_gate_code *b);
/* Whether the commit is listed among the ancestors. */
bool ts_gate_is_ancestor(struct ts_span ancestors, struct ts_span commit);

#endif
