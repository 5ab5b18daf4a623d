#include "service/handlers/core/test_caller.h"

#include <stdio.h>

static enum ts_status take(struct ts_call *call, struct ts_span message, struct ts_error *err)
{
	struct test_caller *caller = call->driver;

	(void)err;
	caller->reply = ts_arena_span(&caller->s->arena, message);
	return TS_OK;
}

enum ts_status test_caller_drive(struct test_caller *caller, const struct ts_handler *h, struct ts_span request, struct ts_error *err)
{
	struct ts_arena arena;
	struct ts_call call = {.engine = caller->s->engine, .arena = &arena, .peer = &caller->peer, .who = &caller->who,
			       .reply = take, .driver = caller};
	struct ts_server_facts facts = {.version = "t", .store = "memory"};
	void *state = NULL;
	enum ts_status status;

	call.server = &facts;
	call.caller = ts_span_str(caller->who.name);
	call.deadline_ns = INT64_MAX;
	caller->reply = ts_span_of("", 0);
	ts_arena_init(&arena, TS_ANALYSIS_ARENA);
	status = ts_call_begin(&call, h, err);
	if (!status) {
		status = h->open ? h->open(&call, &state, err) : TS_OK;
		if (!status)
			status = h->message(&call, state, request, err);
		if (!status && h->close)
			status = h->close(&call, state, err);
		if (h->drop)
			h->drop(state);
		if (status)
			status = ts_call_explain(&call, err);
	}
	ts_arena_finish(&arena);
	return status;
}

static enum ts_status call(struct ts_channel *ch, const char *method, struct ts_span request, struct ts_arena *arena,
			   struct ts_span *ret_reply, struct ts_error *err)
{
	struct test_caller *caller = (struct test_caller *)ch;
	enum ts_status status = test_caller_drive(caller, ts_handler_find(ts_span_str(method)), request, err);

	(void)arena;
	if (!status)
		*ret_reply = caller->reply;
	return status;
}

static const struct ts_channel_ops ops = {.call = call};

void test_caller_make(struct test_caller *caller, struct test_store *s, const struct ts_auth_policy *policy, uint32_t uid,
		      const char *name)
{
	*caller = (struct test_caller){.base.ops = &ops, .s = s, .peer = {.kind = TS_PEER_USER, .uid = uid}};
	(void)snprintf(caller->peer.name, sizeof caller->peer.name, "%s", name);
	ts_identify(policy, &caller->peer, &caller->who);
}

void test_caller_sends(const struct test_caller *caller, const struct ts_id *id)
{
	struct ts_engine *e = caller->s->engine;
	char sender[TS_IDENTITY_TEXT];
	struct ts_sealed sealed;
	struct ts_object object;
	struct ts_span bytes;
	struct ts_arena arena;
	struct ts_error err;

	ts_arena_init(&arena, 0);
	ts_identity_account(&caller->who, sender);
	must(e->ops->get(e, id, &arena, &sealed, &err), &err);
	must(ts_unseal(&sealed, &arena, &bytes, &err), &err);
	must(ts_object_parse(bytes, &object, &err), &err);
	must(e->ops->upload_many(e, ts_span_str(sender), &sealed, 1, NULL, &err), &err);
	for (uint32_t i = 0; i < object.nrefs; i++) {
		struct ts_id ref = ts_object_ref(&object, i);

		test_caller_sends(caller, &ref);
	}
	ts_arena_finish(&arena);
}
