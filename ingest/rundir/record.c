#include "ingest/rundir/record.h"

#include "base/alloc.h"
#include "base/grow.h"
#include "base/number.h"
#include "base/text.h"
#include "run/sketch_sums.h"

#include <math.h>
#include <stdio.h>

/* Below 2^53 every integer is a double. 2^53 itself may also be 2^53 + 1, rounded. */
#define EXACT_MAX 9007199254740992.0

static enum ts_status known_key(struct ts_record *p, const char *name, uint32_t *ret, struct ts_error *err)
{
	uint32_t key = ts_keys_get(&p->keys, TS_KEY_ROOT, ts_span_str(name));

	if (key == TS_KEY_NONE)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for keys");
	*ret = key;
	return TS_OK;
}

struct known_name {
	const char *name;
	enum ts_column_type type;
};

static const struct known_name of_event[] = {{"stage", TS_COLUMN_F64}, {"start", TS_COLUMN_F64}, {"end", TS_COLUMN_F64}};

enum { DIGEST_STEP, DIGEST_NAME, DIGEST_OUT, DIGEST_IN, DIGEST_OCCURRENCE };

static const struct known_name of_digest[] = {
	[DIGEST_STEP] = {"step", TS_COLUMN_F64},
	[DIGEST_NAME] = {"name", TS_COLUMN_TEXT},
	[DIGEST_OUT] = {"out", TS_COLUMN_U64},
	[DIGEST_IN] = {"in", TS_COLUMN_U64},
	[DIGEST_OCCURRENCE] = {"occurrence", TS_COLUMN_F64},
};

enum { TIMED_TIME, TIMED_NAME };

static const struct known_name of_timed[] = {[TIMED_TIME] = {"time", TS_COLUMN_F64}, [TIMED_NAME] = {"name", TS_COLUMN_TEXT}};

enum {
	SKETCH_STEP,
	SKETCH_NAME,
	SKETCH_KIND,
	SKETCH_COUNT,
	SKETCH_SQUARES,
	SKETCH_SUMS,
	SKETCH_DTYPE,
	SKETCH_NONFINITE,
	SKETCH_SHARD,
	SKETCH_OCCURRENCE,
	SKETCH_SAME,
	SKETCH_IDLE,
};

static const struct known_name of_sketch[] = {
	[SKETCH_STEP] = {"step", TS_COLUMN_F64},
	[SKETCH_NAME] = {"name", TS_COLUMN_TEXT},
	[SKETCH_KIND] = {"kind", TS_COLUMN_TEXT},
	[SKETCH_COUNT] = {"count", TS_COLUMN_F64},
	[SKETCH_SQUARES] = {"squares", TS_COLUMN_F64},
	[SKETCH_SUMS] = {"sums", TS_COLUMN_TEXT},
	[SKETCH_DTYPE] = {"dtype", TS_COLUMN_TEXT},
	[SKETCH_NONFINITE] = {"nonfinite", TS_COLUMN_F64},
	[SKETCH_SHARD] = {"shard", TS_COLUMN_JSON},
	[SKETCH_OCCURRENCE] = {"occurrence", TS_COLUMN_F64},
	[SKETCH_SAME] = {"same", TS_COLUMN_TEXT},
	[SKETCH_IDLE] = {"idle", TS_COLUMN_JSON},
};

static enum ts_status known_columns(struct ts_record *p, const struct known_name *names, size_t n, struct ts_error *err)
{
	for (size_t i = 0; i < n; i++) {
		if (known_key(p, names[i].name, &p->known[i].key, err))
			return err->status;
		p->known[i].type = names[i].type;
	}
	p->n_known = n;
	return TS_OK;
}

