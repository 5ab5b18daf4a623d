#include "analysis/snapshot/memory_answer.h"

#include "base/door.h"
#include "base/text.h"

struct maker {
	const struct ts_snapshot *s;
	uint64_t capacity; /* 0: not known */
	struct ts_memory memory;
	struct ts_arena *arena;
	struct ts_memory_device *to;
	struct ts_error *err;
};

/* --- who --- */

static enum ts_status held_at(const struct maker *k, uint32_t event, enum ts_holder_by by, struct ts_memory_whos *ret)
{
	return ts_memory_held_at(&k->memory, event, by, k->arena, ret, k->err);
}

static enum ts_status churned(const struct maker *k, enum ts_holder_by by, struct ts_memory_whos *ret)
{
	struct ts_holders h;

	if (ts_holders_of_all(&k->memory, by, k->arena, &h, k->err))
		return k->err->status;
	return ts_memory_whos_of(&k->memory, &h, by, k->arena, ret, k->err);
}

static void sum_kinds(const struct maker *k, uint32_t last)
{
	const struct ts_replay *r = k->memory.replay;

	for (int i = 0; i < TS_MEMORY_KINDS; i++)
		k->to->kinds[i] = (struct ts_memory_kind_sum){.kind = (enum ts_memory_kind)i, .traced = k->to->traced};
	for (uint32_t i = 0; i < r->n_lives; i++) {
		struct ts_memory_kind_sum *sum = &k->to->kinds[k->memory.kinds[i]];

		sum->at_peak += ts_life_at(&r->lives[i], r->peak_event) ? r->lives[i].requested : 0;
		k->to->peak_allocated +=
			ts_life_at(&r->lives[i], r->peak_event) ? ts_heap_end_of(&r->lives[i]) - r->lives[i].address : 0;
		sum->at_end += ts_life_at(&r->lives[i], last) ? r->lives[i].requested : 0;
		sum->churned += r->lives[i].born != TS_REPLAY_BEFORE ? r->lives[i].requested : 0;
	}
}

static enum ts_status take_annotations(const struct maker *k)
{
	struct ts_memory_device *to = k->to;
	struct ts_mark_sums sums = {0};

	if (ts_mark_stretches_of(k->memory.replay, k->arena, &to->stretches, k->err) ||
	    (to->stretches.n && ts_mark_stretches_sum(k->memory.replay, &to->stretches, k->arena, &sums, k->err)))
		return k->err->status;
	to->n_annotations = sums.n < TS_MEMORY_ANNOTATIONS ? sums.n : TS_MEMORY_ANNOTATIONS;
	to->more_annotations = sums.n - to->n_annotations;
	to->annotations = ts_arena_array(k->arena, to->n_annotations, sizeof *to->annotations);
	for (size_t i = 0; to->annotations && i < to->n_annotations; i++)
		to->annotations[i] = (struct ts_memory_annotation){.name = ts_snapshot_text(k->s, sums.items[i].name),
								   .count = sums.items[i].n,
								   .events = sums.items[i].n_events,
								   .peak = sums.items[i].peak,
								   .kept = sums.items[i].kept,
								   .known = sums.items[i].known};
	return ts_arena_check(k->arena, k->err);
}

/* --- what is free, and what was refused --- */

static enum ts_status take_gaps(const struct maker *k)
{
	const struct ts_fragments *f = &k->to->fragments;

	k->to->gaps = ts_arena_array(k->arena, f->n_gaps, sizeof *k->to->gaps);
	if (!k->to->gaps)
		return ts_arena_error(k->arena, k->err);
	for (uint32_t i = 0; i < f->n_gaps; i++)
		k->to->gaps[k->to->n_gaps++] =
			(struct ts_memory_gap){.bytes = f->gaps[i].bytes,
					       .segment = k->s->segments[f->gaps[i].segment].total,
					       .before = ts_memory_who_of(&k->memory, f->gaps[i].before, k->arena),
					       .after = ts_memory_who_of(&k->memory, f->gaps[i].after, k->arena)};
	return TS_OK;
}

static void say_bytes(struct ts_buf *out, const char *before, uint64_t bytes, const char *after)
{
	ts_buf_str(out, before);
	ts_print_bytes(out, (double)bytes);
	ts_buf_str(out, after);
}

