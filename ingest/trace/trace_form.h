/* trace_form.h - the scanner itself, compiled once for each form (trace_event.h): a file that includes it says TS_TRACE_FORM. */
#ifndef TSCOPE_INGEST_TRACE_TRACE_FORM_H
#define TSCOPE_INGEST_TRACE_TRACE_FORM_H

#include "ingest/trace/trace_event.h"
#include "ingest/trace/trace_scan.h"

#include <math.h>

/* What is called for each value is part of its caller: calls would cost a third of the time. */
#define TS_INLINE static inline __attribute__((always_inline))

static __attribute__((cold, noinline)) const uint8_t *lacks(struct ts_trace_place *place, const uint8_t *p, const char *expected)
{
	place->p = p;
	place->expected = expected;
	return NULL;
}

TS_INLINE const uint8_t *over_blanks(const uint8_t *p)
{
	scan_mask m;

	if (*p > ' ')
		return p;
	if (*p == ' ' && p[1] > ' ')
		return p + 1;
	while (!(m = scan_no_blanks(p)))
		p += SCAN_STEP;
	return p + scan_first(m);
}

static const uint8_t *blanks(const uint8_t *p)
{
	return over_blanks(p);
}

/* p stands behind the opening quote. Returns the closing one, which may lie behind the input. */
TS_INLINE const uint8_t *string_end(const uint8_t *p, bool *escaped)
{
	scan_mask m = scan_first_quotes(p);
	size_t step = SCAN_FIRST;

	for (;;) {
		if (m) {
			p += scan_first(m);
			if (*p == '"')
				return p;
			*escaped = true;
			p += 2;
		} else {
			p += step;
		}
		m = scan_quotes(p);
		step = SCAN_STEP;
	}
}

TS_INLINE const uint8_t *string(struct ts_trace_place *place, const uint8_t *p, struct ts_trace_text *ret)
{
	struct ts_trace_text text = {.data = p + 1};
	const uint8_t *close = string_end(p + 1, &text.escaped);

	if (close >= place->end)
		return lacks(place, place->end, "the end of a string");
	text.len = (uint32_t)(close - text.data);
	*ret = text;
	return close + 1;
}

/* Goes over an array or an object. Commas and colons are not looked at. */
static const uint8_t *nested(struct ts_trace_place *place, const uint8_t *p)
{
	uint64_t square = 0;
	int depth = 0;
	bool escaped;

	for (;;) {
		scan_mask m;

		while (!(m = scan_nest(p)))
			p += SCAN_STEP;
		p += scan_first(m);
		if (p >= place->end)
			return lacks(place, place->end, "the end of a nested value");
		switch (*p) {
		case '"':
			p = string_end(p + 1, &escaped);
			if (p >= place->end)
				return lacks(place, place->end, "the end of a string");
			break;
		case '[':
		case '{':
			if (depth++ == TS_TRACE_DEPTH)
				return lacks(place, p, "at most 64 levels of nested values");
			square = square << 1 | (*p == '[');
			break;
		case ']':
		case '}':
			if ((*p == ']') != (square & 1))
				return lacks(place, p, *p == ']' ? "'}'" : "']'");
			square >>= 1;
			if (--depth == 0)
				return p + 1;
			break;
		default:
			return lacks(place, p, "a value");
		}
		p++;
	}
}

/* What numbers, true, false, null, NaN and Infinity are made of: a bit for each byte below 128. */
static const uint64_t words[] = {
	UINT64_C(0x3ff) << '0' | UINT64_C(1) << '+' | UINT64_C(1) << '-' | UINT64_C(1) << '.',
	UINT64_C(0x3ffffff) << ('A' - 64) | UINT64_C(0x3ffffff) << ('a' - 64),
	0,
	0,
};

TS_INLINE bool is_word(uint8_t c)
{
	return words[c / 64] >> c % 64 & 1;
}

TS_INLINE const uint8_t *over_value(struct ts_trace_place *place, const uint8_t *p)
{
	const uint8_t *begin = p;
	struct ts_trace_text text;

	if (*p == '"')
		return string(place, p, &text);
	if (*p == '[' || *p == '{')
		return nested(place, p);
	while (is_word(*p))
		p++;
	return p > begin ? p : lacks(place, p, "a value");
}

static const uint8_t *value(struct ts_trace_place *place, const uint8_t *p)
{
	return over_value(place, p);
}

