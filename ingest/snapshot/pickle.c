#include "ingest/snapshot/pickle.h"

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/number.h"
#include "ingest/snapshot/pickle_op.h"
#include "ingest/snapshot/snapshot_rows.h"


enum { WINDOW = TS_PICKLE_TEXT_MAX + (1 << 18), MEMO_SHIFT = 56, BATCH = 1000 };

typedef bool op_fn(struct ts_pickle *p);

/* --- errors --- */

static bool misplaced(struct ts_pickle *p, const char *what)
{
	return ts_pickle_fail(p, TS_INVALID, "%s", what);
}

/* --- bytes --- */

static bool refill(struct ts_pickle *p, size_t n)
{
	size_t left = (size_t)(p->end - p->at), got = 1;

	p->window_at += (uint64_t)(p->at - p->window);
	memmove(p->window, p->at, left);
	p->at = p->window;
	p->end = p->window + left;
	while (left < n && got) {
		if (ts_inflow_read(p->in, p->window + left, WINDOW - left, &got, p->err))
			return false;
		left += got;
	}
	p->ration.read += left - (size_t)(p->end - p->at);
	p->end = p->window + left;
	if (left >= n)
		return true;
	if (ts_inflow_whole(p->in, p->err))
		return false;
	return ts_pickle_fail(p, TS_DAMAGED, "the file ends here, before the pickle does");
}

/* Makes *ret_bytes the next n bytes, of which the window has room for all. */
static inline bool take(struct ts_pickle *p, size_t n, const uint8_t **ret_bytes)
{
	if ((size_t)(p->end - p->at) < n && !refill(p, n))
		return false;
	*ret_bytes = p->at;
	p->at += n;
	return true;
}

/* Goes over n bytes, of any number. */
static bool over(struct ts_pickle *p, uint64_t n)
{
	const uint8_t *bytes;

	for (; n > TS_PICKLE_TEXT_MAX; n -= TS_PICKLE_TEXT_MAX)
		if (!take(p, TS_PICKLE_TEXT_MAX, &bytes))
			return false;
	return take(p, (size_t)n, &bytes);
}

/* --- the stack, the memo, objects --- */

static inline bool push(struct ts_pickle *p, struct ts_pickle_value value)
{
	if (p->stack.n == p->stack.cap) {
		if (p->stack.n >= TS_PICKLE_STACK_MAX)
			return ts_pickle_fail(p, TS_TOO_LARGE, "more than %d values wait for a list or a dict", TS_PICKLE_STACK_MAX);
		if (!ts_vector_room(&p->ration, &p->stack, sizeof value, 1))
			return ts_pickle_fail_memory(p);
	}
	((struct ts_pickle_value *)p->stack.data)[p->stack.n++] = value;
	return true;
}

static struct ts_pickle_value *top(struct ts_pickle *p, size_t below)
{
	size_t floor = p->marks.n ? ((const size_t *)p->marks.data)[p->marks.n - 1] : 0;

	return p->stack.n < floor + below ? NULL : (struct ts_pickle_value *)p->stack.data + p->stack.n - below;
}

static bool push_id(struct ts_pickle *p, enum ts_pickle_kind kind, uint32_t id)
{
	if (id == TS_SNAPSHOT_NONE)
		return ts_pickle_fail_memory(p);
	return push(p, (struct ts_pickle_value){.kind = (uint8_t)kind, .id = id});
}

static bool push_kind(struct ts_pickle *p, enum ts_pickle_kind kind)
{
	return push(p, (struct ts_pickle_value){.kind = (uint8_t)kind});
}

static bool push_int(struct ts_pickle *p, int64_t i)
{
	return push(p, (struct ts_pickle_value){.kind = TS_VALUE_INT, .i = i});
}

