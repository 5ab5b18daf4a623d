/* gate_json.c - prints a verdict and a bundle of baselines as JSON (docs/schemas/gate.schema.json, baseline.schema.json): the values
 * that people read, and the record. */
#include "cli/gate/gate_json.h"

#include "cli/gate/gate_record.h"
#include "proto/shape/shape_rows.h"

enum { POLICY_MAX = 1 << 20 };

/* The members at the end of both documents, from which the verdict can be repeated. */
struct tail {
	struct ts_span policy;
	struct ts_id policy_digest;
	uint32_t analysis_version;
	struct ts_span record;
};

#define TYPE struct tail
static void json_record(struct ts_shape_writer *w, const void *in)
{
	ts_json_span(w->json, ((const TYPE *)in)->record);
}

static const struct ts_shape_own record_own = {
	.json = json_record,
	.schema =
		"{\"type\": \"string\", \"contentEncoding\": \"base64\", \"description\": \"all that it rests on: message GateInput of "
		"proto/tscope/v1/tscope.proto\"}",
};
static const struct ts_shape record_shape = {OWN_JSON("record", record_own)};

/* The record comes last because it is long. */
static const struct ts_shape_field tail_rows[] = {
	{NULL, "policy", BYTES(policy, POLICY_MAX), ABOUT("every setting in force, one a line, as a policy file has them")},
	{NULL, "policy_digest", ID(policy_digest)},
	{NULL, "analysis_version", U32(analysis_version), BOUNDS(0, INFINITY)},
	{NULL, "record", HERE(record_shape)},
};
static const struct ts_shape tail_shape = {JSON_SHAPE("tail", tail_rows)};
#undef TYPE

struct gate_answer {
	struct ts_verdict verdict;
	struct tail tail;
};

#define TYPE struct gate_answer
static const struct ts_shape_field gate_rows[] = {
	{NULL, FLAT, ONE(verdict, ts_shape_verdict)},
	{NULL, FLAT, ONE(tail, tail_shape)},
};
const struct ts_shape ts_shape_gate_answer = {JSON_SHAPE("gate_answer", gate_rows)};
#undef TYPE

struct baseline_answer {
	struct ts_gate_input input;
	struct tail tail;
};

#define TYPE struct baseline_answer
static const struct ts_shape_field baseline_rows[] = {
	{NULL, "not_comparable", BYTES(input.not_comparable, 0), OR_NULL},
	{NULL, "lost", BYTES(input.lost, 0), OR_NULL},
	{NULL, FLAT, ONE(input, ts_shape_gate_chosen)},
	{NULL, FLAT, ONE(tail, tail_shape)},
};
const struct ts_shape ts_shape_baseline_answer = {JSON_SHAPE("baseline_answer", baseline_rows)};
#undef TYPE

static enum ts_status policy_text(const struct ts_gate_policy *policy, struct ts_arena *arena, struct ts_span *ret_text,
				  struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(POLICY_MAX);
	enum ts_status status;

	ts_gate_policy_print(policy, &text);
	status = ts_buf_check(&text, err);
	if (!status) {
		*ret_text = ts_arena_span(arena, ts_buf_view(&text));
		status = ret_text->data ? TS_OK : ts_arena_error(arena, err);
	}
	ts_buf_finish(&text);
	return status;
}

static enum ts_status make_tail(const struct ts_gate_input *in, struct ts_arena *arena, struct tail *ret_tail, struct ts_error *err)
{
	struct tail tail = {.analysis_version = in->analysis_version};
	enum ts_status status = policy_text(&in->policy, arena, &tail.policy, err);

	if (!status)
		status = ts_gate_policy_digest(&in->policy, &tail.policy_digest, err);
	if (!status)
		status = ts_gate_record_text(in, arena, &tail.record, err);
	if (!status)
		*ret_tail = tail;
	return status;
}

static enum ts_status print(const struct ts_shape *shape, const void *answer, struct ts_arena *arena, struct ts_buf *out,
			    struct ts_error *err)
{
	struct ts_json json = ts_json_of(out);

	json.indent = 2;
	json.shown = true;
	if (ts_shape_json(shape, answer, &json, arena, err))
		return err->status;
	ts_buf_char(out, '\n');
	return ts_buf_check(out, err);
}

enum ts_status ts_render_gate_json(const struct ts_verdict *v, struct ts_arena *arena, struct ts_buf *out,
				   struct ts_error *err)
{
	struct gate_answer answer = {.verdict = *v};
	enum ts_status status = make_tail(&v->input, arena, &answer.tail, err);

	return status ? status : print(&ts_shape_gate_answer, &answer, arena, out, err);
}

enum ts_status ts_render_baseline_json(const struct ts_gate_input *in, struct ts_arena *arena, struct ts_buf *out,
				       struct ts_error *err)
{
	struct baseline_answer answer = {.input = *in};
	enum ts_status status = make_tail(in, arena, &answer.tail, err);

	return status ? status : print(&ts_shape_baseline_answer, &answer, arena, out, err);
}