/* Whether the device could have had it, and who else held the device's memory. */
static void say_device(const struct maker *k, const struct ts_oom *o, struct ts_buf *out)
{
	uint64_t own = o->reserved > UINT64_MAX - o->device_free ? UINT64_MAX : o->reserved + o->device_free;

	if (k->capacity && o->requested > k->capacity) {
		say_bytes(out, " The whole device has ", k->capacity, ".");
	} else if (k->capacity && o->known && k->capacity > own) {
		say_bytes(out, " Of the device's ", k->capacity, ", ");
		say_bytes(out, "", k->capacity - own,
			  " were held outside of the allocator: by other programs, other libraries or CUDA itself.");
	}
	if (o->device_free >= o->segment)
		ts_buf_str(out, " That would have been enough: a limit on the process refused it "
				"(torch.cuda.set_per_process_memory_fraction), or another program held more just then.");
	else if (o->device_free >= o->requested)
		say_bytes(out, " For such a request the allocator takes ", o->segment, " of the device.");
}

/* "forward (net.py:41) asked for 8 GiB. The device had 1 GiB left; the allocator held 70 GiB, of which 68 GiB were in use" */
static void say_asked(const struct maker *k, const struct ts_memory_refused *m, struct ts_buf *out)
{
	struct ts_memory_who who = ts_memory_who_of(&k->memory, k->memory.replay->events[m->oom.event].stack, k->arena);

	ts_memory_who_say(out, &who);
	ts_buf_str(out, " asked for ");
	ts_print_bytes(out, (double)m->oom.requested);
	if (m->oom.private)
		ts_buf_printf(out, " of the private pool %" PRIu64 ",%" PRIu64, m->oom.pool[0], m->oom.pool[1]);
	ts_buf_str(out, ". The device had ");
	ts_print_bytes(out, (double)m->oom.device_free);
	ts_buf_str(out, " left; ");
	if (m->oom.known) {
		ts_buf_str(out, "the allocator held ");
		ts_print_bytes(out, (double)m->oom.reserved);
		ts_buf_str(out, ", of which ");
	}
	ts_print_bytes(out, (double)m->oom.live);
	ts_buf_str(out, " were in use.");
	say_device(k, &m->oom, out);
}

/* " 440 MiB more were free in segments of other streams or other pools." */
static void say_elsewhere(const struct ts_oom *o, struct ts_buf *out)
{
	const char *size = ts_heap_small(o->requested) ? "for requests of more than 1 MiB" : "for requests of up to 1 MiB";
	const struct {
		bool is;
		const char *words;
	} why[] = {{o->of_other_pools, "of other pools"}, {o->of_other_streams, "of other streams"}, {o->of_other_sizes, size}};
	const char *comma = "";

	if (!o->elsewhere)
		return;
	say_bytes(out, " ", o->elsewhere, " more were free in segments ");
	for (size_t i = 0; i < sizeof why / sizeof why[0]; i++)
		if (why[i].is) {
			ts_buf_printf(out, "%s%s", comma, why[i].words);
			comma = " or ";
		}
	ts_buf_str(out, ".");
}

static void say_free(const struct ts_memory_refused *m, struct ts_buf *out)
{
	const struct ts_oom *o = &m->oom;
	const char *where = o->private ? "In segments of its pool that could have served it" : "In segments that could have served it";

	if (!o->known) {
		ts_buf_str(out, "What was free then is not known: too many segments came and went afterwards.");
		return;
	}
	if (o->free) {
		ts_buf_str(out, where);
		say_bytes(out, " ", o->free, " were free, the largest gap has ");
		ts_print_bytes(out, (double)o->largest);
	} else {
		ts_buf_printf(out, "%s nothing was free", where);
	}
	if (o->free >= o->requested)
		ts_buf_str(out, ": it would have fitted, had the free memory been in one piece.");
	else if (ts_oom_lacks(o))
		say_bytes(out,
			  o->free ? ": even in one piece with what the device had left that is "
				  : ": with what the device had left that is ",
			  ts_oom_lacks(o), " too little.");
	else if (o->device_free < o->requested)
		ts_buf_str(out, ": it would have fitted, had that been in one piece with what the device had left.");
	else
		ts_buf_str(out, ".");
	say_elsewhere(o, out);
	if (o->private && o->cached)
		say_bytes(out, " Of them ", o->cached,
			  " were whole segments of the common pool: the allocator gives none back while a graph is captured; "
			  "torch.cuda.empty_cache() before the capture does.");
}

