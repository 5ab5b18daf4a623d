/* gate_gather.h - gathers all that a verdict rests on from what a request names: candidates, baselines, pairs, and what else
 * changed.
 *
 * The candidates are the named runs and all other runs of the project with the same commit (and patch) and workload that are
 * neither marked bad nor still training, so that running again until a run passes does not help. Only the newest
 * TS_GATE_RERUNS_LOOK names are read. A named run that still trains or is marked bad is TS_INVALID. Among the pairs, a run of the
 * candidate's commit is on the candidate's side, and any other run is on the base's side. Where all runs of a session have names that
 * a request for pairs gives (pair-ID-N-base, pair-ID-N-candidate), they are paired by these; otherwise the k-th run of one side, by
 * start, makes a pair with the k-th run of the other, where both sides have as many.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_GATE_GATE_GATHER_H
#define TSCOPE_SERVICE_HANDLERS_GATE_GATE_GATHER_H

#include "service/handlers/gate/baselines.h"

enum { TS_GATE_RERUNS_LOOK = 1000 };

/* Candidates of one request. */
struct ts_gate_candidates {
	struct ts_gate_subject first; /* the run that was named first: its facts, ancestors and workload stand for all */
	struct ts_id *ids;	      /* of all candidates */
	size_t n;
};

/* The state of one request while its runs are gathered. */
struct ts_gathering {
	struct ts_fetch *f;
	const struct ts_gate_request *request;
	struct ts_arena *arena;
	struct ts_run_names names; /* of the project */
	struct ts_gate_input input;
	struct ts_gate_candidates candidates;
	struct ts_id *pairs; /* ids of request->pairs; a named candidate may be among them */
	size_t n_pairs;
	struct ts_span by; /* who pushed a candidate and did not maintain the project; empty: nobody */
	int64_t since_ns; /* when the candidates came; INT64_MAX: it does not matter who did what since */
	size_t marked;	  /* runs of the candidate's commit that people who do not maintain the project marked bad */
	struct ts_span marked_by;
};

/* Reads the policy and the names of the project, and resolves candidates and pairs to ids. */
enum ts_status ts_gathering_begin(struct ts_gathering *g, struct ts_fetch *f, const struct ts_gate_request *request,
				  struct ts_arena *arena, struct ts_error *err);
/* Gathers everything into g->input. */
enum ts_status ts_gather(struct ts_gathering *g, struct ts_error *err);
/* Gathers only baselines and history, for the workload of the one candidate, if there is one; the candidate is not part of the
 * result. */
enum ts_status ts_gather_baselines(struct ts_gathering *g, struct ts_error *err);

/* gate_pairs.c: appends the runs of g->pairs to the input. */
enum ts_status ts_gather_pairs(struct ts_gathering *g, struct ts_error *err);
/* gate_changes.c: facts that changed and the loss, of the first candidate against the newest baseline. */
enum ts_status ts_gather_changes(struct ts_gathering *g, const struct ts_baseline_found *newest, struct ts_error *err);

#endif
