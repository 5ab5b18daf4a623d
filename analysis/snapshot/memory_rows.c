#include "analysis/snapshot/memory_rows.h"

#include "analysis/snapshot/scaling.h"
#include "base/door.h"

#define NO_CAPACITY "the snapshot does not say how much memory the device has; --device-memory does"

struct making {
	const struct ts_memory_device *d;
	struct ts_measures *rows;
	struct ts_arena *arena;
	bool ok;
};

static void value(struct making *m, enum ts_measure_name what, double v)
{
	m->ok &= ts_measure_add(m->rows, m->arena, what, TS_NO_SUBJECT, v);
}

static void unknown(struct making *m, enum ts_measure_name what, const char *why)
{
	m->ok &= ts_measure_unknown(m->rows, m->arena, what, TS_NO_SUBJECT, why);
}

static void known_if(struct making *m, bool known, enum ts_measure_name what, double v, const char *why)
{
	if (known)
		value(m, what, v);
	else
		unknown(m, what, why);
}

static void text(struct making *m, enum ts_measure_name what, struct ts_span v)
{
	m->ok &= ts_measure_text(m->rows, m->arena, what, TS_NO_SUBJECT, v);
}

static double share(uint64_t part, uint64_t of)
{
	return of ? (double)part / (double)of : 0;
}

/* Whose code it is, for a sentence. */
static void who(struct making *m, enum ts_measure_name what, const struct ts_memory_who *of)
{
	struct ts_buf out = TS_BUF_INIT(1 << 16);
	struct ts_span said;

	ts_memory_who_say(&out, of);
	said = ts_arena_span(m->arena, ts_buf_view(&out));
	m->ok &= !out.failed && said.data;
	ts_buf_finish(&out);
	if (m->ok)
		text(m, what, said);
}

static void unknown_kind(struct making *m, struct ts_span kind)
{
	m->ok &= ts_measure_unknown(m->rows, m->arena, TS_M_SNAPSHOT_KIND, kind, m->d->no_history) &&
		 ts_measure_unknown(m->rows, m->arena, TS_M_SNAPSHOT_KIND_SHARE, kind, m->d->no_history);
}

/* Gradients at the peak that are older than the optimizer's last step before it, or than the recording: not those that were accumulated
 * since, nor DDP's buckets, which stay. */
static uint64_t kept_gradients(const struct ts_memory_device *d)
{
	const struct ts_replay *r = d->replay;
	const struct ts_memory *m = &d->memory;
	uint32_t step = r->peak_event == TS_REPLAY_BEFORE ? 0 : r->peak_event;
	uint64_t kept = 0;

	while (step && (r->events[step].stack == TS_SNAPSHOT_NONE || m->origins[r->events[step].stack].phase != TS_PHASE_OPTIMIZER))
		step--;
	for (uint32_t i = 0; i < r->n_lives; i++) {
		const struct ts_life *life = &r->lives[i];

		if (m->kinds[i] == TS_MEMORY_GRADIENTS && ts_life_at(life, r->peak_event) &&
		    (life->born == TS_REPLAY_BEFORE || life->born < step) &&
		    (life->stack == TS_SNAPSHOT_NONE || !m->origins[life->stack].buckets))
			kept += life->requested;
	}
	return kept;
}