static enum ts_status columns_of_form(struct ts_record *p, struct ts_error *err)
{
	switch (p->form) {
	case TS_RECORD_STEP:
		break;
	case TS_RECORD_EVENT:
		return known_columns(p, of_event, sizeof of_event / sizeof of_event[0], err);
	case TS_RECORD_DIGEST:
		return known_columns(p, of_digest, sizeof of_digest / sizeof of_digest[0], err);
	case TS_RECORD_TIMED:
		return known_columns(p, of_timed, sizeof of_timed / sizeof of_timed[0], err);
	case TS_RECORD_SKETCH:
		return known_columns(p, of_sketch, sizeof of_sketch / sizeof of_sketch[0], err);
	}
	return TS_OK;
}

enum ts_status ts_record_init(struct ts_record *p, enum ts_record_form form, struct ts_error *err)
{
	*p = (struct ts_record){.form = form,
				.text = TS_BUF_INIT(2 * TS_LINE_MAX),
				.scratch = TS_BUF_INIT(2 * TS_LINE_MAX),
				.spots = TS_BUF_INIT(16 * TS_LINE_MAX)};
	ts_keys_init(&p->keys, TS_KEYS_MAX);
	if (known_key(p, "step", &p->key_step, err) || known_key(p, "phases", &p->key_phases, err) ||
	    known_key(p, "scalars", &p->key_scalars, err) || known_key(p, "memory", &p->key_memory, err) ||
	    known_key(p, "digests", &p->key_digests, err) || columns_of_form(p, err)) {
		ts_record_finish(p);
		return err->status;
	}
	return TS_OK;
}

void ts_record_finish(struct ts_record *p)
{
	ts_shapes_finish(p);
	ts_keys_finish(&p->keys);
	ts_buf_finish(&p->text);
	ts_buf_finish(&p->scratch);
	ts_buf_finish(&p->spots);
	ts_free(p->cells);
	p->cells = NULL;
	p->n = p->cap = 0;
}

struct ts_cell *ts_record_cell(struct ts_record *p)
{
	if (!TS_GROW(p->cells, p->cap, p->n + 1, 64))
		return NULL;
	return &p->cells[p->n++];
}

static enum ts_status no_memory(struct ts_error *err)
{
	return ts_error_set(err, TS_NO_MEMORY, "out of memory for a record");
}

static void note(struct ts_record *p, enum ts_oddity what, uint32_t key)
{
	if (p->out->odd[what]++ == 0)
		p->out->odd_key[what] = key;
}

static void odd(struct ts_record *p, enum ts_oddity what, uint32_t key)
{
	note(p, what, key);
	p->plain = false;
}

/* Rejects the record. The first reason is kept. */
static void reject(struct ts_record *p, const char *code, const char *detail)
{
	if (p->rejected)
		return;
	p->rejected = code;
	(void)snprintf(p->out->detail, sizeof p->out->detail, "%s", detail);
}

/* Makes a copy that lives until the next parse. All copies of a record together are no longer than its text, so the
 * first copy reserves space for all of them and nothing moves. */
static enum ts_status keep_text(struct ts_record *p, struct ts_span text, struct ts_span *ret, struct ts_error *err)
{
	uint8_t *at;

	if (p->text.len == 0 && !ts_buf_reserve(&p->text, p->reader.in.len + 16))
		return no_memory(err);
	at = p->text.data + p->text.len;
	ts_buf_span(&p->text, text);
	if (p->text.failed)
		return no_memory(err);
	*ret = ts_span_of(at, text.len);
	return TS_OK;
}

/* Three bytes are reserved for what emit.c may put behind a name. */
static bool path_too_long(const struct ts_record *p, uint32_t key)
{
	return ts_key_at(&p->keys, key)->path_len + 3 > TS_PATH_MAX;
}

static struct ts_cell *add_cell(struct ts_record *p, uint32_t key, enum ts_column_type type)
{
	struct ts_cell *cell = ts_record_cell(p);

	if (!cell)
		return NULL;
	*cell = (struct ts_cell){.key = key, .type = type};
	return cell;
}