TS_INLINE bool is_digit(uint8_t c)
{
	return (uint8_t)(c - '0') < 10;
}

TS_INLINE const uint8_t *text_value(struct ts_trace_place *place, const uint8_t *p, struct ts_trace_text *ret)
{
	return *p == '"' ? string(place, p, ret) : over_value(place, p);
}

static const uint8_t *list_value(struct ts_trace_place *place, const uint8_t *p, struct ts_trace_text *ret)
{
	const uint8_t *end = over_value(place, p);

	if (end && *p == '[')
		*ret = (struct ts_trace_text){.data = p, .len = (uint32_t)(end - p), .json = true};
	return end;
}

/* The digits that p begins with, at most eight, at once: bytes that are none have their highest bit set in `others`, the digits are
 * moved behind zeros, and each step joins neighbours. Source: D. Lemire, "Quickly parsing eight digits", 2018. */
TS_INLINE size_t some_digits(const uint8_t *p, uint64_t *ret)
{
	uint64_t v = ts_load_le(p, 8) ^ UINT64_C(0x3030303030303030);
	uint64_t others = ((v + UINT64_C(0x7676767676767676)) | v) & UINT64_C(0x8080808080808080);
	size_t n = others ? (size_t)__builtin_ctzll(others) / 8 : 8;

	if (!n)
		return 0;
	v <<= 64 - 8 * n;
	v = v * 2561 >> 8 & UINT64_C(0x00ff00ff00ff00ff);
	v = v * 6553601 >> 16 & UINT64_C(0x0000ffff0000ffff);
	*ret = v * UINT64_C(42949672960001) >> 32;
	return n;
}

/* Integers of 64 bits, with a sign or without. NULL: there is none, or more of the number follows. */
TS_INLINE const uint8_t *whole_number(const uint8_t *p, int64_t *ret, bool *too_large)
{
	const uint8_t *first;
	bool negative = *p == '-', over = false;
	uint64_t v = 0;

	p += negative;
	first = p;
	p += some_digits(p, &v);
	while (is_digit(*p)) {
		uint64_t digit = (uint64_t)(*p++ - '0');

		if (p - first < 19)
			v = v * 10 + digit;
		else
			over |= __builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, digit, &v);
	}
	if (p == first || *p == '.' || (*p | 32) == 'e')
		return NULL;
	if (over || (negative && v > INT64_MAX))
		*too_large = true;
	else
		*ret = negative ? -(int64_t)v : (int64_t)v;
	return p;
}

static const uint8_t *other_integer(struct ts_trace_place *place, const uint8_t *p, int64_t *ret, bool *too_large)
{
	const uint8_t *end = over_value(place, p);
	bool over = false;
	int64_t v = *ret;

	if (end && *p == '"' && whole_number(p + 1, &v, &over) == end - 1) {
		*too_large |= over;
		*ret = v;
	} else if (end) {
		ts_trace_whole(ts_span_of(p, (size_t)(end - p)), ret);
	}
	return end;
}

/* Integers, in quotes or not, and with a fraction of zeros; of others, and of other values, *ret is left alone. */
TS_INLINE const uint8_t *integer(struct ts_trace_place *place, const uint8_t *p, int64_t *ret, bool *too_large)
{
	const uint8_t *end = whole_number(p, ret, too_large);

	return end ? end : other_integer(place, p, ret, too_large);
}

TS_INLINE const uint8_t *id(struct ts_trace_place *place, const uint8_t *p, struct ts_trace_name *ret, bool *too_large)
{
	if (*p != '"')
		return integer(place, p, &ret->number, too_large);
	ret->number = TS_TRACE_NONE;
	return string(place, p, &ret->text);
}

static const uint32_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/* Microseconds as integers, or with up to three decimals; all else goes to ts_trace_micros. */
TS_INLINE const uint8_t *micros(struct ts_trace_place *place, const uint8_t *p, int64_t *ret, struct ts_trace_event *e)
{
	const uint8_t *begin = p, *digits = p;
	uint64_t v = 0, low = 0;
	size_t n = some_digits(p, &v);

	p += n;
	if (n == 8) {
		n = some_digits(p, &low);
		v = v * powers[n] + low;
		p += n;
	}
	while (is_digit(*p) && p - digits < 17)
		v = v * 10 + (uint64_t)(*p++ - '0');
	if (p == digits || p - digits > 15 + (v < UINT64_C(9000000000000000)))
		goto other;
	v *= 1000;
	if (*p == '.') {
		n = some_digits(++p, &low);
		if (!n || n > 3)
			goto other;
		v += low * powers[3 - n];
		p += n;
	}
	if (is_word(*p))
		goto other;
	*ret = (int64_t)v;
	return p;
other:
	return ts_trace_time_value(place, begin, ret, e, value);
}

