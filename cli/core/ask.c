/* ask.c - see ask.h. */
#include "cli/core/ask.h"

#include "base/limits.h"
#include "base/object.h"
#include "base/version.h"
#include "cli/core/context.h"
#include "proto/capability.h"

/* Which of the two sides is to be updated, and to what. */
static const char *advice_of(int order, struct ts_span theirs, struct ts_arena *arena)
{
	struct ts_span of = order < 0 ? ts_span_str(ts_version()) : theirs;
	const uint8_t *end = memchr(of.data, '~', of.len);
	int n = (int)(end ? (size_t)(end - of.data) : of.len);
	const char *text;

	if (!order)
		return "update the one that is older";
	text = ts_arena_printf(arena, order < 0 ? "update the server: whoever runs it puts tscoped %.*s or newer in its place"
						: "update tscope here to %.*s or newer, as it was installed",
			       n, (const char *)of.data);
	return text ? text : order < 0 ? "update the server" : "update tscope here";
}

enum ts_status ts_ask_info(struct ts_channel *ch, struct ts_arena *arena, struct ts_info_reply *ret,
			   struct ts_error *err)
{
	struct ts_span answer = {NULL, 0};
	enum ts_status status = ch->ops->call(ch, "ServerInfo", ts_span_of(NULL, 0), arena, &answer, err);

	return status ? status : ts_wire_unpack_info_reply(answer, arena, ret, err);
}

/* A server of 0.1.0 leaves out of its answer what it does not know of a request, and a later one refuses that by a number; so what the
 * request asks for is looked for among the names of what the server has. */
static enum ts_status check_capabilities(struct ts_channel *ch, const char *method, struct ts_span request, struct ts_arena *arena,
					 struct ts_error *err)
{
	const struct ts_span none = {NULL, 0};
	const struct ts_capability *lacks;
	struct ts_info_reply info;

	if (ch->has_all || !ts_capability_lacking(method, request, none))
		return TS_OK;
	if (ts_ask_info(ch, arena, &info, err))
		return err->status;
	lacks = ts_capability_lacking(method, request, info.capabilities);
	if (lacks)
		return ts_error_set(err, TS_UNSUPPORTED, "the server cannot say %s: it lacks %s", lacks->what, lacks->name);
	ch->has_all = ts_capabilities_are_all(info.capabilities);
	return TS_OK;
}

enum ts_status ts_ask_capability(struct ts_channel *ch, const char *name, struct ts_arena *arena, bool *ret, struct ts_error *err)
{
	struct ts_info_reply info;

	if (!ch->has_all) {
		if (ts_ask_info(ch, arena, &info, err))
			return err->status;
		ch->has_all = ts_capabilities_are_all(info.capabilities);
	}
	*ret = ch->has_all || ts_capability_is_among(info.capabilities, name);
	return TS_OK;
}

/* Where one side does not know what the other says, adds to the error which of the two is older. */
static enum ts_status add_versions(struct ts_channel *ch, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_span ours = ts_span_str(ts_version());
	struct ts_info_reply info;
	struct ts_error ignored, whole = *err;
	const char *advice;

	if (err->status != TS_UNSUPPORTED || ts_ask_info(ch, arena, &info, &ignored) || ts_span_eq(info.version, ours))
		return err->status;
	advice = advice_of(ts_version_order(info.version, ours), info.version, arena);
	return ts_error_set(err, whole.status, "%s; the server is tscoped %.*s, and this is tscope %s: %s", whole.text,
			    TS_SPAN_ARG(info.version), ts_version(), advice);
}

/* Sends a request and gives the reply. */
static enum ts_status ask(struct ts_channel *ch, const char *method, struct ts_span request, struct ts_arena *arena,
			  struct ts_span *ret, struct ts_error *err)
{
	if (check_capabilities(ch, method, request, arena, err) || ch->ops->call(ch, method, request, arena, ret, err))
		return err->status;
	return TS_OK;
}

/* Defines one unary method: ts_wire_pack_REQUEST packs its request, and ts_wire_unpack_REPLY unpacks its reply. */
#define ASK(method, request, reply, in, ret)                                                                       \
	do {                                                                                                        \
		struct ts_buf packed = TS_BUF_INIT(TS_MESSAGE_MAX);                                                 \
		struct ts_span answer = {NULL, 0};                                                                  \
		enum ts_status status = ts_wire_pack_##request(in, &packed, err);                                   \
                                                                                                                    \
		if (!status)                                                                                        \
			status = ask(ch, method, ts_buf_view(&packed), arena, &answer, err);                        \
		if (!status)                                                                                        \
			status = ts_wire_unpack_##reply(answer, arena, ret, err);                                   \
		ts_buf_finish(&packed);                                                                             \
		return status ? add_versions(ch, arena, err) : TS_OK;                                               \
	} while (0)

