/* serve_tools.c - see serve_tools.h. */
#include "cli/verbs/serve_tools.h"

#include "cli/verbs/schemas.h"
#include "cli/verbs/verbs.h"

#define URI "tscope:schemas/"
#define END ".schema.json"

/* An option that is not named here is none of a tool: so one that is new, and may write, does not become one by itself. */
const struct ts_tool ts_tools[] = {
	{"list", "columns sort by limit all page all-projects tags branches", 0, 1,
	 "analyze with a run of the list says what limits it, diff with two of them where they part"},
	{"show", "at device snapshot rank output machine reproduce", 1, 1, "analyze with the same run says what limits it"},
	{"facts", "", 1, 2, "list with by=PATH of a fact compares runs by its values"},
	{"analyze",
	 "warmup rank trace snapshot flops-per-step peak-tflops dtype microbatches device-memory fail-on fresh step at device with "
	 "scale "
	 "pattern map policy",
	 1, 1, "explain with the code of a finding says when it fires; diff with another run shows what changed"},
	{"plot", "x smooth log logx bands highlight by rank cells from to", 2, 256, "diff with two of the runs says where they part"},
	{"explain", "", 0, 1, NULL},
	{"diff", "ignore exit-on all by curves repeats rounding policy warmup snapshot reproduce pattern map", 2, 256,
	 "analyze with each of the runs says what limits it"},
	{"check-resume", "tolerance", 1, 2, "diff with the two runs shows every series and fact that differs"},
	{"gate", "baseline bundle paired metric better policy workload across exclude inconclusive check replay", 0, 256,
	 "diff with a baseline says what changed"},
	{"baseline", "baseline metric policy workload across exclude", 0, 1, "gate with a candidate tests it against these runs"},
	{"trend", "metric better limit like policy workload across exclude exit-code", 1, 1,
	 "diff with the runs before and behind a change says what changed"},
	{"scaling", "ignore", 2, 256, "analyze with a run says what limits it"},
	{"compare", "by settings all-projects", 1, 2,
	 "list with the filter and the setting as a column shows the runs; diff with two of them says more"},
	{"log", "notes limit", 1, 1, "diff with ids of two entries says what changed"},
	{"projects", "", 0, 0, "list with project shows the runs of one"},
	{"whoami", "", 0, 0, NULL},
	{"version", "", 0, 0, NULL},
};
const size_t ts_tools_n = sizeof ts_tools / sizeof ts_tools[0];

const struct ts_tool *ts_tool_find(struct ts_span name)
{
	for (size_t i = 0; i < ts_tools_n; i++)
		if (ts_span_is(name, ts_tools[i].verb))
			return &ts_tools[i];
	return NULL;
}

void ts_tools_list(struct ts_buf *out, struct ts_arena *arena)
{
	struct ts_json j = ts_json_of(out);

	ts_json_object(&j);
	ts_json_key(&j, "tools");
	ts_json_array(&j);
	for (size_t i = 0; i < ts_tools_n; i++)
		ts_tool_describe(&ts_tools[i], ts_verb_find(ts_tools[i].verb), &j, arena);
	ts_json_end(&j);
	ts_json_end(&j);
}

/* The verb of a file of schemas, if it is that of a tool. */
static const struct ts_tool *tool_of(const struct ts_schema *schema)
{
	struct ts_span name = ts_span_str(schema->name);

	return ts_span_ends(name, END) ? ts_tool_find(ts_span_part(name, 0, name.len - strlen(END))) : NULL;
}

void ts_schemas_list(struct ts_buf *out, struct ts_arena *arena)
{
	struct ts_json j = ts_json_of(out);

	ts_json_object(&j);
	ts_json_key(&j, "resources");
	ts_json_array(&j);
	for (size_t i = 0; i < ts_schemas_n; i++) {
		const struct ts_tool *tool = tool_of(&ts_schemas[i]);

		if (!tool)
			continue;
		ts_json_object(&j);
		ts_json_key(&j, "uri");
		ts_json_string(&j, ts_arena_phrase(arena, URI "%s", tool->verb));
		ts_json_key(&j, "name");
		ts_json_string(&j, ts_schemas[i].name);
		ts_json_key(&j, "description");
		ts_json_string(&j, ts_arena_phrase(arena, "the JSON Schema of what %s answers as a document", tool->verb));
		ts_json_key(&j, "mimeType");
		ts_json_string(&j, "application/schema+json");
		ts_json_end(&j);
	}
	ts_json_end(&j);
	ts_json_end(&j);
}

bool ts_schema_put(struct ts_buf *out, struct ts_span uri, struct ts_arena *arena)
{
	struct ts_json j = ts_json_of(out);

	for (size_t i = 0; i < ts_schemas_n; i++) {
		const struct ts_tool *tool = tool_of(&ts_schemas[i]);

		if (!tool || !ts_span_is(uri, ts_arena_phrase(arena, URI "%s", tool->verb)))
			continue;
		ts_json_object(&j);
		ts_json_key(&j, "contents");
		ts_json_array(&j);
		ts_json_object(&j);
		ts_json_key(&j, "uri");
		ts_json_span(&j, uri);
		ts_json_key(&j, "mimeType");
		ts_json_string(&j, "application/schema+json");
		ts_json_key(&j, "text");
		ts_json_span(&j, ts_schemas[i].text);
		ts_json_end(&j);
		ts_json_end(&j);
		ts_json_end(&j);
		return true;
	}
	return false;
}