/* Whether the request would have fitted into all that was free and left, but not into either. */
static bool is_in_pieces(const struct ts_oom *o)
{
	return o->known && (o->free >= o->requested || (!ts_oom_lacks(o) && o->device_free < o->requested));
}

/* What the stacks of those who held it do not say. */
static void say_why_held(const struct ts_oom *o, struct ts_buf *out)
{
	if (o->before > o->live / 4)
		say_bytes(out, " Of what was in use ", o->before, " were there before recording began.");
	if (o->waiting)
		say_bytes(out, " Of what was in use ", o->waiting, " had been let go of, but another stream had not finished with it.");
}

static enum ts_status say_held(const struct maker *k, const struct ts_memory_refused *m, struct ts_buf *out)
{
	const struct ts_oom *o = &m->oom;
	struct ts_holders h;

	if (is_in_pieces(o) && o->pinned_by != UINT32_MAX) {
		const struct ts_life *life = &k->memory.replay->lives[o->pinned_by];
		struct ts_memory_who who = ts_memory_who_of(&k->memory, life->stack, k->arena);

		ts_memory_who_say(out, &who);
		ts_buf_str(out, " holds ");
		ts_print_bytes(out, (double)life->requested);
		ts_buf_str(out, " in the segment that has most free memory, ");
		ts_print_bytes(out, (double)o->pinned_free);
		ts_buf_printf(out, "; what is in use there (%u %s) keeps it from being given back.", o->n_pinned,
			      o->n_pinned == 1 ? "block" : "blocks");
		say_why_held(o, out);
		return TS_OK;
	}
	if (ts_holders_at(&k->memory, o->event, TS_BY_FUNCTION, k->arena, &h, k->err))
		return k->err->status;
	for (size_t i = 0; i < h.n && i < 3; i++) {
		struct ts_memory_who who = ts_memory_who_of(&k->memory, h.items[i].stack, k->arena);

		ts_buf_str(out, i ? ", " : "Most was held by ");
		ts_memory_who_say(out, &who);
		ts_buf_str(out, " with ");
		ts_print_bytes(out, (double)h.items[i].bytes);
		ts_buf_printf(out, " (%s)", ts_memory_kind_word((enum ts_memory_kind)h.items[i].kind));
	}
	ts_buf_str(out, h.n ? "." : "Nothing was in use.");
	say_why_held(o, out);
	return TS_OK;
}

static enum ts_status say_refused(const struct maker *k, struct ts_memory_refused *m)
{
	struct ts_buf out = TS_BUF_INIT(1 << 20);
	enum ts_status status = TS_OK;

	for (int i = 0; !status && i < TS_MEMORY_OOM_LINES; i++) {
		ts_buf_reset(&out);
		if (i == 0)
			say_asked(k, m, &out);
		else if (i == 1)
			say_free(m, &out);
		else
			status = say_held(k, m, &out);
		status = status ? status : ts_buf_check(&out, k->err);
		m->lines[i] = ts_arena_span(k->arena, ts_buf_view(&out));
	}
	ts_buf_finish(&out);
	return status ? status : ts_arena_check(k->arena, k->err);
}

static enum ts_status take_refused(const struct maker *k)
{
	const struct ts_allocator *a = &k->to->allocator;
	size_t n = a->n_ooms < TS_OOMS_MAX ? (size_t)a->n_ooms : TS_OOMS_MAX;

	k->to->refused = ts_arena_array(k->arena, n, sizeof *k->to->refused);
	if (!k->to->refused)
		return ts_arena_error(k->arena, k->err);
	for (size_t i = 0; i < n; i++) {
		struct ts_memory_refused *m = &k->to->refused[i];

		*m = (struct ts_memory_refused){
			.event = a->ooms[i].event, .time_us = k->memory.replay->events[a->ooms[i].event].time_us, .oom = a->ooms[i]};
		if (say_refused(k, m))
			return k->err->status;
	}
	k->to->n_refused = n;
	return TS_OK;
}

/* --- the whole --- */

static enum ts_status take_device(struct maker *k, struct ts_replay *r, uint64_t capacity)
{
	struct ts_memory_device *to = k->to;
	uint32_t last = r->n_events ? r->n_events - 1 : TS_REPLAY_BEFORE;