static bool push_object(struct ts_pickle *p, enum ts_pickle_shape shape, const struct ts_pickle_value *items, uint32_t n)
{
	struct ts_pickle_object o = {.shape = (uint8_t)shape, .n = n, .cap = n};

	if (p->objects.n >= UINT32_MAX - 1)
		return ts_pickle_fail(p, TS_TOO_LARGE, "more lists and dicts than can be numbered");
	if (!ts_vector_room(&p->ration, &p->objects, sizeof o, 1) || !ts_ration_take(&p->ration, n * sizeof *items))
		return ts_pickle_fail_memory(p);
	if (n) {
		o.items = ts_alloc(n * sizeof *items);
		if (!o.items)
			return ts_pickle_fail(p, TS_NO_MEMORY, "out of memory");
		memcpy(o.items, items, n * sizeof *items);
	}
	((struct ts_pickle_object *)p->objects.data)[p->objects.n] = o;
	return push_id(p, TS_VALUE_OBJECT, (uint32_t)p->objects.n++);
}

static bool remember(struct ts_pickle *p, uint64_t index)
{
	const struct ts_pickle_value *value = top(p, 1);
	uint64_t *memo;

	if (!value || value->kind < TS_VALUE_TEXT)
		return misplaced(p, "the memo is given no text, list, dict or tuple");
	if (index >= p->memo.n) {
		size_t more = (size_t)index + 1 - p->memo.n;

		if (!ts_vector_room(&p->ration, &p->memo, sizeof *memo, more))
			return ts_pickle_fail_memory(p);
		memset((uint64_t *)p->memo.data + p->memo.n, 0, more * sizeof *memo);
		p->memo.n += more;
	}
	memo = (uint64_t *)p->memo.data + index;
	p->memo_used += !*memo;
	*memo = (uint64_t)value->kind << MEMO_SHIFT | value->id;
	return true;
}

static inline bool recall(struct ts_pickle *p, uint64_t index)
{
	struct ts_pickle_value value;
	uint64_t *memo = NULL;

	if (index < p->memo.n)
		memo = (uint64_t *)p->memo.data + index;
	if (!memo || !*memo)
		return ts_pickle_fail(p, TS_INVALID, "the memo has no value %" PRIu64, index);
	value = (struct ts_pickle_value){.kind = (uint8_t)(*memo >> MEMO_SHIFT), .id = (uint32_t)*memo};
	if (value.kind == TS_VALUE_OBJECT) {
		const struct ts_pickle_object *o = ts_pickle_object_of(p, value.id);

		if (o->shape == TS_SHAPE_FRAME) {
			value = (struct ts_pickle_value){.kind = TS_VALUE_FRAME, .id = o->first};
			*memo = (uint64_t)TS_VALUE_FRAME << MEMO_SHIFT | o->first;
		}
	}
	return push(p, value);
}

/* --- lists --- */

static bool items_room(struct ts_pickle *p, struct ts_pickle_object *o, size_t more)
{
	struct ts_vector v = {.data = o->items, .n = o->n, .cap = o->cap};

	if (more > UINT32_MAX - o->n || !ts_vector_room(&p->ration, &v, sizeof *o->items, more) || v.cap > UINT32_MAX)
		return ts_pickle_fail_memory(p);
	o->items = v.data;
	o->cap = (uint32_t)v.cap;
	return true;
}

/* A list of rows or of frames becomes one of items. */
static bool spread(struct ts_pickle *p, struct ts_pickle_object *o)
{
	struct ts_pickle_object list = {.shape = TS_SHAPE_LIST};
	const struct ts_snapshot_stack *stacks = p->intern.stacks.data;
	const uint32_t *frames = NULL;
	uint32_t n = o->n;

	if (o->shape == TS_SHAPE_STACK) {
		n = stacks[o->first].n;
		frames = (const uint32_t *)p->intern.stack_frames.data + stacks[o->first].first;
	}
	if (!items_room(p, &list, n))
		return false;
	for (uint32_t i = 0; i < n; i++)
		list.items[i] = frames ? (struct ts_pickle_value){.kind = TS_VALUE_FRAME, .id = frames[i]} : ts_pickle_item(o, i);
	list.n = n;
	*o = list;
	return true;
}