enum ts_status ts_ask_make_token(struct ts_channel *ch, const struct ts_make_token_request *in, struct ts_arena *arena,
				 struct ts_tokens_reply *ret, struct ts_error *err)
{
	ASK("MakeToken", make_token_request, tokens_reply, in, ret);
}

enum ts_status ts_ask_revoke_token(struct ts_channel *ch, const struct ts_revoke_token_request *in, struct ts_arena *arena,
				   struct ts_tokens_reply *ret, struct ts_error *err)
{
	ASK("RevokeToken", revoke_token_request, tokens_reply, in, ret);
}

enum ts_status ts_ask_list_tokens(struct ts_channel *ch, struct ts_arena *arena, struct ts_tokens_reply *ret, struct ts_error *err)
{
	struct ts_span answer = {NULL, 0};
	enum ts_status status = ch->ops->call(ch, "ListTokens", ts_span_of(NULL, 0), arena, &answer, err);

	if (!status)
		status = ts_wire_unpack_tokens_reply(answer, arena, ret, err);
	return status ? add_versions(ch, arena, err) : TS_OK;
}

enum ts_status ts_ask_usage(struct ts_channel *ch, struct ts_arena *arena, struct ts_usage_reply *ret, struct ts_error *err)
{
	struct ts_span answer = {NULL, 0};
	enum ts_status status = ch->ops->call(ch, "GetUsage", ts_span_of(NULL, 0), arena, &answer, err);

	if (!status)
		status = ts_wire_unpack_usage_reply(answer, arena, ret, err);
	return status ? add_versions(ch, arena, err) : TS_OK;
}

enum ts_status ts_ask_has(struct ts_channel *ch, const struct ts_has_request *in, struct ts_arena *arena,
			  struct ts_has_reply *ret, struct ts_error *err)
{
	ASK("HasObjects", has_request, has_reply, in, ret);
}

enum ts_status ts_ask_commit(struct ts_channel *ch, const struct ts_commit_request *in, struct ts_arena *arena,
			     struct ts_commit_reply *ret, struct ts_error *err)
{
	ASK("CommitRun", commit_request, commit_reply, in, ret);
}

enum ts_status ts_ask_ref(struct ts_channel *ch, const struct ts_ref_request *in, struct ts_arena *arena,
			  struct ts_ref_reply *ret, struct ts_error *err)
{
	ASK("UpdateRef", ref_request, ref_reply, in, ret);
}

enum ts_status ts_ask_log(struct ts_channel *ch, const struct ts_log_request *in, struct ts_arena *arena,
			  struct ts_log_reply *ret, struct ts_error *err)
{
	ASK("RefLog", log_request, log_reply, in, ret);
}

enum ts_status ts_ask_find(struct ts_channel *ch, const struct ts_find_request *in, struct ts_arena *arena,
			   struct ts_find_reply *ret, struct ts_error *err)
{
	ASK("FindNames", find_request, find_reply, in, ret);
}

enum ts_status ts_ask_removed(struct ts_channel *ch, const struct ts_removed_request *in, struct ts_arena *arena,
			      struct ts_removed_reply *ret, struct ts_error *err)
{
	ASK("ListRemoved", removed_request, removed_reply, in, ret);
}

enum ts_status ts_ask_restore(struct ts_channel *ch, const struct ts_restore_request *in, struct ts_arena *arena,
			      struct ts_restore_reply *ret, struct ts_error *err)
{
	ASK("RestoreRef", restore_request, restore_reply, in, ret);
}

enum ts_status ts_ask_retain(struct ts_channel *ch, const struct ts_retain_request *in, struct ts_arena *arena,
			     struct ts_retain_reply *ret, struct ts_error *err)
{
	ASK("Retain", retain_request, retain_reply, in, ret);
}

enum ts_status ts_ask_note(struct ts_channel *ch, const struct ts_note_request *in, struct ts_arena *arena,
			   struct ts_error *err)
{
	struct ts_buf packed = TS_BUF_INIT(TS_MESSAGE_MAX);
	struct ts_span answer = {NULL, 0};
	enum ts_status status = ts_wire_pack_note_request(in, &packed, err);

	if (!status)
		status = ch->ops->call(ch, "SetNote", ts_buf_view(&packed), arena, &answer, err);
	ts_buf_finish(&packed);
	return status ? add_versions(ch, arena, err) : TS_OK;
}

enum ts_status ts_ask_list(struct ts_channel *ch, const struct ts_list_request *in, struct ts_arena *arena,
			   struct ts_list_reply *ret, struct ts_error *err)
{
	ASK("ListRuns", list_request, list_reply, in, ret);
}

