/* gate_subject.h - a run that a gate looks at: its reduction, and of its facts what says which code it ran.
 *
 * Facts it read are those of code.*, as `tscope facts` collects them: commit, dirty, patch_sha256, ancestors (a commit a line,
 * newest first, at most 200), shallow.
 */
#ifndef TSCOPE_HANDLERS_GATE_SUBJECT_H
#define TSCOPE_HANDLERS_GATE_SUBJECT_H

#include "service/handlers/analyze/reduce.h"
#include "service/handlers/core/run_names.h"

enum { TS_GATE_ANCESTORS = 200 /* that tscope facts lists at most */ };

struct ts_gate_subject {
	struct ts_gate_run run;
	struct ts_facts facts;	  /* of the head; n = 0: it is not here */
	struct ts_span patch;	  /* of what is not committed; empty: nothing, or not recorded */
	struct ts_span ancestors; /* a commit a line, newest first; empty: not recorded */
	bool cut;		  /* older ones are missing from it: a shallow checkout, or more than are listed */
};

/* Head and reduction. Role, group and name are the caller's. */
enum ts_status ts_gate_subject_open(struct ts_fetch *f, const struct ts_id *id, const struct ts_gate_policy *policy,
				    struct ts_arena *arena, struct ts_gate_subject *ret_subject, struct ts_error *err);
/* The head alone, decoded into the arena. */
enum ts_status ts_gate_subject_facts(struct ts_fetch *f, const struct ts_id *id, struct ts_arena *arena,
				     struct ts_facts *ret_facts, struct ts_error *err);
/* Of code.*: what is recorded of the code that ran; empty spans where nothing is. */
struct ts_gate_code {
	struct ts_span commit, patch;
	bool dirty;
};
struct ts_gate_code ts_gate_code_of(const struct ts_facts *facts);
/* Both recorded, the same commit, and the same patch over it. */
bool ts_gate_same_code(const struct ts_gate_code *a, const struct ts_gate_code *b);
/* Is the commit a line of ancestors? */
bool ts_gate_is_ancestor(struct ts_span ancestors, struct ts_span commit);

#endif