/* Dicts that are rows are rows from now on. */
static void resolve(const struct ts_pickle *p, struct ts_pickle_value *items, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct ts_pickle_object *o;

		if (items[i].kind != TS_VALUE_OBJECT)
			continue;
		o = ts_pickle_object_of(p, items[i].id);
		if (o->shape == TS_SHAPE_ROW)
			items[i] = (struct ts_pickle_value){.kind = TS_VALUE_ROW, .row = o->row, .id = o->first};
	}
}

static size_t rows_that_follow(struct ts_pickle_object *o, const struct ts_pickle_value *items, size_t n)
{
	size_t i = 0;

	while (i < n && items[i].kind == TS_VALUE_ROW && items[i].row == o->row && items[i].id == (uint64_t)o->first + o->n + i)
		i++;
	o->n += (uint32_t)i;
	return i;
}

static bool append(struct ts_pickle *p, struct ts_pickle_value list, struct ts_pickle_value *items, size_t n)
{
	struct ts_pickle_object *o = list.kind == TS_VALUE_OBJECT ? ts_pickle_object_of(p, list.id) : NULL;
	size_t done = 0;

	if (!o || o->shape == TS_SHAPE_TUPLE || o->shape >= TS_SHAPE_DICT_EMPTY)
		return misplaced(p, "what is appended to is no list");
	if (o->taken)
		return misplaced(p, "a list of frames, events or blocks changes after it was used");
	if (!n)
		return true;
	resolve(p, items, n);
	/* Of a stack of more frames than a batch has, more will come. */
	if (o->shape == TS_SHAPE_LIST_EMPTY && n < BATCH && ts_pickle_are_frames(items, n)) {
		o->shape = TS_SHAPE_STACK;
		return ts_pickle_stack_put(p, items, n, &o->first);
	}
	if (o->shape == TS_SHAPE_LIST_EMPTY) {
		*o = (struct ts_pickle_object){.shape = TS_SHAPE_LIST};
		if (items[0].kind == TS_VALUE_ROW)
			*o = (struct ts_pickle_object){.shape = TS_SHAPE_ROWS, .row = items[0].row, .first = items[0].id};
	}
	if (o->shape == TS_SHAPE_ROWS)
		done = rows_that_follow(o, items, n);
	if (done == n)
		return true;
	if (o->shape != TS_SHAPE_LIST && !spread(p, o))
		return false;
	if (!items_room(p, o, n - done))
		return false;
	memcpy(o->items + o->n, items + done, (n - done) * sizeof *items);
	o->n += (uint32_t)(n - done);
	return true;
}

/* --- dicts --- */

static bool fill(struct ts_pickle *p, struct ts_pickle_value *dict, const struct ts_pickle_value *pairs, size_t n)
{
	struct ts_pickle_object *o = dict->kind == TS_VALUE_OBJECT ? ts_pickle_object_of(p, dict->id) : NULL;
	enum ts_row_kind kind = TS_ROW_NONE;
	uint32_t row;

	if (!o || o->shape < TS_SHAPE_DICT_EMPTY)
		return misplaced(p, "what is filled is no dict");
	if (n % 2)
		return misplaced(p, "a dict gets a key without a value");
	if (o->shape == TS_SHAPE_ROW || o->shape == TS_SHAPE_FRAME)
		return misplaced(p, "a frame, event or block changes after it was filled");
	if (!n)
		return true;
	if (o->shape == TS_SHAPE_DICT_EMPTY) {
		if (!ts_rows_frame(p, pairs, n, &row))
			return false;
		if (row != TS_SNAPSHOT_NONE) {
			*o = (struct ts_pickle_object){.shape = TS_SHAPE_FRAME, .first = row};
			*dict = (struct ts_pickle_value){.kind = TS_VALUE_FRAME, .id = row};
			return true;
		}
		if (!ts_rows_take(p, pairs, n, &kind, &row))
			return false;
		*o = (struct ts_pickle_object){.shape = TS_SHAPE_DICT};
	}
	if (kind != TS_ROW_NONE) {
		*o = (struct ts_pickle_object){.shape = TS_SHAPE_ROW, .row = (uint8_t)kind, .first = row};
		return true;
	}
	if (!items_room(p, o, n))
		return false;
	memcpy(o->items + o->n, pairs, n * sizeof *pairs);
	o->n += (uint32_t)n;
	return true;
}

