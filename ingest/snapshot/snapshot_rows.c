#include "ingest/snapshot/snapshot_rows.h"

#include "ingest/snapshot/original_frame.h"

#define BIT(key) (UINT64_C(1) << (key))

enum { ORIGINAL_MOST = 16384 }; /* bytes of the stack that generated code came from */

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

/* at: of a known key; TS_SNAPSHOT_NO_PLACE: no table has it. */
static void count_key(struct ts_rows *rows, uint32_t key, uint64_t at)
{
	bool known = at != TS_SNAPSHOT_NO_PLACE;
	size_t i = 0;

	while (i < rows->n_unknown && (rows->unknown[i].key != key || (rows->unknown[i].at != TS_SNAPSHOT_NO_PLACE) != known))
		i++;
	if (i == TS_SNAPSHOT_UNKNOWN_MAX) {
		rows->n_passed++;
		return;
	}
	if (i == rows->n_unknown)
		rows->unknown[rows->n_unknown++] = (struct ts_snapshot_unknown){.key = key, .at = at};
	rows->unknown[i].n++;
}

void ts_rows_pass(struct ts_rows *rows, struct ts_pickle_value key)
{
	if (key.kind == TS_VALUE_TEXT)
		count_key(rows, key.id, TS_SNAPSHOT_NO_PLACE);
	else
		rows->n_passed++;
}

/* --- what a known key holds --- */

/* A value that is none of its key costs itself alone: it stays unknown, and is counted with the byte of the first of its key. */
static void lose(struct ts_pickle *p, struct ts_pickle_value key)
{
	count_key(p->rows, key.id, p->op_at);
}

static void take_u64(struct ts_pickle *p, struct ts_pickle_value key, struct ts_pickle_value v, uint64_t *io)
{
	if (v.kind == TS_VALUE_UINT || (v.kind == TS_VALUE_INT && v.i >= 0))
		*io = v.u;
	else
		lose(p, key);
}

/* Of a size; all of a snapshot together stay below 2^63, so that no sum of any of them wraps. */
static void take_size(struct ts_pickle *p, struct ts_pickle_value key, struct ts_pickle_value v, uint64_t *ret)
{
	if (v.kind != TS_VALUE_INT || v.i < 0 || v.u > (uint64_t)INT64_MAX - p->rows->bytes) {
		lose(p, key);
		*ret = TS_NO_SIZE;
		return;
	}
	p->rows->bytes += v.u;
	*ret = v.u;
}

/* Addresses and streams are pointers, which some versions write with a sign. */
static void take_pointer(struct ts_pickle *p, struct ts_pickle_value key, struct ts_pickle_value v, uint64_t *ret)
{
	bool is = v.kind == TS_VALUE_UINT || v.kind == TS_VALUE_INT;

	*ret = is ? v.u : TS_NO_ADDRESS;
	if (!is)
		lose(p, key);
}

static void take_i64(struct ts_pickle *p, struct ts_pickle_value key, struct ts_pickle_value v, int64_t *io)
{
	if (v.kind == TS_VALUE_INT)
		*io = v.i;
	else
		lose(p, key);
}

static void take_device(struct ts_pickle *p, struct ts_pickle_value key, struct ts_pickle_value v, uint16_t *ret)
{
	bool is = v.kind == TS_VALUE_INT && v.i >= 0 && v.i < TS_SNAPSHOT_DEVICES_MAX;

	*ret = is ? (uint16_t)v.i : TS_NO_SEGMENT_DEVICE;
	if (!is)
		lose(p, key);
}

static void take_bool(struct ts_pickle *p, struct ts_pickle_value key, struct ts_pickle_value v, bool *io)
{
	if (v.kind == TS_VALUE_TRUE || v.kind == TS_VALUE_FALSE)
		*io = v.kind == TS_VALUE_TRUE;
	else
		lose(p, key);
}

static void take_text(struct ts_pickle *p, struct ts_pickle_value key, struct ts_pickle_value v, uint32_t *io)
{
	if (v.kind == TS_VALUE_TEXT)
		*io = v.id;
	else if (v.kind != TS_VALUE_NONE)
		lose(p, key);
}

