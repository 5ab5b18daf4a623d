#include "service/handlers/runs/list_metrics.h"

#include "base/cursor.h"
#include "base/helper.h"
#include "base/limits.h"
#include "base/order.h"
#include "service/handlers/core/scores.h"

#include <stdlib.h>

/* Look-ups of one series before its column is read whole. */
enum { SINGLE_LOOKUPS = 256, LEAST_ENTRIES = 4096, TAG = 16 };

/* What a series came to in one run. */
struct entry {
	uint8_t tag[TAG];  /* of the id; nobody can make two ids with the same 16 bytes */
	uint32_t known;	   /* bit 31, and a bit for each statistic that is known */
	uint32_t order;	   /* in which the engine said it: of two entries of a run, the first counts */
	uint64_t values[]; /* the bits of the statistics that were asked for */
};

struct ts_list_series {
	struct ts_list_series *next;
	struct ts_span name; /* empty: the mark of runs whose scores were made */
	enum ts_direction direction;
	struct ts_extract_key keys[3]; /* the first that a run has counts */
	size_t n_keys;
	enum ts_stat stats[TS_STATS]; /* those that were asked for */
	size_t n_stats;
	size_t lookups;
	bool whole;
	uint8_t *entries; /* if whole: those of all runs, by tag */
	size_t n, cap, stride;
	uint32_t *firsts; /* for each beginning of a tag of places_log2 bits: the first entry that is not before it */
	int places_log2;
	struct ts_arena arena; /* of entries and firsts: two series may be read at once */
};

struct ts_list_metric {
	struct ts_list_metric *next;
	struct ts_span path;
	struct ts_list_series *series;
	enum ts_stat stat;
	size_t at; /* of the statistic among those of the series */
};

static const uint32_t used = (uint32_t)1 << 31;

void ts_list_metrics_init(struct ts_list_metrics *m, struct ts_call *call)
{
	memset(m, 0, sizeof *m);
	m->call = call;
	ts_arena_init(&m->arena, TS_ANALYSIS_ARENA);
}

void ts_list_metrics_finish(struct ts_list_metrics *m)
{
	for (struct ts_list_series *s = m->series; s; s = s->next)
		ts_arena_finish(&s->arena);
	ts_arena_finish(&m->arena);
}

static enum ts_status add_key(struct ts_list_series *s, const char *prefix, struct ts_error *err)
{
	struct ts_buf name = TS_BUF_INIT(2 * TS_PATH_MAX);
	enum ts_status status;

	ts_buf_str(&name, prefix);
	ts_buf_span(&name, s->name);
	status = ts_buf_check(&name, err);
	if (!status)
		ts_score_key(ts_buf_view(&name), &s->keys[s->n_keys++]);
	ts_buf_finish(&name);
	return status;
}

static enum ts_status series_of(struct ts_list_metrics *m, struct ts_span name, struct ts_list_series **ret, struct ts_error *err)
{
	struct ts_list_series *s = m->series;

	while (s && !ts_span_eq(s->name, name))
		s = s->next;
	if (!s) {
		s = ts_arena_array(&m->arena, 1, sizeof *s);
		if (!s)
			return ts_arena_error(&m->arena, err);
		s->name = name;
		s->direction = ts_direction_of(name);
		ts_arena_init(&s->arena, TS_ANALYSIS_ARENA);
		if (add_key(s, "", err) || (name.len && add_key(s, "scalars.", err)))
			return err->status;
		if (name.len && !memchr(name.data, '/', name.len) && add_key(s, "scalars.train/", err))
			return err->status;
		s->next = m->series;
		m->series = s;
	}
	*ret = s;
	return TS_OK;
}

enum ts_status ts_list_metrics_add(struct ts_list_metrics *m, struct ts_span path, struct ts_error *err)
{
	struct ts_list_metric *metric = ts_arena_array(&m->arena, 1, sizeof *metric);
	struct ts_span series;

	if (!metric)
		return ts_arena_error(&m->arena, err);
	if (!ts_metric_split(path, &series, &metric->stat))
		return ts_error_set(err, TS_INTERNAL, "%.*s is no metric", TS_SPAN_ARG(path));
	if (series_of(m, series, &metric->series, err))
		return err->status;
	metric->path = path;
	while (metric->at < metric->series->n_stats && metric->series->stats[metric->at] != metric->stat)
		metric->at++;
	metric->series->stats[metric->at] = metric->stat;
	if (metric->at == metric->series->n_stats)
		metric->series->n_stats++;
	metric->next = m->metrics;
	m->metrics = metric;
	return TS_OK;
}