static enum ts_status ask_get(struct ts_channel *ch, const struct ts_get_request *in, struct ts_arena *arena,
			      struct ts_get_reply *ret, struct ts_error *err)
{
	ASK("GetRun", get_request, get_reply, in, ret);
}

/* The objects of this run may be asked for next. */
static enum ts_status ask_run(struct ts_channel *ch, const struct ts_get_request *in, struct ts_arena *arena,
			      struct ts_get_reply *ret, struct ts_error *err)
{
	if (ask_get(ch, in, arena, ret, err))
		return err->status;
	ts_channel_note_head(ch, &ret->run.id);
	return TS_OK;
}

enum ts_status ts_ask_get(struct ts_channel *ch, struct ts_span spec, struct ts_arena *arena,
			  struct ts_get_reply *ret, struct ts_error *err)
{
	return ask_run(ch, &(struct ts_get_request){.spec = spec}, arena, ret, err);
}

enum ts_status ts_ask_get_metrics(struct ts_channel *ch, struct ts_span spec, struct ts_arena *arena, struct ts_get_reply *ret,
				  struct ts_error *err)
{
	return ask_run(ch, &(struct ts_get_request){.spec = spec, .metrics = true}, arena, ret, err);
}

enum ts_status ts_ask_analyze(struct ts_channel *ch, const struct ts_analyze_request *in, struct ts_arena *arena,
			      struct ts_analysis *ret, struct ts_error *err)
{
	ASK("Analyze", analyze_request, analyze_reply, in, ret);
}

enum ts_status ts_ask_chart(struct ts_channel *ch, const struct ts_chart_request *in, struct ts_arena *arena,
			    struct ts_chart *ret, struct ts_error *err)
{
	ASK("Chart", chart_request, chart_reply, in, ret);
}

enum ts_status ts_ask_diff(struct ts_channel *ch, const struct ts_diff_request *in, struct ts_arena *arena,
			   struct ts_diff *ret, struct ts_error *err)
{
	ASK("Diff", diff_request, diff_reply, in, ret);
}

enum ts_status ts_ask_matrix(struct ts_channel *ch, const struct ts_matrix_request *in, struct ts_arena *arena,
			     struct ts_diff_matrix *ret, struct ts_error *err)
{
	ASK("DiffMatrix", matrix_request, matrix_reply, in, ret);
}

enum ts_status ts_ask_resume(struct ts_channel *ch, const struct ts_resume_request *in, struct ts_arena *arena,
			     struct ts_resume *ret, struct ts_error *err)
{
	ASK("CheckResume", resume_request, resume_reply, in, ret);
}

enum ts_status ts_ask_gate(struct ts_channel *ch, const struct ts_gate_request *in, struct ts_arena *arena,
			   struct ts_verdict *ret, struct ts_error *err)
{
	ASK("Gate", gate_request, gate_reply, in, ret);
}

enum ts_status ts_ask_baseline(struct ts_channel *ch, const struct ts_gate_request *in, struct ts_arena *arena,
			       struct ts_gate_input *ret, struct ts_error *err)
{
	ASK("Baseline", gate_request, gate_input, in, ret);
}

enum ts_status ts_ask_trend(struct ts_channel *ch, const struct ts_trend_request *in, struct ts_arena *arena,
			    struct ts_trend *ret, struct ts_error *err)
{
	ASK("Trend", trend_request, trend_reply, in, ret);
}

enum ts_status ts_ask_gc(struct ts_channel *ch, const struct ts_gc_request *in, struct ts_arena *arena,
			 struct ts_gc_reply *ret, struct ts_error *err)
{
	ASK("CollectGarbage", gc_request, gc_reply, in, ret);
}

struct one_object {
	const struct ts_id *id;
	struct ts_arena *arena;
	struct ts_span object;
	bool got;
};

static enum ts_status take_object(void *ctx, struct ts_span message, struct ts_error *err)
{
	struct one_object *want = ctx;
	struct ts_put_request reply;
	enum ts_status status = ts_wire_unpack_objects_reply(message, want->arena, &reply, err);

	for (size_t i = 0; !status && i < reply.n; i++) {
		if (!ts_id_eq(&reply.objects[i].id, want->id))
			return ts_error_set(err, TS_DAMAGED, "the server sent another object than the one that was asked for");
		/* The reply is freed below, and an object that was stored uncompressed may still point into it. */
		status = ts_sealed_verify(&reply.objects[i], want->arena, &want->object, err);
		if (!status)
			want->object = ts_arena_span(want->arena, want->object);
		if (!status && !want->object.data)
			status = ts_arena_error(want->arena, err);
		want->got = !status;
	}
	return status;
}

