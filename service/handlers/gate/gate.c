/* gate.c - the methods Gate and Baseline: what a request names is gathered, and analysis/gate judges it. */
#include "service/handlers/core/fit.h"
#include "service/handlers/core/methods.h"
#include "service/handlers/gate/gate_gather.h"
#include "service/handlers/gate/gate_machine.h"
#include "service/handlers/gate/gate_memory.h"
#include "service/handlers/gate/gate_trace.h"

TS_REPLIER(gate_reply, ts_verdict);
TS_REPLIER(gate_input, ts_gate_input);

/* f: what the runs are read with; NULL for what was gathered elsewhere. */
static enum ts_status verdict_of(struct ts_call *call, struct ts_fetch *f, const struct ts_gate_input *input, struct ts_arena *arena,
				 struct ts_error *err)
{
	struct ts_verdict verdict;

	if (ts_gate_judge(input, arena, &verdict, err) ||
	    (f && (ts_gate_trace_why(f, &verdict, arena, err) || ts_gate_memory_why(f, &verdict, arena, err) ||
		   ts_gate_machine_why(f, &verdict, arena, err))))
		return err->status;
	return reply_gate_reply(call, &verdict, err);
}

static enum ts_status gate(struct ts_call *call, struct ts_fetch *f, const struct ts_gate_request *request,
			   struct ts_arena *arena, struct ts_error *err)
{
	struct ts_gathering g;

	if (request->replay)
		return verdict_of(call, NULL, &request->given, arena, err);
	if (ts_gathering_begin(&g, f, request, arena, err) || ts_gather(&g, err))
		return err->status;
	return verdict_of(call, f, &g.input, arena, err);
}

static enum ts_status baseline(struct ts_call *call, struct ts_fetch *f, const struct ts_gate_request *request,
			       struct ts_arena *arena, struct ts_error *err)
{
	struct ts_gathering g;

	if (ts_gathering_begin(&g, f, request, arena, err) || ts_gather_baselines(&g, err))
		return err->status;
	return reply_gate_input(call, &g.input, err);
}

static enum ts_status answered(struct ts_call *call, struct ts_span in,
			       enum ts_status (*answer)(struct ts_call *call, struct ts_fetch *f,
							const struct ts_gate_request *request, struct ts_arena *arena,
							struct ts_error *err),
			       struct ts_error *err)
{
	struct ts_gate_request request;
	struct ts_arena arena;
	struct ts_fetch f;
	enum ts_status status;

	if (ts_wire_unpack_gate_request(in, call->arena, &request, err))
		return err->status;
	ts_arena_init(&arena, TS_ANALYSIS_ARENA);
	ts_fetch_init(&f, call);
	status = answer(call, &f, &request, &arena, err);
	if (status)
		status = ts_blame(call, request.candidates, request.n_candidates, err);
	if (status)
		status = ts_blame(call, request.pairs, request.n_pairs, err);
	ts_fetch_finish(&f);
	ts_arena_finish(&arena);
	return status;
}

enum ts_status ts_handle_gate(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	(void)state;
	return answered(call, in, gate, err);
}

enum ts_status ts_handle_baseline(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	(void)state;
	return answered(call, in, baseline, err);
}
