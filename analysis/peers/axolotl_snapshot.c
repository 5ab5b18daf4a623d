#include "analysis/peers/axolotl_snapshot.h"

#include "analysis/peers/axolotl_frames.h"
#include "analysis/snapshot/fragments.h"
#include "analysis/snapshot/replay.h"

#include <math.h>
#include <stdlib.h>

enum { LARGEST = 10, HOLDERS = 15, CHURNED = 15, CHURNED_SOURCES = 5, SOURCES_SHOWN = 3, GAPS = 20, GAPS_SHOWN = 10, BUCKETS = 5 };
enum { SMALL_BLOCK = 2 << 20, SHOWN_GAP = 32 << 20 };

/* Allocations of one size, in the order in which it meets them. */
struct size {
	uint64_t bytes, count;
	uint64_t right_count; /* of all devices */
	size_t at;
};

struct reading {
	struct ts_peer_page *page;
	const struct ts_snapshot *s;
	const char *label;
	uint64_t capacity;
	const struct ts_snapshot_event *events; /* of the first device */
	size_t n_events;
	uint32_t *frames; /* of each stack, whom it blames */
	struct size *sizes;
	size_t n_sizes;
	uint64_t reserved, allocated; /* of all devices */
	uint64_t peak_above;	      /* its peak of the first device's events */
	uint64_t tensors[TS_SOURCES]; /* the largest churned size of each category; 0: none */
	/* Right. */
	uint64_t peak, baseline, end, stuck;
	bool peak_known;
	uint16_t peak_device;
};

static double gb(uint64_t bytes)
{
	return (double)bytes / 1e9;
}

static double mb(uint64_t bytes)
{
	return (double)bytes / 1e6;
}

/* --- what is right --- */

static enum ts_status replay(struct reading *r, struct ts_error *err)
{
	for (size_t i = 0; i < r->s->n_devices; i++) {
		struct ts_fragments fragments;
		struct ts_replay replay;

		if (ts_replay_device(r->s, (uint16_t)i, r->page->arena, &replay, err))
			return err->status;
		ts_fragments_of(r->s, (uint16_t)i, &fragments);
		r->stuck += fragments.stuck;
		if (!replay.n_events || (r->peak_known && replay.peak <= r->peak))
			continue;
		r->peak_known = true;
		r->peak = replay.peak;
		r->baseline = replay.baseline;
		r->end = replay.requested;
		r->peak_device = (uint16_t)i;
	}
	return TS_OK;
}

/* --- sums --- */

static int descending(const void *x, const void *y)
{
	const uint64_t *a = x, *b = y;

	return (*a < *b) - (*a > *b);
}

static bool largest(struct reading *r, uint64_t *ret, size_t *ret_n, size_t *ret_active)
{
	uint64_t *sizes = ts_arena_array(r->page->arena, r->s->n_blocks + 1, sizeof *sizes);
	size_t n = 0;

	if (!sizes)
		return false;
	for (size_t i = 0; i < r->s->n_blocks; i++)
		if (r->s->blocks[i].state == TS_BLOCK_ACTIVE)
			sizes[n++] = r->s->blocks[i].size;
	qsort(sizes, n, sizeof *sizes, descending);
	*ret_active = n;
	*ret_n = n < LARGEST ? n : LARGEST;
	memcpy(ret, sizes, *ret_n * sizeof *sizes);
	return true;
}

/* What the frames that blocks have hold, by the number of a text or of a frame. */
struct held {
	uint32_t by;
	uint64_t bytes;
};

static int most_bytes(const void *x, const void *y)
{
	const struct held *a = x, *b = y;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return (a->by > b->by) - (a->by < b->by);
}

/* Of n files or frames, the first that hold most. */
static struct held *held_by(const struct reading *r, bool files, size_t n, size_t *ret_n)
{
	struct held *held = ts_arena_array(r->page->arena, n + 1, sizeof *held);

	for (size_t i = 0; held && i < r->s->n_blocks; i++) {
		const struct ts_snapshot_block *b = &r->s->blocks[i];
		uint32_t frame = b->stack == TS_SNAPSHOT_NONE ? TS_SNAPSHOT_NONE : r->frames[b->stack];
		uint32_t by = frame == TS_SNAPSHOT_NONE || !files ? frame : r->s->frames[frame].file;

		if (b->state != TS_BLOCK_ACTIVE || by == TS_SNAPSHOT_NONE)
			continue;
		held[by].by = by;
		held[by].bytes += b->size;
	}
	*ret_n = 0;
	if (held)
		qsort(held, n, sizeof *held, most_bytes);
	while (held && *ret_n < n && *ret_n < HOLDERS && held[*ret_n].bytes)
		++*ret_n;
	return held;
}

