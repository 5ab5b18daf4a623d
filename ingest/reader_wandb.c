#include "ingest/reader_wandb.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/json_reader.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/text.h"
#include "ingest/fact_tree.h"
#include "ingest/import.h"
#include "ingest/keys.h"
#include "ingest/layout.h"
#include "ingest/log_names.h"
#include "ingest/pb.h"
#include "ingest/wandb_facts.h"
#include "ingest/wandb_log.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

const char ts_wandb_loses[] = "images and other media, console output, artifacts, the times of system metrics";

#define EXACT_MAX 9007199254740992.0 /* 2^53 */

enum {
	SURE = 60,
	TELL_BYTES = 4 << 20,
	KEYS_MAX = 65536,
	SYSTEM_MAX = 1024,
	SUMMARY_MAX = TS_FACT_INLINE_MAX, /* bytes of one value */
};

/* What a record is, by its field of the message Record. */
enum {
	HISTORY = 2,
	SUMMARY = 3,
	CONFIG = 5,
	STATS = 7,
	TELEMETRY = 11,
	RUN = 17,
	EXIT = 18,
	HEADER = 21,
	ENVIRONMENT = 26,
};

/* A name of the history or of the summary. */
struct series {
	uint32_t number, text, json; /* columns + 1; 0: not yet */
	bool too_long;
	bool typed;	/* it had a member _type once: no value, but an object of W&B's */
	uint64_t media; /* number of the last record in which it was that */
	bool named;	/* column: its name; factor: what a value is multiplied by */
	struct ts_span column, source;
	double factor, last; /* last: as the log has it */
	struct ts_span summary;
	uint8_t *room; /* of summary */
	size_t cap;
};

/* A system metric: mean of its samples since the row in hand began. */
struct metric {
	uint32_t column; /* + 1 */
	uint32_t n;
	double sum;
};

struct wandb {
	const struct ts_ingest_options *options;
	struct ts_arena *arena;
	struct ts_notices notices;
	uint64_t bytes_read, told;
	const char *path;   /* of the log */
	const char *beside; /* its directory, with a '/' behind it; "": this one */
	struct ts_span file; /* for notices */
	uint64_t at;	     /* of the record in hand */
	/* of a feed */
	struct ts_rows *rows;
	struct ts_log_names names;
	struct ts_keys keys;
	struct series *series; /* of each key */
	size_t cap_series;
	uint32_t key_step, key_timestamp, key_runtime, key_internal;
	struct ts_keys system;
	struct metric *metrics;
	uint32_t timestamp; /* column + 1 */
	bool any_step, any_sample, any_environment;
	int64_t step;
	uint64_t record;      /* number of the one in hand */
	struct ts_buf scratch, plain, items;
	/* what the log says of the run */
	struct ts_fact_tree facts;
	bool has_exit;
	int64_t exit_code;
};

/* --- which files --- */

static bool is_log_name(const char *name)
{
	size_t n = strlen(name);

	return n > 6 && strcmp(name + n - 6, ".wandb") == 0;
}

/* A regular file, no link that may lead elsewhere, with more in it than how it begins. */
static bool is_log(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > TS_WANDB_PREAMBLE;
}

/* NULL unless the directory has exactly one. */
static const char *log_in(const char *directory, struct ts_arena *arena)
{
	struct ts_error ignored;
	const char *found = NULL;
	char **names;
	size_t n;

	if (ts_list_dir(directory, arena, &names, &n, &ignored))
		return NULL;
	for (size_t i = 0; i < n; i++) {
		const char *path = is_log_name(names[i]) ? ts_path_join(arena, directory, names[i]) : NULL;

		if (!path || !is_log(path))
			continue;
		if (found)
			return NULL;
		found = path;
	}
	return found;
}

int ts_wandb_sniff(const char *path)
{
	enum ts_file_kind kind = ts_file_kind(path);
	struct ts_arena arena;
	int sure = 0;

	if (kind == TS_FILE_REGULAR) {
		struct stat st;

		return is_log_name(path) && stat(path, &st) == 0 && st.st_size > TS_WANDB_PREAMBLE ? SURE : 0;
	}
	if (kind != TS_FILE_DIRECTORY)
		return 0;
	ts_arena_init(&arena, 0);
	sure = log_in(path, &arena) ? SURE : 0;
	ts_arena_finish(&arena);
	return sure;
}

/* --- notices --- */

static const char *where(const struct wandb *w, const char *what, char *detail, size_t size)
{
	(void)snprintf(detail, size, "byte %llu: %.200s", (unsigned long long)w->at, what);
	return detail;
}

static void tell(struct wandb *w, const char *code, enum ts_notice_level level, const char *what)
{
	char detail[256];

	ts_notice_add(&w->notices, code, level, w->file, 0, where(w, what, detail, sizeof detail));
}

/* Something of a message was not kept; only the want of memory ends the reading. */
static enum ts_status doubt(struct wandb *w, enum ts_status status, struct ts_error *err)
{
	if (status == TS_INVALID || status == TS_TOO_LARGE) {
		tell(w, "bad_message", TS_NOTICE_SKIPPED, err->text);
		return TS_OK;
	}
	return status;
}