TS_INLINE bool is(const uint8_t *key, const char *name, size_t n)
{
	return memcmp(key, name, n) == 0;
}

/* The first member of a table of details unsets the others: most events have none. */
static const struct ts_trace_says_operator no_operator = {.sequence = TS_TRACE_NONE, .forward_thread = TS_TRACE_NONE};
static const struct ts_trace_says_frame no_frame = {TS_TRACE_NONE, TS_TRACE_NONE, TS_TRACE_NONE};
static const struct ts_trace_says_kernel no_kernel = {
	.occupancy = NAN, .warps = NAN, .registers = TS_TRACE_NONE, .shared_bytes = TS_TRACE_NONE, .graph = TS_TRACE_NONE,
	.node = TS_TRACE_NONE};
static const struct ts_trace_says_collective no_collective = {
	.elements_in = TS_TRACE_NONE, .elements_out = TS_TRACE_NONE, .group_size = TS_TRACE_NONE, .sequence = TS_TRACE_NONE,
	.rank = TS_TRACE_NONE, .source = TS_TRACE_NONE, .destination = TS_TRACE_NONE};
static const struct ts_trace_says_sync no_sync = {.on_stream = TS_TRACE_NONE, .event = TS_TRACE_NONE, .recorded_by = TS_TRACE_NONE};

#define SAYS(kind, member, bit, none)                                                                                                  \
	TS_INLINE struct ts_trace_says_##kind *says_##kind(struct ts_trace_event *e)                                                   \
	{                                                                                                                              \
		if (!(e->says & (bit))) {                                                                                              \
			e->says |= (bit);                                                                                              \
			e->member = none;                                                                                              \
		}                                                                                                                      \
		return &e->member;                                                                                                     \
	}
SAYS(operator, operators, TS_TRACE_SAYS_OPERATOR, no_operator)
SAYS(frame, frames, TS_TRACE_SAYS_FRAME, no_frame)
SAYS(kernel, kernels, TS_TRACE_SAYS_KERNEL, no_kernel)
SAYS(collective, collectives, TS_TRACE_SAYS_COLLECTIVE, no_collective)
SAYS(sync, syncs, TS_TRACE_SAYS_SYNC, no_sync)
#undef SAYS

