#include "ingest/rows/run_close.h"

#include "base/limits.h"
#include "ingest/facts/run_facts.h"

#include <stdio.h>

enum { MISSING_SHOWN = 64 };

enum ts_status ts_given_facts(const struct ts_ingest_options *options, struct ts_arena *arena, struct ts_facts *ret_facts,
			      struct ts_error *err)
{
	const struct ts_facts *given = options->facts;

	*ret_facts = (struct ts_facts){.n = 0};
	for (size_t i = 0; given && i < given->n; i++)
		if (ts_facts_add(ret_facts, &given->items[i], arena, err))
			return err->status;
	(void)ts_facts_sort(ret_facts);
	return TS_OK;
}

enum ts_status ts_refuse_skipped(const struct ts_ingest_options *options, const struct ts_notices *notices, struct ts_error *err)
{
	for (size_t i = 0; options->strict && i < notices->n; i++) {
		const struct ts_notice *n = &notices->items[i];
		struct ts_span place;
		char where[32] = "";

		if (n->level != TS_NOTICE_SKIPPED)
			continue;
		if (n->line)
			(void)snprintf(where, sizeof where, " line %" PRIu64, n->line);
		place = ts_notice_place(options->path, n->file);
		return ts_error_set(err, TS_INVALID, "%.*s%s%.*s%s: %s: %.*s", TS_SPAN_ARG(place), n->file.len ? "/" : "",
				    TS_SPAN_ARG(n->file), where, n->code, TS_SPAN_ARG(n->detail));
	}
	return TS_OK;
}

void ts_result_count(struct ts_ingest_result *result, const struct ts_builder *b, size_t files)
{
	struct ts_builder_stats stats;

	ts_builder_stats(b, &stats);
	if (stats.rows && (!result->rows || stats.first_step < result->first_step))
		result->first_step = stats.first_step;
	if (stats.rows && (!result->rows || stats.last_step > result->last_step))
		result->last_step = stats.last_step;
	if (stats.rows > result->steps)
		result->steps = stats.rows;
	result->rows += stats.rows;
	result->superseded += stats.superseded;
	result->events += stats.events;
	result->digests += stats.digests;
	result->timed += stats.timed;
	result->sketches += stats.sketches;
	result->n_ranks += stats.rows || stats.events || stats.digests || stats.timed || stats.sketches || files;
}

static enum ts_status write_head(struct ts_head *head, struct ts_sink_count *sink, struct ts_id *ret_id, struct ts_error *err)
{
	struct ts_buf object = TS_BUF_INIT(TS_OBJECT_MAX);
	enum ts_status status = ts_facts_sink_long(&head->facts, ts_count_sink, sink, err);

	if (!status)
		status = ts_head_digest_groups(head, err);
	if (!status)
		status = ts_head_encode(head, &object, err);
	if (!status)
		status = ts_buf_check(&object, err);
	if (!status) {
		ts_digest(ts_buf_view(&object), ret_id);
		status = ts_count_sink(sink, ret_id, ts_buf_view(&object), err);
	}
	ts_buf_finish(&object);
	return status;
}

static bool has_rank(const struct ts_head *head, int64_t rank)
{
	for (size_t i = 0; i < head->n_ranks; i++)
		if (head->ranks[i].rank == rank)
			return true;
	return false;
}

static enum ts_status find_missing(const struct ts_head *head, struct ts_arena *arena, struct ts_ingest_result *result,
				   struct ts_error *err)
{
	size_t there = 0;

	result->missing_ranks = ts_arena_array(arena, MISSING_SHOWN, sizeof *result->missing_ranks);
	if (!result->missing_ranks)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < head->n_ranks; i++)
		there += head->ranks[i].rank >= 0 && head->ranks[i].rank < result->world_size;
	result->n_missing = (size_t)result->world_size - there;
	for (int64_t rank = 0, n = 0; n < MISSING_SHOWN && n < (int64_t)result->n_missing; rank++)
		if (!has_rank(head, rank))
			result->missing_ranks[n++] = (int32_t)rank;
	return TS_OK;
}

enum ts_status ts_run_close(struct ts_head *head, struct ts_sink_count *sink, struct ts_arena *arena, struct ts_ingest_result *result,
			    struct ts_error *err)
{
	const struct ts_facts *facts = &head->facts;
	const struct ts_fact *name = ts_facts_find(facts, ts_span_str("session.name"));
	const struct ts_fact *world = ts_facts_find(facts, ts_span_str("parallelism.world_size"));

	if (write_head(head, sink, &result->head, err))
		return err->status;
	if (name && (name->type == TS_FACT_TEXT || name->type == TS_FACT_LONG))
		result->own_name = name->text;
	if (world && world->type == TS_FACT_INT && world->integer > 0 && world->integer <= INT32_MAX)
		result->world_size = world->integer;
	result->facts = *facts;
	result->objects = sink->objects;
	result->canonical_bytes = sink->bytes;
	return find_missing(head, arena, result, err);
}