static enum ts_status add_text(struct ts_record *p, uint32_t key, enum ts_column_type type, struct ts_span text,
			       struct ts_error *err)
{
	const uint8_t *from = p->reader.in.data;
	bool stays = text.data >= from && text.data + text.len <= from + p->reader.in.len;
	struct ts_cell *cell;

	p->plain = false;
	if (text.len > TS_TEXT_MAX) {
		reject(p, "long_text", "a text of more than 65,536 bytes");
		return TS_OK;
	}
	if (!stays && keep_text(p, text, &text, err))
		return err->status;
	cell = add_cell(p, key, type);
	if (!cell)
		return no_memory(err);
	cell->text = text;
	return TS_OK;
}

/* Returns whether this is an integer whose digits a double cannot give back. */
static bool loses_digits(const struct ts_json_token *t)
{
	char exact[400];
	int n;

	if (!t->integer || fabs(t->number) < EXACT_MAX)
		return false;
	if (!isfinite(t->number))
		return true;
	n = snprintf(exact, sizeof exact, "%.0f", t->number);
	return !ts_span_eq(t->raw, ts_span_of(exact, (size_t)n));
}

static enum ts_status note_spot(struct ts_record *p, const struct ts_json_token *t, uint32_t key, struct ts_error *err)
{
	struct ts_spot spot = {(uint32_t)t->at, (uint32_t)t->raw.len, key};

	if (!p->plain)
		return TS_OK;
	ts_buf_bytes(&p->spots, &spot, sizeof spot);
	return p->spots.failed ? no_memory(err) : TS_OK;
}

static enum ts_status add_number(struct ts_record *p, uint32_t key, const struct ts_json_token *t,
				 struct ts_error *err)
{
	struct ts_cell *cell;

	if (loses_digits(t)) {
		odd(p, TS_ODD_BIG_INTEGER, key);
		return add_text(p, key, TS_COLUMN_JSON, t->raw, err);
	}
	if (t->number < 0 && ts_key_at(&p->keys, key)->parent == p->key_phases)
		note(p, TS_ODD_NEGATIVE, key);
	cell = add_cell(p, key, TS_COLUMN_F64);
	if (!cell)
		return no_memory(err);
	cell->real = t->number;
	return note_spot(p, t, key, err);
}

/* Returns whether 16 hex digits under this key are a word. */
static bool is_word(const struct ts_record *p, uint32_t key)
{
	return ts_key_at(&p->keys, key)->parent == p->key_digests ||
	       (p->form == TS_RECORD_DIGEST && (key == p->known[DIGEST_IN].key || key == p->known[DIGEST_OUT].key));
}

static enum ts_status add_string(struct ts_record *p, uint32_t key, struct ts_span text, struct ts_error *err)
{
	struct ts_cell *cell;
	uint64_t word;

	if (!is_word(p, key) || !ts_parse_hex64(text, &word))
		return add_text(p, key, TS_COLUMN_TEXT, text, err);
	p->plain = false;
	cell = add_cell(p, key, TS_COLUMN_U64);
	if (!cell)
		return no_memory(err);
	cell->word = word;
	return TS_OK;
}

/* Adds a list as JSON without white space between its tokens, so that two ways of writing a list give one value. */
static enum ts_status add_array(struct ts_record *p, uint32_t key, struct ts_error *err)
{
	struct ts_span raw;
	struct ts_span whole;
	bool in_string = false;
	size_t n = 0;
	uint8_t *to;

	if (ts_json_skip(&p->reader, &raw, err) || keep_text(p, raw, &whole, err))
		return err->status;
	to = p->text.data + (p->text.len - raw.len);
	for (size_t i = 0; i < raw.len; i++) {
		uint8_t c = raw.data[i];

		if (!in_string && ts_is_space(c))
			continue;
		if (in_string && c == '\\') {
			to[n++] = c;
			c = raw.data[++i];
		} else if (c == '"') {
			in_string = !in_string;
		}
		to[n++] = c;
	}
	p->text.len -= raw.len - n;
	p->plain = false;
	if (n > TS_TEXT_MAX) {
		reject(p, "long_text", "a list of more than 65,536 bytes");
		return TS_OK;
	}
	if (!add_cell(p, key, TS_COLUMN_JSON))
		return no_memory(err);
	p->cells[p->n - 1].text = ts_span_of(to, n);
	return TS_OK;
}