/* --- columns --- */

/* What the log calls it: "train/loss", or of a value in an object "eval.acc". */
static enum ts_status source_of(struct wandb *w, uint32_t key, struct ts_span *ret_source, struct ts_error *err)
{
	uint32_t chain[TS_JSON_DEPTH];
	struct ts_buf name = TS_BUF_INIT(2 * TS_PATH_MAX + TS_TEXT_MAX);
	enum ts_status status;
	size_t n = 0;

	for (; key != TS_KEY_ROOT && n < TS_JSON_DEPTH; key = ts_key_at(&w->keys, key)->parent)
		chain[n++] = key;
	for (size_t i = n; i > 0; i--) {
		if (i < n)
			ts_buf_char(&name, '.');
		ts_buf_span(&name, ts_key_at(&w->keys, chain[i - 1])->text);
	}
	status = ts_buf_check(&name, err);
	if (!status)
		*ret_source = ts_arena_span(w->arena, ts_buf_view(&name));
	ts_buf_finish(&name);
	return status || ret_source->data ? status : ts_arena_error(w->arena, err);
}

/* scalars.eval.acc of {"eval": {"acc": ..}}, where the table of names does not say better. */
static enum ts_status nested_name(struct wandb *w, uint32_t key, struct ts_span *ret_column, struct ts_error *err)
{
	struct ts_buf path = TS_BUF_INIT(8 * TS_TEXT_MAX);
	enum ts_status status;

	ts_buf_str(&path, "scalars");
	ts_keys_path(&w->keys, key, &path);
	status = ts_buf_check(&path, err);
	if (!status)
		*ret_column = ts_arena_span(w->arena, ts_buf_view(&path));
	ts_buf_finish(&path);
	return status || ret_column->data ? status : ts_arena_error(w->arena, err);
}

static enum ts_status name_series(struct wandb *w, uint32_t key, struct ts_error *err)
{
	struct series *s = &w->series[key];
	struct ts_log_name ours = {.factor = 1};

	s->named = true;
	s->factor = 1;
	s->too_long = ts_key_at(&w->keys, key)->path_len > TS_PATH_MAX - strlen("scalars.");
	if (s->too_long)
		return TS_OK;
	if (source_of(w, key, &s->source, err) || ts_log_name(&w->names, s->source, &ours, err))
		return err->status;
	s->column = ours.column;
	s->factor = ours.factor;
	if (!ours.known && ts_key_at(&w->keys, key)->parent != TS_KEY_ROOT)
		return nested_name(w, key, &s->column, err);
	return TS_OK;
}

static enum ts_status column_of(struct wandb *w, uint32_t key, enum ts_column_type type, uint32_t *column, struct ts_error *err)
{
	struct series *s = &w->series[key];
	struct ts_rows_column c = {.type = type, .precision = TS_PRECISION_F64};

	if (*column)
		return TS_OK;
	if (!s->named && name_series(w, key, err))
		return err->status;
	if (s->too_long)
		return TS_OK;
	c.name = s->column;
	c.source = s->source;
	if (ts_rows_column(w->rows, &c, column, err))
		return err->status;
	++*column;
	return TS_OK;
}

/* UINT32_MAX + 1 is 0, so that one beyond the most columns is asked for again, and counted by rows. */
static enum ts_status put_number(struct wandb *w, uint32_t key, double value, struct ts_error *err)
{
	struct series *s = &w->series[key];

	if (column_of(w, key, TS_COLUMN_F64, &s->number, err))
		return err->status;
	s->last = value;
	if (s->too_long) {
		tell(w, "long_key", TS_NOTICE_SKIPPED, "a value whose name has more than 512 bytes");
		return TS_OK;
	}
	return ts_rows_f64(w->rows, s->number - 1, s->factor == 1 ? value : value * s->factor, err);
}

static enum ts_status put_text(struct wandb *w, uint32_t key, enum ts_column_type type, struct ts_span value, struct ts_error *err)
{
	struct series *s = &w->series[key];
	uint32_t *column = type == TS_COLUMN_TEXT ? &s->text : &s->json;

	if (value.len > TS_TEXT_MAX) {
		tell(w, "long_text", TS_NOTICE_SKIPPED, "a text or a list of more than 65,536 bytes");
		return TS_OK;
	}
	if (column_of(w, key, type, column, err))
		return err->status;
	if (s->too_long) {
		tell(w, "long_key", TS_NOTICE_SKIPPED, "a value whose name has more than 512 bytes");
		return TS_OK;
	}
	return ts_rows_text(w->rows, *column - 1, value, err);
}

/* --- values --- */

static enum ts_status put_json(struct wandb *w, uint32_t key, struct ts_span json, struct ts_error *err);

