#include "ingest/snapshot/snapshot_rows.h"

#define BIT(key) (UINT64_C(1) << (key))

static const char *const words[TS_ROW_KEYS] = {
#define TS_ROW_KEY(name, word) word,
#include "ingest/snapshot/snapshot_keys.inc"
#undef TS_ROW_KEY
};

static const size_t sizes[TS_ROW_KINDS] = {
	[TS_ROW_EVENT] = sizeof(struct ts_snapshot_event), [TS_ROW_BLOCK] = sizeof(struct ts_snapshot_block),
	[TS_ROW_SEGMENT] = sizeof(struct ts_row_segment),  [TS_ROW_MARK] = sizeof(struct ts_snapshot_mark),
	[TS_ROW_HISTORY] = sizeof(struct ts_row_history),
};

size_t ts_row_size(enum ts_row_kind kind)
{
	return sizes[kind];
}

const char *ts_row_key_word(enum ts_row_key key)
{
	return words[key];
}

void ts_rows_pass(struct ts_rows *rows, struct ts_pickle_value key)
{
	size_t i = 0;

	if (key.kind != TS_VALUE_TEXT) {
		rows->n_passed++;
		return;
	}
	while (i < rows->n_unknown && rows->unknown[i].key != key.id)
		i++;
	if (i == TS_SNAPSHOT_UNKNOWN_MAX) {
		rows->n_passed++;
		return;
	}
	if (i == rows->n_unknown)
		rows->unknown[rows->n_unknown++].key = key.id;
	rows->unknown[i].n++;
}

/* --- what a known key holds --- */

static bool wrong(struct ts_pickle *p, struct ts_pickle_value key, const char *what)
{
	return ts_pickle_fail(p, TS_INVALID, "\"%.*s\" is not %s", TS_SPAN_ARG(ts_intern_text_of(&p->intern, key.id)), what);
}

static bool as_u64(struct ts_pickle *p, struct ts_pickle_value key, struct ts_pickle_value v, uint64_t *ret)
{
	if (v.kind != TS_VALUE_UINT && (v.kind != TS_VALUE_INT || v.i < 0))
		return wrong(p, key, "a whole number from 0 on");
	*ret = v.u;
	return true;
}

/* Of a size; all of a snapshot together stay below 2^63, so that no sum of any of them wraps. */
static bool as_size(struct ts_pickle *p, struct ts_pickle_value key, struct ts_pickle_value v, uint64_t *ret)
{
	if (!as_u64(p, key, v, ret))
		return false;
	if (*ret > (uint64_t)INT64_MAX - p->rows->bytes)
		return ts_pickle_fail(p, TS_INVALID, "\"%.*s\" is %" PRIu64 ": the sizes up to here add up to 2^63 bytes or more",
				      TS_SPAN_ARG(ts_intern_text_of(&p->intern, key.id)), *ret);
	p->rows->bytes += *ret;
	return true;
}

/* Addresses and streams are pointers, which some versions write with a sign. */
static bool as_pointer(struct ts_pickle *p, struct ts_pickle_value key, struct ts_pickle_value v, uint64_t *ret)
{
	if (v.kind != TS_VALUE_UINT && v.kind != TS_VALUE_INT)
		return wrong(p, key, "a whole number");
	*ret = v.u;
	return true;
}

static bool as_i64(struct ts_pickle *p, struct ts_pickle_value key, struct ts_pickle_value v, int64_t *ret)
{
	if (v.kind != TS_VALUE_INT)
		return wrong(p, key, "a whole number");
	*ret = v.i;
	return true;
}

static bool as_device(struct ts_pickle *p, struct ts_pickle_value key, struct ts_pickle_value v, uint16_t *ret)
{
	if (v.kind != TS_VALUE_INT || v.i < 0 || v.i >= TS_SNAPSHOT_DEVICES_MAX)
		return wrong(p, key, "the number of a device, 0 to 1023");
	*ret = (uint16_t)v.i;
	return true;
}

static bool as_bool(struct ts_pickle *p, struct ts_pickle_value key, struct ts_pickle_value v, bool *ret)
{
	if (v.kind != TS_VALUE_TRUE && v.kind != TS_VALUE_FALSE)
		return wrong(p, key, "true or false");
	*ret = v.kind == TS_VALUE_TRUE;
	return true;
}