static void peak(struct making *m)
{
	const struct ts_replay *r = m->d->replay;
	enum ts_memory_phase phase = TS_PHASE_UNSAID;
	uint64_t kept;

	known_if(m, m->d->traced, TS_M_SNAPSHOT_PEAK, (double)r->peak, m->d->no_history);
	known_if(m, m->d->traced, TS_M_SNAPSHOT_PEAK_RESERVED, (double)r->reserved_peak, m->d->no_history);
	if (!m->d->traced) {
		unknown(m, TS_M_SNAPSHOT_PEAK_PHASE, m->d->no_history);
		unknown(m, TS_M_SNAPSHOT_KEPT, m->d->no_history);
		unknown(m, TS_M_SNAPSHOT_KEPT_SHARE, m->d->no_history);
		for (int i = 0; i < TS_MEMORY_KINDS; i++)
			unknown_kind(m, ts_span_str(ts_memory_kind_word((enum ts_memory_kind)i)));
		return;
	}
	if (r->peak_event != TS_REPLAY_BEFORE && r->events[r->peak_event].stack != TS_SNAPSHOT_NONE)
		phase = (enum ts_memory_phase)m->d->memory.origins[r->events[r->peak_event].stack].phase;
	text(m, TS_M_SNAPSHOT_PEAK_PHASE, ts_span_str(ts_memory_phase_word(phase)));
	kept = kept_gradients(m->d);
	value(m, TS_M_SNAPSHOT_KEPT, (double)kept);
	value(m, TS_M_SNAPSHOT_KEPT_SHARE, share(kept, r->peak));
	for (int i = 0; i < TS_MEMORY_KINDS; i++) {
		struct ts_span kind = ts_span_str(ts_memory_kind_word((enum ts_memory_kind)i));

		m->ok &= ts_measure_add(m->rows, m->arena, TS_M_SNAPSHOT_KIND, kind, (double)m->d->kinds[i].at_peak) &&
			 ts_measure_add(m->rows, m->arena, TS_M_SNAPSHOT_KIND_SHARE, kind, share(m->d->kinds[i].at_peak, r->peak));
	}
}

static void free_memory(struct making *m)
{
	const struct ts_fragments *f = &m->d->fragments;
	uint64_t reserved = m->d->replay->reserved;

	value(m, TS_M_SNAPSHOT_RESERVED, (double)reserved);
	value(m, TS_M_SNAPSHOT_CACHED, (double)(f->cached + f->pages));
	value(m, TS_M_SNAPSHOT_STUCK, (double)f->stuck);
	value(m, TS_M_SNAPSHOT_STUCK_SHARE, share(f->stuck, reserved));
	value(m, TS_M_SNAPSHOT_IN_POOLS, (double)f->in_pools);
	value(m, TS_M_SNAPSHOT_EXPANDABLE, share(f->expandable, reserved));
}

/* From the first time of the events to the last, in microseconds. */
static double time_of(const struct ts_replay *r)
{
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (uint32_t i = 0; i < r->n_events; i++) {
		int64_t time = r->events[i].time_us;

		first = time != INT64_MIN && time < first ? time : first;
		last = time > last ? time : last;
	}
	return first < last ? (double)last - (double)first : 0;
}

/* A time that is added up where threads write out of order may be longer than the whole. */
static double ratio(double part, double whole)
{
	return part < whole ? part / whole : 1;
}

static void allocator(struct making *m)
{
	const struct ts_allocator *a = &m->d->allocator;
	const char *why = m->d->traced ? "the events of the snapshot have no times, or all the same" : m->d->no_history;
	double span = time_of(m->d->replay);

	known_if(m, m->d->traced, TS_M_SNAPSHOT_RETRIES, (double)a->n_retries, m->d->no_history);
	known_if(m, m->d->traced, TS_M_SNAPSHOT_RETRIED, (double)a->retried, m->d->no_history);
	known_if(m, m->d->traced, TS_M_SNAPSHOT_EMPTIED, (double)(a->given - a->retried), m->d->no_history);
	known_if(m, span > 0, TS_M_SNAPSHOT_RETRY_TIME, ratio((double)a->retry_us, span), why);
	known_if(m, span > 0, TS_M_SNAPSHOT_ALLOCATOR_TIME, ratio((double)a->most_us, span), why);
}

/* The first request that was refused. */
static void refused(struct making *m)
{
	static const char late[] = "too many segments came and went after the request was refused";
	const struct ts_memory_refused *first = m->d->n_refused ? &m->d->refused[0] : NULL;

	known_if(m, m->d->traced, TS_M_SNAPSHOT_REFUSED, (double)m->d->allocator.n_ooms, m->d->no_history);
	if (!first)
		return;
	value(m, TS_M_SNAPSHOT_REFUSED_BYTES, (double)first->oom.requested);
	value(m, TS_M_SNAPSHOT_REFUSED_LEFT, (double)first->oom.device_free);
	known_if(m, first->oom.known, TS_M_SNAPSHOT_REFUSED_FREE, (double)first->oom.free, late);
	known_if(m, first->oom.known, TS_M_SNAPSHOT_REFUSED_LARGEST, (double)first->oom.largest, late);
}