	*to = (struct ts_memory_device){
		.device = r->device, .memory = k->memory, .replay = r, .traced = r->n_events > 0, .has_capacity = capacity > 0};
	if (!to->traced)
		to->no_history = !k->s->cut   ? "the snapshot has no history (torch.cuda.memory._record_memory_history)"
				 : k->s->traced ? "the file ends within the history, so that none of it can be counted"
						: "the file ends before the place of the history, so that none of it is known";
	ts_fragments_of(k->s, r->device, &to->fragments);
	sum_kinds(k, last);
	if (ts_allocator_of(r, k->arena, &to->allocator, k->err) || ts_spans_of(&k->memory, k->arena, &to->spans, k->err) ||
	    held_at(k, r->peak_event, TS_BY_FUNCTION, &to->at_peak) || held_at(k, last, TS_BY_FUNCTION, &to->at_end) ||
	    held_at(k, r->peak_event, TS_BY_FILE, &to->at_peak_files) || held_at(k, last, TS_BY_FILE, &to->at_end_files) ||
	    held_at(k, r->peak_event, TS_BY_STACK, &to->at_peak_stacks) || held_at(k, last, TS_BY_STACK, &to->at_end_stacks) ||
	    churned(k, TS_BY_FUNCTION, &to->churn) || churned(k, TS_BY_SIZE, &to->by_size) ||
	    ts_memory_whos_of(&k->memory, &to->spans.carried, TS_BY_STACK, k->arena, &to->carried, k->err) || take_gaps(k) ||
	    take_annotations(k) || take_refused(k))
		return k->err->status;
	to->capacity = capacity;
	to->headroom = (int64_t)(capacity - (r->reserved_peak > r->reserved ? r->reserved_peak : r->reserved));
	return TS_OK;
}

static bool is_there(const struct ts_snapshot *s, size_t device)
{
	for (size_t i = 0; i < s->n_segments; i++)
		if (s->segments[i].device == device)
			return true;
	return s->devices[device].n_events > 0;
}

enum ts_status ts_memory_of(const struct ts_snapshot *s, uint64_t capacity, struct ts_arena *arena, struct ts_memory_answer *ret_answer,
			    struct ts_error *err)
{
	struct maker k = {.s = s, .capacity = capacity, .arena = arena, .err = err};
	struct ts_memory_answer answer = {.snapshot = s, .devices = ts_arena_array(arena, s->n_devices, sizeof *answer.devices)};

	TS_DOOR(ts_snapshot_holds(s));
	k.memory.origins = ts_origins(s, arena);
	answer.unknown = ts_arena_array(arena, s->n_unknown, sizeof *answer.unknown);
	answer.lost = ts_arena_array(arena, s->n_unknown, sizeof *answer.lost);
	if (!answer.devices || !answer.unknown || !answer.lost || !k.memory.origins)
		return ts_arena_error(arena, err);
	for (const struct ts_snapshot_unknown *u = s->unknown; u < s->unknown + s->n_unknown; u++) {
		const struct ts_memory_unknown row = {s->texts[u->key], u->n, u->at};

		if (u->at == TS_SNAPSHOT_NO_PLACE)
			answer.unknown[answer.n_unknown++] = row;
		else
			answer.lost[answer.n_lost++] = row;
	}
	for (size_t d = 0; d < s->n_devices; d++) {
		struct ts_replay *r;

		if (!is_there(s, d))
			continue;
		r = ts_arena_array(arena, 1, sizeof *r);
		if (!r)
			return ts_arena_error(arena, err);
		if (ts_replay_device(s, (uint16_t)d, arena, r, err))
			return err->status;
		k.memory.replay = r;
		k.memory.kinds = ts_kinds_of(r, k.memory.origins, arena);
		if (!k.memory.kinds)
			return ts_arena_error(arena, err);
		k.to = &answer.devices[answer.n++];
		if (take_device(&k, r, capacity))
			return err->status;
	}
	*ret_answer = answer;
	return TS_OK;
}

const struct ts_memory_device *ts_memory_main(const struct ts_memory_answer *m)
{
	const struct ts_memory_device *best = m->n ? &m->devices[0] : NULL;

	for (size_t i = 1; i < m->n; i++) {
		const struct ts_memory_device *d = &m->devices[i];

		if ((d->n_refused > 0) > (best->n_refused > 0) ||
		    ((d->n_refused > 0) == (best->n_refused > 0) && d->replay->peak > best->replay->peak))
			best = d;
	}
	return best;
}