const struct ts_list_metric *ts_list_metrics_of(const struct ts_list_metrics *m, struct ts_span path)
{
	const struct ts_list_metric *metric = m->metrics;

	while (metric && (metric->path.data != path.data || metric->path.len != path.len))
		metric = metric->next;
	return metric;
}

static struct entry *entry_at(const struct ts_list_series *s, size_t at)
{
	return (struct entry *)(void *)(s->entries + at * s->stride);
}

static size_t place_of(const uint8_t *tag, int bits)
{
	return (size_t)(__builtin_bswap64(ts_load_le(tag, 8)) >> (64 - bits));
}

/* The entry of a run, or NULL. Ids are evenly spread, so there is about one entry with the same beginning. */
static const struct entry *entry_of(const struct ts_list_series *s, const uint8_t *tag)
{
	size_t place = place_of(tag, s->places_log2);

	for (size_t at = s->firsts[place]; at < s->firsts[place + 1]; at++)
		if (memcmp(entry_at(s, at)->tag, tag, TAG) == 0)
			return entry_at(s, at);
	return NULL;
}

TS_ORDER(by_tag, struct entry, TS_THEN(memcmp(a->tag, b->tag, TAG)); TS_UP(order))

/* A store on disk gives ids in order, and only one that knows the series by two names does not. */
static void sort_entries(struct ts_list_series *s)
{
	for (size_t i = 1; i < s->n; i++)
		if (by_tag(entry_at(s, i - 1), entry_at(s, i)) > 0) {
			qsort(s->entries, s->n, s->stride, by_tag);
			return;
		}
}

static enum ts_status index_entries(struct ts_list_series *s, struct ts_error *err)
{
	size_t at = 0, places;

	while (s->places_log2 < 31 && (size_t)1 << s->places_log2 < s->n)
		s->places_log2++;
	s->places_log2 += s->places_log2 == 0;
	places = (size_t)1 << s->places_log2;
	s->firsts = ts_arena_alloc(&s->arena, (places + 1) * sizeof *s->firsts);
	if (!s->firsts)
		return ts_arena_error(&s->arena, err);
	for (size_t place = 0; place <= places; place++) {
		while (at < s->n && place_of(entry_at(s, at)->tag, s->places_log2) < place)
			at++;
		s->firsts[place] = (uint32_t)at;
	}
	return TS_OK;
}

static enum ts_status reserve(struct ts_list_series *s, size_t cap, struct ts_error *err)
{
	uint8_t *entries;

	s->stride = sizeof(struct entry) + s->n_stats * sizeof(uint64_t);
	entries = cap < UINT32_MAX / 2 ? ts_arena_alloc(&s->arena, cap * s->stride) : NULL;
	if (!entries)
		return ts_arena_error(&s->arena, err);
	if (s->n)
		memcpy(entries, s->entries, s->n * s->stride);
	s->entries = entries;
	s->cap = cap;
	return TS_OK;
}

/* Reads the statistics of a series; *ret_known has a bit for each that is known. */
static bool read_values(const struct ts_list_series *s, struct ts_span bytes, uint64_t *values, uint32_t *ret_known)
{
	struct ts_score score;

	*ret_known = used;
	if (s->n_stats == 0)
		return true;
	if (!ts_score_decode(bytes, &score))
		return false;
	for (size_t i = 0; i < s->n_stats; i++) {
		struct ts_score_value value;

		if (!ts_score_value(&score, s->direction, s->stats[i], &value))
			continue;
		memcpy(&values[i], value.is_integer ? (const void *)&value.integer : (const void *)&value.real, sizeof values[i]);
		*ret_known |= (uint32_t)1 << i;
	}
	return true;
}

static enum ts_status keep(void *ctx, const struct ts_id *id, struct ts_span bytes, struct ts_error *err)
{
	struct ts_list_series *s = ctx;
	struct entry *entry;

	if (s->n == s->cap && reserve(s, 2 * s->cap, err))
		return err->status;
	entry = entry_at(s, s->n);
	if (!read_values(s, bytes, entry->values, &entry->known))
		return TS_OK;
	memcpy(entry->tag, id->bytes, TAG);
	entry->order = (uint32_t)s->n++;
	return TS_OK;
}

static enum ts_status read_column(struct ts_list_metrics *m, struct ts_list_series *s, struct ts_error *err)
{
	struct ts_engine *engine = m->call->engine;
	struct ts_store_stats stats;
	size_t cap = LEAST_ENTRIES;

	if (engine->ops->stats(engine, &stats, err))
		return err->status;
	while (cap < stats.refs && cap < UINT32_MAX / 4)
		cap *= 2;
	if (reserve(s, cap, err))
		return err->status;
	for (size_t i = 0; i < s->n_keys; i++)
		if (engine->ops->extracts_walk(engine, &s->keys[i], keep, s, err))
			return err->status;
	sort_entries(s);
	return index_entries(s, err);
}

