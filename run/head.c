#include "run/head.h"

#include "base/cursor.h"
#include "base/limits.h"
#include "run/fact_codec.h"

#include <assert.h>
#include <stdio.h>

/* --- group digests --- */

/* The bytes over which a group's digest is computed. They are given to a hasher only where they do not fit in the buffer: few runs
 * have so many facts, and one digest of all bytes is faster than many small additions. */
struct digest_bytes {
	uint8_t data[16 << 10];
	size_t n;
	struct ts_hasher *hasher;
	bool begun;
};

static void flush_bytes(struct digest_bytes *bytes)
{
	if (!bytes->begun)
		ts_hasher_start(bytes->hasher);
	bytes->begun = true;
	ts_hasher_add(bytes->hasher, ts_span_of(bytes->data, bytes->n));
	bytes->n = 0;
}

static void add_bytes(struct digest_bytes *bytes, const void *data, size_t n)
{
	const uint8_t *at = data;

	while (n) {
		size_t some = sizeof bytes->data - bytes->n;

		some = n < some ? n : some;
		memcpy(bytes->data + bytes->n, at, some);
		bytes->n += some;
		at += some;
		n -= some;
		if (bytes->n == sizeof bytes->data)
			flush_bytes(bytes);
	}
}

static void end_bytes(struct digest_bytes *bytes, struct ts_id *ret_id)
{
	if (!bytes->begun) {
		ts_digest(ts_span_of(bytes->data, bytes->n), ret_id);
		return;
	}
	flush_bytes(bytes);
	ts_hasher_end(bytes->hasher, ret_id);
}

static void add_u64(struct digest_bytes *bytes, uint64_t v, size_t n)
{
	uint8_t le[8];

	ts_store_u64(le, v);
	add_bytes(bytes, le, n);
}

/* Adds the fact as it stands in the head, but without its source, and a long text by its id instead of a reference
 * number. */
static void add_fact(struct digest_bytes *bytes, const struct ts_fact *fact)
{
	add_u64(bytes, (uint64_t)fact->type, 1);
	add_u64(bytes, fact->path.len, 2);
	add_bytes(bytes, fact->path.data, fact->path.len);
	switch (fact->type) {
	case TS_FACT_BOOL:
		add_u64(bytes, fact->boolean, 1);
		break;
	case TS_FACT_INT:
		add_u64(bytes, (uint64_t)fact->integer, 8);
		break;
	case TS_FACT_FLOAT:
		add_u64(bytes, ts_f64_bits(fact->real), 8);
		break;
	case TS_FACT_TEXT:
	case TS_FACT_NUMBER:
		add_u64(bytes, fact->text.len, 4);
		add_bytes(bytes, fact->text.data, fact->text.len);
		break;
	case TS_FACT_LONG:
		add_u64(bytes, fact->text_len, 4);
		add_bytes(bytes, fact->text_id.bytes, TS_ID_BYTES);
		break;
	case TS_FACT_NULL:
	case TS_FACT_OBJECT:
	case TS_FACT_ARRAY:
	case TS_FACT_ABSENT:
		break;
	}
}

static void digest_group(const struct ts_facts *facts, enum ts_group group, struct ts_hasher *hasher, struct ts_id *ret_id)
{
	struct digest_bytes bytes;
	enum ts_group of;
	bool any = false;

	bytes.n = 0;
	bytes.hasher = hasher;
	bytes.begun = false;
	for (size_t i = 0; i < facts->n; i++)
		if (ts_fact_counts(facts, i) && ts_group_of(facts->items[i].path, &of) && of == group) {
			add_fact(&bytes, &facts->items[i]);
			any = true;
		}
	memset(ret_id, 0, sizeof *ret_id);
	if (any)
		end_bytes(&bytes, ret_id);
}

enum ts_status ts_head_digest_groups(struct ts_head *head, struct ts_error *err)
{
	struct ts_hasher hasher;

	if (ts_hasher_init(&hasher, err))
		return err->status;
	for (int i = 0; i < TS_GROUPS; i++)
		digest_group(&head->facts, (enum ts_group)i, &hasher, &head->groups[i]);
	ts_hasher_finish(&hasher);
	return TS_OK;
}

static bool is_zero(const struct ts_id *id)
{
	static const struct ts_id zero;

	return ts_id_eq(id, &zero);
}

/* --- encoding --- */

/* Each rank takes its number and the id of its index. */
enum { RANK_BYTES = 4 + TS_ID_BYTES, FIXED_BYTES = TS_OBJECT_HEADER + 4 + 2 + 4 };

static_assert(TS_RANKS_MAX <= (TS_HEAD_MAX - FIXED_BYTES) / RANK_BYTES, "a head without facts has room for every rank");

