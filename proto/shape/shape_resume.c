/* shape_resume.c - the tables of the answer of CheckResume: whether a run went on correctly from a checkpoint. */
#include "analysis/diverge/resume.h"
#include "proto/shape/shape_rows.h"
#include "proto/shape/shape_wire.h"

#define TYPE struct ts_resume_request
static void check_request(struct ts_wire_reader *r, void *in)
{
	const TYPE *request = in;

	if (request->has_tolerance && (!(request->tolerance > 0) || isinf(request->tolerance)))
		ts_wire_fail(r, "tolerance", "is no number above 0");
}

static const struct ts_shape_field request_rows[] = {
	{"parent", NULL, TEXT(parent, TS_WIRE_SPEC_MAX)},
	{"child", NULL, TEXT(child, TS_WIRE_SPEC_MAX)},
	{"tolerance", NULL, F64(tolerance), HAS(has_tolerance)},
};
const struct ts_shape ts_shape_resume_request = {SHAPE("resume_request", check_resume_request, request_rows), .check = check_request};
#undef TYPE

/* The values of the C enum are the exit codes. */
static const int verdict_values[] = {TS_RESUME_CORRECT, TS_RESUME_WRONG, TS_RESUME_UNDECIDED};
WORD_OF(verdict_word, enum ts_resume_verdict, ts_resume_word);
static const struct ts_shape_words verdicts = {1, 3, .values = verdict_values, .word = verdict_word};

enum { BEFORE_MAX = 8192 };

#define TYPE struct ts_resume
static bool is_of_two_runs(const void *in)
{
	return !((const TYPE *)in)->restart;
}

static bool is_restart(const void *in)
{
	return ((const TYPE *)in)->restart;
}

static const struct ts_shape_field resume_rows[] = {
	{"verdict", "verdict", ENUM(verdict, verdicts)},
	{"why", "diagnosis", ONE(why, ts_shape_diagnosis)},
	{"parent", "parent", ONE(parent, ts_shape_run), WHEN(is_of_two_runs),
	 ABOUT("null where the restarts of the child's own directory were looked at")},
	{"child", "child", ONE(child, ts_shape_run)},
	{"restart", NULL, BOOL(restart)},
	{"restarts", "restart_count", U64(restarts), WHEN(is_restart)},
	{"lineage", "lineage", ONE(lineage, ts_shape_lineage)},
	{"ending_parent", "parent_ending", ONE(ending_parent, ts_shape_ending), HAS(ending_parent.told), ABOUT("null for a restart")},
	{"ending_child", "child_ending", ONE(ending_child, ts_shape_ending), HAS(ending_child.told)},
	{"before", "before_restart", BYTES(before, BEFORE_MAX), OR_NULL, WHEN(is_restart),
	 ABOUT("what the directory recorded of an end before the restart")},
};
const struct ts_shape ts_shape_resume = {SHAPE("resume", check_resume_reply, resume_rows)};
#undef TYPE

WIRE_SHAPE(resume_request, ts_resume_request, ts_shape_resume_request);
WIRE_SHAPE(resume_reply, ts_resume, ts_shape_resume);