/* --- opcodes --- */

/* The values above the last mark, which goes; false: there is none. */
static bool above_mark(struct ts_pickle *p, size_t below, struct ts_pickle_value **ret_items, size_t *ret_n)
{
	size_t at;

	if (!p->marks.n)
		return misplaced(p, "there is no MARK");
	at = ((const size_t *)p->marks.data)[--p->marks.n];
	*ret_items = (struct ts_pickle_value *)p->stack.data + at;
	*ret_n = p->stack.n - at;
	p->stack.n = at;
	return top(p, below) || misplaced(p, "below the MARK there is nothing to fill");
}

static bool op_mark(struct ts_pickle *p)
{
	if (!ts_vector_room(&p->ration, &p->marks, sizeof(size_t), 1))
		return ts_pickle_fail_memory(p);
	((size_t *)p->marks.data)[p->marks.n++] = p->stack.n;
	return true;
}

static bool op_append(struct ts_pickle *p)
{
	struct ts_pickle_value *two = top(p, 2);

	if (!two)
		return misplaced(p, "APPEND without a list and a value");
	p->stack.n--;
	return append(p, two[0], &two[1], 1);
}

static bool op_appends(struct ts_pickle *p)
{
	struct ts_pickle_value *items;
	size_t n;

	return above_mark(p, 1, &items, &n) && append(p, items[-1], items, n);
}

static bool op_setitem(struct ts_pickle *p)
{
	struct ts_pickle_value *three = top(p, 3);

	if (!three)
		return misplaced(p, "SETITEM without a dict, a key and a value");
	p->stack.n -= 2;
	return fill(p, three, three + 1, 2);
}

static bool op_setitems(struct ts_pickle *p)
{
	struct ts_pickle_value *items;
	size_t n;

	return above_mark(p, 1, &items, &n) && fill(p, items - 1, items, n);
}

static bool make_tuple(struct ts_pickle *p, const struct ts_pickle_value *items, size_t n)
{
	uint32_t frame;

	if (!ts_rows_tuple(p, items, n, &frame))
		return false;
	if (frame != TS_SNAPSHOT_NONE)
		return push_id(p, TS_VALUE_FRAME, frame);
	return push_object(p, TS_SHAPE_TUPLE, items, (uint32_t)n);
}

static bool op_tuple(struct ts_pickle *p)
{
	struct ts_pickle_value *items;
	size_t n;

	return above_mark(p, 0, &items, &n) && make_tuple(p, items, n);
}

static bool tuple_of(struct ts_pickle *p, size_t n)
{
	const struct ts_pickle_value *items = top(p, n);

	if (!items)
		return misplaced(p, "a tuple of values that are not there");
	p->stack.n -= n;
	return make_tuple(p, items, n);
}

static bool op_tuple1(struct ts_pickle *p)
{
	return tuple_of(p, 1);
}

static bool op_tuple2(struct ts_pickle *p)
{
	return tuple_of(p, 2);
}

static bool op_tuple3(struct ts_pickle *p)
{
	return tuple_of(p, 3);
}

static bool op_empty_tuple(struct ts_pickle *p)
{
	return push_object(p, TS_SHAPE_TUPLE, NULL, 0);
}

