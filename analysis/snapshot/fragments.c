#include "analysis/snapshot/fragments.h"

#include "base/door.h"

static bool in_use(const struct ts_snapshot_block *b)
{
	return b->state != TS_BLOCK_INACTIVE;
}

/* The bytes of whole pages within a free block. */
static uint64_t whole_pages(const struct ts_snapshot_segment *g, const struct ts_snapshot_block *b)
{
	uint64_t page = g->small ? TS_FRAGMENT_SMALL_PAGE : TS_FRAGMENT_LARGE_PAGE;
	uint64_t begin = b->address - g->address, end = begin + b->size;

	begin += (page - begin % page) % page;
	end -= end % page;
	return end > begin ? end - begin : 0;
}

static void add_gap(struct ts_fragments *f, struct ts_fragment_gap gap)
{
	uint32_t at = f->n_gaps;

	while (at && f->gaps[at - 1].bytes < gap.bytes)
		at--;
	if (at == TS_FRAGMENT_GAPS)
		return;
	f->n_gaps += f->n_gaps < TS_FRAGMENT_GAPS;
	for (uint32_t i = f->n_gaps - 1; i > at; i--)
		f->gaps[i] = f->gaps[i - 1];
	f->gaps[at] = gap;
}

static uint32_t stack_of(const struct ts_snapshot_block *b)
{
	return b && in_use(b) ? b->stack : TS_SNAPSHOT_NONE;
}

static void add_free_block(struct ts_fragments *f, const struct ts_snapshot *s, const struct ts_snapshot_segment *g, uint32_t i)
{
	const struct ts_snapshot_block *blocks = s->blocks + g->first_block, *b = &blocks[i];
	uint64_t pages = g->expandable && !g->pool[0] && !g->pool[1] ? whole_pages(g, b) : 0;

	f->pages += pages;
	f->stuck += b->size - pages;
	add_gap(f, (struct ts_fragment_gap){.segment = (uint32_t)(g - s->segments),
					    .block = i,
					    .bytes = b->size,
					    .before = stack_of(i ? b - 1 : NULL),
					    .after = stack_of(i + 1 < g->n_blocks ? b + 1 : NULL)});
}

static void add_class(struct ts_fragments *f, uint64_t reserved, uint64_t free)
{
	static const uint64_t below[] = {UINT64_C(2) << 20, UINT64_C(64) << 20, UINT64_C(256) << 20, UINT64_C(1) << 30};
	size_t c = 0;

	while (c < TS_FRAGMENT_CLASSES - 1 && reserved >= below[c])
		c++;
	f->classes[c].n++;
	f->classes[c].reserved += reserved;
	f->classes[c].free += free;
}

static void add_segment(struct ts_fragments *f, const struct ts_snapshot *s, const struct ts_snapshot_segment *g)
{
	const struct ts_snapshot_block *b = s->blocks + g->first_block;
	bool used = false, private = g->pool[0] || g->pool[1];
	uint64_t free = 0;

	for (uint32_t i = 0; i < g->n_blocks; i++) {
		used |= in_use(&b[i]);
		free += in_use(&b[i]) ? 0 : b[i].size;
		f->largest = !in_use(&b[i]) && b[i].size > f->largest ? b[i].size : f->largest;
		if (i && i + 1 < g->n_blocks && in_use(&b[i]) && b[i].size < TS_FRAGMENT_PINNED_MAX && !in_use(&b[i - 1]) &&
		    !in_use(&b[i + 1])) {
			f->n_pinned++;
			f->pinned += b[i].size;
		}
	}
	f->free += free;
	f->n_used += used;
	f->n_whole += !used;
	f->whole += used ? 0 : free;
	f->n_cached += !used && !private;
	f->n_expandable += g->expandable;
	f->expandable += g->expandable ? g->total : 0;
	f->n_private += private;
	f->in_private += private ? g->total : 0;
	f->in_pools += private ? free : 0;
	add_class(f, g->total, free);
	if (!used && !private) {
		f->cached += free;
		return;
	}
	for (uint32_t i = 0; i < g->n_blocks; i++)
		if (!in_use(&b[i]))
			add_free_block(f, s, g, i);
}

void ts_fragments_of(const struct ts_snapshot *s, uint16_t device, struct ts_fragments *ret_fragments)
{
	struct ts_fragments f = {0};

	TS_DOOR(ts_snapshot_holds(s));
	for (size_t i = 0; i < s->n_segments; i++)
		if (s->segments[i].device == device)
			add_segment(&f, s, &s->segments[i]);
	*ret_fragments = f;
}