static enum ts_status take_members(struct ts_record *p, uint32_t parent, bool *ret_any, struct ts_error *err);

static enum ts_status take_object(struct ts_record *p, uint32_t key, struct ts_error *err)
{
	bool any;

	if (take_members(p, key, &any, err))
		return err->status;
	return any ? TS_OK : add_text(p, key, TS_COLUMN_JSON, ts_span_str("{}"), err);
}

static enum ts_status take_step(struct ts_record *p, const struct ts_json_token *t, struct ts_error *err)
{
	double v = t->number;

	p->has_step = false;
	if (t->type == TS_JSON_OBJECT || t->type == TS_JSON_ARRAY) {
		reject(p, "bad_step", "the step is not an integer");
		return ts_json_skip(&p->reader, NULL, err);
	}
	if (t->type == TS_JSON_NUMBER && t->integer) {
		p->has_step = ts_parse_i64(t->raw, &p->step);
	} else if (t->type == TS_JSON_NUMBER && isfinite(v) && v == floor(v) && fabs(v) < EXACT_MAX) {
		p->step = (int64_t)v;
		p->has_step = true;
	}
	if (!p->has_step) {
		reject(p, "bad_step",
		       t->type == TS_JSON_NUMBER ? "the step is not an integer of 64 bits"
						 : "the step is not an integer");
		return TS_OK;
	}
	p->plain = p->plain && t->integer;
	return note_spot(p, t, TS_KEY_ROOT, err);
}

/* phases, scalars and memory must be objects of numbers, or they are left out. */
static enum ts_status take_section(struct ts_record *p, uint32_t key, const struct ts_json_token *t,
				   struct ts_error *err)
{
	bool any;

	if (t->type == TS_JSON_OBJECT)
		return take_members(p, key, &any, err);
	odd(p, t->type == TS_JSON_NULL ? TS_ODD_NULL_SECTION : TS_ODD_SECTION, key);
	return t->type == TS_JSON_ARRAY ? ts_json_skip(&p->reader, NULL, err) : TS_OK;
}

static enum ts_status take_leaf(struct ts_record *p, uint32_t key, const struct ts_json_token *t, struct ts_error *err)
{
	switch (t->type) {
	case TS_JSON_OBJECT:
		return take_object(p, key, err);
	case TS_JSON_ARRAY:
		return add_array(p, key, err);
	case TS_JSON_STRING:
		return add_string(p, key, t->text, err);
	case TS_JSON_NUMBER:
		return add_number(p, key, t, err);
	case TS_JSON_TRUE:
		return add_text(p, key, TS_COLUMN_JSON, ts_span_str("true"), err);
	case TS_JSON_FALSE:
		return add_text(p, key, TS_COLUMN_JSON, ts_span_str("false"), err);
	case TS_JSON_NULL:
		odd(p, TS_ODD_NULL, key);
		return TS_OK;
	case TS_JSON_EOF:
	case TS_JSON_END:
	case TS_JSON_KEY:
		break;
	}
	return ts_error_set(err, TS_INTERNAL, "a value has no kind");
}

/* Skips and counts the value of a key if the value is no number or the key has no name. */
static enum ts_status leave_out(struct ts_record *p, enum ts_oddity why, uint32_t key, struct ts_error *err)
{
	odd(p, why, key);
	return ts_json_skip(&p->reader, NULL, err);
}

static enum ts_status take_value(struct ts_record *p, uint32_t parent, uint32_t key, struct ts_error *err)
{
	struct ts_json_token t;