static bool as_text(struct ts_pickle *p, struct ts_pickle_value key, struct ts_pickle_value v, uint32_t *ret)
{
	if (v.kind != TS_VALUE_TEXT && v.kind != TS_VALUE_NONE)
		return wrong(p, key, "a text");
	*ret = v.kind == TS_VALUE_TEXT ? v.id : TS_SNAPSHOT_NONE;
	return true;
}

static bool as_stack(struct ts_pickle *p, struct ts_pickle_value key, struct ts_pickle_value v, uint32_t *ret)
{
	bool frames;

	return ts_pickle_stack_of(p, v, &frames, ret) && (frames || wrong(p, key, "a list of frames"));
}

/* Which of several words a text is; n if it is none of them. */
static bool as_word(struct ts_pickle *p, struct ts_pickle_value key, struct ts_pickle_value v, const char *const *among, uint8_t n,
		    uint8_t *ret)
{
	struct ts_span text;
	uint8_t i = 0;

	if (v.kind != TS_VALUE_TEXT)
		return wrong(p, key, "a text");
	text = ts_intern_text_of(&p->intern, v.id);
	while (i < n && !ts_span_is(text, among[i]))
		i++;
	*ret = i;
	return true;
}

static bool known(struct ts_pickle_value key)
{
	return key.kind == TS_VALUE_TEXT && key.id < TS_ROW_KEYS;
}

/* Of keys that came later: one in snapshot_keys.inc would be a text of every snapshot, and change what is stored of it. */
static bool is_key(const struct ts_pickle *p, struct ts_pickle_value key, const char *word)
{
	return key.kind == TS_VALUE_TEXT && ts_span_is(ts_intern_text_of(&p->intern, key.id), word);
}

static bool take_pool(struct ts_pickle *p, uint64_t pool[2], struct ts_pickle_value key, struct ts_pickle_value v)
{
	const struct ts_pickle_object *o = v.kind == TS_VALUE_OBJECT ? ts_pickle_object_of(p, v.id) : NULL;

	if (!o || o->n != 2 || (o->shape != TS_SHAPE_TUPLE && o->shape != TS_SHAPE_LIST))
		return wrong(p, key, "a pair of numbers");
	return as_u64(p, key, o->items[0], &pool[0]) && as_u64(p, key, o->items[1], &pool[1]);
}

/* --- frames --- */

static bool frame_of(struct ts_pickle *p, struct ts_pickle_value file, struct ts_pickle_value line, struct ts_pickle_value function,
		     uint32_t *ret_frame)
{
	struct ts_snapshot_frame frame = {.file = file.id, .function = function.id};

	if (line.i < INT32_MIN || line.i > INT32_MAX)
		return ts_pickle_fail(p, TS_INVALID, "a frame's line is %" PRId64, line.i);
	frame.line = (int32_t)line.i;
	*ret_frame = ts_intern_frame(&p->intern, &frame);
	return *ret_frame != TS_SNAPSHOT_NONE || ts_pickle_fail_memory(p);
}

bool ts_rows_tuple(struct ts_pickle *p, const struct ts_pickle_value *items, size_t n, uint32_t *ret_frame)
{
	*ret_frame = TS_SNAPSHOT_NONE;
	if (n != 3 || items[0].kind != TS_VALUE_TEXT || items[1].kind != TS_VALUE_INT || items[2].kind != TS_VALUE_TEXT)
		return true;
	return frame_of(p, items[0], items[1], items[2], ret_frame);
}

bool ts_rows_frame(struct ts_pickle *p, const struct ts_pickle_value *pairs, size_t n, uint32_t *ret_frame)
{
	struct ts_pickle_value file = {0}, line = {0}, function = {0};

	*ret_frame = TS_SNAPSHOT_NONE;
	for (size_t i = 0; i < n; i += 2) {
		if (!known(pairs[i]))
			continue;
		if (pairs[i].id == TS_KEY_FILENAME)
			file = pairs[i + 1];
		else if (pairs[i].id == TS_KEY_LINE)
			line = pairs[i + 1];
		else if (pairs[i].id == TS_KEY_NAME)
			function = pairs[i + 1];
	}
	if (!file.kind || !line.kind || !function.kind)
		return true;
	if (file.kind != TS_VALUE_TEXT || line.kind != TS_VALUE_INT || function.kind != TS_VALUE_TEXT)
		return ts_pickle_fail(p, TS_INVALID, "a frame is not a file, a line and a function");
	for (size_t i = 0; n > 6 && i < n; i += 2)
		if (!known(pairs[i]) || (pairs[i].id != TS_KEY_FILENAME && pairs[i].id != TS_KEY_LINE && pairs[i].id != TS_KEY_NAME))
			ts_rows_pass(p->rows, pairs[i]);
	return frame_of(p, file, line, function, ret_frame);
}