/* False: the error is set. */
static bool take_stack(struct ts_pickle *p, struct ts_pickle_value key, struct ts_pickle_value v, uint32_t *io)
{
	bool frames;

	if (!ts_pickle_stack_of(p, v, &frames, io))
		return false;
	if (!frames)
		lose(p, key);
	return true;
}

/* Which of several words a text is; n if it is none of them. */
static void take_word(struct ts_pickle *p, struct ts_pickle_value key, struct ts_pickle_value v, const char *const *among, uint8_t n,
		      uint8_t *io)
{
	struct ts_span text;
	uint8_t i = 0;

	if (v.kind != TS_VALUE_TEXT) {
		lose(p, key);
		return;
	}
	text = ts_intern_text_of(&p->intern, v.id);
	while (i < n && !ts_span_is(text, among[i]))
		i++;
	*io = i;
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

static void take_pool(struct ts_pickle *p, uint64_t pool[2], struct ts_pickle_value key, struct ts_pickle_value v)
{
	const struct ts_pickle_object *o = v.kind == TS_VALUE_OBJECT ? ts_pickle_object_of(p, v.id) : NULL;

	if (o && o->n == 2 && (o->shape == TS_SHAPE_TUPLE || o->shape == TS_SHAPE_LIST)) {
		take_u64(p, key, o->items[0], &pool[0]);
		take_u64(p, key, o->items[1], &pool[1]);
	} else {
		lose(p, key);
	}
}

/* --- frames --- */

static bool is_line(struct ts_pickle_value v)
{
	return v.kind == TS_VALUE_INT && v.i >= INT32_MIN && v.i <= INT32_MAX;
}

/* A text or a line that is none is "??", as torch writes of frames of C++, and 0, which is no line. */
static bool frame_of(struct ts_pickle *p, struct ts_pickle_value file, struct ts_pickle_value line, struct ts_pickle_value function,
		     uint32_t *ret_frame)
{
	struct ts_snapshot_frame frame = {.file = file.id, .function = function.id};

	if (file.kind != TS_VALUE_TEXT || function.kind != TS_VALUE_TEXT) {
		uint32_t none = ts_intern_text(&p->intern, ts_span_str("??"));

		if (none == TS_SNAPSHOT_NONE)
			return ts_pickle_fail_memory(p);
		frame.file = file.kind == TS_VALUE_TEXT ? file.id : none;
		frame.function = function.kind == TS_VALUE_TEXT ? function.id : none;
	}
	if (is_line(line))
		frame.line = (int32_t)line.i;
	*ret_frame = ts_intern_frame(&p->intern, &frame);
	return *ret_frame != TS_SNAPSHOT_NONE || ts_pickle_fail_memory(p);
}

/* Of each text, in rows->originals: not searched yet, it has no frame, or the number of its frame and ORIGINAL_FRAME. */
enum { ORIGINAL_UNSEEN, ORIGINAL_NONE, ORIGINAL_FRAME };

/* The frame that a stack says generated code came from, TS_SNAPSHOT_NONE if it says none. A copy of the stack is made, as texts move
 * when others come. */
static bool search_original(struct ts_pickle *p, struct ts_span text, uint32_t *ret_frame)
{
	struct ts_pickle_value file = {.kind = TS_VALUE_TEXT}, line = {.kind = TS_VALUE_INT}, function = {.kind = TS_VALUE_TEXT};
	char copy[ORIGINAL_MOST];
	struct ts_original_frame f;

	*ret_frame = TS_SNAPSHOT_NONE;
	if (text.len > sizeof copy)
		text = ts_span_from(text, text.len - sizeof copy); /* the innermost call stands at the end */
	memcpy(copy, text.data, text.len);
	if (!ts_original_frame(ts_span_of(copy, text.len), &f))
		return true;
	file.id = ts_intern_text(&p->intern, f.file);
	function.id = ts_intern_text(&p->intern, f.function);
	if (file.id == TS_SNAPSHOT_NONE || function.id == TS_SNAPSHOT_NONE)
		return ts_pickle_fail_memory(p);
	line.i = f.line;
	return frame_of(p, file, line, function, ret_frame);
}

/* The same of a value beside a frame. Each text is searched once, however many frames have it: a few bytes refer to one. */
static bool original_of(struct ts_pickle *p, struct ts_pickle_value trace, uint32_t *ret_frame)
{
	struct ts_vector *seen = &p->rows->originals;
	uint32_t *answer;

	*ret_frame = TS_SNAPSHOT_NONE;
	if (trace.kind != TS_VALUE_TEXT)
		return true;
	if (trace.id >= seen->n) {
		size_t more = trace.id + 1 - seen->n;

		if (!ts_vector_room(&p->ration, seen, sizeof *answer, more))
			return ts_pickle_fail_memory(p);
		memset((uint32_t *)seen->data + seen->n, ORIGINAL_UNSEEN, more * sizeof *answer);
		seen->n += more;
	}
	answer = (uint32_t *)seen->data + trace.id;
	if (*answer == ORIGINAL_UNSEEN) {
		if (!search_original(p, ts_intern_text_of(&p->intern, trace.id), ret_frame))
			return false;
		*answer = *ret_frame == TS_SNAPSHOT_NONE ? ORIGINAL_NONE : *ret_frame + ORIGINAL_FRAME;
	}
	*ret_frame = *answer == ORIGINAL_NONE ? TS_SNAPSHOT_NONE : *answer - ORIGINAL_FRAME;
	return true;
}

static struct ts_pickle_value key_of(enum ts_row_key key)
{
	return (struct ts_pickle_value){.kind = TS_VALUE_TEXT, .id = key};
}

bool ts_rows_tuple(struct ts_pickle *p, const struct ts_pickle_value *items, size_t n, uint32_t *ret_frame)
{
	*ret_frame = TS_SNAPSHOT_NONE;
	if (n != 3 || items[0].kind != TS_VALUE_TEXT || items[2].kind != TS_VALUE_TEXT ||
	    (items[1].kind != TS_VALUE_INT && items[1].kind != TS_VALUE_UINT && items[1].kind != TS_VALUE_OTHER))
		return true;
	if (!is_line(items[1]))
		lose(p, key_of(TS_KEY_LINE));
	return frame_of(p, items[0], items[1], items[2], ret_frame);
}

/* What stands beside a frame of generated code. These words are no known keys (snapshot_keys.inc), which are texts of every snapshot:
 * one that has none of them would be stored with other bytes than before. */
static bool is_word(struct ts_pickle *p, struct ts_pickle_value key, const char *word)
{
	return key.kind == TS_VALUE_TEXT && !known(key) && ts_span_is(ts_intern_text_of(&p->intern, key.id), word);
}

static bool is_of_frames(struct ts_pickle *p, struct ts_pickle_value key)
{
	if (known(key))
		return key.id == TS_KEY_FILENAME || key.id == TS_KEY_LINE || key.id == TS_KEY_NAME;
	return is_word(p, key, "fx_node_op") || is_word(p, key, "fx_node_name") || is_word(p, key, "fx_original_trace");
}

bool ts_rows_frame(struct ts_pickle *p, const struct ts_pickle_value *pairs, size_t n, uint32_t *ret_frame)
{
	struct ts_pickle_value file = {0}, line = {0}, function = {0}, original = {0};

	*ret_frame = TS_SNAPSHOT_NONE;
	for (size_t i = 0; i < n; i += 2) {
		if (is_word(p, pairs[i], "fx_original_trace"))
			original = pairs[i + 1];
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
	if (file.kind != TS_VALUE_TEXT)
		lose(p, key_of(TS_KEY_FILENAME));
	if (function.kind != TS_VALUE_TEXT)
		lose(p, key_of(TS_KEY_NAME));
	if (!is_line(line))
		lose(p, key_of(TS_KEY_LINE));
	for (size_t i = 0; n > 6 && i < n; i += 2)
		if (!is_of_frames(p, pairs[i]))
			ts_rows_pass(p->rows, pairs[i]);
	if (!original_of(p, original, ret_frame))
		return false;
	return *ret_frame != TS_SNAPSHOT_NONE || frame_of(p, file, line, function, ret_frame);
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
		take_word(p, key, v, ts_snapshot_actions, TS_ACTION_OTHER, &e->action);
		return true;
	case TS_KEY_ADDR:
		take_pointer(p, key, v, &e->address);
		return true;
	case TS_KEY_DEVICE_FREE:
		take_size(p, key, v, &e->address);
		return true;
	case TS_KEY_SIZE:
		take_size(p, key, v, &e->size);
		return true;
	case TS_KEY_STREAM:
		take_pointer(p, key, v, &e->stream);
		return true;
	case TS_KEY_TIME_US:
		take_i64(p, key, v, &e->time_us);
		return true;
	case TS_KEY_COMPILE_CONTEXT:
		take_note(p, v, &e->context);
		return true;
	case TS_KEY_USER_METADATA:
		take_note(p, v, &e->metadata);
		return true;
	case TS_KEY_FRAMES:
		return take_stack(p, key, v, &e->stack);
	default:
		if (is_key(p, key, "pool_id"))
			take_pool(p, e->pool, key, v);
		else
			ts_rows_pass(p->rows, key);
		return true;
	}
}

static bool event_of(struct ts_pickle *p, const struct ts_pickle_value *pairs, size_t n, void *row)
{
	struct ts_snapshot_event *e = row;

	*e = (struct ts_snapshot_event){.address = TS_NO_ADDRESS,
					.size = TS_NO_SIZE,
					.pool = {TS_SNAPSHOT_NO_POOL, TS_SNAPSHOT_NO_POOL},
					.time_us = INT64_MIN,
					.stack = TS_SNAPSHOT_NONE,
					.context = TS_SNAPSHOT_NONE,
					.metadata = TS_SNAPSHOT_NONE,
					.action = TS_ACTION_OTHER};
	for (size_t i = 0; i < n; i += 2)
		if (!event_field(p, e, pairs[i], pairs[i + 1]))
			return false;
	if (e->address != TS_NO_ADDRESS && e->size != TS_NO_SIZE)
		return true;
	/* Of which memory, or of how much, is not known: nothing can be replayed of it. */
	if (e->action != TS_ACTION_SNAPSHOT)
		e->action = TS_ACTION_OTHER;
	e->address = e->address == TS_NO_ADDRESS ? 0 : e->address;
	e->size = e->size == TS_NO_SIZE ? 0 : e->size;
	return true;
}

/* --- blocks --- */

static bool history_field(struct ts_pickle *p, struct ts_row_history *h, struct ts_pickle_value key, struct ts_pickle_value v)
{
	switch (known(key) ? key.id : TS_ROW_KEYS) {
	case TS_KEY_REAL_SIZE:
		take_size(p, key, v, &h->size);
		return true;
	case TS_KEY_FRAMES:
		return take_stack(p, key, v, &h->stack);
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
static void take_history(struct ts_pickle *p, struct ts_snapshot_block *b, struct ts_pickle_value key, struct ts_pickle_value v)
{
	const struct ts_pickle_object *o = v.kind == TS_VALUE_OBJECT ? ts_pickle_object_of(p, v.id) : NULL;
	const struct ts_pickle_value none = {.kind = TS_VALUE_NONE};
	const struct ts_row_history *h;
	struct ts_pickle_value newest;

	if (o && o->shape == TS_SHAPE_LIST_EMPTY)
		return;
	newest = o && (o->shape == TS_SHAPE_ROWS || o->shape == TS_SHAPE_LIST) ? ts_pickle_item(o, 0) : none;
	if (newest.kind != TS_VALUE_ROW || newest.row != TS_ROW_HISTORY) {
		lose(p, key);
		return;
	}
	h = (const struct ts_row_history *)p->rows->of[TS_ROW_HISTORY].data + newest.id;
	if (b->requested == TS_NO_SIZE)
		b->requested = h->size;
	if (b->requested == h->size) /* else it was allocated after recording had ended */
		b->stack = h->stack;
}

static bool block_field(struct ts_pickle *p, struct ts_snapshot_block *b, struct ts_pickle_value key, struct ts_pickle_value v)
{
	static const char *const states[] = {"inactive", "active_allocated", "active_pending_free", "active_awaiting_free"};
	uint8_t state = 4;

	switch (known(key) ? key.id : TS_ROW_KEYS) {
	case TS_KEY_ADDRESS:
		take_pointer(p, key, v, &b->address);
		return true;
	case TS_KEY_SIZE:
		take_size(p, key, v, &b->size);
		return true;
	case TS_KEY_REQUESTED_SIZE:
		take_size(p, key, v, &b->requested);
		return true;
	case TS_KEY_STATE:
		take_word(p, key, v, states, 4, &state);
		b->state = (const uint8_t[]){TS_BLOCK_INACTIVE, TS_BLOCK_ACTIVE, TS_BLOCK_PENDING, TS_BLOCK_PENDING,
					     TS_BLOCK_OTHER}[state];
		return true;
	case TS_KEY_FRAMES:
		return take_stack(p, key, v, &b->stack);
	case TS_KEY_HISTORY:
		take_history(p, b, key, v);
		return true;
	default:
		ts_rows_pass(p->rows, key);
		return true;
	}
}

static bool block_of(struct ts_pickle *p, const struct ts_pickle_value *pairs, size_t n, void *row)
{
	struct ts_snapshot_block *b = row;

	*b = (struct ts_snapshot_block){.address = TS_NO_ADDRESS,
					.size = TS_NO_SIZE,
					.requested = TS_NO_SIZE,
					.stack = TS_SNAPSHOT_NONE,
					.state = TS_BLOCK_OTHER};
	for (size_t i = 0; i < n; i += 2)
		if (!block_field(p, b, pairs[i], pairs[i + 1]))
			return false;
	return true;
}

/* --- segments --- */

static bool take_blocks(struct ts_pickle *p, struct ts_row_segment *s, struct ts_pickle_value key, struct ts_pickle_value v)
{
	struct ts_pickle_object *o = v.kind == TS_VALUE_OBJECT ? ts_pickle_object_of(p, v.id) : NULL;

	if (!o || o->shape == TS_SHAPE_STACK || o->shape >= TS_SHAPE_TUPLE) {
		lose(p, key);
		return true;
	}
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
	uint8_t type = 0;

	switch (known(key) ? key.id : TS_ROW_KEYS) {
	case TS_KEY_ADDRESS:
		take_pointer(p, key, v, &s->address);
		return true;
	case TS_KEY_TOTAL_SIZE:
		take_size(p, key, v, &s->total);
		return true;
	case TS_KEY_ALLOCATED_SIZE:
		take_size(p, key, v, &s->allocated);
		return true;
	case TS_KEY_ACTIVE_SIZE:
		take_size(p, key, v, &s->active);
		return true;
	case TS_KEY_REQUESTED_SIZE:
		take_size(p, key, v, &s->requested);
		return true;
	case TS_KEY_STREAM:
		take_pointer(p, key, v, &s->stream);
		return true;
	case TS_KEY_DEVICE:
		take_device(p, key, v, &s->device);
		return true;
	case TS_KEY_SEGMENT_TYPE:
		take_word(p, key, v, types, 2, &type);
		s->small = type == 1;
		return true;
	case TS_KEY_SEGMENT_POOL_ID:
		take_pool(p, s->pool, key, v);
		return true;
	case TS_KEY_IS_EXPANDABLE:
		take_bool(p, key, v, &s->expandable);
		return true;
	case TS_KEY_FRAMES:
		return take_stack(p, key, v, &s->stack);
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
		take_text(p, key, v, &m->stage);
		return true;
	case TS_KEY_NAME:
		take_text(p, key, v, &m->name);
		return true;
	case TS_KEY_DEVICE: /* below 0: of no device */
		if (v.kind != TS_VALUE_INT || v.i >= 0)
			take_device(p, key, v, &m->device);
		return true;
	case TS_KEY_TIME_US:
		take_i64(p, key, v, &m->time_us);
		return true;
	default:
		ts_rows_pass(p->rows, key);
		return true;
	}
}

static bool mark_of(struct ts_pickle *p, const struct ts_pickle_value *pairs, size_t n, void *row)
{
	struct ts_snapshot_mark *m = row;

	*m = (struct ts_snapshot_mark){
		.time_us = INT64_MIN, .name = TS_SNAPSHOT_NONE, .stage = TS_SNAPSHOT_NONE, .device = UINT16_MAX};
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