static bool op_empty_list(struct ts_pickle *p)
{
	return push_object(p, TS_SHAPE_LIST_EMPTY, NULL, 0);
}

static bool op_empty_dict(struct ts_pickle *p)
{
	return push_object(p, TS_SHAPE_DICT_EMPTY, NULL, 0);
}

static bool op_none(struct ts_pickle *p)
{
	return push_kind(p, TS_VALUE_NONE);
}

static bool op_true(struct ts_pickle *p)
{
	return push_kind(p, TS_VALUE_TRUE);
}

static bool op_false(struct ts_pickle *p)
{
	return push_kind(p, TS_VALUE_FALSE);
}

static bool take_uint(struct ts_pickle *p, size_t n, uint64_t *ret)
{
	const uint8_t *bytes;

	if (!take(p, n, &bytes))
		return false;
	*ret = ts_load_le(bytes, (int)n);
	return true;
}

static bool op_binint(struct ts_pickle *p)
{
	uint64_t v;

	return take_uint(p, 4, &v) && push_int(p, (int32_t)(uint32_t)v);
}

static bool op_binint1(struct ts_pickle *p)
{
	uint64_t v;

	return take_uint(p, 1, &v) && push_int(p, (int64_t)v);
}

static bool op_binint2(struct ts_pickle *p)
{
	uint64_t v;

	return take_uint(p, 2, &v) && push_int(p, (int64_t)v);
}

/* Two's complement, least byte first. */
static bool long_of(struct ts_pickle *p, uint64_t n)
{
	const uint8_t *bytes;
	uint64_t v;

	if (n > 9)
		return over(p, n) && push_kind(p, TS_VALUE_OTHER);
	if (!take(p, (size_t)n, &bytes))
		return false;
	v = ts_load_le(bytes, n < 8 ? (int)n : 8);
	if (n == 9)
		return bytes[8] ? push_kind(p, TS_VALUE_OTHER)
				: push(p, (struct ts_pickle_value){.kind = TS_VALUE_UINT, .u = v});
	if (n && n < 8 && bytes[n - 1] & 0x80)
		v |= UINT64_MAX << (8 * n);
	return push_int(p, (int64_t)v);
}

static bool op_long1(struct ts_pickle *p)
{
	uint64_t n;

	return take_uint(p, 1, &n) && long_of(p, n);
}

/* Its length has a sign, and none below 0 is one. */
static bool op_long4(struct ts_pickle *p)
{
	uint64_t n;

	if (!take_uint(p, 4, &n))
		return false;
	if (n > INT32_MAX)
		return ts_pickle_fail(p, TS_INVALID, "an integer of %d bytes", (int)(int32_t)(uint32_t)n);
	return long_of(p, n);
}

static bool op_binfloat(struct ts_pickle *p)
{
	const uint8_t *bytes;
	uint64_t bits = 0;

	if (!take(p, 8, &bytes))
		return false;
	for (int i = 0; i < 8; i++)
		bits = bits << 8 | bytes[i];
	return push(p, (struct ts_pickle_value){.kind = TS_VALUE_FLOAT, .f = ts_bits_double(bits)});
}

static bool text_of(struct ts_pickle *p, size_t length_bytes, enum ts_pickle_kind kind)
{
	const uint8_t *bytes;
	uint64_t n;

	if (!take_uint(p, length_bytes, &n))
		return false;
	if (n > TS_PICKLE_TEXT_MAX)
		return over(p, n) && push_id(p, TS_VALUE_BYTES, ts_intern_text(&p->intern, ts_span_str("(too long to be kept)")));
	return take(p, (size_t)n, &bytes) && push_id(p, kind, ts_intern_text(&p->intern, ts_span_of(bytes, (size_t)n)));
}

static bool op_text1(struct ts_pickle *p)
{
	return text_of(p, 1, TS_VALUE_TEXT);
}

static bool op_text4(struct ts_pickle *p)
{
	return text_of(p, 4, TS_VALUE_TEXT);
}