/* --- events --- */

/* What the program attached may be anything; texts are kept, and what else it is is counted. */
static void take_note(struct ts_pickle *p, struct ts_pickle_value v, uint32_t *ret)
{
	*ret = v.kind == TS_VALUE_TEXT ? v.id : TS_SNAPSHOT_NONE;
	p->rows->n_passed += v.kind != TS_VALUE_TEXT && v.kind != TS_VALUE_NONE;
}

static bool event_field(struct ts_pickle *p, struct ts_snapshot_event *e, struct ts_pickle_value key, struct ts_pickle_value v)
{
	switch (known(key) ? key.id : TS_ROW_KEYS) {
	case TS_KEY_ACTION:
		return as_word(p, key, v, ts_snapshot_actions, TS_ACTION_OTHER, &e->action);
	case TS_KEY_ADDR:
		return as_pointer(p, key, v, &e->address);
	case TS_KEY_DEVICE_FREE:
		return as_size(p, key, v, &e->address);
	case TS_KEY_SIZE:
		return as_size(p, key, v, &e->size);
	case TS_KEY_STREAM:
		return as_pointer(p, key, v, &e->stream);
	case TS_KEY_TIME_US:
		return as_i64(p, key, v, &e->time_us);
	case TS_KEY_COMPILE_CONTEXT:
		take_note(p, v, &e->context);
		return true;
	case TS_KEY_USER_METADATA:
		take_note(p, v, &e->metadata);
		return true;
	case TS_KEY_FRAMES:
		return as_stack(p, key, v, &e->stack);
	default:
		if (is_key(p, key, "pool_id"))
			return take_pool(p, e->pool, key, v);
		ts_rows_pass(p->rows, key);
		return true;
	}
}

static bool event_of(struct ts_pickle *p, const struct ts_pickle_value *pairs, size_t n, void *row)
{
	struct ts_snapshot_event *e = row;

	*e = (struct ts_snapshot_event){.pool = {TS_SNAPSHOT_NO_POOL, TS_SNAPSHOT_NO_POOL},
					.time_us = INT64_MIN,
					.stack = TS_SNAPSHOT_NONE,
					.context = TS_SNAPSHOT_NONE,
					.metadata = TS_SNAPSHOT_NONE};
	for (size_t i = 0; i < n; i += 2)
		if (!event_field(p, e, pairs[i], pairs[i + 1]))
			return false;
	return true;
}

/* --- blocks --- */

static bool history_field(struct ts_pickle *p, struct ts_row_history *h, struct ts_pickle_value key, struct ts_pickle_value v)
{
	switch (known(key) ? key.id : TS_ROW_KEYS) {
	case TS_KEY_REAL_SIZE:
		return as_size(p, key, v, &h->size);
	case TS_KEY_FRAMES:
		return as_stack(p, key, v, &h->stack);
	case TS_KEY_ADDR:
		return true; /* the block's own */
	default:
		ts_rows_pass(p->rows, key);
		return true;
	}
}

static bool history_of(struct ts_pickle *p, const struct ts_pickle_value *pairs, size_t n, void *row)
{
	struct ts_row_history *h = row;

	*h = (struct ts_row_history){.stack = TS_SNAPSHOT_NONE};
	for (size_t i = 0; i < n; i += 2)
		if (!history_field(p, h, pairs[i], pairs[i + 1]))
			return false;
	return true;
}

/* The newest entry of a block's history, which torch writes first, says what holds it now. */
static bool take_history(struct ts_pickle *p, struct ts_snapshot_block *b, struct ts_pickle_value key, struct ts_pickle_value v)
{
	const struct ts_pickle_object *o = v.kind == TS_VALUE_OBJECT ? ts_pickle_object_of(p, v.id) : NULL;
	const struct ts_row_history *h;
	struct ts_pickle_value newest;

	if (o && o->shape == TS_SHAPE_LIST_EMPTY)
		return true;
	if (!o || (o->shape != TS_SHAPE_ROWS && o->shape != TS_SHAPE_LIST))
		return wrong(p, key, "a list of what was allocated");
	newest = ts_pickle_item(o, 0);
	if (newest.kind != TS_VALUE_ROW || newest.row != TS_ROW_HISTORY)
		return wrong(p, key, "a list of what was allocated");
	h = (const struct ts_row_history *)p->rows->of[TS_ROW_HISTORY].data + newest.id;
	if (b->requested == UINT64_MAX)
		b->requested = h->size;
	if (b->requested == h->size) /* else it was allocated after recording had ended */
		b->stack = h->stack;
	return true;
}