/* Room for what is known of every key. */
static bool grow_series(struct wandb *w)
{
	size_t cap = w->cap_series ? w->cap_series * 2 : 64;
	struct series *series = ts_realloc(w->series, cap * sizeof *series);

	if (!series)
		return false;
	memset(series + w->cap_series, 0, (cap - w->cap_series) * sizeof *series);
	w->series = series;
	w->cap_series = cap;
	return true;
}

static uint32_t child_of(struct wandb *w, uint32_t parent, struct ts_span name)
{
	uint32_t key = ts_keys_get(&w->keys, parent, name);

	if (key == TS_KEY_NONE || (key >= w->cap_series && !grow_series(w))) {
		tell(w, "too_many_columns", TS_NOTICE_SKIPPED, "more than 65,535 names, or no memory for them");
		return TS_KEY_NONE;
	}
	return key;
}

/* Images, tables, histograms: objects that say their type. */
static bool is_media(struct ts_span object)
{
	struct ts_json_reader r;
	struct ts_json_token token;
	struct ts_error ignored;
	struct ts_buf scratch = TS_BUF_INIT(2 * TS_TEXT_MAX);
	bool media = false;

	ts_json_reader_init(&r, object, &scratch);
	(void)ts_json_next(&r, &token, &ignored);
	while (!media && !ts_json_next(&r, &token, &ignored) && token.type == TS_JSON_KEY) {
		media = ts_span_is(token.text, "_type");
		if (ts_json_skip(&r, NULL, &ignored))
			break;
	}
	ts_buf_finish(&scratch);
	return media;
}

/* Each member as if it had been logged by its own name. */
static enum ts_status put_members(struct wandb *w, uint32_t parent, struct ts_span object, struct ts_error *err)
{
	struct ts_buf scratch = TS_BUF_INIT(2 * TS_TEXT_MAX);
	struct ts_json_reader r;
	struct ts_json_token token;
	struct ts_error why;
	enum ts_status status = TS_OK;

	ts_json_reader_init(&r, object, &scratch);
	(void)ts_json_next(&r, &token, &why);
	while (!status && !ts_json_next(&r, &token, &why) && token.type == TS_JSON_KEY) {
		uint32_t key = child_of(w, parent, token.text);
		struct ts_span raw;

		if (ts_json_skip(&r, &raw, &why))
			break;
		if (key != TS_KEY_NONE)
			status = put_json(w, key, raw, err);
	}
	ts_buf_finish(&scratch);
	return status;
}

static enum ts_status put_string(struct wandb *w, uint32_t key, struct ts_span text, struct ts_error *err)
{
	if (ts_span_is(text, "NaN"))
		return put_number(w, key, (double)NAN, err);
	if (ts_span_is(text, "Infinity"))
		return put_number(w, key, (double)INFINITY, err);
	if (ts_span_is(text, "-Infinity"))
		return put_number(w, key, -(double)INFINITY, err);
	return put_text(w, key, TS_COLUMN_TEXT, text, err);
}

/* Without the white space between its tokens, so that two ways of writing a list are one value. */
static struct ts_span squeeze(struct wandb *w, struct ts_span json)
{
	bool in_string = false;

	ts_buf_reset(&w->plain);
	for (size_t i = 0; i < json.len; i++) {
		uint8_t c = json.data[i];

		if (!in_string && ts_is_space(c))
			continue;
		ts_buf_u8(&w->plain, c);
		if (in_string && c == '\\' && i + 1 < json.len)
			ts_buf_u8(&w->plain, json.data[++i]);
		else if (c == '"')
			in_string = !in_string;
	}
	return ts_buf_view(&w->plain);
}

/* An integer whose digits a double cannot give back. */
static bool loses_digits(struct ts_span digits, double value)
{
	char exact[400];
	int n;

	if (fabs(value) < EXACT_MAX)
		return false;
	n = isfinite(value) ? snprintf(exact, sizeof exact, "%.0f", value) : 0;
	return !ts_span_eq(digits, ts_span_of(exact, (size_t)n));
}

static enum ts_status put_token(struct wandb *w, uint32_t key, const struct ts_json_token *token, struct ts_span json,
				struct ts_error *err)
{
	switch (token->type) {
	case TS_JSON_NUMBER:
		if (token->integer && loses_digits(token->raw, token->number)) {
			tell(w, "big_integer", TS_NOTICE_INFO, "kept as its digits");
			return put_text(w, key, TS_COLUMN_JSON, token->raw, err);
		}
		return put_number(w, key, token->number, err);
	case TS_JSON_STRING:
		return put_string(w, key, token->text, err);
	case TS_JSON_TRUE:
		return put_text(w, key, TS_COLUMN_JSON, ts_span_str("true"), err);
	case TS_JSON_FALSE:
		return put_text(w, key, TS_COLUMN_JSON, ts_span_str("false"), err);
	case TS_JSON_NULL:
		tell(w, "null_value", TS_NOTICE_INFO, "no value");
		return TS_OK;
	case TS_JSON_OBJECT:
		if (ts_span_is(squeeze(w, json), "{}"))
			return put_text(w, key, TS_COLUMN_JSON, ts_span_str("{}"), err);
		if (!is_media(json))
			return put_members(w, key, json, err);
		tell(w, "not_scalar", TS_NOTICE_SKIPPED, "an image, a table or another object of W&B's");
		return TS_OK;
	case TS_JSON_ARRAY:
		return put_text(w, key, TS_COLUMN_JSON, squeeze(w, json), err);
	case TS_JSON_EOF:
	case TS_JSON_END:
	case TS_JSON_KEY:
		break;
	}
	tell(w, "bad_json", TS_NOTICE_SKIPPED, "no value");
	return TS_OK;
}