static bool op_text8(struct ts_pickle *p)
{
	return text_of(p, 8, TS_VALUE_TEXT);
}

static bool op_bytes1(struct ts_pickle *p)
{
	return text_of(p, 1, TS_VALUE_BYTES);
}

static bool op_bytes4(struct ts_pickle *p)
{
	return text_of(p, 4, TS_VALUE_BYTES);
}

static bool op_bytes8(struct ts_pickle *p)
{
	return text_of(p, 8, TS_VALUE_BYTES);
}

static bool op_binget(struct ts_pickle *p)
{
	const uint8_t *bytes;

	return take(p, 1, &bytes) && recall(p, bytes[0]);
}

static bool op_long_binget(struct ts_pickle *p)
{
	const uint8_t *bytes;

	return take(p, 4, &bytes) && recall(p, ts_load_u32(bytes));
}

static bool op_binput(struct ts_pickle *p)
{
	uint64_t index;

	return take_uint(p, 1, &index) && remember(p, index);
}

static bool op_long_binput(struct ts_pickle *p)
{
	uint64_t index;

	return take_uint(p, 4, &index) && remember(p, index);
}

static bool op_memoize(struct ts_pickle *p)
{
	return remember(p, p->memo_used);
}

static bool op_proto(struct ts_pickle *p)
{
	uint64_t protocol;

	if (!take_uint(p, 1, &protocol))
		return false;
	if (p->op_at != 0)
		return misplaced(p, "a second PROTO");
	return (protocol >= 2 && protocol <= 5) ||
	       ts_pickle_fail(p, TS_UNSUPPORTED, "protocol %" PRIu64 ", but protocols 2 to 5 are read", protocol);
}

/* Says how far one may read ahead; Python refuses a file that ends before that. */
static bool op_frame(struct ts_pickle *p)
{
	uint64_t bytes, at;

	if (!take_uint(p, 8, &bytes))
		return false;
	at = ts_pickle_offset(p);
	bytes = bytes > UINT64_MAX - at ? UINT64_MAX : at + bytes;
	p->frame_end = bytes > p->frame_end ? bytes : p->frame_end;
	return true;
}

static bool op_stop(struct ts_pickle *p)
{
	p->stopped = true;
	if (p->frame_end > ts_pickle_offset(p))
		return ts_pickle_fail(p, TS_INVALID, "STOP, and a FRAME before it reaches on to byte %" PRIu64, p->frame_end);
	return (p->stack.n == 1 && !p->marks.n) || ts_pickle_fail(p, TS_INVALID, "STOP with %zu values, not one", p->stack.n);
}