static bool block_field(struct ts_pickle *p, struct ts_snapshot_block *b, struct ts_pickle_value key, struct ts_pickle_value v)
{
	static const char *const states[] = {"inactive", "active_allocated", "active_pending_free", "active_awaiting_free"};
	uint8_t state;

	switch (known(key) ? key.id : TS_ROW_KEYS) {
	case TS_KEY_ADDRESS:
		return as_pointer(p, key, v, &b->address);
	case TS_KEY_SIZE:
		return as_size(p, key, v, &b->size);
	case TS_KEY_REQUESTED_SIZE:
		return as_size(p, key, v, &b->requested);
	case TS_KEY_STATE:
		if (!as_word(p, key, v, states, 4, &state))
			return false;
		b->state = (const uint8_t[]){TS_BLOCK_INACTIVE, TS_BLOCK_ACTIVE, TS_BLOCK_PENDING, TS_BLOCK_PENDING,
					     TS_BLOCK_OTHER}[state];
		return true;
	case TS_KEY_FRAMES:
		return as_stack(p, key, v, &b->stack);
	case TS_KEY_HISTORY:
		return take_history(p, b, key, v);
	default:
		ts_rows_pass(p->rows, key);
		return true;
	}
}

static bool block_of(struct ts_pickle *p, const struct ts_pickle_value *pairs, size_t n, void *row)
{
	struct ts_snapshot_block *b = row;

	*b = (struct ts_snapshot_block){.address = TS_NO_ADDRESS, .requested = UINT64_MAX, .stack = TS_SNAPSHOT_NONE};
	for (size_t i = 0; i < n; i += 2)
		if (!block_field(p, b, pairs[i], pairs[i + 1]))
			return false;
	if (b->requested == UINT64_MAX)
		b->requested = b->size;
	return true;
}

/* --- segments --- */

static bool take_blocks(struct ts_pickle *p, struct ts_row_segment *s, struct ts_pickle_value key, struct ts_pickle_value v)
{
	struct ts_pickle_object *o = v.kind == TS_VALUE_OBJECT ? ts_pickle_object_of(p, v.id) : NULL;

	if (!o || o->shape == TS_SHAPE_STACK || o->shape >= TS_SHAPE_TUPLE)
		return wrong(p, key, "a list of blocks");
	if (o->taken && o->shape != TS_SHAPE_LIST_EMPTY)
		return ts_pickle_fail(p, TS_INVALID, "two segments have the same list of blocks");
	o->taken = true;
	s->blocks = v.id;
	return true;
}

static bool segment_field(struct ts_pickle *p, struct ts_row_segment *row, struct ts_pickle_value key, struct ts_pickle_value v)
{
	static const char *const types[] = {"large", "small"};
	struct ts_snapshot_segment *s = &row->segment;
	uint8_t type;

	switch (known(key) ? key.id : TS_ROW_KEYS) {
	case TS_KEY_ADDRESS:
		return as_pointer(p, key, v, &s->address);
	case TS_KEY_TOTAL_SIZE:
		return as_size(p, key, v, &s->total);
	case TS_KEY_ALLOCATED_SIZE:
		return as_size(p, key, v, &s->allocated);
	case TS_KEY_ACTIVE_SIZE:
		return as_size(p, key, v, &s->active);
	case TS_KEY_REQUESTED_SIZE:
		return as_size(p, key, v, &s->requested);
	case TS_KEY_STREAM:
		return as_pointer(p, key, v, &s->stream);
	case TS_KEY_DEVICE:
		return as_device(p, key, v, &s->device);
	case TS_KEY_SEGMENT_TYPE:
		if (!as_word(p, key, v, types, 2, &type))
			return false;
		s->small = type == 1;
		return true;
	case TS_KEY_SEGMENT_POOL_ID:
		return take_pool(p, s->pool, key, v);
	case TS_KEY_IS_EXPANDABLE:
		return as_bool(p, key, v, &s->expandable);
	case TS_KEY_FRAMES:
		return as_stack(p, key, v, &s->stack);
	case TS_KEY_BLOCKS:
		return take_blocks(p, row, key, v);
	default:
		if (!is_key(p, key, "registration_counter")) /* how often libraries have registered it: nothing asks */
			ts_rows_pass(p->rows, key);
		return true;
	}
}

