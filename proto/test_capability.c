/* What came after version 0.1.0 has a name: a method, a field of a request, a value of an enum in a request. */
#include "proto/capability.h"

#include "proto/wire.h"
#include "proto/wire_message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>
#include <tscope/v1/tscope.pb-c.h>

/* The greatest numbers in what clients could ask of 0.1.0, from its own tscope.proto; any other message had no field. */
static const struct first {
	const char *name;
	uint32_t most;
} first[] = {
	{"AnalyzeRequest", 10}, {"ChartAxis", 3}, {"ChartRequest", 9}, {"CheckResumeRequest", 3}, {"CollectGarbageRequest", 3},
	{"CommitRunRequest", 11}, {"DiffMatrixRequest", 1}, {"DiffRequest", 9}, {"Expect", 2}, {"FindNamesRequest", 2},
	{"GateFact", 3}, {"GateInput", 12}, {"GateLoss", 4}, {"GatePassedOver", 3}, {"GateRequest", 8}, {"GateRole", 5},
	{"GateRun", 6}, {"GetObjectsRequest", 2}, {"GetRunRequest", 2}, {"HasObjectsRequest", 1}, {"ListRemovedRequest", 2},
	{"ListRunsRequest", 7}, {"MakeTokenRequest", 4}, {"PlotsWanted", 2}, {"PolicyItem", 5}, {"PutObjectsRequest", 1},
	{"Reduced", 3}, {"ReducedPart", 2}, {"ReducedSeries", 4}, {"Reduction", 23}, {"RefKind", 4}, {"RefLogRequest", 2},
	{"RestoreRefRequest", 3}, {"RetainItem", 5}, {"RetainRequest", 3}, {"RevokeTokenRequest", 1}, {"SealedObject", 7},
	{"SetNoteRequest", 3}, {"TierAnswer", 2}, {"TrendRequest", 5}, {"UpdateRefRequest", 8}, {"Workload", 8},
	{"WorkloadDifference", 4}, {"WorkloadPart", 4},
};

static const char *const first_methods[] = {
	"ServerInfo", "HasObjects", "PutObjects", "CommitRun", "UpdateRef", "RefLog", "SetNote", "FindNames", "ListRuns", "GetRun",
	"GetObjects", "Analyze", "Diff", "DiffMatrix", "CheckResume", "Gate", "Baseline", "Trend", "Verify", "CollectGarbage",
	"ListRemoved", "RestoreRef", "Chart", "MakeToken", "ListTokens", "RevokeToken", "GetUsage", "Retain",
};

static uint32_t most_of_first(const char *name)
{
	for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
		if (strcmp(first[i].name, name) == 0)
			return first[i].most;
	return 0;
}

static bool was_a_method(const char *name)
{
	for (size_t i = 0; i < sizeof first_methods / sizeof first_methods[0]; i++)
		if (strcmp(first_methods[i], name) == 0)
			return true;
	return false;
}

static bool is_named(const char *method, uint32_t outer, uint32_t inner, uint64_t value)
{
	for (size_t i = 0; i < TS_CAPABILITIES; i++) {
		const struct ts_capability *c = &ts_capabilities[i];

		if (strcmp(c->method, method) == 0 && c->fields[0] == outer && c->fields[1] == inner && c->value == value)
			return true;
	}
	return false;
}

/* Whether what is new in a message has a row; a field that is itself new has one for all that is in it. */
static void fields_are_named(const char *method, const ProtobufCMessageDescriptor *m, uint32_t outer, int depth)
{
	for (unsigned i = 0; i < m->n_fields; i++) {
		const ProtobufCFieldDescriptor *f = &m->fields[i];
		uint32_t at = outer ? outer : f->id, in = outer ? f->id : 0;

		if (f->id >= TS_WIRE_FIRST_HINT)
			continue; /* who does not know it passes over it */
		if (f->id > most_of_first(m->short_name)) {
			if (depth > 1 || !is_named(method, at, in, 0))
				fail_msg("%s of %s is newer than 0.1.0 and has no capability", f->name, m->short_name);
			continue;
		}
		if (f->type == PROTOBUF_C_TYPE_MESSAGE)
			fields_are_named(method, f->descriptor, at, depth + 1);
		if (f->type == PROTOBUF_C_TYPE_ENUM) {
			const ProtobufCEnumDescriptor *e = f->descriptor;

			for (unsigned k = 0; k < e->n_values; k++) {
				int value = e->values[k].value;

				if (value > (int)most_of_first(e->short_name) && !is_named(method, at, in, (uint64_t)value))
					fail_msg("%s in %s has no capability", e->values[k].name, m->short_name);
			}
		}
	}
}

static void what_is_newer_is_named(void **state)
{
	const ProtobufCServiceDescriptor *s = &tscope__v1__tscope__descriptor;

	(void)state;
	for (unsigned i = 0; i < s->n_methods; i++) {
		if (was_a_method(s->methods[i].name))
			fields_are_named(s->methods[i].name, s->methods[i].input, 0, 0);
		else if (!is_named(s->methods[i].name, 0, 0, 0))
			fail_msg("the method %s is newer than 0.1.0 and has no capability", s->methods[i].name);
	}
}