static op_fn *const ops[256] = {
	[TS_PICKLE_MARK] = op_mark,
	[TS_PICKLE_EMPTY_TUPLE] = op_empty_tuple,
	[TS_PICKLE_STOP] = op_stop,
	[TS_PICKLE_BINFLOAT] = op_binfloat,
	[TS_PICKLE_BINBYTES] = op_bytes4,
	[TS_PICKLE_SHORT_BINBYTES] = op_bytes1,
	[TS_PICKLE_BININT] = op_binint,
	[TS_PICKLE_BININT1] = op_binint1,
	[TS_PICKLE_BININT2] = op_binint2,
	[TS_PICKLE_NONE] = op_none,
	[TS_PICKLE_BINSTRING] = op_text4, /* Python 2's str; a negative length is too long */
	[TS_PICKLE_SHORT_BINSTRING] = op_text1,
	[TS_PICKLE_BINUNICODE] = op_text4,
	[TS_PICKLE_EMPTY_LIST] = op_empty_list,
	[TS_PICKLE_APPEND] = op_append,
	[TS_PICKLE_APPENDS] = op_appends,
	[TS_PICKLE_BINGET] = op_binget,
	[TS_PICKLE_LONG_BINGET] = op_long_binget,
	[TS_PICKLE_BINPUT] = op_binput,
	[TS_PICKLE_LONG_BINPUT] = op_long_binput,
	[TS_PICKLE_SETITEM] = op_setitem,
	[TS_PICKLE_TUPLE] = op_tuple,
	[TS_PICKLE_SETITEMS] = op_setitems,
	[TS_PICKLE_EMPTY_DICT] = op_empty_dict,
	[TS_PICKLE_PROTO] = op_proto,
	[TS_PICKLE_TUPLE1] = op_tuple1,
	[TS_PICKLE_TUPLE2] = op_tuple2,
	[TS_PICKLE_TUPLE3] = op_tuple3,
	[TS_PICKLE_NEWTRUE] = op_true,
	[TS_PICKLE_NEWFALSE] = op_false,
	[TS_PICKLE_LONG1] = op_long1,
	[TS_PICKLE_LONG4] = op_long4,
	[TS_PICKLE_SHORT_BINUNICODE] = op_text1,
	[TS_PICKLE_BINUNICODE8] = op_text8,
	[TS_PICKLE_BINBYTES8] = op_bytes8,
	[TS_PICKLE_MEMOIZE] = op_memoize,
	[TS_PICKLE_FRAME] = op_frame,
	[TS_PICKLE_BYTEARRAY8] = op_bytes8,
};

static bool refuse(struct ts_pickle *p, uint8_t code)
{
	const struct ts_pickle_refusal *r = ts_pickle_refused(code);

	if (p->op_at == 0)
		return ts_pickle_fail(p, TS_INVALID, "this is no pickle of protocol 2 to 5, which begins with 0x80, but with 0x%02x",
				      code);
	if (!r)
		return ts_pickle_fail(p, TS_INVALID, "0x%02x is no opcode of pickle", code);
	return ts_pickle_fail(p, TS_UNSUPPORTED, "opcode %s is refused: %s, and a snapshot is plain data", r->name, r->why);
}

static bool run(struct ts_pickle *p)
{
	const uint8_t *code;

	while (!p->stopped) {
		p->op_at = ts_pickle_offset(p);
		if (!take(p, 1, &code))
			return false;
		if (p->op_at == 0 && *code != TS_PICKLE_PROTO)
			return refuse(p, *code);
		if (!ops[*code])
			return refuse(p, *code);
		if (!ops[*code](p))
			return false;
	}
	return true;
}

enum ts_status ts_pickle_run(struct ts_pickle *p, struct ts_pickle_value *ret_top, struct ts_error *err)
{
	p->err = err;
	if (!run(p))
		return err->status;
	*ret_top = ((const struct ts_pickle_value *)p->stack.data)[0];
	return TS_OK;
}

/* --- what a file that ends too early has --- */

static bool is_outermost_key(uint32_t text)
{
	return text == TS_KEY_SEGMENTS || text == TS_KEY_DEVICE_TRACES || text == TS_KEY_ALLOCATOR_SETTINGS ||
	       text == TS_KEY_EXTERNAL_ANNOTATIONS;
}

/* Whether a dict of one pair stands here, which has no MARK, and behind it the pair that the file ends in. */
static bool is_unfilled(struct ts_pickle *p, const struct ts_pickle_value *items, size_t i, size_t n)
{
	return items[i].kind == TS_VALUE_OBJECT && ts_pickle_object_of(p, items[i].id)->shape == TS_SHAPE_DICT_EMPTY && i + 1 < n &&
	       items[i + 1].kind == TS_VALUE_TEXT && !is_outermost_key(items[i + 1].id);
}

/* Fills the outermost dict with its whole pairs. A list with one item has no MARK: where the file ends before APPEND, the item stands
 * behind its list. */
