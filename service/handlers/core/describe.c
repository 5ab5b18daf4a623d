#include "service/handlers/core/describe.h"

#include "base/clock.h"
#include "base/door.h"
#include "base/limits.h"
#include "service/handlers/core/run_steps.h"

#include <math.h>

struct ts_span ts_fact_text(const struct ts_facts *facts, const char *path)
{
	const struct ts_fact *fact = ts_facts_find(facts, ts_span_str(path));

	TS_DOOR(ts_facts_hold(facts));
	return fact && fact->type == TS_FACT_TEXT ? fact->text : (struct ts_span){NULL, 0};
}

bool ts_fact_int(const struct ts_facts *facts, const char *path, int64_t *ret)
{
	const struct ts_fact *fact = ts_facts_find(facts, ts_span_str(path));

	TS_DOOR(ts_facts_hold(facts));
	if (!fact || fact->type != TS_FACT_INT)
		return false;
	*ret = fact->integer;
	return true;
}

static bool started(const struct ts_facts *facts, int64_t *ret_ns)
{
	const struct ts_fact *fact = ts_facts_find(facts, ts_span_str("session.started"));

	if (!fact)
		return false;
	if (fact->type == TS_FACT_TEXT)
		return ts_time_parse(fact->text, ret_ns);
	if (fact->type == TS_FACT_INT && fact->integer > -9000000000 && fact->integer < 9000000000) {
		*ret_ns = fact->integer * 1000000000;
		return true;
	}
	if (fact->type == TS_FACT_FLOAT && fabs(fact->real) < 9e9) {
		*ret_ns = (int64_t)(floor(fact->real) * 1e9) + (int64_t)((fact->real - floor(fact->real)) * 1e9);
		return true;
	}
	return false;
}

static enum ts_status missing_ranks(const struct ts_head *head, struct ts_description *d, struct ts_arena *arena,
				    struct ts_error *err)
{
	size_t at = 0;

	d->has_world = ts_fact_int(&head->facts, "parallelism.world_size", &d->world_size) && d->world_size > 0 &&
		       d->world_size <= TS_WORLD_MAX;
	if (!d->has_world)
		return TS_OK;
	d->missing = ts_arena_array(arena, (size_t)d->world_size, sizeof *d->missing);
	if (!d->missing)
		return ts_arena_error(arena, err);
	for (int32_t rank = 0; rank < d->world_size; rank++) {
		while (at < head->n_ranks && head->ranks[at].rank < rank)
			at++;
		if (at == head->n_ranks || head->ranks[at].rank != rank)
			d->missing[d->n_missing++] = rank;
	}
	return TS_OK;
}

static enum ts_status add_steps(struct ts_fetch *f, const struct ts_index *index, struct ts_run_ref *ref,
				struct ts_error *err)
{
	struct ts_step_set set;
	struct ts_arena work;
	enum ts_status status;
	uint64_t n = 0;

	ts_arena_init(&work, TS_ANALYSIS_ARENA);
	status = ts_steps_of(index, NULL, &work, &set, err);
	if (!status)
		status = ts_steps_count(f, &set, &n, err);
	if (!status && n > 0) {
		if (ref->steps == 0 || set.first < ref->first_step)
			ref->first_step = set.first;
		if (ref->steps == 0 || set.last > ref->last_step)
			ref->last_step = set.last;
		ref->steps = n > ref->steps ? n : ref->steps;
	}
	ts_arena_finish(&work);
	return status;
}

enum ts_status ts_run_describe(struct ts_fetch *f, const struct ts_run *run, struct ts_run_ref *ret_ref,
			       struct ts_error *err)
{
	struct ts_run_ref ref = {.id = run->id, .own_name = ts_fact_text(&run->head.facts, "session.name")};

	for (size_t i = 0; i < run->head.n_ranks; i++) {
		ref.ranks += run->head.ranks[i].rank != TS_RANK_JOB;
		if (add_steps(f, &run->indexes[i], &ref, err))
			return err->status;
	}
	*ret_ref = ref;
	return TS_OK;
}

enum ts_status ts_describe(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena,
			   struct ts_description *ret_description, struct ts_error *err)
{
	struct ts_description d;

	memset(&d, 0, sizeof d);
	if (ts_run_describe(f, run, &d.run, err) || missing_ranks(&run->head, &d, arena, err))
		return err->status;
	d.has_started = started(&run->head.facts, &d.started_ns);
	*ret_description = d;
	return TS_OK;
}