/* Returns the bytes of all facts and group digests, and in sizes those of each group. */
static size_t fact_bytes(const struct ts_facts *facts, size_t sizes[TS_GROUPS])
{
	size_t all = 0;

	memset(sizes, 0, TS_GROUPS * sizeof *sizes);
	for (size_t i = 0; i < facts->n; i++) {
		const struct ts_fact *fact = &facts->items[i];
		enum ts_group group;

		if (!ts_group_of(fact->path, &group))
			continue;
		sizes[group] += sizes[group] ? 0 : TS_ID_BYTES;
		sizes[group] += ts_fact_size(fact) + (fact->type == TS_FACT_LONG ? TS_ID_BYTES : 0);
	}
	for (int i = 0; i < TS_GROUPS; i++)
		all += sizes[i];
	return all;
}

static void describe_sizes(const size_t sizes[TS_GROUPS], char *out, size_t room)
{
	const char *lead = " (";
	size_t at = 0;

	out[0] = '\0';
	for (int i = 0; i < TS_GROUPS && at < room; i++) {
		if (sizes[i] < 1024)
			continue;
		at += (size_t)snprintf(out + at, room - at, "%s%s %zu", lead, ts_group_name((enum ts_group)i), sizes[i]);
		lead = ", ";
	}
	if (at && at < room)
		(void)snprintf(out + at, room - at, ")");
}

enum ts_status ts_head_check_room(const struct ts_facts *facts, size_t n_ranks, struct ts_error *err)
{
	size_t sizes[TS_GROUPS], taken = FIXED_BYTES + fact_bytes(facts, sizes), fit;
	char large[400];

	describe_sizes(sizes, large, sizeof large);
	if (taken > TS_HEAD_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "the facts of a run have room in %d bytes, these take %zu%s",
				    TS_HEAD_MAX - FIXED_BYTES, taken - FIXED_BYTES, large);
	if (n_ranks > TS_RANKS_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "a run has at most %d ranks, and these are %zu", TS_RANKS_MAX, n_ranks);
	fit = (TS_HEAD_MAX - taken) / RANK_BYTES;
	if (n_ranks <= fit)
		return TS_OK;
	return ts_error_set(err, TS_TOO_LARGE,
			    "%zu ranks, and at most %zu fit in this run: its head has %d bytes, of which each rank takes %d and the "
			    "facts %zu%s",
			    n_ranks, fit, TS_HEAD_MAX, RANK_BYTES, taken - FIXED_BYTES, large);
}

static enum ts_status check_head(const struct ts_head *head, struct ts_error *err)
{
	for (size_t i = 0; i < head->n_ranks; i++)
		if (head->ranks[i].rank < TS_RANK_JOB || (i && head->ranks[i].rank <= head->ranks[i - 1].rank))
			return ts_error_set(err, TS_INVALID, "rank %d is not in order", head->ranks[i].rank);
	for (size_t i = 0; i < head->facts.n; i++)
		if (ts_fact_check(&head->facts.items[i], false, err))
			return err->status;
	return ts_head_check_room(&head->facts, head->n_ranks, err);
}

/* Appends the ids of indexes in order of rank, then those of long texts in order of facts. */
static void write_refs(const struct ts_head *head, struct ts_buf *out)
{
	for (size_t i = 0; i < head->n_ranks; i++)
		ts_buf_bytes(out, head->ranks[i].index.bytes, TS_ID_BYTES);
	for (size_t i = 0; i < head->facts.n; i++)
		if (head->facts.items[i].type == TS_FACT_LONG)
			ts_buf_bytes(out, head->facts.items[i].text_id.bytes, TS_ID_BYTES);
}

static uint32_t count_refs(const struct ts_head *head)
{
	size_t n = head->n_ranks;

	for (size_t i = 0; i < head->facts.n; i++)
		n += head->facts.items[i].type == TS_FACT_LONG;
	return (uint32_t)n;
}

static void write_groups(const struct ts_head *head, struct ts_buf *out)
{
	uint16_t mask = 0;

	for (int i = 0; i < TS_GROUPS; i++)
		if (!is_zero(&head->groups[i]))
			mask |= (uint16_t)(1u << i);
	ts_buf_u16(out, mask);
	for (int i = 0; i < TS_GROUPS; i++)
		if (mask >> i & 1)
			ts_buf_bytes(out, head->groups[i].bytes, TS_ID_BYTES);
}

enum ts_status ts_head_encode(const struct ts_head *head, struct ts_buf *out, struct ts_error *err)
{
	if (check_head(head, err))
		return err->status;
	ts_object_header(out, TS_KIND_HEAD, TS_FORMAT_VERSION, TS_LAYOUT_BYTES, count_refs(head));
	write_refs(head, out);
	ts_buf_u32(out, (uint32_t)head->n_ranks);
	for (size_t i = 0; i < head->n_ranks; i++)
		ts_buf_u32(out, (uint32_t)head->ranks[i].rank);
	write_groups(head, out);
	ts_buf_u32(out, (uint32_t)head->facts.n);
	for (size_t i = 0; i < head->facts.n; i++)
		ts_fact_encode(&head->facts.items[i], out);
	return ts_buf_check(out, err);
}

