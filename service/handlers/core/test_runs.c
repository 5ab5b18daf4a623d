#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "service/handlers/core/test_runs.h"

#include "base/limits.h"
#include "run/builder.h"
#include "run/head.h"
#include "store/test_seal.h"

void test_store_open(struct test_store *s)
{
	*s = (struct test_store){.engine = NULL};
	ts_arena_init(&s->arena, 0);
	must(ts_digest_init(&s->err), &s->err);
	must(ts_memory_open(NULL, &s->engine, &s->err), &s->err);
	must(ts_channel_local(s->engine, "memory", &s->channel, &s->err), &s->err);
}

void test_store_close(struct test_store *s)
{
	s->channel->ops->destroy(s->channel);
	ts_engine_destroy(s->engine);
	ts_arena_finish(&s->arena);
}

struct ts_sealed test_seal(struct test_store *s, struct ts_span object)
{
	struct ts_sealed sealed;

	must(test_seal_bytes(ts_arena_span(&s->arena, object), &s->arena, &sealed, &s->err), &s->err);
	return sealed;
}

static enum ts_status put(void *ctx, const struct ts_id *id, struct ts_span object, struct ts_error *err)
{
	struct test_store *s = ctx;
	struct ts_sealed sealed = test_seal(s, object);
	struct ts_put_stats stats;

	(void)id;
	return s->engine->ops->put_many(s->engine, &sealed, 1, &stats, err);
}

static struct ts_span fetch(struct test_store *s, struct ts_id id)
{
	struct ts_sealed sealed;
	struct ts_span object;

	must(s->engine->ops->get(s->engine, &id, &s->arena, &sealed, &s->err), &s->err);
	must(ts_unseal(&sealed, &s->arena, &object, &s->err), &s->err);
	return object;
}

/* Puts the object with another reference. */
static struct ts_id put_other(struct test_store *s, struct ts_span object, uint32_t at, struct ts_id other)
{
	uint8_t *bytes = ts_arena_dup(&s->arena, object.data, object.len);
	struct ts_span changed = ts_span_of(bytes, object.len);
	struct ts_id id;

	assert_non_null(bytes);
	memcpy(bytes + TS_OBJECT_HEADER + (size_t)at * TS_ID_BYTES, other.bytes, TS_ID_BYTES);
	ts_digest(changed, &id);
	must(put(s, &id, changed, &s->err), &s->err);
	return id;
}

struct ts_id test_run_ref(struct test_store *s, struct ts_id run, uint32_t at, uint32_t *ret_n)
{
	struct ts_object frame;

	must(ts_object_parse(fetch(s, run), &frame, &s->err), &s->err);
	must(ts_object_parse(fetch(s, ts_object_ref(&frame, 0)), &frame, &s->err), &s->err);
	*ret_n = frame.nrefs;
	return ts_object_ref(&frame, at % frame.nrefs);
}

struct ts_id test_run_forge(struct test_store *s, struct ts_id run, uint32_t at, struct ts_id other)
{
	struct ts_span head = fetch(s, run);
	struct ts_object frame;

	must(ts_object_parse(head, &frame, &s->err), &s->err);
	return put_other(s, head, 0, put_other(s, fetch(s, ts_object_ref(&frame, 0)), at, other));
}

static void add(struct test_store *s, struct ts_facts *facts, const char *path, struct ts_fact fact)
{
	fact.path = ts_span_str(path);
	fact.source = TS_SOURCE_RUN_JSON;
	must(ts_facts_add(facts, &fact, &s->arena, &s->err), &s->err);
}

/* Adds the facts that the rank itself records, whichever rank the facts of the run come from. */
static void say(struct test_store *s, const struct test_run *run, int32_t rank, struct ts_facts *facts)
{
	add(s, facts, "parallelism.rank", (struct ts_fact){.type = TS_FACT_INT, .integer = rank});
	if (run->world)
		add(s, facts, "parallelism.world_size", (struct ts_fact){.type = TS_FACT_INT, .integer = run->world});
	if (run->lr != 0)
		add(s, facts, "config.lr", (struct ts_fact){.type = TS_FACT_FLOAT, .real = run->lr});
	if (run->own)
		add(s, facts, "session.name", (struct ts_fact){.type = TS_FACT_TEXT, .text = ts_span_str(run->own)});
	if (run->started != 0)
		add(s, facts, "session.started", (struct ts_fact){.type = TS_FACT_FLOAT, .real = run->started});
	if (run->push_every) {
		add(s, facts, "session.launch.push_every", (struct ts_fact){.type = TS_FACT_INT, .integer = run->push_every});
		add(s, facts, "session.end.state", (struct ts_fact){.type = TS_FACT_TEXT, .text = ts_span_str("running")});
	}
	if (rank == 0)
		add(s, facts, "config.only_zero", (struct ts_fact){.type = TS_FACT_BOOL, .boolean = true});
	if (rank == 1)
		add(s, facts, "config.only_one", (struct ts_fact){.type = TS_FACT_BOOL, .boolean = true});
	(void)ts_facts_sort(facts);
}

/* Adds the facts that differ between the rank and the first; the test knows them without any algorithm. */
static void differ(struct test_store *s, const struct test_run *run, int32_t rank, struct ts_facts *facts)
{
	if (rank == run->first_rank)
		return;
	add(s, facts, "parallelism.rank", (struct ts_fact){.type = TS_FACT_INT, .integer = rank});
	if (run->first_rank == 0)
		add(s, facts, "config.only_zero", (struct ts_fact){.type = TS_FACT_ABSENT});
	if (run->first_rank == 1)
		add(s, facts, "config.only_one", (struct ts_fact){.type = TS_FACT_ABSENT});
	if (rank == 1)
		add(s, facts, "config.only_one", (struct ts_fact){.type = TS_FACT_BOOL, .boolean = true});
	(void)ts_facts_sort(facts);
}