static void churn(struct making *m)
{
	uint64_t all = 0;

	for (int i = 0; i < TS_MEMORY_KINDS; i++)
		all += m->d->kinds[i].churned;
	known_if(m, m->d->traced, TS_M_SNAPSHOT_CHURN, (double)all, m->d->no_history);
	known_if(m, m->d->traced, TS_M_SNAPSHOT_CHURN_LARGEST, m->d->churn.n ? (double)m->d->churn.items[0].bytes : 0,
		 m->d->no_history);
	if (m->d->traced && m->d->churn.n)
		who(m, TS_M_SNAPSHOT_CHURN_SOURCE, &m->d->churn.items[0]);
}

static void carried(struct making *m)
{
	static const char few[] = "the events have fewer than two ends of steps";
	const char *why = m->d->traced ? few : m->d->no_history;
	bool known = m->d->traced && m->d->spans.steps >= 2;

	known_if(m, m->d->traced, TS_M_SNAPSHOT_STEPS, m->d->spans.steps, m->d->no_history);
	known_if(m, known, TS_M_SNAPSHOT_CARRIED, (double)m->d->spans.carried.bytes, why);
	known_if(m, known, TS_M_SNAPSHOT_CARRIED_SHARE, share(m->d->spans.carried.bytes, m->d->replay->peak), why);
	if (known && m->d->carried.n)
		who(m, TS_M_SNAPSHOT_CARRIED_SOURCE, &m->d->carried.items[0]);
}

enum ts_status ts_memory_rows(const struct ts_memory_device *d, struct ts_arena *arena, struct ts_measures *io_rows,
			      struct ts_error *err)
{
	struct making m = {d, io_rows, arena, true};

	TS_DOOR(ts_measures_hold(io_rows));
	peak(&m);
	free_memory(&m);
	allocator(&m);
	refused(&m);
	known_if(&m, d->has_capacity, TS_M_SNAPSHOT_CAPACITY, (double)d->capacity, NO_CAPACITY);
	known_if(&m, d->has_capacity, TS_M_SNAPSHOT_HEADROOM, (double)d->headroom, NO_CAPACITY);
	churn(&m);
	carried(&m);
	return m.ok ? TS_OK : ts_arena_error(arena, err);
}

enum ts_status ts_memory_rows_fit(const struct ts_scaling *fit, struct ts_arena *arena, struct ts_measures *io_rows,
				  struct ts_error *err)
{
	struct making m = {NULL, io_rows, arena, true};

	TS_DOOR(ts_measures_hold(io_rows));
	if (!fit->has_capacity || !fit->grows)
		return TS_OK;
	text(&m, TS_M_SNAPSHOT_FIT_OF, ts_span_str(fit->lengths ? "sequence length" : "batch"));
	value(&m, TS_M_SNAPSHOT_FIT_LEAST, fit->least);
	value(&m, TS_M_SNAPSHOT_FIT_MOST, fit->most);
	return m.ok ? TS_OK : ts_arena_error(arena, err);
}

enum ts_status ts_memory_rows_unread(const char *reason, struct ts_arena *arena, struct ts_measures *io_rows, struct ts_error *err)
{
	bool ok = true;

	TS_DOOR(ts_measures_hold(io_rows));
	for (int i = 0; i < TS_MEASURE_NAMES; i++) {
		bool of_kinds = i == TS_M_SNAPSHOT_KIND || i == TS_M_SNAPSHOT_KIND_SHARE;

		if (ts_measure_specs[i].group != TS_ANSWER_SNAPSHOT)
			continue;
		for (int k = 0; k < (of_kinds ? TS_MEMORY_KINDS : 1); k++)
			ok &= ts_measure_unknown(io_rows, arena, (enum ts_measure_name)i,
						 of_kinds ? ts_span_str(ts_memory_kind_word((enum ts_memory_kind)k)) : TS_NO_SUBJECT,
						 reason);
	}
	return ok ? TS_OK : ts_arena_error(arena, err);
}