/* --- decoding --- */

static enum ts_status read_ranks(struct ts_payload *p, struct ts_arena *arena, struct ts_head *head,
				 struct ts_error *err)
{
	size_t n = ts_cursor_u32(&p->c);

	if (p->c.failed || n > ts_cursor_left(&p->c) / 4 || n > p->frame.nrefs)
		return ts_error_set(err, TS_DAMAGED, "byte %zu: %zu ranks do not fit", ts_payload_at(p), n);
	head->ranks = ts_arena_array(arena, n, sizeof *head->ranks);
	if (!head->ranks)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++) {
		struct ts_rank_ref *ref = &head->ranks[i];

		ref->rank = (int32_t)ts_cursor_u32(&p->c);
		ts_payload_ref(p, &ref->index);
		if (ref->rank < TS_RANK_JOB || (i && ref->rank <= head->ranks[i - 1].rank))
			return ts_error_set(err, TS_DAMAGED, "byte %zu: rank %d is not in order", ts_payload_at(p) - 4,
					    ref->rank);
	}
	head->n_ranks = n;
	return TS_OK;
}

static enum ts_status read_groups(struct ts_payload *p, struct ts_head *head, struct ts_error *err)
{
	size_t at = ts_payload_at(p);
	uint16_t mask = ts_cursor_u16(&p->c);
	bool zero = false; /* a group without facts has zeros here and no bit set */

	for (int i = 0; i < TS_GROUPS; i++) {
		struct ts_span id;

		if (!(mask >> i & 1))
			continue;
		id = ts_cursor_bytes(&p->c, TS_ID_BYTES);
		if (id.len)
			memcpy(head->groups[i].bytes, id.data, TS_ID_BYTES);
		zero |= is_zero(&head->groups[i]);
	}
	if (p->c.failed || zero || mask >> TS_GROUPS)
		return ts_error_set(err, TS_DAMAGED, "byte %zu: no digests of groups", at);
	return TS_OK;
}

static enum ts_status read_facts(struct ts_payload *p, struct ts_arena *arena, struct ts_facts *facts,
				 struct ts_error *err)
{
	size_t n = ts_cursor_u32(&p->c);

	if (p->c.failed || n > ts_cursor_left(&p->c) / 4)
		return ts_error_set(err, TS_DAMAGED, "byte %zu: %zu facts do not fit", ts_payload_at(p), n);
	facts->items = ts_arena_array(arena, n, sizeof *facts->items);
	if (!facts->items)
		return ts_arena_error(arena, err);
	facts->cap = n;
	for (size_t i = 0; i < n; i++) {
		if (ts_fact_decode(p, false, i ? &facts->items[i - 1] : NULL, &facts->items[i], err))
			return err->status;
		facts->n++;
	}
	return TS_OK;
}

static enum ts_status check_groups(const struct ts_head *head, struct ts_error *err)
{
	struct ts_head again = {.facts = head->facts};

	if (ts_head_digest_groups(&again, err))
		return err->status;
	for (int i = 0; i < TS_GROUPS; i++)
		if (!ts_id_eq(&again.groups[i], &head->groups[i]))
			return ts_error_set(err, TS_DAMAGED, "the digest of group %s is not that of its facts",
					    ts_group_name((enum ts_group)i));
	return TS_OK;
}

enum ts_status ts_head_decode(struct ts_span object, struct ts_arena *arena, struct ts_head *ret_head,
			      struct ts_error *err)
{
	struct ts_head head = {.n_ranks = 0};
	struct ts_object frame;
	struct ts_payload p;

	if (ts_payload_open(object, TS_KIND_HEAD, TS_LAYOUT_BYTES, &frame, err))
		return err->status;
	if (object.len > TS_HEAD_MAX)
		return ts_error_set(err, TS_DAMAGED, "byte 0: the head has %zu bytes, and the limit is %d", object.len,
				    TS_HEAD_MAX);
	p = ts_payload_of(&frame);
	if (read_ranks(&p, arena, &head, err) || read_groups(&p, &head, err) ||
	    read_facts(&p, arena, &head.facts, err) || ts_payload_end(&p, err) || check_groups(&head, err))
		return err->status;
	*ret_head = head;
	return TS_OK;
}

void ts_chunk_encode(struct ts_span bytes, struct ts_buf *out)
{
	ts_object_begin(out, TS_KIND_CHUNK, TS_FORMAT_VERSION, TS_LAYOUT_BYTES, NULL, 0);
	ts_buf_span(out, bytes);
}