	if (path_too_long(p, key))
		return leave_out(p, TS_ODD_LONG_KEY, parent, err);
	if (ts_json_next(&p->reader, &t, err))
		return err->status;
	if (parent == TS_KEY_ROOT && key == p->key_step && p->form == TS_RECORD_STEP)
		return take_step(p, &t, err);
	if (key == p->key_phases || key == p->key_scalars || key == p->key_memory)
		return take_section(p, key, &t, err);
	return take_leaf(p, key, &t, err);
}

/* Drops the values that an earlier occurrence of the key in this object gave. They are replaced. */
static void drop_earlier(struct ts_record *p, uint32_t key)
{
	struct ts_key *k = ts_key_at(&p->keys, key);

	for (size_t i = k->first; i < k->last; i++)
		p->cells[i].type = 0;
	odd(p, TS_ODD_DUPLICATE, key);
}

static enum ts_status take_member(struct ts_record *p, uint32_t parent, struct ts_span name, struct ts_error *err)
{
	uint32_t key;

	if (name.len == 0 && parent == TS_KEY_ROOT)
		return leave_out(p, TS_ODD_EMPTY_KEY, parent, err);
	key = ts_keys_get(&p->keys, parent, name);
	if (key == TS_KEY_NONE)
		return p->keys.no_memory ? no_memory(err) : leave_out(p, TS_ODD_MANY_KEYS, parent, err);
	if (ts_key_at(&p->keys, key)->stamp == p->serial)
		drop_earlier(p, key);
	ts_key_at(&p->keys, key)->stamp = p->serial;
	ts_key_at(&p->keys, key)->first = p->n;
	ts_key_at(&p->keys, key)->last = p->n;
	if (take_value(p, parent, key, err))
		return err->status;
	ts_key_at(&p->keys, key)->last = p->n;
	return TS_OK;
}

static enum ts_status take_members(struct ts_record *p, uint32_t parent, bool *ret_any, struct ts_error *err)
{
	bool any = false;

	for (;;) {
		struct ts_json_token t;

		if (ts_json_next(&p->reader, &t, err))
			return err->status;
		if (t.type == TS_JSON_END)
			break;
		any = true;
		if (take_member(p, parent, t.text, err))
			return err->status;
	}
	*ret_any = any;
	return TS_OK;
}

static enum ts_status take_document(struct ts_record *p, struct ts_error *err)
{
	struct ts_json_token t;
	bool any;

	if (ts_json_next(&p->reader, &t, err))
		return err->status;
	if (t.type == TS_JSON_OBJECT)
		return take_members(p, TS_KEY_ROOT, &any, err);
	reject(p, "not_object", "a value that is not an object");
	return t.type == TS_JSON_ARRAY ? ts_json_skip(&p->reader, NULL, err) : TS_OK;
}

/* Returns the byte that an error of the JSON reader names. */
static size_t error_byte(const struct ts_error *err)
{
	size_t at = 0;

	if (strncmp(err->text, "byte ", 5) != 0)
		return 0;
	for (const char *c = err->text + 5; ts_is_digit((unsigned char)*c); c++)
		at = at * 10 + (size_t)(*c - '0');
	return at;
}

/* Handles a record that was cut, with another record behind it on the same line. The parser stops at the second
 * record's brace or, if a string was cut, behind the second record's first quote. Returns where the second record
 * begins, or the end of the text. */
static size_t next_record(struct ts_span text, size_t error)
{
	size_t at = error > 2 ? error - 2 : 1;

	if (error < text.len && text.data[error] == 0) {
		while (error < text.len && text.data[error] == 0)
			error++;
		return error;
	}
	for (; at <= error && at + 2 < text.len; at++)
		if (text.data[at] == '{' && text.data[at + 1] == '"')
			return at;
	return text.len;
}