TS_INLINE const uint8_t *arg(struct ts_trace_place *place, const uint8_t *key, size_t len, const uint8_t *p, struct ts_trace_event *e)
{
#define INTEGER(text, to)                                                                                                              \
	if (is(key, text, sizeof(text) - 1))                                                                                           \
	return integer(place, p, &(to), &e->too_large)
#define DOUBLE(text, to)                                                                                                               \
	if (is(key, text, sizeof(text) - 1))                                                                                           \
	return ts_trace_double_value(place, p, &(to), value)
#define TEXT(text, to)                                                                                                                 \
	if (is(key, text, sizeof(text) - 1))                                                                                           \
	return text_value(place, p, &(to))
#define LIST(text, to)                                                                                                                 \
	if (is(key, text, sizeof(text) - 1))                                                                                           \
	return list_value(place, p, &(to))
	switch (len) {
	case 3:
		INTEGER("Seq", says_collective(e)->sequence);
		break;
	case 4:
		TEXT("name", e->arg_name);
		INTEGER("Addr", e->address);
		LIST("grid", says_kernel(e)->grid);
		INTEGER("Rank", says_collective(e)->rank);
		break;
	case 5:
		INTEGER("bytes", e->bytes);
		INTEGER("Bytes", e->bytes);
		LIST("block", says_kernel(e)->block);
		TEXT("dtype", says_collective(e)->type);
		break;
	case 6:
		INTEGER("stream", e->stream);
		INTEGER("device", e->device);
		TEXT("labels", e->labels);
		TEXT("kernel", says_kernel(e)->name);
		break;
	case 8:
		INTEGER("graph id", says_kernel(e)->graph);
		INTEGER("Src Rank", says_collective(e)->source);
		INTEGER("Dst Rank", says_collective(e)->destination);
		break;
	case 9:
		INTEGER("Python id", says_frame(e)->id);
		INTEGER("Device Id", e->device_id);
		break;
	case 10:
		LIST("Input Dims", e->shapes);
		TEXT("Call stack", says_operator(e)->stack);
		LIST("Input type", says_operator(e)->types);
		INTEGER("Group size", says_collective(e)->group_size);
		LIST("Input dims", e->shapes);
		break;
	case 11:
		INTEGER("External id", e->external);
		INTEGER("correlation", e->correlation);
		INTEGER("external id", e->external);
		INTEGER("Device Type", e->device_type);
		break;
	case 12:
		DOUBLE("warps per SM", says_kernel(e)->warps);
		break;
	case 13:
		INTEGER("Fwd thread id", says_operator(e)->forward_thread);
		INTEGER("graph node id", says_kernel(e)->node);
		INTEGER("shared memory", says_kernel(e)->shared_bytes);
		INTEGER("In msg nelems", says_collective(e)->elements_in);
		break;
	case 14:
		INTEGER("Total Reserved", e->reserved);
		INTEGER("Out msg nelems", says_collective(e)->elements_out);
		TEXT("cuda_sync_kind", says_sync(e)->what);
		INTEGER("wait_on_stream", says_sync(e)->on_stream);
		INTEGER("correlation_id", e->correlation); /* of XLA */
		break;
	case 15:
		INTEGER("Total Allocated", e->allocated);
		LIST("Concrete Inputs", says_operator(e)->inputs);
		INTEGER("Sequence number", says_operator(e)->sequence);
		TEXT("Collective name", e->collective);
		break;
	case 16:
		INTEGER("Python parent id", says_frame(e)->parent);
		INTEGER("Python module id", says_frame(e)->module);
		TEXT("Module Hierarchy", says_operator(e)->module);
		break;
	case 18:
		TEXT("Process Group Name", e->group);
		break;
	case 19:
		if (*p == '[')
			LIST("Process Group Ranks", says_collective(e)->ranks);
		TEXT("Process Group Ranks", says_collective(e)->ranks);
		break;
	case 20:
		INTEGER("registers per thread", says_kernel(e)->registers);
		break;
	case 21:
		INTEGER("wait_on_cuda_event_id", says_sync(e)->event);
		break;
	case 25:
		DOUBLE("est. achieved occupancy %", says_kernel(e)->occupancy);
		TEXT("Process Group Description", says_collective(e)->about);
		break;
	case 33:
		INTEGER("wait_on_cuda_event_record_corr_id", says_sync(e)->recorded_by);
		break;
	default:
		break;
	}
#undef INTEGER
#undef DOUBLE
#undef TEXT
#undef LIST
	return over_value(place, p);
}

typedef const uint8_t *member(struct ts_trace_place *place, const uint8_t *key, size_t len, const uint8_t *p, struct ts_trace_event *e);

enum { KEY_MAX = 64 };

/* A member whose key is written with escapes. */
static __attribute__((cold, noinline)) const uint8_t *escaped_member(struct ts_trace_place *place, const uint8_t *key, size_t len,
								     const uint8_t *p, struct ts_trace_event *e, member *take)
{
	uint8_t plain[KEY_MAX] = {0};

	return take(place, plain, ts_trace_plain(key, len, plain, sizeof plain), p, e);
}

/* A key in any form: with escapes, and with white space around its colon. Returns where its value begins. */
static __attribute__((noinline)) const uint8_t *any_key(struct ts_trace_place *place, const uint8_t *p, size_t *ret_len,
							bool *ret_escaped)
{
	const uint8_t *key = p + 1;

	if (*p != '"')
		return lacks(place, p, "a key");
	p = string_end(key, ret_escaped);
	if (p >= place->end)
		return lacks(place, place->end, "the end of a key");
	*ret_len = (size_t)(p - key);
	p = over_blanks(p + 1);
	return *p == ':' ? over_blanks(p + 1) : lacks(place, p, "':'");
}

/* Whether a quote, a colon, a space and a value stand at p. Behind the input, where only quotes are, they do not. */
TS_INLINE bool is_plain_colon(const uint8_t *p)
{
	return (ts_load_le(p, 4) & 0xffffff) == ('"' | ':' << 8 | ' ' << 16) && p[3] > ' ';
}

/* Goes through the object at p, each member by take. `first` is the row of place->key_lens for its first key. Most events are written
 * alike, so a key is mostly as long as it was the last time behind the key before it. The processor goes on with that length while it
 * still looks for the quote, which saves a tenth of the time. */