/* A value that is no plain number. */
static enum ts_status put_other(struct wandb *w, uint32_t key, struct ts_span json, struct ts_error *err)
{
	struct ts_json_reader r;
	struct ts_json_token token, end;
	struct ts_error why;
	bool whole;

	if (json.len > 2 * TS_TEXT_MAX) {
		tell(w, "long_text", TS_NOTICE_SKIPPED, "a value of more than 131,072 bytes");
		return TS_OK;
	}
	ts_buf_reset(&w->scratch);
	ts_json_reader_init(&r, json, &w->scratch);
	whole = !ts_json_skip(&r, NULL, &why) && !ts_json_next(&r, &end, &why) && end.type == TS_JSON_EOF;
	ts_buf_reset(&w->scratch);
	ts_json_reader_init(&r, json, &w->scratch);
	if (!whole || ts_json_next(&r, &token, &why)) {
		tell(w, "bad_json", TS_NOTICE_SKIPPED, "a value that is no JSON");
		return TS_OK;
	}
	return put_token(w, key, &token, json, err);
}

static enum ts_status put_json(struct wandb *w, uint32_t key, struct ts_span json, struct ts_error *err)
{
	double value;
	bool integer;
	size_t n = ts_number_scan(json, &value, &integer);

	if (n > 0 && n == json.len && !(integer && loses_digits(json, value)))
		return put_number(w, key, value, err);
	return put_other(w, key, json, err);
}

/* --- items --- */

/* HistoryItem: key, or nested_key one by one; value_json, or one of the typed values that SDKs from 0.31 on know.
 * SummaryItem: the same. */
struct item {
	uint32_t key;
	bool any_key;
	struct ts_span json, text;
	bool has_text, has_number, has_big;
	double number;
	int64_t big; /* an integer that a double would round */
};

static int64_t unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

static void item_value(struct item *item, const struct ts_pb_field *f)
{
	int64_t integer;

	switch (f->number) {
	case 3:
		item->json = ts_span_str("null");
		break;
	case 4:
		item->json = ts_span_str(f->value ? "true" : "false");
		break;
	case 5:
		integer = unzigzag(f->value);
		item->number = (double)integer;
		item->has_number = fabs(item->number) < EXACT_MAX;
		item->has_big = !item->has_number;
		item->big = integer;
		break;
	case 6:
		item->number = ts_pb_double(f->value);
		item->has_number = f->wire == TS_PB_FIXED64;
		break;
	case 7:
		item->text = f->bytes;
		item->has_text = f->wire == TS_PB_BYTES;
		break;
	case 8:
	case 16:
		item->json = f->bytes;
		break;
	default:
		break;
	}
}

static bool item_parts(struct wandb *w, struct ts_span message, struct item *item)
{
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;
	unsigned depth = 0;

	*item = (struct item){.key = TS_KEY_ROOT};
	while (ts_pb_next(&pb, &f)) {
		if (f.number > 2) {
			item_value(item, &f);
			continue;
		}
		if (f.wire != TS_PB_BYTES || ++depth > TS_JSON_DEPTH)
			return false;
		item->key = child_of(w, item->key, f.bytes);
		if (item->key == TS_KEY_NONE)
			return true;
	}
	item->any_key = depth > 0;
	return !pb.broken && item->any_key;
}

/* The first key of the path. */
static uint32_t root_of(const struct wandb *w, uint32_t key)
{
	while (ts_key_at(&w->keys, key)->parent != TS_KEY_ROOT)
		key = ts_key_at(&w->keys, key)->parent;
	return key;
}

/* Images, tables, histograms come as an object that says its _type, or member by member. */
static void note_type(struct wandb *w, uint32_t key)
{
	uint32_t parent = ts_key_at(&w->keys, key)->parent;

	if (parent == TS_KEY_ROOT || !ts_span_is(ts_key_at(&w->keys, key)->text, "_type"))
		return;
	w->series[parent].typed = true;
	w->series[parent].media = w->record;
}

static bool is_of_media(const struct wandb *w, uint32_t key)
{
	while ((key = ts_key_at(&w->keys, key)->parent) != TS_KEY_ROOT)
		if (w->series[key].media == w->record)
			return true;
	return false;
}

static enum ts_status put_big(struct wandb *w, const struct item *item, struct ts_error *err)
{
	char digits[24];
	int n = snprintf(digits, sizeof digits, "%lld", (long long)item->big);

	return put_json(w, item->key, ts_span_of(digits, (size_t)n), err);
}