static void malformed(struct ts_record *p, struct ts_span text, struct ts_error *err)
{
	size_t byte = error_byte(err);
	bool nul = byte < text.len && text.data[byte] == 0;
	bool utf8 = strstr(err->text, "UTF-8") != NULL;

	p->rejected = nul ? "nul_bytes" : utf8 ? "bad_utf8" : "bad_json";
	p->out->malformed = true;
	p->out->ends_early = byte >= text.len;
	(void)snprintf(p->out->detail, sizeof p->out->detail, "%.*s", (int)sizeof p->out->detail - 1, err->text);
	p->out->used = next_record(text, byte);
}

/* Returns the cell of a column that the form knows, whatever its type, or NULL if there is none. */
static const struct ts_cell *known_cell(const struct ts_record *p, size_t i)
{
	for (size_t k = p->n; k-- > 0;)
		if (p->cells[k].key == p->known[i].key && p->cells[k].type)
			return &p->cells[k];
	return NULL;
}

static bool is_right(const struct ts_record *p, size_t i)
{
	const struct ts_cell *cell = known_cell(p, i);

	return cell && cell->type == p->known[i].type;
}

static bool is_whole(const struct ts_cell *cell, double least)
{
	return cell && cell->type == TS_COLUMN_F64 && cell->real >= least && cell->real < EXACT_MAX &&
	       cell->real == floor(cell->real);
}

static void judge_event(struct ts_record *p)
{
	for (size_t i = 0; i < p->n_known; i++)
		if (!is_right(p, i))
			reject(p, "bad_event", "an event needs the numbers stage, start and end");
}

static void judge_digest(struct ts_record *p)
{
	const struct ts_cell *name = known_cell(p, DIGEST_NAME);

	if (!is_whole(known_cell(p, DIGEST_STEP), 1 - EXACT_MAX))
		reject(p, "bad_digest", "a digest needs a step, an integer below 2^53");
	if (!is_right(p, DIGEST_NAME) || name->text.len == 0 || name->text.len > TS_PATH_MAX)
		reject(p, "bad_digest", "a digest needs a name of 1 to 512 bytes");
	if (!is_right(p, DIGEST_OUT))
		reject(p, "bad_digest", "a digest needs an out of 16 hex digits");
	if (known_cell(p, DIGEST_IN) && !is_right(p, DIGEST_IN))
		reject(p, "bad_digest", "in is not 16 hex digits");
	if (known_cell(p, DIGEST_OCCURRENCE) && !is_whole(known_cell(p, DIGEST_OCCURRENCE), 0))
		reject(p, "bad_digest", "the occurrence is not an integer from 0 to below 2^53");
}

static void judge_timed(struct ts_record *p)
{
	if (!is_right(p, TIMED_TIME) || !is_right(p, TIMED_NAME))
		reject(p, "bad_event", "what happened at a time needs the number time and the text name");
}

/* A column that may be missing. */
static bool is_absent_or_whole(const struct ts_record *p, size_t i)
{
	return !known_cell(p, i) || is_whole(known_cell(p, i), 0);
}

static bool is_short_text(const struct ts_record *p, size_t i)
{
	return is_right(p, i) && known_cell(p, i)->text.len > 0 && known_cell(p, i)->text.len <= TS_PATH_MAX;
}

static bool is_bool(const struct ts_cell *cell)
{
	return cell->type == TS_COLUMN_JSON && (ts_span_is(cell->text, "true") || ts_span_is(cell->text, "false"));
}