TS_INLINE const uint8_t *object(struct ts_trace_place *place, const uint8_t *p, struct ts_trace_event *e, member *take, size_t first)
{
	uint8_t *guess = &place->key_lens[first];

	p = over_blanks(p + 1);
	if (*p == '}')
		return p + 1;
	for (;;) {
		const uint8_t *key = p + 1;
		size_t len = *guess;
		bool escaped = false;

		if (*p == '"' && scan_first_is(scan_first_quotes(key), len) && is_plain_colon(key + len)) {
			p = key + len + 3;
		} else {
			p = any_key(place, p, &len, &escaped);
			if (!p)
				return NULL;
			if (len < SCAN_FIRST)
				*guess = (uint8_t)len;
		}
		guess = &place->key_lens[(len << 5 ^ *key) % TS_TRACE_KEYS];
		p = escaped ? escaped_member(place, key, len, p, e, take) : take(place, key, len, p, e);
		if (!p)
			return NULL;
		p = over_blanks(p);
		if (*p == '}')
			return p + 1;
		if (*p != ',')
			return lacks(place, p, "',' or '}'");
		p = over_blanks(p + 1);
	}
}

/* Arguments differ by category, and so does the first of them. */
static const uint8_t *args(struct ts_trace_place *place, const uint8_t *p, struct ts_trace_event *e)
{
	const uint8_t *end =
		*p == '{' ? object(place, p, e, arg, TS_TRACE_KEYS + e->category.len % TS_TRACE_FIRST_KEYS) : over_value(place, p);

	if (end && *p == '{')
		e->args = (struct ts_trace_text){.data = p, .len = (uint32_t)(end - p)};
	return end;
}

static const uint8_t *phase(struct ts_trace_place *place, const uint8_t *p, struct ts_trace_event *e)
{
	struct ts_trace_text text = {0};

	if (p + 2 < place->end && *p == '"' && p[1] != '\\' && p[1] != '"' && p[2] == '"') {
		e->phase = p[1];
		return p + 3;
	}
	p = text_value(place, p, &text);
	if (!text.escaped || !p)
		e->phase = text.len == 1 ? *text.data : 0;
	else if (ts_trace_plain(text.data, text.len, &e->phase, 1) != 1)
		e->phase = 0;
	return p;
}

TS_INLINE const uint8_t *event_member(struct ts_trace_place *place, const uint8_t *key, size_t len, const uint8_t *p,
				      struct ts_trace_event *e)
{
	switch (len) {
	case 2:
		if (is(key, "ph", 2))
			return phase(place, p, e);
		if (is(key, "ts", 2))
			return micros(place, p, &e->time_ns, e);
		if (is(key, "id", 2))
			return id(place, p, &e->id, &e->too_large);
		break;
	case 3:
		if (is(key, "cat", 3))
			return text_value(place, p, &e->category);
		if (is(key, "dur", 3))
			return micros(place, p, &e->duration_ns, e);
		if (is(key, "pid", 3))
			return id(place, p, &e->pid, &e->too_large);
		if (is(key, "tid", 3))
			return id(place, p, &e->tid, &e->too_large);
		break;
	case 4:
		if (is(key, "name", 4))
			return text_value(place, p, &e->name);
		if (is(key, "args", 4))
			return args(place, p, e);
		break;
	default:
		break;
	}
	return over_value(place, p);
}

/* Member by member: as one copy of the struct it takes longer than a tenth of an event. */
TS_INLINE void clear(struct ts_trace_event *e)
{
	e->phase = 0;
	e->says = 0;
	e->rounded = e->too_large = false;
	e->category = e->name = e->pid.text = e->tid.text = e->id.text = (struct ts_trace_text){0};
	e->arg_name = e->labels = e->collective = e->group = e->shapes = e->args = (struct ts_trace_text){0};
	e->pid.number = e->tid.number = e->id.number = e->time_ns = e->duration_ns = TS_TRACE_NONE;
	e->correlation = e->external = e->bytes = e->stream = e->device = TS_TRACE_NONE;
	e->address = e->allocated = e->reserved = e->device_type = e->device_id = TS_TRACE_NONE;
}

static const uint8_t *event(struct ts_trace_place *place, const uint8_t *p, struct ts_trace_event *ret_event)
{
	clear(ret_event);
	return object(place, p, ret_event, event_member, 0);
}

#endif