static const char *place_of(const struct reading *r, uint32_t frame)
{
	const struct ts_snapshot_frame *f = &r->s->frames[frame];
	const char *path = ts_axolotl_short_path(ts_snapshot_text(r->s, f->file), r->page->arena);

	if (!path)
		return NULL;
	return ts_arena_printf(r->page->arena, "%.*s (%s:%d)", TS_SPAN_ARG(ts_snapshot_text(r->s, f->function)), path, f->line);
}

/* Nobody by its reading; right are the files of the frames that blocks have, and their functions. */
static bool sources(struct reading *r, bool files)
{
	size_t n = 0;
	struct held *held = held_by(r, files, files ? r->s->n_texts : r->s->n_frames, &n);

	if (!held)
		return false;
	if (n) {
		ts_peer_gap(r->page);
		ts_peer_line(r->page, "  Top allocations by %s:   (no row)", files ? "source file" : "function");
	}
	for (size_t i = 0; i < n; i++) {
		const char *name =
			files ? ts_axolotl_short_path(ts_snapshot_text(r->s, held[i].by), r->page->arena) : place_of(r, held[i].by);

		r->page->failed |= !name;
		ts_peer_number(r->page, "held_mb", TS_FORM_MB, 0, mb(held[i].bytes), "frames");
		ts_peer_line(r->page, "    %s   (no row)", ts_peer_cell(r->page, ts_span_str(name ? name : ""), 55, 55));
	}
	return true;
}