static enum ts_status put_item(struct wandb *w, const struct item *item, struct ts_error *err)
{
	if (item->key == w->key_step || item->key == w->key_runtime || root_of(w, item->key) == w->key_internal)
		return TS_OK;
	if (is_of_media(w, item->key)) {
		if (ts_span_is(ts_key_at(&w->keys, item->key)->text, "_type"))
			tell(w, "not_scalar", TS_NOTICE_SKIPPED, "an image, a table or another object of W&B's");
		return TS_OK;
	}
	if (item->has_text)
		return put_text(w, item->key, TS_COLUMN_TEXT, item->text, err);
	if (item->has_big)
		return put_big(w, item, err);
	if (item->has_number)
		return put_number(w, item->key, item->number, err);
	return put_json(w, item->key, item->json, err);
}

/* --- system metrics --- */

static void take_sample(struct wandb *w, struct ts_span message)
{
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;
	struct ts_span name = {NULL, 0}, json = {NULL, 0};
	double value;
	bool integer;
	uint32_t key;

	while (ts_pb_next(&pb, &f)) {
		if (f.wire != TS_PB_BYTES)
			continue;
		name = f.number == 1 ? f.bytes : name;
		json = f.number == 16 ? f.bytes : json;
	}
	if (!name.len || name.len > TS_PATH_MAX / 2 || !json.len || ts_number_scan(json, &value, &integer) != json.len) {
		tell(w, "bad_message", TS_NOTICE_SKIPPED, "a system metric without a name or a number");
		return;
	}
	key = ts_keys_get(&w->system, TS_KEY_ROOT, name);
	if (key == TS_KEY_NONE) {
		tell(w, "too_many_columns", TS_NOTICE_SKIPPED, "more than 1,023 system metrics");
		return;
	}
	w->metrics[key].sum += value;
	w->metrics[key].n++;
	w->any_sample = true;
}

static void take_stats(struct wandb *w, struct ts_span message)
{
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;

	while (ts_pb_next(&pb, &f))
		if (f.number == 3 && f.wire == TS_PB_BYTES)
			take_sample(w, f.bytes);
}

static enum ts_status metric_column(struct wandb *w, uint32_t key, struct ts_error *err)
{
	struct ts_buf path = TS_BUF_INIT(2 * TS_PATH_MAX);
	struct ts_rows_column c = {.type = TS_COLUMN_F64, .precision = TS_PRECISION_F64, .quiet = true};
	uint32_t node, column;
	enum ts_status status;

	ts_buf_str(&path, "system");
	ts_path_key(&path, ts_key_at(&w->system, key)->text);
	c.name = ts_buf_view(&path);
	status = ts_buf_check(&path, err);
	if (!status && (ts_rows_column(w->rows, &c, &column, err) || ts_fact_tree_path(&w->facts, "columns", &node, err) ||
			ts_fact_tree_node(&w->facts, node, c.name, &node, err) ||
			ts_fact_tree_node(&w->facts, node, ts_span_str("role"), &node, err) ||
			ts_fact_tree_text(&w->facts, node, ts_span_str("observation"), err)))
		status = err->status;
	ts_buf_finish(&path);
	w->metrics[key].column = status ? 0 : column + 1;
	return status;
}

/* Into the row in hand; what came before the first row waits for it. */
static enum ts_status put_samples(struct wandb *w, struct ts_error *err)
{
	if (!w->any_sample || !w->any_step)
		return TS_OK;
	w->any_sample = false;
	for (uint32_t key = 1; key < w->system.n; key++) {
		struct metric *m = &w->metrics[key];

		if (!m->n)
			continue;
		if (!m->column && metric_column(w, key, err))
			return err->status;
		if (ts_rows_f64(w->rows, m->column - 1, m->sum / m->n, err))
			return err->status;
		m->sum = 0;
		m->n = 0;
	}
	return TS_OK;
}

/* --- history --- */

/* HistoryStep {num}: there at all, a missing num is 0. */
static bool step_of(struct ts_span message, int64_t *ret_step)
{
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;

	*ret_step = 0;
	while (ts_pb_next(&pb, &f))
		if (f.number == 1 && f.wire == TS_PB_VARINT)
			*ret_step = (int64_t)f.value;
	return !pb.broken;
}

enum step_found { STEP_NONE, STEP_FOUND, STEP_BAD };

/* The items of a record, in w->items. */
static enum ts_status read_items(struct wandb *w, struct ts_span history, enum step_found *ret_found, int64_t *ret_step,
				 struct ts_error *err)
{
	struct ts_pb pb = ts_pb_of(history);
	struct ts_pb_field f;
	struct item item;

