/* Any bytes as a line that a program sends, as the arguments of a tool, and as a document to be shortened: refused with a reason, or
 * read; a brief never takes more room than it may, and is whole lines. */
#include "cli/serve/brief.h"
#include "cli/serve/rpc.h"
#include "cli/serve/tool.h"
#include "cli/verbs/serve_columns.h"
#include "tests/fuzz/fuzz_hold.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct ts_option options[] = {
	{.name = "rank", .argument = "N", .help = "this rank"},
	{.name = "ignore", .argument = "GLOB", .help = "not these", .repeat = true},
	{.name = "all", .help = "everything"},
	{.name = NULL},
};
static const struct ts_verb verb = {.name = "diff",
				    .summary = "compare",
				    .usage = "RUN RUN [RUN...]",
				    .about = "",
				    .options = options,
				    .min_words = 2,
				    .max_words = 9};
static const struct ts_tool tool = {"diff", "rank ignore all", 2, 9, "analyze"};

static void any_message(struct ts_span line, struct ts_arena *arena)
{
	struct ts_rpc_message message, again;
	struct ts_buf out = TS_BUF_INIT(1 << 24);
	enum ts_rpc_code code;
	struct ts_tool_call call;
	struct ts_span arguments = line;
	struct ts_error err;

	if (ts_rpc_read(line, arena, &message, &code, &err)) {
		hold(code < 0 && err.text[0]);
	} else if (message.kind == TS_RPC_REQUEST) {
		/* An answer is a message too, and names the same id. */
		ts_rpc_result(&out, message.id, NULL, ts_span_str("{}"));
		hold(!ts_rpc_read(ts_buf_view(&out), arena, &again, &code, &err));
		hold(again.kind == TS_RPC_REPLY && ts_span_eq(again.id, message.id));
		(void)ts_rpc_member(message.params, "arguments", &arguments);
	}
	if (!ts_tool_read(&tool, &verb, arguments, arena, &call, &err)) {
		hold(call.n >= 3 && strcmp(call.words[0], "diff") == 0);
		for (size_t i = 0; i < call.n; i++)
			hold(call.words[i]);
	}
	ts_buf_finish(&out);
}

static void any_columns(struct ts_span params, struct ts_arena *arena)
{
	struct ts_columns_wanted wanted = {.run = NULL};
	struct ts_error err;

	if (ts_columns_wanted_read(params, arena, &wanted, &err))
		return;
	hold(*wanted.run && !(wanted.all_ranks && wanted.has_rank));
	for (size_t i = 0; i < wanted.n; i++)
		hold(*wanted.names[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_buf out = TS_BUF_INIT(1 << 20);
	struct ts_arena arena;
	struct ts_error err;

	ts_arena_init(&arena, 1 << 26);
	any_message(ts_span_of(data, size), &arena);
	any_columns(ts_span_of(data, size), &arena);
	if (!ts_brief(ts_span_of(data, size), "tscope diff a b", "analyze", &arena, &out, &err))
		hold(out.len <= TS_BRIEF_BYTES && out.len > 0 && out.data[out.len - 1] == '\n');
	ts_buf_finish(&out);
	ts_arena_finish(&arena);
	return 0;
}