static int by_bytes(const void *x, const void *y)
{
	const struct size *a = x, *b = y;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

static int by_churn(const void *x, const void *y)
{
	const struct size *a = x, *b = y;
	double p = (double)a->bytes * (double)a->count, q = (double)b->bytes * (double)b->count;

	if (p > q || p < q)
		return p > q ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

/* The sizes that the first device's events ask for; those of other devices count as right alone. */
static bool count_sizes(struct reading *r)
{
	struct size *w = ts_arena_array(r->page->arena, r->s->n_events + 1, sizeof *w);
	size_t n = 0, out = 0;

	if (!w)
		return false;
	for (size_t i = 0; i < r->s->n_events; i++)
		if (r->s->events[i].action == TS_ACTION_ALLOC)
			w[n++] = (struct size){.bytes = r->s->events[i].size, .count = i < r->n_events, .right_count = 1, .at = i};
	qsort(w, n, sizeof *w, by_bytes);
	for (size_t i = 0; i < n; i++) {
		if (i && w[out - 1].bytes == w[i].bytes) {
			w[out - 1].count += w[i].count;
			w[out - 1].right_count++;
		} else {
			w[out++] = w[i];
		}
	}
	qsort(w, out, sizeof *w, by_churn);
	r->sizes = w;
	while (r->n_sizes < out && w[r->n_sizes].count)
		r->n_sizes++;
	return true;
}

/* --- memory --- */

static bool memory(struct reading *r)
{
	uint64_t top[LARGEST];
	size_t n = 0, active = 0;
	double lost = r->reserved ? ((double)r->reserved - (double)r->allocated) / (double)r->reserved * 100 : 0;

	if (!largest(r, top, &n, &active))
		return false;
	ts_peer_heading(r->page, "Memory: ", r->label);
	ts_peer_gap(r->page);
	ts_peer_line(r->page, "  Reserved:    %.2f GB", gb(r->reserved));
	ts_peer_line(r->page, "  Allocated:   %.2f GB", gb(r->allocated));
	if (r->reserved)
		ts_peer_line(r->page, "  Utilization: %.1f%%", (double)r->allocated / (double)r->reserved * 100);
	else
		ts_peer_gap(r->page);
	ts_peer_number(r->page, "percent", TS_FORM_PERCENT, lost, r->reserved ? (double)r->stuck / (double)r->reserved * 100 : 0,
		       "cache");
	ts_peer_line(r->page, "  Fragmentation: %.1f%%", lost);
	ts_peer_line(r->page, "  Segments: %zu, Active blocks: %zu", r->s->n_segments, active);
	ts_peer_gap(r->page);
	ts_peer_line(r->page, "  Largest active allocations:");
	for (size_t i = 0; i < n; i++)
		ts_peer_line(r->page, "    %10.1f MB", mb(top[i]));
	if (!sources(r, true) || !sources(r, false))
		return false;
	ts_peer_gap(r->page);
	ts_peer_line(r->page, "  Top allocation churn (alloc count x size):");
	ts_peer_line(r->page, "    %12s %8s %14s", "Size", "Count", "Total churned");
	ts_peer_line(r->page, "    --------------------------------------");
	for (size_t i = 0; i < r->n_sizes && i < CHURNED; i++) {
		const struct size *c = &r->sizes[i];

		if (c->bytes < 1000000)
			continue;
		ts_peer_number(r->page, "count", TS_FORM_COUNT, (double)c->count, (double)c->right_count, "device");
		ts_peer_number(r->page, "churned_gb", TS_FORM_GB, gb(c->bytes * c->count), gb(c->bytes * c->right_count), "device");
		ts_peer_line(r->page, "    %10.1fMB %8" PRIu64 " %12.2fGB", mb(c->bytes), c->count, gb(c->bytes * c->count));
	}
	return true;
}

/* --- the peak --- */

/* An address. */
struct known {
	uint64_t bytes;
	size_t since; /* of the first alloc since it was last freed: the order of a dict */
	uint32_t stack;
	bool live;
};

struct replaying {
	struct known *slots; /* one for each address */
	size_t n_slots;
	uint32_t *slot_of; /* of each event */
	uint64_t current, peak;
	size_t peak_at;
};

struct addressed {
	uint64_t address;
	uint32_t event;
};

static int by_address(const void *x, const void *y)
{
	const struct addressed *a = x, *b = y;

	return (a->address > b->address) - (a->address < b->address);
}

/* Numbers the addresses by sorting them, so that no snapshot can make this slow. */
static bool number_addresses(const struct reading *r, struct replaying *p)
{
	struct addressed *w = ts_arena_array(r->page->arena, r->n_events + 1, sizeof *w);

	p->slot_of = ts_arena_array(r->page->arena, r->n_events + 1, sizeof *p->slot_of);
	if (!w || !p->slot_of)
		return false;
	for (size_t i = 0; i < r->n_events; i++)
		w[i] = (struct addressed){r->events[i].address, (uint32_t)i};
	qsort(w, r->n_events, sizeof *w, by_address);
	for (size_t i = 0; i < r->n_events; i++) {
		p->n_slots += !i || w[i].address != w[i - 1].address;
		p->slot_of[w[i].event] = (uint32_t)(p->n_slots - 1);
	}
	p->slots = ts_arena_array(r->page->arena, p->n_slots + 1, sizeof *p->slots);
	return p->slots;
}

/* Its replay of n events. */
static void walk(struct reading *r, struct replaying *p, size_t n)
{
	memset(p->slots, 0, p->n_slots * sizeof *p->slots);
	p->current = 0;
	for (size_t i = 0; i < n; i++) {
		const struct ts_snapshot_event *e = &r->events[i];
		struct known *k;

		if (e->action != TS_ACTION_ALLOC && e->action != TS_ACTION_FREE_REQUESTED)
			continue;
		k = &p->slots[p->slot_of[i]];
		if (e->action == TS_ACTION_ALLOC) {
			*k = (struct known){e->size, k->live ? k->since : i, e->stack, true};
			p->current += e->size;
			if (p->current > p->peak) {
				p->peak = p->current;
				p->peak_at = i;
			}
		} else if (k->live) {
			p->current -= k->bytes;
			k->live = false;
		}
	}
}

struct category {
	uint64_t bytes, count;
	size_t first;
};

static void live_at_peak(struct reading *r, const struct replaying *p)
{
	struct category of[TS_SOURCES] = {{0}};
	size_t shown = 0;

	for (size_t i = 0; i < p->n_slots; i++) {
		const struct known *k = &p->slots[i];
		uint32_t frame;
		struct category *c;

		if (!k->live)
			continue;
		frame = k->stack == TS_SNAPSHOT_NONE ? TS_SNAPSHOT_NONE : r->frames[k->stack];
		c = &of[frame == TS_SNAPSHOT_NONE ? TS_SOURCE_UNKNOWN : ts_axolotl_source(r->s, frame)];
		c->first = c->count && c->first < k->since ? c->first : k->since;
		c->bytes += k->bytes;
		c->count++;
		shown++;
	}
	if (!shown)
		return;
	ts_peer_gap(r->page);
	ts_peer_line(r->page, "  Allocations live at peak:");
	ts_peer_line(r->page, "    %-35s %10s %7s", "Category", "Size", "Count");
	ts_peer_line(r->page, "    -------------------------------------------------------");
	for (;;) {
		struct category *best = NULL;
		const char *size;

		for (size_t i = 0; i < TS_SOURCES; i++)
			if (of[i].count &&
			    (!best || of[i].bytes > best->bytes || (of[i].bytes == best->bytes && of[i].first < best->first)))
				best = &of[i];
		if (!best)
			return;
		size = best->bytes >= 1000000000 ? ts_arena_printf(r->page->arena, "%.2f GB", gb(best->bytes))
						 : ts_arena_printf(r->page->arena, "%.1f MB", mb(best->bytes));
		r->page->failed |= !size;
		ts_peer_line(r->page, "    %-35s %10s %7" PRIu64, ts_axolotl_source_word((enum ts_axolotl_source)(best - of)),
			     size ? size : "", best->count);
		best->count = 0;
	}
}

static const char *why_peak(const struct reading *r)
{
	return r->peak_device ? "device" : "baseline";
}

static bool peak(struct reading *r)
{
	struct replaying p = {.n_slots = 0};
	uint64_t end;
	double before, after, kept;

	if (!r->n_events)
		return true;
	if (!number_addresses(r, &p))
		return false;
	walk(r, &p, r->n_events);
	end = p.current;
	r->peak_above = p.peak;
	before = gb(p.peak);
	after = gb(end);
	kept = gb(r->allocated) - after;
	ts_peer_heading(r->page, "Peak Memory: ", r->label);
	ts_peer_gap(r->page);
	ts_peer_number(r->page, "peak_above_baseline_gb", TS_FORM_GB, before, gb(r->peak - r->baseline), why_peak(r));
	ts_peer_line(r->page, "  Profiled peak (transient):  %.2f GB  (at event %s / %s)", before, ts_peer_grouped(r->page, p.peak_at),
		     ts_peer_grouped(r->page, r->n_events));
	if (kept > 0) {
		ts_peer_number(r->page, "baseline_gb", TS_FORM_GB, kept, gb(r->baseline), why_peak(r));
		ts_peer_line(r->page, "  Persistent baseline:       %.2f GB  (model + optimizer, allocated before profiling)", kept);
		ts_peer_number(r->page, "peak_gb", TS_FORM_GB, kept + before, gb(r->peak), why_peak(r));
		ts_peer_line(r->page, "  Estimated total peak:      %.2f GB", kept + before);
	}
	ts_peer_number(r->page, "above_end_gb", TS_FORM_GB, before - after, gb(r->peak - r->end), why_peak(r));
	ts_peer_line(r->page, "  Transient headroom:        %.2f GB above end-of-trace", before - after);
	if (p.peak)
		walk(r, &p, p.peak_at + 1);
	else
		memset(p.slots, 0, p.n_slots * sizeof *p.slots);
	live_at_peak(r, &p);
	return true;
}

/* --- fragmentation --- */

struct gap {
	uint64_t bytes, segment;
	size_t at;
	bool whole; /* nothing in its segment is in use */
};

static int widest(const void *x, const void *y)
{
	const struct gap *a = x, *b = y;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return (a->at > b->at) - (a->at < b->at);
}

struct layout {
	uint64_t active, inactive, pinned;
	struct gap *gaps;
	size_t n_gaps;
	struct {
		uint64_t count, bytes;
	} buckets[BUCKETS];
};

static void add_segment(const struct reading *r, const struct ts_snapshot_segment *g, struct layout *l)
{
	static const uint64_t least[BUCKETS] = {1 << 30, 256 << 20, 64 << 20, 2 << 20, 0};
	const struct ts_snapshot_block *b = r->s->blocks + g->first_block;
	size_t gaps = l->n_gaps;
	bool whole = true;

	for (int i = 0; i < BUCKETS; i++) {
		if (g->total < least[i])
			continue;
		l->buckets[i].count++;
		l->buckets[i].bytes += g->total;
		break;
	}
	for (uint32_t i = 0; i < g->n_blocks; i++) {
		whole &= b[i].state == TS_BLOCK_INACTIVE;
		if (b[i].state == TS_BLOCK_ACTIVE) {
			l->active += b[i].size;
			l->pinned += b[i].size < SMALL_BLOCK && i > 0 && b[i - 1].state == TS_BLOCK_INACTIVE && i + 1 < g->n_blocks &&
				     b[i + 1].state == TS_BLOCK_INACTIVE;
		} else if (b[i].state == TS_BLOCK_INACTIVE) {
			l->inactive += b[i].size;
			l->gaps[l->n_gaps] = (struct gap){.bytes = b[i].size, .segment = g->total, .at = l->n_gaps};
			l->n_gaps++;
		}
	}
	for (size_t i = gaps; i < l->n_gaps; i++)
		l->gaps[i].whole = whole;
}

static void gaps(struct reading *r, const struct layout *l)
{
	size_t shown = 0;

	if (!l->n_gaps)
		return;
	ts_peer_gap(r->page);
	ts_peer_line(r->page, "  Largest inactive gaps (freed but unreclaimable):");
	for (size_t i = 0; i < l->n_gaps && i < GAPS && shown < GAPS_SHOWN; i++) {
		const struct gap *g = &l->gaps[i];

		if (g->bytes < SHOWN_GAP)
			continue;
		ts_peer_number(r->page, "unreclaimable_mb", TS_FORM_MB, mb(g->bytes), g->whole ? 0 : mb(g->bytes), "cache");
		ts_peer_line(r->page, "    %8.0f MB gap in %.0f MB segment", mb(g->bytes), mb(g->segment));
		shown++;
	}
}

/* Given a size of the device. */
static void risk(struct reading *r, const struct layout *l)
{
	double capacity = (double)r->capacity, usable = capacity - ((double)r->reserved - (double)l->active),
	       room = capacity - (double)r->reserved;

	if (!r->capacity)
		return;
	ts_peer_gap(r->page);
	ts_peer_line(r->page, "  OOM Risk Assessment (GPU: %.1f GB):", capacity / 1e9);
	ts_peer_number(r->page, "usable_gb", TS_FORM_GB, usable / 1e9, (capacity - (double)r->stuck) / 1e9, "cache");
	ts_peer_number(r->page, "fragmentation_gb", TS_FORM_GB, gb(l->inactive), gb(r->stuck), "cache");
	ts_peer_line(r->page, "    Usable capacity: %.2f GB (GPU capacity minus %.2f GB fragmentation)", usable / 1e9, gb(l->inactive));
	ts_peer_line(r->page, "    Current headroom: %.2f GB", room / 1e9);
	if (room < 1e9)
		ts_peer_line(r->page, "    ⚠ CRITICAL: <1 GB headroom — high OOM risk!");
	else if (room < 2e9)
		ts_peer_line(r->page, "    ⚠ WARNING: <2 GB headroom — moderate OOM risk");
}

static void layout_lines(struct reading *r, const struct layout *l)
{
	static const char *const words[BUCKETS] = {">=1 GB", "256MB-1GB", "64-256MB", "2-64MB", "<2MB"};
	double share = r->reserved ? (double)l->inactive / (double)r->reserved * 100 : 0;

	ts_peer_gap(r->page);
	ts_peer_line(r->page, "  Reserved:     %.2f GB across %zu segments", gb(r->reserved), r->s->n_segments);
	ts_peer_line(r->page, "  Allocated:    %.2f GB", gb(l->active));
	ts_peer_number(r->page, "inactive_gb", TS_FORM_GB, gb(l->inactive), gb(r->stuck), "cache");
	ts_peer_number(r->page, "percent", TS_FORM_PERCENT, share, r->reserved ? (double)r->stuck / (double)r->reserved * 100 : 0,
		       "cache");
	ts_peer_line(r->page, "  Inactive:     %.2f GB (%.1f%% fragmentation)", gb(l->inactive), share);
	if (l->pinned)
		ts_peer_line(r->page, "  Pinned small blocks (<2MB between inactive): %" PRIu64 " (prevent segment merging)",
			     l->pinned);
	ts_peer_gap(r->page);
	ts_peer_line(r->page, "  Segment size distribution:");
	for (int i = 0; i < BUCKETS; i++)
		if (l->buckets[i].count)
			ts_peer_line(r->page, "    %-12s %4" PRIu64 " segments  %6.2f GB", words[i], l->buckets[i].count,
				     gb(l->buckets[i].bytes));
}

static bool fragmentation(struct reading *r)
{
	struct layout l = {.gaps = ts_arena_array(r->page->arena, r->s->n_blocks + 1, sizeof *l.gaps)};

	if (!l.gaps)
		return false;
	if (!r->s->n_segments)
		return true;
	for (size_t i = 0; i < r->s->n_segments; i++)
		add_segment(r, &r->s->segments[i], &l);
	qsort(l.gaps, l.n_gaps, sizeof *l.gaps, widest);
	ts_peer_heading(r->page, "Fragmentation: ", r->label);
	layout_lines(r, &l);
	gaps(r, &l);
	risk(r, &l);
	if (!((double)l.inactive > 0.1 * (double)r->reserved && r->s->n_segments > 10))
		return true;
	ts_peer_gap(r->page);
	ts_peer_line(r->page, "  → FIX: Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True");
	ts_peer_line(r->page, "    This eliminates segment fragmentation by growing segments in-place,");
	ts_peer_number(r->page, "reclaimed_gb", TS_FORM_GB, gb(l.inactive), gb(r->stuck), "cache");
	ts_peer_line(r->page, "    which would reclaim up to %.1f GB of wasted memory.", gb(l.inactive));
	return true;
}

/* --- churn by source --- */

/* Allocations of one size by the frame that it blames. */
struct blamed {
	uint32_t frame;
	uint64_t count;
	size_t at;
	enum ts_axolotl_source source;
};

static int most_often(const void *x, const void *y)
{
	const struct blamed *a = x, *b = y;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return (a->at > b->at) - (a->at < b->at);
}

static void source_lines(struct reading *r, const struct blamed *w, size_t n, enum ts_axolotl_source source)
{
	size_t shown = 0;

	for (size_t i = 0; i < n && shown < SOURCES_SHOWN; i++) {
		struct ts_span file = ts_span_str("<unknown>"), function = ts_span_str("<no attribution>");
		const char *path;
		int32_t line = 0;

		if (w[i].source != source)
			continue;
		if (w[i].frame != TS_SNAPSHOT_NONE) {
			file = ts_snapshot_text(r->s, r->s->frames[w[i].frame].file);
			function = ts_snapshot_text(r->s, r->s->frames[w[i].frame].function);
			line = r->s->frames[w[i].frame].line;
		}
		path = ts_axolotl_short_path(file, r->page->arena);
		r->page->failed |= !path;
		ts_peer_line(r->page, "           %s %s:%" PRId32 " (x%" PRIu64 ")", ts_peer_cell(r->page, function, SIZE_MAX, 35),
			     path ? path : "", line, w[i].count);
		shown++;
	}
}

/* Its categories, the most frequent first; of equal ones the one that it met first. */
static void churn_lines(struct reading *r, const struct size *c, struct blamed *w, size_t n)
{
	struct category of[TS_SOURCES] = {{0}};

	for (size_t i = 0; i < n; i++) {
		struct category *s = &of[w[i].source];

		s->first = s->count && s->first < w[i].at ? s->first : w[i].at;
		s->count += w[i].count;
		if (c->bytes > r->tensors[w[i].source])
			r->tensors[w[i].source] = c->bytes;
	}
	qsort(w, n, sizeof *w, most_often);
	ts_peer_gap(r->page);
	ts_peer_number(r->page, "count", TS_FORM_COUNT, (double)c->count, (double)c->right_count, "device");
	ts_peer_number(r->page, "churned_gb", TS_FORM_GB_0, gb(c->bytes * c->count), gb(c->bytes * c->right_count), "device");
	ts_peer_line(r->page, "  %.1fMB × %s = %.0fGB churn:", mb(c->bytes), ts_peer_grouped(r->page, c->count),
		     gb(c->bytes * c->count));
	for (;;) {
		struct category *best = NULL;

		for (size_t i = 0; i < TS_SOURCES; i++)
			if (of[i].count &&
			    (!best || of[i].count > best->count || (of[i].count == best->count && of[i].first < best->first)))
				best = &of[i];
		if (!best)
			return;
		ts_peer_line(r->page, "    %4.0f%%  %s (%" PRIu64 " allocs)", (double)best->count / (double)c->count * 100,
			     ts_axolotl_source_word((enum ts_axolotl_source)(best - of)), best->count);
		source_lines(r, w, n, (enum ts_axolotl_source)(best - of));
		best->count = 0;
	}
}

static bool churn_of(struct reading *r, const struct size *c)
{
	uint32_t *at = ts_arena_array(r->page->arena, r->s->n_frames + 2, sizeof *at); /* by frame + 1, less 1 */
	struct blamed *w = ts_arena_array(r->page->arena, r->s->n_frames + 2, sizeof *w);
	size_t n = 0;

	if (!at || !w)
		return false;
	for (size_t i = 0; i < r->n_events; i++) {
		const struct ts_snapshot_event *e = &r->events[i];
		uint32_t frame = e->stack == TS_SNAPSHOT_NONE ? TS_SNAPSHOT_NONE : r->frames[e->stack], key = frame + 1;

		if (e->action != TS_ACTION_ALLOC || e->size != c->bytes)
			continue;
		if (!at[key]) {
			w[n++] = (struct blamed){.frame = frame, .at = i, .source = ts_axolotl_source(r->s, frame)};
			at[key] = (uint32_t)n;
		}
		w[at[key] - 1].count++;
	}
	churn_lines(r, c, w, n);
	return true;
}

static bool churn(struct reading *r)
{
	bool any = false;

	for (size_t i = 0; i < r->n_sizes && i < CHURNED_SOURCES; i++) {
		if (r->sizes[i].bytes < 1000000)
			continue;
		if (!any)
			ts_peer_heading(r->page, "Allocation Churn: ", r->label);
		any = true;
		if (!churn_of(r, &r->sizes[i]))
			return false;
	}
	return true;
}

/* --- two --- */

static double loss(const struct reading *r)
{
	return r->reserved ? ((double)r->reserved - (double)r->allocated) / (double)r->reserved * 100 : 0;
}

static double right_loss(const struct reading *r)
{
	return r->reserved ? (double)r->stuck / (double)r->reserved * 100 : 0;
}

static void comparison(struct reading *a, struct reading *b)
{
	struct ts_peer_page *page = a->page;

	ts_peer_gap(page);
	ts_peer_line(page, "  Memory comparison:");
	ts_peer_line(page, "    Reserved:  %.2f -> %.2f GB", gb(a->reserved), gb(b->reserved));
	ts_peer_line(page, "    Allocated: %.2f -> %.2f GB", gb(a->allocated), gb(b->allocated));
	ts_peer_number(page, "before_percent", TS_FORM_PERCENT, loss(a), right_loss(a), "cache");
	ts_peer_number(page, "after_percent", TS_FORM_PERCENT, loss(b), right_loss(b), "cache");
	ts_peer_line(page, "    Frag:      %.1f%% -> %.1f%%", loss(a), loss(b));
	if (!a->n_events || !b->n_events)
		return;
	ts_peer_number(page, "before_gb", TS_FORM_GB, gb(a->peak_above), gb(a->peak), why_peak(a));
	ts_peer_number(page, "after_gb", TS_FORM_GB, gb(b->peak_above), gb(b->peak), why_peak(b));
	ts_peer_line(page, "    Peak:      %.2f -> %.2f GB", gb(a->peak_above), gb(b->peak_above));
}

/* Categories that both have, by the size in the second, the largest first. */
static size_t common(const struct reading *a, const struct reading *b, int *ret)
{
	size_t n = 0;

	for (int i = 0; i < TS_SOURCES; i++) {
		size_t at = n;

		if (a->tensors[i] <= 1000000 || b->tensors[i] <= 1000000)
			continue;
		for (; at && b->tensors[ret[at - 1]] < b->tensors[i]; at--)
			ret[at] = ret[at - 1];
		ret[at] = i;
		n++;
	}
	return n;
}

static double ratio(const struct reading *a, const struct reading *b, int i)
{
	return (double)b->tensors[i] / (double)a->tensors[i];
}

static void growing(struct reading *a, const struct reading *b, const int *of, size_t n)
{
	double sum = 0;
	size_t grow = 0;

	for (size_t i = 0; i < n; i++) {
		if (!(ratio(a, b, of[i]) > 1.05))
			continue;
		sum += ratio(a, b, of[i]);
		grow++;
	}
	if (grow) {
		ts_peer_gap(a->page);
		ts_peer_line(a->page, "  Sequence-length scaling detected (%.2fx avg):", sum / (double)grow);
	}
	for (size_t i = 0; i < n; i++)
		if (ratio(a, b, of[i]) > 1.05)
			ts_peer_line(a->page, "    - %s: %.1fMB -> %.1fMB (%.2fx)",
				     ts_axolotl_source_word((enum ts_axolotl_source)of[i]), mb(a->tensors[of[i]]),
				     mb(b->tensors[of[i]]), ratio(a, b, of[i]));
	if (grow == n)
		return;
	ts_peer_gap(a->page);
	ts_peer_line(a->page, "  Constant-size categories (do not scale with seq len):");
	for (size_t i = 0; i < n; i++)
		if (!(ratio(a, b, of[i]) > 1.05))
			ts_peer_line(a->page, "    - %s: %.1fMB", ts_axolotl_source_word((enum ts_axolotl_source)of[i]),
				     mb(a->tensors[of[i]]));
}

static void scaling(struct reading *a, const struct reading *b)
{
	int of[TS_SOURCES];
	size_t n = common(a, b, of);

	if (!n)
		return;
	ts_peer_heading(a->page, "Allocation Scaling Analysis", "");
	ts_peer_gap(a->page);
	ts_peer_line(a->page, "  Per-tensor size comparison (largest tensor per category):");
	ts_peer_line(a->page, "  %-35s %10s %10s %7s %8s", "Category", "A size", "B size", "Ratio", "Scales?");
	ts_peer_line(a->page, "  -------------------------------------------------------------------------");
	for (size_t i = 0; i < n; i++)
		ts_peer_line(a->page, "  %-35s %8.1fMB %8.1fMB %6.2fx %8s", ts_axolotl_source_word((enum ts_axolotl_source)of[i]),
			     mb(a->tensors[of[i]]), mb(b->tensors[of[i]]), ratio(a, b, of[i]),
			     ratio(a, b, of[i]) > 1.05 ? "YES" : "no");
	growing(a, b, of, n);
}

/* --- all --- */

static enum ts_status begin(struct reading *r, struct ts_error *err)
{
	const struct ts_snapshot *s = r->s;

	r->frames = ts_axolotl_frames(s, r->page->arena);
	if (!r->frames)
		return ts_arena_error(r->page->arena, err);
	if (s->n_devices) {
		r->events = s->events + s->devices[0].first_event;
		r->n_events = s->devices[0].n_events;
	}
	for (size_t i = 0; i < s->n_segments; i++) {
		r->reserved += s->segments[i].total;
		r->allocated += s->segments[i].allocated;
	}
	return replay(r, err);
}

static enum ts_status sections(struct reading *r, struct ts_error *err)
{
	if (begin(r, err))
		return err->status;
	if (!count_sizes(r) || !memory(r) || !peak(r) || !fragmentation(r) || !churn(r))
		return ts_arena_error(r->page->arena, err);
	return TS_OK;
}

enum ts_status ts_axolotl_snapshot(const struct ts_snapshot *s, uint64_t capacity, const char *label, struct ts_arena *arena,
				   struct ts_peer_answer *ret, struct ts_error *err)
{
	struct ts_peer_page page = {.arena = arena};
	struct reading r = {.page = &page, .s = s, .label = label, .capacity = capacity};

	if (sections(&r, err))
		return err->status;
	return ts_peer_page_end(&page, "axolotl", ret, err);
}

enum ts_status ts_axolotl_snapshots(const struct ts_snapshot *const snapshots[2], uint64_t capacity, const char *const labels[2],
				    struct ts_arena *arena, struct ts_peer_answer *ret, struct ts_error *err)
{
	struct ts_peer_page page = {.arena = arena};
	struct reading a = {.page = &page, .s = snapshots[0], .label = labels[0], .capacity = capacity};
	struct reading b = {.page = &page, .s = snapshots[1], .label = labels[1], .capacity = capacity};

	if (sections(&a, err) || sections(&b, err))
		return err->status;
	comparison(&a, &b);
	scaling(&a, &b);
	return ts_peer_page_end(&page, "axolotl", ret, err);
}