struct reading {
	struct ts_list_metrics *m;
	struct ts_list_series *series;
	enum ts_status status;
	struct ts_error err;
};

static void run_reading(void *ctx)
{
	struct reading *r = ctx;

	r->status = r->series ? read_column(r->m, r->series, &r->err) : TS_OK;
}

/* Takes the next series that was looked up and is not whole. */
static struct ts_list_series *take_series(struct ts_list_metrics *m)
{
	for (struct ts_list_series *s = m->series; s; s = s->next)
		if (s->lookups && !s->whole) {
			s->whole = true;
			return s;
		}
	return NULL;
}

/* Reads the columns of all series that were looked up so far, two at a time where the machine has a core for it. */
static enum ts_status read_whole(struct ts_list_metrics *m, struct ts_error *err)
{
	struct ts_helper *helper = NULL;
	struct reading here = {.m = m}, there = {.m = m};

	while (!here.status && !there.status && (here.series = take_series(m))) {
		there.series = take_series(m);
		if (there.series && !helper)
			helper = ts_helper_hire();
		ts_helper_give(helper, run_reading, &there);
		run_reading(&here);
		ts_helper_wait(helper);
	}
	ts_helper_dismiss(helper);
	if (!here.status && !there.status)
		return ts_call_check(m->call, err);
	*err = here.status ? here.err : there.err;
	return err->status;
}

/* *ret_known is 0 if the run does not have the series. */
static enum ts_status look_up(struct ts_list_metrics *m, const struct ts_list_series *s, const struct ts_id *id, uint64_t *values,
			      uint32_t *ret_known, struct ts_error *err)
{
	struct ts_engine *engine = m->call->engine;
	struct ts_error mine;

	*ret_known = 0;
	for (size_t i = 0; i < s->n_keys && !*ret_known; i++) {
		struct ts_span bytes;
		enum ts_status status = engine->ops->extract_get(engine, &s->keys[i], id, &m->arena, &bytes, &mine);

		if (!status && !read_values(s, bytes, values, ret_known))
			*ret_known = 0;
		if (status && status != TS_NOT_FOUND) {
			*err = mine;
			return status;
		}
	}
	return TS_OK;
}

static enum ts_status find(struct ts_list_metrics *m, struct ts_list_series *s, const struct ts_id *id, uint64_t *values,
			   uint32_t *ret_known, struct ts_error *err)
{
	const struct entry *entry;

	if (!s->whole && (!m->many || s->lookups++ < SINGLE_LOOKUPS))
		return look_up(m, s, id, values, ret_known, err);
	if (!s->whole && read_whole(m, err))
		return err->status;
	entry = entry_of(s, id->bytes);
	*ret_known = entry ? entry->known : 0;
	if (entry && s->n_stats)
		memcpy(values, entry->values, s->n_stats * sizeof *values);
	return TS_OK;
}

void ts_list_metrics_expect(const struct ts_list_metrics *m, const struct ts_ref *refs, size_t n)
{
	for (const struct ts_list_series *s = m->series; s; s = s->next) {
		if (!s->whole || s->n == 0)
			continue;
		for (size_t i = 0; i < n; i++)
			__builtin_prefetch(&s->firsts[place_of(refs[i].id.bytes, s->places_log2)]);
		for (size_t i = 0; i < n; i++)
			__builtin_prefetch(entry_at(s, s->firsts[place_of(refs[i].id.bytes, s->places_log2)]));
	}
}

static struct ts_score_value value_of(enum ts_stat stat, uint64_t word)
{
	struct ts_score_value value = {.is_integer = ts_stat_is_integer(stat)};

	if (value.is_integer)
		value.integer = (int64_t)word;
	else
		memcpy(&value.real, &word, sizeof value.real);
	return value;
}

enum ts_status ts_list_metrics_find(struct ts_list_metrics *m, const struct ts_list_metric *metric, const struct ts_id *id,
				    bool *ret_known, struct ts_score_value *ret_value, bool *ret_scored, struct ts_error *err)
{
	struct ts_list_series *mark;
	uint64_t values[TS_STATS];
	uint32_t known, marked;

	if (find(m, metric->series, id, values, &known, err))
		return err->status;
	*ret_known = known >> metric->at & 1;
	if (*ret_known)
		*ret_value = value_of(metric->stat, values[metric->at]);
	*ret_scored = true;
	if (known)
		return TS_OK;
	if (series_of(m, ts_span_of(NULL, 0), &mark, err) || find(m, mark, id, values, &marked, err))
		return err->status;
	*ret_scored = marked != 0;
	return TS_OK;
}
