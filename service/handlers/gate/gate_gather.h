/* gate_gather.h - all that a verdict rests on, from what a request names: candidates, baselines, pairs, what changed, what became
 * of the loss.
 *
 * Candidates are those that are named and all other runs of the project of the same commit (and patch) and workload that are
 * neither marked bad nor still training: to run again until it is green is no way out. Only the newest TS_GATE_RERUNS_LOOK names
 * are looked at. A named one that still trains or is marked bad is TS_INVALID. Pairs: a run of the candidate's commit is of its
 * side, any other of the base's; within a session the k-th of one side, by start, goes with the k-th of the other.
 */
#ifndef TSCOPE_HANDLERS_GATE_GATHER_H
#define TSCOPE_HANDLERS_GATE_GATHER_H

#include "service/handlers/gate/baselines.h"

enum { TS_GATE_RERUNS_LOOK = 1000 };

/* Candidates of one request. */
struct ts_gate_candidates {
	struct ts_gate_subject first; /* the one named first: its facts, ancestors and workload stand for all */
	struct ts_id *ids;	      /* of all */
	size_t n;
};

/* What one request is gathered with. */
struct ts_gathering {
	struct ts_fetch *f;
	const struct ts_gate_request *request;
	struct ts_arena *arena;
	struct ts_run_names names; /* of the project */
	struct ts_gate_input input;
	struct ts_gate_candidates candidates;
	struct ts_id *pairs; /* of request->pairs, without candidates that are named */
	size_t n_pairs;
};

/* The policy, the names of the project; ids of candidates and pairs. */
enum ts_status ts_gathering_begin(struct ts_gathering *g, struct ts_fetch *f, const struct ts_gate_request *request,
				  struct ts_arena *arena, struct ts_error *err);
/* Everything into g->input. */
enum ts_status ts_gather(struct ts_gathering *g, struct ts_error *err);
/* Baselines and history alone, of the workload of the one candidate, if any, which is no part of the result. */
enum ts_status ts_gather_baselines(struct ts_gathering *g, struct ts_error *err);

/* gate_pairs.c: appends the runs of g->pairs to the input. */
enum ts_status ts_gather_pairs(struct ts_gathering *g, struct ts_error *err);
/* gate_changes.c: facts that changed and the loss, of the first candidate against the newest baseline. */
enum ts_status ts_gather_changes(struct ts_gathering *g, const struct ts_baseline_found *newest, struct ts_error *err);

#endif