	ts_buf_reset(&w->items);
	w->record++;
	*ret_found = STEP_NONE;
	while (ts_pb_next(&pb, &f)) {
		if (f.number == 2 && f.wire == TS_PB_BYTES)
			*ret_found = step_of(f.bytes, ret_step) ? STEP_FOUND : STEP_BAD;
		if (f.number != 1 || f.wire != TS_PB_BYTES)
			continue;
		if (!item_parts(w, f.bytes, &item)) {
			tell(w, "bad_message", TS_NOTICE_SKIPPED, "a value without a name, or one that does not fit its length");
		} else if (item.key != TS_KEY_NONE) {
			note_type(w, item.key);
			ts_buf_bytes(&w->items, &item, sizeof item);
		}
	}
	if (pb.broken)
		tell(w, "bad_message", TS_NOTICE_SKIPPED, "a step that does not fit its length");
	return ts_buf_check(&w->items, err);
}

/* Old logs have no message for the step, but the item _step; without either it is one more than the last. */
static enum step_found guess_step(const struct wandb *w, const struct item *items, size_t n, int64_t *ret_step)
{
	for (size_t i = 0; i < n; i++) {
		if (items[i].key != w->key_step)
			continue;
		*ret_step = items[i].has_big ? items[i].big : (int64_t)(items[i].has_number ? items[i].number : 0);
		return items[i].has_big || items[i].has_number || ts_parse_i64(items[i].json, ret_step) ? STEP_FOUND : STEP_BAD;
	}
	if (w->any_step && w->step == INT64_MAX)
		return STEP_BAD;
	*ret_step = w->any_step ? w->step + 1 : 0;
	return STEP_FOUND;
}

static enum ts_status put_timestamp(struct wandb *w, const struct item *item, struct ts_error *err)
{
	struct ts_rows_column column = {.name = ts_span_str("timestamp"), .type = TS_COLUMN_F64, .quiet = true};
	double value = item->number;
	bool integer;

	if (!item->has_number && (!item->json.len || ts_number_scan(item->json, &value, &integer) != item->json.len))
		return TS_OK;
	if (!w->timestamp) {
		if (ts_rows_column(w->rows, &column, &w->timestamp, err))
			return err->status;
		w->timestamp++;
	}
	return ts_rows_f64(w->rows, w->timestamp - 1, value, err);
}

static enum ts_status take_history(struct wandb *w, struct ts_span history, struct ts_error *err)
{
	const struct item *items;
	enum step_found found;
	int64_t step;
	size_t n;

	if (read_items(w, history, &found, &step, err))
		return err->status;
	items = (const struct item *)(const void *)w->items.data;
	n = w->items.len / sizeof *items;
	if (found == STEP_NONE)
		found = guess_step(w, items, n, &step);
	if (found == STEP_BAD) {
		tell(w, "bad_step", TS_NOTICE_SKIPPED, "a step that is no integer of 64 bits");
		return TS_OK;
	}
	if (put_samples(w, err) || ts_rows_step(w->rows, step, err))
		return err->status;
	w->any_step = true;
	w->step = step;
	for (size_t i = 0; i < n; i++)
		if (items[i].key == w->key_timestamp ? put_timestamp(w, &items[i], err) : put_item(w, &items[i], err))
			return err->status;
	return TS_OK;
}

/* --- summary --- */

/* A record of the summary comes with almost every step; only what it says at the end counts. */
static enum ts_status keep_summary(struct wandb *w, uint32_t key, struct ts_span json, struct ts_error *err)
{
	struct series *s = &w->series[key];

	s->summary.data = NULL;
	if (json.len == 0 || json.len > SUMMARY_MAX)
		return TS_OK;
	if (!s->room || s->cap < json.len) {
		s->cap = json.len + 24;
		s->room = ts_arena_alloc(w->arena, s->cap);
		if (!s->room)
			return ts_arena_error(w->arena, err);
	}
	memcpy(s->room, json.data, json.len);
	s->summary = ts_span_of(s->room, json.len);
	return TS_OK;
}

static enum ts_status take_summary(struct wandb *w, struct ts_span message, struct ts_error *err)
{
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;

	while (ts_pb_next(&pb, &f)) {
		struct item item;

		if (f.number > 2 || f.wire != TS_PB_BYTES || !item_parts(w, f.bytes, &item) || item.key == TS_KEY_NONE)
			continue;
		note_type(w, item.key);
		if (keep_summary(w, item.key, f.number == 1 ? item.json : ts_span_of(NULL, 0), err))
			return err->status;
	}
	return TS_OK;
}

/* What the steps say too is not said again: the last number of a series, and texts of one. */
static bool is_news(const struct wandb *w, uint32_t key)
{
	const struct series *s = &w->series[key];
	uint32_t root = root_of(w, key);
	double value;

	if (!s->summary.data || s->text || s->json || root == w->key_step || root == w->key_timestamp || root == w->key_runtime ||
	    root == w->key_internal)
		return false;
	for (uint32_t k = key; k != TS_KEY_ROOT; k = ts_key_at(&w->keys, k)->parent)
		if (w->series[k].typed)
			return false;
	if (!s->number)
		return true;
	if (ts_parse_double(s->summary, &value))
		return !(value == s->last);
	return isfinite(s->last) || s->summary.len > strlen("\"-Infinity\"");
}

static enum ts_status summary_fact(struct wandb *w, uint32_t key, struct ts_error *err)
{
	uint32_t chain[TS_JSON_DEPTH + 1], node;
	size_t n = 0;