static bool segment_of(struct ts_pickle *p, const struct ts_pickle_value *pairs, size_t n, void *row)
{
	struct ts_row_segment *s = row;

	*s = (struct ts_row_segment){.segment.stack = TS_SNAPSHOT_NONE, .blocks = TS_SNAPSHOT_NONE};
	for (size_t i = 0; i < n; i += 2)
		if (!segment_field(p, s, pairs[i], pairs[i + 1]))
			return false;
	return true;
}

/* --- marks --- */

static bool mark_field(struct ts_pickle *p, struct ts_snapshot_mark *m, struct ts_pickle_value key, struct ts_pickle_value v)
{
	switch (known(key) ? key.id : TS_ROW_KEYS) {
	case TS_KEY_STAGE:
		return as_text(p, key, v, &m->stage);
	case TS_KEY_NAME:
		return as_text(p, key, v, &m->name);
	case TS_KEY_DEVICE: /* below 0: of no device */
		m->device = UINT16_MAX;
		return (v.kind == TS_VALUE_INT && v.i < 0) || as_device(p, key, v, &m->device);
	case TS_KEY_TIME_US:
		return as_i64(p, key, v, &m->time_us);
	default:
		ts_rows_pass(p->rows, key);
		return true;
	}
}

static bool mark_of(struct ts_pickle *p, const struct ts_pickle_value *pairs, size_t n, void *row)
{
	struct ts_snapshot_mark *m = row;

	*m = (struct ts_snapshot_mark){.time_us = INT64_MIN, .name = TS_SNAPSHOT_NONE, .stage = TS_SNAPSHOT_NONE};
	for (size_t i = 0; i < n; i += 2)
		if (!mark_field(p, m, pairs[i], pairs[i + 1]))
			return false;
	return true;
}

/* --- which table --- */

static const struct kind {
	uint64_t keys; /* that a dict of this kind has */
	bool (*row_of)(struct ts_pickle *p, const struct ts_pickle_value *pairs, size_t n, void *row);
	enum ts_row_kind kind;
} kinds[] = {
	{BIT(TS_KEY_ACTION), event_of, TS_ROW_EVENT},
	{BIT(TS_KEY_STATE) | BIT(TS_KEY_SIZE), block_of, TS_ROW_BLOCK},
	{BIT(TS_KEY_TOTAL_SIZE) | BIT(TS_KEY_BLOCKS), segment_of, TS_ROW_SEGMENT},
	{BIT(TS_KEY_STAGE) | BIT(TS_KEY_NAME), mark_of, TS_ROW_MARK},
	{BIT(TS_KEY_REAL_SIZE) | BIT(TS_KEY_ADDR), history_of, TS_ROW_HISTORY},
	{BIT(TS_KEY_REAL_SIZE) | BIT(TS_KEY_FRAMES), history_of, TS_ROW_HISTORY},
};

bool ts_rows_take(struct ts_pickle *p, const struct ts_pickle_value *pairs, size_t n, enum ts_row_kind *ret_kind, uint32_t *ret_row)
{
	uint64_t keys = 0;

	*ret_kind = TS_ROW_NONE;
	for (size_t i = 0; i < n; i += 2)
		if (known(pairs[i]))
			keys |= BIT(pairs[i].id);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct ts_vector *rows = &p->rows->of[kinds[i].kind];
		size_t size = sizes[kinds[i].kind];

		if ((keys & kinds[i].keys) != kinds[i].keys)
			continue;
		if (rows->n >= UINT32_MAX - 1)
			return ts_pickle_fail(p, TS_TOO_LARGE, "more rows than can be numbered");
		if (!ts_vector_room(&p->ration, rows, size, 1))
			return ts_pickle_fail_memory(p);
		if (!kinds[i].row_of(p, pairs, n, (uint8_t *)rows->data + rows->n * size))
			return false;
		*ret_kind = kinds[i].kind;
		*ret_row = (uint32_t)rows->n++;
		return true;
	}
	return true;
}