static struct ts_id put_rank(struct test_store *s, const struct test_run *run, int32_t rank)
{
	struct ts_facts facts = {.n = 0};
	struct ts_builder *b;
	struct ts_id index;
	uint32_t loss, eval;

	must(ts_builder_create(rank, put, s, &b, &s->err), &s->err);
	must(ts_builder_column(b, ts_span_str("scalars.loss"), TS_COLUMN_F64, &loss, &s->err), &s->err);
	must(ts_builder_column(b, ts_span_str("scalars.eval"), TS_COLUMN_F64, &eval, &s->err), &s->err);
	for (int64_t i = run->first_step; i < run->first_step + run->steps; i++) {
		ts_builder_row(b, TS_TABLE_STEPS, i);
		ts_builder_f64(b, loss, run->scale / (double)(1 + i + rank) + (run->part_at && i >= run->part_at));
		if (i % 10 == 0)
			ts_builder_f64(b, eval, (double)i);
		must(ts_builder_row_end(b, &s->err), &s->err);
	}
	differ(s, run, rank, &facts);
	must(ts_builder_finish(b, &facts, &index, &s->err), &s->err);
	ts_builder_destroy(b);
	return index;
}

struct test_run test_run_plain(void)
{
	return (struct test_run){.ranks = 1, .steps = 10, .scale = 1, .lr = 0.001};
}

struct ts_id test_run_put(struct test_store *s, const struct test_run *run)
{
	struct ts_head head = {.n_ranks = 0};
	struct ts_buf object = TS_BUF_INIT(TS_OBJECT_MAX);
	struct ts_id id;

	say(s, run, run->first_rank, &head.facts);
	head.ranks = ts_arena_array(&s->arena, (size_t)run->ranks, sizeof *head.ranks);
	for (int32_t r = run->first_rank; r < run->first_rank + run->ranks; r++)
		head.ranks[head.n_ranks++] = (struct ts_rank_ref){r, put_rank(s, run, r)};
	must(ts_head_digest_groups(&head, &s->err), &s->err);
	must(ts_head_encode(&head, &object, &s->err), &s->err);
	ts_digest(ts_buf_view(&object), &id);
	must(put(s, &id, ts_buf_view(&object), &s->err), &s->err);
	ts_buf_finish(&object);
	return id;
}

enum ts_status test_call(struct test_store *s, const char *method, const struct ts_buf *request,
			 struct ts_span *ret_reply)
{
	return s->channel->ops->call(s->channel, method, ts_buf_view(request), &s->arena, ret_reply, &s->err);
}

/* Packs a request, makes the call, and unpacks the reply. */
#define EXCHANGE(method, request_name, reply_name)                                                                     \
	struct ts_buf buf = TS_BUF_INIT(TS_MESSAGE_MAX);                                                               \
	struct ts_span reply;                                                                                          \
	enum ts_status status;                                                                                         \
                                                                                                                       \
	must(ts_wire_pack_##request_name(request, &buf, &s->err), &s->err);                                            \
	status = test_call(s, method, &buf, &reply);                                                                   \
	ts_buf_finish(&buf);                                                                                           \
	if (!status)                                                                                                   \
		must(ts_wire_unpack_##reply_name(reply, &s->arena, ret, &s->err), &s->err);                            \
	return status

enum ts_status test_commit(struct test_store *s, const struct ts_commit_request *request, struct ts_commit_reply *ret)
{
	EXCHANGE("CommitRun", commit_request, commit_reply);
}

enum ts_status test_list(struct test_store *s, const struct ts_list_request *request, struct ts_list_reply *ret)
{
	EXCHANGE("ListRuns", list_request, list_reply);
}

enum ts_status test_update(struct test_store *s, const struct ts_ref_request *request, struct ts_ref_reply *ret)
{
	EXCHANGE("UpdateRef", ref_request, ref_reply);
}

static enum ts_status get(struct test_store *s, const struct ts_get_request *request, struct ts_get_reply *ret)
{
	EXCHANGE("GetRun", get_request, get_reply);
}

enum ts_status test_get(struct test_store *s, const char *spec, struct ts_get_reply *ret)
{
	return get(s, &(struct ts_get_request){.spec = ts_span_str(spec), .metrics = true}, ret);
}

enum ts_status test_note(struct test_store *s, const char *name, const char *key, const char *value)
{
	struct ts_note_request request = {ts_span_str(name), ts_span_str(key), ts_span_str(value)};
	struct ts_buf buf = TS_BUF_INIT(TS_MESSAGE_MAX);
	struct ts_span reply;
	enum ts_status status;

	must(ts_wire_pack_note_request(&request, &buf, &s->err), &s->err);
	status = test_call(s, "SetNote", &buf, &reply);
	ts_buf_finish(&buf);
	return status;
}

struct ts_commit_reply must_commit(struct test_store *s, const char *name, struct ts_id id)
{
	struct ts_commit_request request = {.name = ts_span_str(name), .head = id};
	struct ts_commit_reply reply;

	must(test_commit(s, &request, &reply), &s->err);
	return reply;
}