enum ts_status ts_ask_object(struct ts_channel *ch, const struct ts_id *id, struct ts_arena *arena,
			     struct ts_span *ret_object, struct ts_error *err)
{
	struct one_object want = {.id = id, .arena = arena};
	struct ts_id copy = *id;
	struct ts_objects_request in = {
		.ids = &copy, .n = 1, .heads = ch->heads, .n_heads = ts_channel_heads(ch), .codecs = TS_SEALED_CODECS};
	struct ts_buf packed = TS_BUF_INIT(TS_MESSAGE_MAX);
	enum ts_status status = ts_wire_pack_objects_request(&in, &packed, err);
	char hex[TS_ID_HEX + 1];

	if (!status)
		status = ch->ops->download(ch, "GetObjects", ts_buf_view(&packed), take_object, &want, err);
	if (!status && !want.got)
		status = ts_error_set(err, TS_NOT_FOUND, "the store has no object %s", ts_id_hex(id, hex));
	if (!status)
		*ret_object = want.object;
	ts_buf_finish(&packed);
	return status;
}

enum ts_status ts_ask_verify(struct ts_channel *ch, const struct ts_verify_request *in, struct ts_arena *arena, ts_message_fn *take,
			     void *ctx, struct ts_error *err)
{
	struct ts_buf packed = TS_BUF_INIT(TS_MESSAGE_MAX);
	enum ts_status status = ts_wire_pack_verify_request(in, &packed, err);

	if (!status)
		status = check_capabilities(ch, "Verify", ts_buf_view(&packed), arena, err);
	if (!status)
		status = ch->ops->download(ch, "Verify", ts_buf_view(&packed), take, ctx, err);
	ts_buf_finish(&packed);
	return status ? add_versions(ch, arena, err) : TS_OK;
}

enum ts_status ts_ask_long_text(struct ts_channel *ch, const struct ts_fact *fact, struct ts_arena *arena,
				struct ts_span *ret_text, struct ts_error *err)
{
	struct ts_object object;
	struct ts_span bytes;

	if (ts_ask_object(ch, &fact->text_id, arena, &bytes, err) || ts_object_parse(bytes, &object, err))
		return err->status;
	*ret_text = object.payload;
	return TS_OK;
}

enum ts_status ts_stored_object(void *ctx, const struct ts_id *id, struct ts_arena *arena, struct ts_span *ret_object,
				struct ts_error *err)
{
	const struct ts_cli *cli = ctx;

	if (ts_prefetch_get(&cli->target.prefetch, id, arena, ret_object, err))
		return err->status;
	return ret_object->data ? TS_OK : ts_ask_object(cli->target.channel, id, arena, ret_object, err);
}

enum ts_status ts_stored_prefetch(struct ts_cli *cli, const struct ts_id *ids, size_t n, struct ts_error *err)
{
	struct ts_target *t = &cli->target;
	enum ts_status status = t->server ? ts_prefetch_ask(&t->prefetch, t->server, ids, n, err) : TS_OK;

	/* What a run that is a path consists of is in the overlay alone. */
	return status == TS_NOT_FOUND && t->channel != t->server ? TS_OK : status;
}

/* Appends what the object refers to. */
static enum ts_status add_refs(struct ts_cli *cli, const struct ts_id *id, struct ts_buf *ids, struct ts_error *err)
{
	struct ts_arena arena;
	struct ts_span bytes;
	struct ts_object object;
	enum ts_status status;

	ts_arena_init(&arena, 0);
	status = ts_stored_object(cli, id, &arena, &bytes, err);
	if (!status)
		status = ts_object_parse(bytes, &object, err);
	if (!status)
		ts_buf_span(ids, object.refs);
	ts_arena_finish(&arena);
	return status ? status : ts_buf_check(ids, err);
}

enum ts_status ts_stored_columns_prefetch(struct ts_cli *cli, const struct ts_id *columns, size_t n, struct ts_error *err)
{
	struct ts_buf ids = TS_BUF_INIT(n * TS_OBJECT_MAX);
	enum ts_status status = TS_OK;

	for (size_t i = 0; !status && i < n; i++)
		status = add_refs(cli, &columns[i], &ids, err);
	if (!status) /* an id is bytes, of no alignment */
		status = ts_stored_prefetch(cli, (const struct ts_id *)(const void *)ids.data, ids.len / TS_ID_BYTES, err);
	ts_buf_finish(&ids);
	/* Nothing comes of a question that names an object of the overlay alone; so each is asked by itself until some come. */
	for (size_t i = 0; !status && cli->target.server && n > 1 && i < n && !cli->target.prefetch.n; i++)
		status = ts_stored_columns_prefetch(cli, &columns[i], 1, err);
	return status;
}