static bool settle_pairs(struct ts_pickle *p, struct ts_pickle_value *dict, struct ts_pickle_value *items, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i + 1 < n && items[i].kind == TS_VALUE_TEXT;) {
		items[kept++] = items[i];
		items[kept++] = items[i + 1];
		if (is_unfilled(p, items, i + 1, n))
			break;
		for (i += 2; i < n && items[i].kind == TS_VALUE_OBJECT; i++)
			if (!append(p, items[i - 1], &items[i], 1))
				return false;
	}
	return fill(p, dict, items, kept);
}

static bool settle_level(struct ts_pickle *p)
{
	size_t at = ((const size_t *)p->marks.data)[--p->marks.n], n = p->stack.n - at;
	struct ts_pickle_value *items = (struct ts_pickle_value *)p->stack.data + at;
	enum ts_pickle_shape shape;

	p->stack.n = at;
	if (!at || items[-1].kind != TS_VALUE_OBJECT)
		return true;
	shape = ts_pickle_object_of(p, items[-1].id)->shape;
	if (shape <= TS_SHAPE_LIST || shape == TS_SHAPE_ROWS)
		return append(p, items[-1], items, n);
	if (shape != TS_SHAPE_DICT_EMPTY && shape != TS_SHAPE_DICT)
		return true;
	if (at == 1)
		return settle_pairs(p, &items[-1], items, n);
	p->stack.n--;
	return true;
}

bool ts_pickle_settle(struct ts_pickle *p, struct ts_pickle_value *ret_top)
{
	while (p->marks.n)
		if (!settle_level(p))
			return false;
	if (!p->stack.n)
		return false;
	*ret_top = ((const struct ts_pickle_value *)p->stack.data)[0];
	return true;
}

/* --- its life --- */

enum ts_status ts_pickle_init(struct ts_pickle *p, struct ts_inflow *in, struct ts_span path, struct ts_error *err)
{
	*p = (struct ts_pickle){.path = path, .in = in, .err = err};
	if (ts_intern_init(&p->intern, &p->ration, err))
		return ts_error_prefix(err, "%.*s", TS_SPAN_ARG(path));
	p->window = ts_alloc(WINDOW);
	p->rows = ts_alloc_array(1, sizeof *p->rows);
	p->at = p->end = p->window;
	if (!p->window || !p->rows)
		return ts_error_set(err, TS_NO_MEMORY, "%.*s: out of memory", TS_SPAN_ARG(path));
	for (int i = 0; i < TS_ROW_KEYS; i++)
		(void)ts_intern_text(&p->intern, ts_span_str(ts_row_key_word((enum ts_row_key)i)));
	if (p->ration.failed || !ts_vector_room(&p->ration, &p->stack, sizeof(struct ts_pickle_value), 1)) {
		(void)ts_pickle_fail_memory(p);
		return err->status;
	}
	return TS_OK;
}

void ts_pickle_forget(struct ts_pickle *p)
{
	ts_free(p->window);
	p->window = NULL;
	p->at = p->end = NULL;
	ts_vector_finish(&p->ration, &p->stack, sizeof(struct ts_pickle_value));
	ts_vector_finish(&p->ration, &p->marks, sizeof(size_t));
	ts_vector_finish(&p->ration, &p->memo, sizeof(uint64_t));
	ts_vector_finish(&p->ration, &p->scratch, sizeof(uint32_t));
}

void ts_pickle_finish(struct ts_pickle *p)
{
	struct ts_pickle_object *objects = p->objects.data;

	ts_pickle_forget(p);
	for (size_t i = 0; i < p->objects.n; i++)
		ts_free(objects[i].items);
	ts_vector_finish(&p->ration, &p->objects, sizeof *objects);
	for (int i = 0; p->rows && i < TS_ROW_KINDS; i++)
		ts_vector_finish(&p->ration, &p->rows->of[i], ts_row_size((enum ts_row_kind)i));
	if (p->rows)
		ts_vector_finish(&p->ration, &p->rows->originals, sizeof(uint32_t));
	ts_free(p->rows);
	p->rows = NULL;
	ts_intern_finish(&p->intern);
}