/* Of a tensor that another module gave before, its name stands in the place of the sums. */
static void judge_sums(struct ts_record *p)
{
	const struct ts_cell *count = known_cell(p, SKETCH_COUNT);
	double sums[TS_SKETCH_SUMS];

	if (known_cell(p, SKETCH_SAME)) {
		if (!is_short_text(p, SKETCH_SAME) || count || known_cell(p, SKETCH_SQUARES) || known_cell(p, SKETCH_SUMS))
			reject(p, "bad_sketch",
			       "same is the name of a module, of 1 to 512 bytes, and stands for count, squares and sums");
		return;
	}
	if (!is_whole(count, 0))
		reject(p, "bad_sketch", "a sketch needs a count, an integer from 0 to below 2^53");
	if (!is_right(p, SKETCH_SQUARES) || !(known_cell(p, SKETCH_SQUARES)->real >= 0))
		reject(p, "bad_sketch", "a sketch needs squares, a number that is not below 0");
	if (!is_right(p, SKETCH_SUMS) || !ts_sketch_sums_parse(known_cell(p, SKETCH_SUMS)->text, sums))
		reject(p, "bad_sketch", "a sketch needs sums, 256 finite doubles in base64");
}

static bool is_absent_or_bool(const struct ts_record *p, size_t i)
{
	return !known_cell(p, i) || is_bool(known_cell(p, i));
}

static void judge_sketch(struct ts_record *p)
{
	const struct ts_cell *count = known_cell(p, SKETCH_COUNT), *nonfinite = known_cell(p, SKETCH_NONFINITE);

	if (!is_whole(known_cell(p, SKETCH_STEP), 1 - EXACT_MAX))
		reject(p, "bad_sketch", "a sketch needs a step, an integer below 2^53");
	if (!is_short_text(p, SKETCH_NAME) || !is_short_text(p, SKETCH_KIND))
		reject(p, "bad_sketch", "a sketch needs a name and a kind of 1 to 512 bytes");
	judge_sums(p);
	if (known_cell(p, SKETCH_DTYPE) && !is_short_text(p, SKETCH_DTYPE))
		reject(p, "bad_sketch", "the dtype is not a text of 1 to 512 bytes");
	if (!is_absent_or_whole(p, SKETCH_NONFINITE) || (nonfinite && is_whole(count, 0) && nonfinite->real > count->real))
		reject(p, "bad_sketch", "nonfinite is not an integer from 0 to the count");
	if (!is_absent_or_bool(p, SKETCH_SHARD))
		reject(p, "bad_sketch", "shard is not true or false");
	if (!is_absent_or_bool(p, SKETCH_IDLE))
		reject(p, "bad_sketch", "idle is not true or false");
	if (!is_absent_or_whole(p, SKETCH_OCCURRENCE))
		reject(p, "bad_sketch", "the occurrence is not an integer from 0 to below 2^53");
}

static void judge(struct ts_record *p)
{
	if (p->rejected)
		return;
	switch (p->form) {
	case TS_RECORD_STEP:
		if (!p->has_step)
			reject(p, "no_step", "the record has no step");
		break;
	case TS_RECORD_EVENT:
		judge_event(p);
		break;
	case TS_RECORD_DIGEST:
		judge_digest(p);
		break;
	case TS_RECORD_TIMED:
		judge_timed(p);
		break;
	case TS_RECORD_SKETCH:
		judge_sketch(p);
		break;
	}
}

enum ts_status ts_record_parse(struct ts_record *p, struct ts_span text, struct ts_outcome *ret_outcome,
			       struct ts_error *err)
{
	struct ts_outcome out = {.used = 0};
	struct ts_error why;

	p->out = &out;
	p->n = 0;
	p->serial++;
	p->has_step = false;
	p->rejected = NULL;
	p->plain = true;
	ts_buf_reset(&p->text);
	ts_buf_reset(&p->spots);
	ts_buf_reset(&p->scratch);
	ts_json_reader_init(&p->reader, text, &p->scratch);
	if (take_document(p, &why) == TS_OK) {
		out.used = p->reader.at;
		judge(p);
	} else if (why.status == TS_INVALID) {
		malformed(p, text, &why);
	} else {
		*err = why;
		return why.status;
	}
	out.rejected = p->rejected;
	*ret_outcome = out;
	return TS_OK;
}