	for (uint32_t k = key; k != TS_KEY_ROOT && n <= TS_JSON_DEPTH; k = ts_key_at(&w->keys, k)->parent)
		chain[n++] = k;
	if (ts_fact_tree_path(&w->facts, "other.wandb.summary", &node, err))
		return err->status;
	while (n > 0)
		if (ts_fact_tree_node(&w->facts, node, ts_key_at(&w->keys, chain[--n])->text, &node, err))
			return err->status;
	return ts_fact_tree_set(&w->facts, node, w->series[key].summary, err);
}

static enum ts_status summary_facts(struct wandb *w, struct ts_error *err)
{
	for (uint32_t key = 1; key < w->keys.n; key++) {
		const struct ts_span value = w->series[key].summary;

		if (!is_news(w, key) || (value.data[0] == '{' && is_media(value)))
			continue;
		if (doubt(w, summary_fact(w, key, err), err))
			return err->status;
	}
	return TS_OK;
}

/* --- records --- */

static enum ts_status take_part(struct wandb *w, const struct ts_pb_field *f, struct ts_error *err)
{
	switch (f->number) {
	case HISTORY:
		return take_history(w, f->bytes, err);
	case SUMMARY:
		return take_summary(w, f->bytes, err);
	case CONFIG:
		return doubt(w, ts_wandb_config(&w->facts, f->bytes, err), err);
	case STATS:
		take_stats(w, f->bytes);
		return TS_OK;
	case TELEMETRY:
		return doubt(w, ts_wandb_telemetry(&w->facts, f->bytes, err), err);
	case RUN:
		return doubt(w, ts_wandb_run(&w->facts, f->bytes, err), err);
	case EXIT:
		w->has_exit = true;
		return doubt(w, ts_wandb_exit(&w->facts, f->bytes, &w->exit_code, err), err);
	case HEADER:
		return doubt(w, ts_wandb_header(&w->facts, f->bytes, err), err);
	case ENVIRONMENT:
		w->any_environment = true;
		return doubt(w, ts_wandb_environment(&w->facts, f->bytes, err), err);
	default:
		return TS_OK;
	}
}

static enum ts_status take_record(struct wandb *w, struct ts_span record, struct ts_error *err)
{
	struct ts_pb pb = ts_pb_of(record);
	struct ts_pb_field f;

	while (ts_pb_next(&pb, &f))
		if (f.wire == TS_PB_BYTES && take_part(w, &f, err))
			return err->status;
	if (pb.broken)
		tell(w, "bad_message", TS_NOTICE_SKIPPED, "a record that does not fit its length");
	return TS_OK;
}

static enum ts_status tell_progress(struct wandb *w, const struct ts_wandb_log *log, struct ts_error *err)
{
	if (!w->options->progress || log->at - w->told < TELL_BYTES)
		return TS_OK;
	w->told = log->at;
	return w->options->progress(w->options->progress_ctx, log->at, log->size) ? TS_OK : ts_error_set(err, TS_CANCELLED, "stopped");
}

static enum ts_status read_records(struct wandb *w, struct ts_wandb_log *log, struct ts_error *err)
{
	struct ts_span record;
	enum ts_wandb_end end;

	for (;;) {
		if (ts_wandb_log_next(log, &record, &end, err))
			return err->status;
		w->at = log->told;
		if (end == TS_WANDB_MORE && take_record(w, record, err))
			return err->status;
		if (end == TS_WANDB_LONG)
			tell(w, "long_record", TS_NOTICE_SKIPPED, "a record of more than 16 MiB");
		if (end == TS_WANDB_DAMAGED)
			tell(w, "bad_block", TS_NOTICE_SKIPPED, "a checksum or a length is wrong; what is left of its 32 KiB is not read");
		if (end == TS_WANDB_CUT)
			tell(w, "cut_record", TS_NOTICE_INFO, "the file ends inside a record, as one does that is being written");
		if (end == TS_WANDB_END || end == TS_WANDB_CUT)
			return put_samples(w, err);
		if (tell_progress(w, log, err))
			return err->status;
	}
}

/* --- the run --- */

static enum ts_status known_keys(struct wandb *w, struct ts_error *err)
{
	w->key_step = child_of(w, TS_KEY_ROOT, ts_span_str("_step"));
	w->key_timestamp = child_of(w, TS_KEY_ROOT, ts_span_str("_timestamp"));
	w->key_runtime = child_of(w, TS_KEY_ROOT, ts_span_str("_runtime"));
	w->key_internal = child_of(w, TS_KEY_ROOT, ts_span_str("_wandb"));
	return w->key_internal == TS_KEY_NONE ? ts_error_set(err, TS_NO_MEMORY, "out of memory for names") : TS_OK;
}