/* What a row says is there, and the names that are sent are those of the rows. */
static void rows_are_of_the_contract(void **state)
{
	const struct ts_capability *rows = ts_capabilities;
	const char *names = ts_capability_names(), *last = "";

	(void)state;
	for (size_t i = 0; i < TS_CAPABILITIES; i++) {
		const ProtobufCMethodDescriptor *m =
			protobuf_c_service_descriptor_get_method_by_name(&tscope__v1__tscope__descriptor, rows[i].method);
		const ProtobufCMessageDescriptor *in = m ? m->input : NULL;

		assert_non_null(m);
		for (int k = 0; k < TS_CAPABILITY_DEPTH && rows[i].fields[k]; k++) {
			const ProtobufCFieldDescriptor *f = protobuf_c_message_descriptor_get_field(in, rows[i].fields[k]);

			assert_non_null(f);
			in = f->type == PROTOBUF_C_TYPE_MESSAGE ? f->descriptor : NULL;
		}
		if (strcmp(rows[i].name, last) != 0) {
			assert_int_equal(strncmp(names, rows[i].name, strlen(rows[i].name)), 0);
			names += strlen(rows[i].name);
			names += *names == ' ';
		}
		last = rows[i].name;
	}
	assert_string_equal(names, "");
}

static const char *lacking(const char *method, struct ts_span request, const char *has)
{
	const struct ts_capability *c = ts_capability_lacking(method, request, ts_span_str(has));

	return c ? c->name : "nothing";
}

static void says_what_a_request_asks_for(void **state)
{
	struct ts_buf out = TS_BUF_INIT(1000);
	struct ts_error err;

	(void)state;
	/* By hand: field 1, two bytes; field 3, a varint of 1. */
	assert_string_equal(lacking("RefLog", ts_span_of("\x0a\x02xy\x18\x01", 6), ""), "note-history");
	assert_string_equal(lacking("RefLog", ts_span_of("\x0a\x02xy\x18\x01", 6), "follow note-history"), "nothing");
	assert_string_equal(lacking("RefLog", ts_span_of("\x0a\x02xy\x18\x01", 6), "note-history2 note"), "note-history");
	assert_string_equal(lacking("RefLog", ts_span_of("\x0a\x02\x18\x01", 4), ""), "nothing"); /* within the text of field 1 */
	assert_string_equal(lacking("RefLog", ts_span_of("\x0a\x09xy\x18\x01", 6), ""), "nothing"); /* no message */
	assert_string_equal(lacking("Chart", ts_span_of("\x18\x03", 2), ""), "nothing");
	assert_string_equal(lacking("Chart", ts_span_of("\x18\x04", 2), "chart-cells"), "chart-epoch");
	assert_string_equal(lacking("Chart", ts_span_of("\x59\0\0\0\0\0\0\0\0", 9), ""), "chart-cells"); /* field 11, a double */
	assert_string_equal(lacking("Gate", ts_span_of("\x2a\x03\x6a\x01z", 5), ""), "lost-baselines");
	assert_string_equal(lacking("Gate", ts_span_of("\x6a\x01z", 3), ""), "nothing");
	assert_string_equal(lacking("Verify", ts_span_of("\x08\x01", 2), "follow"), "verify-new");
	assert_string_equal(lacking("PutObjects", ts_span_of("\x0a\x02\x10\x04", 4), "follow"), "sealed-text"); /* codec 4 */
	assert_string_equal(lacking("PutObjects", ts_span_of("\x0a\x02\x10\x02", 4), "follow"), "nothing");
	assert_string_equal(lacking("Follow", ts_span_of(NULL, 0), "note-history"), "follow");
	assert_string_equal(lacking("ServerInfo", ts_span_of(NULL, 0), ""), "nothing");
	assert_true(ts_capabilities_are_all(ts_span_str(ts_capability_names())));
	assert_true(ts_capabilities_are_all(
		ts_span_str("future sealed-text reduce-runs verify-new lost-baselines chart-epoch chart-cells note-history follow")));
	assert_false(ts_capabilities_are_all(ts_span_str("lost-baselines chart-epoch chart-cells note-history")));
	assert_false(ts_capabilities_are_all(ts_span_of(NULL, 0)));
	/* The same of what this version packs. */
	assert_int_equal(ts_wire_pack_log_request(&(struct ts_log_request){.notes = true}, &out, &err), TS_OK);
	assert_string_equal(lacking("RefLog", ts_buf_view(&out), ""), "note-history");
	ts_buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_newer_is_named),
		cmocka_unit_test(rows_are_of_the_contract),
		cmocka_unit_test(says_what_a_request_asks_for),
	};

	return cmocka_run_group_tests_name("capability", tests, NULL, NULL);
}