static void begin_feed(struct wandb *w, struct ts_rows *rows)
{
	w->rows = rows;
	w->any_step = w->any_sample = w->any_environment = w->has_exit = false;
	w->timestamp = 0;
	w->record = 0;
	w->told = 0;
	w->names.n = 0;
	ts_keys_finish(&w->keys);
	ts_keys_finish(&w->system);
	ts_keys_init(&w->keys, KEYS_MAX - 1);
	ts_keys_init(&w->system, SYSTEM_MAX - 1);
	if (w->series)
		memset(w->series, 0, w->cap_series * sizeof *w->series);
	memset(w->metrics, 0, SYSTEM_MAX * sizeof *w->metrics);
	ts_fact_tree_reset(&w->facts);
}

static enum ts_status feed(void *ctx, struct ts_rows *rows, struct ts_error *err)
{
	struct wandb *w = ctx;
	struct ts_wandb_log log;
	enum ts_status status;

	begin_feed(w, rows);
	if (known_keys(w, err))
		return err->status;
	status = ts_wandb_log_open(&log, w->path, err);
	if (!status)
		status = read_records(w, &log, err);
	w->bytes_read += status ? 0 : log.size;
	ts_wandb_log_close(&log);
	return status && status != TS_CANCELLED ? ts_error_prefix(err, "%s", w->path) : status;
}

/* A file beside the log, of at most 1 MiB, that need not be there. */
static enum ts_status take_file(struct wandb *w, const char *name,
				enum ts_status (*take)(struct ts_fact_tree *, struct ts_span, struct ts_error *), struct ts_error *err)
{
	const char *path = ts_arena_printf(w->arena, "%sfiles/%s", w->beside, name);
	struct ts_buf buf = TS_BUF_INIT(1 << 20);
	struct ts_error why;
	struct stat st;
	enum ts_status status;

	if (!path)
		return ts_arena_error(w->arena, err);
	if (lstat(path, &st) || !S_ISREG(st.st_mode))
		return TS_OK;
	status = ts_file_read(path, &buf, &why);
	if (!status)
		status = take(&w->facts, ts_buf_view(&buf), &why);
	ts_buf_finish(&buf);
	if (status == TS_NO_MEMORY) {
		*err = why;
		return status;
	}
	if (status)
		ts_notice_add(&w->notices, "bad_side_file", TS_NOTICE_SKIPPED, ts_span_str(path + strlen(w->beside)), 0, why.text);
	return TS_OK;
}

static enum ts_status write_facts(void *ctx, struct ts_buf *json, struct ts_error *err)
{
	struct wandb *w = ctx;
	struct ts_json j = ts_json_of(json);

	if (summary_facts(w, err) || (!w->any_environment && take_file(w, "wandb-metadata.json", ts_wandb_metadata, err)) ||
	    take_file(w, "requirements.txt", ts_wandb_requirements, err))
		return err->status;
	ts_fact_tree_write(&w->facts, &j);
	return TS_OK;
}

static bool finished(void *ctx)
{
	const struct wandb *w = ctx;

	return w->has_exit && w->exit_code == 0;
}

static enum ts_status find_file(struct wandb *w, struct ts_error *err)
{
	const char *slash;

	w->path = w->options->path;
	w->file = ts_span_str("");
	if (ts_file_kind(w->path) == TS_FILE_DIRECTORY) {
		w->path = log_in(w->options->path, w->arena);
		if (!w->path)
			return ts_error_set(err, TS_INVALID, "%s: not one .wandb file in it", w->options->path);
		w->file = ts_span_str(strrchr(w->path, '/') + 1);
	}
	slash = strrchr(w->path, '/');
	w->beside = ts_arena_printf(w->arena, "%.*s", slash ? (int)(slash + 1 - w->path) : 0, w->path);
	return w->beside ? TS_OK : ts_arena_error(w->arena, err);
}

enum ts_status ts_wandb_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			     struct ts_ingest_result *ret_result, struct ts_error *err)
{
	struct wandb w = {.options = options,
			  .arena = arena,
			  .notices = {.arena = arena},
			  .names = {.arena = arena},
			  .scratch = TS_BUF_INIT(8 * TS_TEXT_MAX),
			  .plain = TS_BUF_INIT(4 * TS_TEXT_MAX),
			  .items = TS_BUF_INIT((size_t)64 * TS_WANDB_RECORD_MAX)};
	struct ts_import import = {
		.format = "W&B log", .rows = {.feed = feed, .ctx = &w, .by_row = true}, .facts = write_facts, .ctx = &w, .finished = finished};
	enum ts_status status;

	if (find_file(&w, err))
		return err->status;
	w.metrics = ts_arena_array(arena, SYSTEM_MAX, sizeof *w.metrics);
	if (!w.metrics)
		return ts_arena_error(arena, err);
	ts_fact_tree_init(&w.facts);
	status = ts_import_run(&import, options, sink, ctx, &w.notices, &w.bytes_read, arena, ret_result, err);
	ts_free(w.series);
	ts_keys_finish(&w.keys);
	ts_keys_finish(&w.system);
	ts_fact_tree_finish(&w.facts);
	ts_buf_finish(&w.scratch);
	ts_buf_finish(&w.plain);
	ts_buf_finish(&w.items);
	return status;
}
