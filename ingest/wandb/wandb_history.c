#include "ingest/wandb/wandb_history.h"

#include "base/json_reader.h"
#include "base/number.h"
#include "base/pb.h"
#include "ingest/wandb/wandb_fields.h"
#include "ingest/wandb/wandb_item.h"

#include <math.h>
#include <stdio.h>

enum {
	SYSTEM_MAX = 1024,
	SUMMARY_MAX = TS_FACT_INLINE_MAX, /* the limit of one value, in bytes */
	ITEMS_MAX = 64 << 20,		  /* bytes: about 700,000 values of one step */
};

/* A system metric. Its value is the mean of its samples since the current row began. */
struct ts_wandb_metric {
	uint32_t column; /* the column's number + 1 */
	uint32_t n;
	double sum;
};

enum ts_status ts_wandb_history_init(struct ts_wandb_history *w, struct ts_arena *arena, struct ts_notices *notices,
				     struct ts_fact_tree *facts, struct ts_error *err)
{
	*w = (struct ts_wandb_history){.facts = facts, .items = TS_BUF_INIT(ITEMS_MAX)};
	ts_wandb_series_init(&w->s, arena, notices);
	w->metrics = ts_arena_array(arena, SYSTEM_MAX, sizeof *w->metrics);
	return w->metrics ? TS_OK : ts_arena_error(arena, err);
}

enum ts_status ts_wandb_history_check(const struct ts_wandb_history *w, struct ts_error *err)
{
	return w->s.no_memory ? ts_error_set(err, TS_NO_MEMORY, "out of memory for names") : TS_OK;
}

/* The axis is a name of its own ("train/global_step"), or a member of an object. */
static enum ts_status begin_axis(struct ts_wandb_history *w, struct ts_error *err)
{
	struct ts_span left = w->axis.name;
	uint32_t node, key = TS_KEY_ROOT;

	w->key_axis = w->key_axis_parts = TS_KEY_NONE;
	if (!left.len)
		return TS_OK;
	w->key_axis = ts_wandb_key(&w->s, TS_KEY_ROOT, left);
	while (key != TS_KEY_NONE && left.len > 0) {
		const uint8_t *dot = memchr(left.data, '.', left.len);
		size_t n = dot ? (size_t)(dot - left.data) : left.len;

		key = ts_wandb_key(&w->s, key, ts_span_of(left.data, n));
		n += dot != NULL;
		left = ts_span_of(left.data + n, left.len - n);
	}
	w->key_axis_parts = key;
	return ts_fact_tree_path(w->facts, "columns.step.source", &node, err) ? err->status
									      : ts_fact_tree_text(w->facts, node, w->axis.name, err);
}

static bool is_axis(const struct ts_wandb_history *w, uint32_t key)
{
	return key == w->key_axis || key == w->key_axis_parts;
}

void ts_wandb_history_part(struct ts_wandb_history *w)
{
	w->fresh = true;
	w->resumes = false;
	w->offset = 0;
}

enum ts_status ts_wandb_history_begin(struct ts_wandb_history *w, struct ts_rows *rows, struct ts_error *err)
{
	ts_wandb_series_begin(&w->s, rows);
	ts_keys_finish(&w->system);
	ts_keys_init(&w->system, SYSTEM_MAX - 1);
	memset(w->metrics, 0, SYSTEM_MAX * sizeof *w->metrics);
	w->any_step = w->any_sample = false;
	ts_wandb_history_part(w);
	w->timestamp = 0;
	w->record = 0;
	w->key_step = ts_wandb_key(&w->s, TS_KEY_ROOT, ts_span_str("_step"));
	w->key_timestamp = ts_wandb_key(&w->s, TS_KEY_ROOT, ts_span_str("_timestamp"));
	w->key_runtime = ts_wandb_key(&w->s, TS_KEY_ROOT, ts_span_str("_runtime"));
	w->key_internal = ts_wandb_key(&w->s, TS_KEY_ROOT, ts_span_str("_wandb"));
	if (begin_axis(w, err))
		return err->status;
	return ts_wandb_history_check(w, err);
}

void ts_wandb_history_finish(struct ts_wandb_history *w)
{
	ts_wandb_series_finish(&w->s);
	ts_keys_finish(&w->system);
	ts_buf_finish(&w->items);
}

/* --- items --- */

/* HistoryItem has key or all of nested_key, and value_json or one of the typed values that SDKs write since 0.31.
 * SummaryItem has the same fields. */
struct item {
	uint32_t key;
	bool any_key;
	struct ts_wandb_value v;
};

static bool item_parts(struct ts_wandb_history *w, struct ts_span message, struct item *item)
{
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;
	unsigned depth = 0;

	*item = (struct item){.key = TS_KEY_ROOT};
	while (ts_pb_next(&pb, &f)) {
		if (f.number != ITEM_KEY && f.number != ITEM_NESTED_KEY) {
			ts_wandb_value_take(&item->v, &f);
			continue;
		}
		if (f.wire != TS_PB_BYTES || ++depth > TS_JSON_DEPTH)
			return false;
		item->key = ts_wandb_key(&w->s, item->key, f.bytes);
		if (item->key == TS_KEY_NONE)
			return true;
	}
	item->any_key = depth > 0;
	return !pb.broken && item->any_key;
}

/* Returns the first key of the path. */
static uint32_t root_of(const struct ts_wandb_history *w, uint32_t key)
{
	while (ts_key_at(&w->s.keys, key)->parent != TS_KEY_ROOT)
		key = ts_key_at(&w->s.keys, key)->parent;
	return key;
}

/* Images, tables and histograms are logged as an object with the member _type, or member by member. */
static void note_type(struct ts_wandb_history *w, uint32_t key)
{
	uint32_t parent = ts_key_at(&w->s.keys, key)->parent;

	if (parent == TS_KEY_ROOT || !ts_span_is(ts_key_at(&w->s.keys, key)->text, "_type"))
		return;
	w->s.of[parent].typed = true;
	w->s.of[parent].media = w->record;
}

static bool is_of_media(const struct ts_wandb_history *w, uint32_t key)
{
	while ((key = ts_key_at(&w->s.keys, key)->parent) != TS_KEY_ROOT)
		if (w->s.of[key].media == w->record)
			return true;
	return false;
}

static enum ts_status put_big(struct ts_wandb_history *w, const struct item *item, struct ts_error *err)
{
	char digits[24];
	int n = snprintf(digits, sizeof digits, "%" PRId64, item->v.big);

	return ts_wandb_json(&w->s, item->key, ts_span_of(digits, (size_t)n), err);
}

static enum ts_status put_item(struct ts_wandb_history *w, const struct item *item, struct ts_error *err)
{
	if (item->key == w->key_step || item->key == w->key_runtime || is_axis(w, item->key) ||
	    root_of(w, item->key) == w->key_internal)
		return TS_OK;
	if (is_of_media(w, item->key)) {
		if (ts_span_is(ts_key_at(&w->s.keys, item->key)->text, "_type"))
			ts_wandb_tell(&w->s, "not_scalar", TS_NOTICE_SKIPPED, "an image, a table or another object of W&B's");
		return TS_OK;
	}
	if (item->v.has_text)
		return ts_wandb_text(&w->s, item->key, TS_COLUMN_TEXT, item->v.text, err);
	if (item->v.has_big)
		return put_big(w, item, err);
	if (item->v.has_number)
		return ts_wandb_number(&w->s, item->key, item->v.number, err);
	return ts_wandb_json(&w->s, item->key, item->v.json, err);
}

/* --- system metrics --- */

static void take_sample(struct ts_wandb_history *w, struct ts_span message)
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
		name = f.number == STATS_KEY ? f.bytes : name;
		json = f.number == STATS_VALUE_JSON ? f.bytes : json;
	}
	if (!name.len || name.len > TS_PATH_MAX / 2 || !json.len || ts_number_scan(json, &value, &integer) != json.len) {
		ts_wandb_tell(&w->s, "bad_message", TS_NOTICE_SKIPPED, "a system metric without a name or a number");
		return;
	}
	key = ts_keys_get(&w->system, TS_KEY_ROOT, name);
	if (key == TS_KEY_NONE) {
		if (w->system.no_memory)
			w->s.no_memory = true;
		else
			ts_wandb_tell(&w->s, "too_many_columns", TS_NOTICE_SKIPPED, "more than 1,023 system metrics");
		return;
	}
	w->metrics[key].sum += value;
	w->metrics[key].n++;
	w->any_sample = true;
}

void ts_wandb_history_system(struct ts_wandb_history *w, struct ts_span message)
{
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;

	while (ts_pb_next(&pb, &f))
		if (f.number == STATS_ITEM && f.wire == TS_PB_BYTES)
			take_sample(w, f.bytes);
}

static enum ts_status metric_column(struct ts_wandb_history *w, uint32_t key, struct ts_error *err)
{
	struct ts_buf path = TS_BUF_INIT(2 * TS_PATH_MAX);
	struct ts_rows_column c = {.type = TS_COLUMN_F64, .precision = TS_PRECISION_F64, .quiet = true};
	uint32_t node, column;
	enum ts_status status;

	ts_buf_str(&path, "system");
	ts_path_key(&path, ts_key_at(&w->system, key)->text);
	c.name = ts_buf_view(&path);
	status = ts_buf_check(&path, err);
	if (!status && (ts_rows_column(w->s.rows, &c, &column, err) || ts_fact_tree_path(w->facts, "columns", &node, err) ||
			ts_fact_tree_node(w->facts, node, c.name, &node, err) ||
			ts_fact_tree_node(w->facts, node, ts_span_str("role"), &node, err) ||
			ts_fact_tree_text(w->facts, node, ts_span_str("observation"), err)))
		status = err->status;
	ts_buf_finish(&path);
	w->metrics[key].column = status ? 0 : column + 1;
	return status;
}

/* Puts the means into the current row. Samples from before the first row are kept for it. */
enum ts_status ts_wandb_history_end(struct ts_wandb_history *w, struct ts_error *err)
{
	if (!w->any_sample || !w->any_step)
		return TS_OK;
	w->any_sample = false;
	for (uint32_t key = 1; key < w->system.n; key++) {
		struct ts_wandb_metric *m = &w->metrics[key];

		if (!m->n)
			continue;
		if (!m->column && metric_column(w, key, err))
			return err->status;
		if (ts_rows_f64(w->s.rows, m->column - 1, m->sum / m->n, err))
			return err->status;
		m->sum = 0;
		m->n = 0;
	}
	return TS_OK;
}

/* --- history --- */

/* Reads HistoryStep {num}. If the message is there without num, num is 0. */
static bool step_of(struct ts_span message, int64_t *ret_step)
{
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;

	*ret_step = 0;
	while (ts_pb_next(&pb, &f))
		if (f.number == STEP_NUM && f.wire == TS_PB_VARINT)
			*ret_step = (int64_t)f.value;
	return !pb.broken;
}

enum step_found { STEP_NONE, STEP_FOUND, STEP_BAD };

/* Reads the items of a record into w->items. */
static enum ts_status read_items(struct ts_wandb_history *w, struct ts_span history, enum step_found *ret_found,
				 int64_t *ret_step, struct ts_error *err)
{
	struct ts_pb pb = ts_pb_of(history);
	struct ts_pb_field f;
	struct item item;

	ts_buf_reset(&w->items);
	w->record++;
	*ret_found = STEP_NONE;
	while (ts_pb_next(&pb, &f)) {
		if (f.number == HISTORY_STEP && f.wire == TS_PB_BYTES)
			*ret_found = step_of(f.bytes, ret_step) ? STEP_FOUND : STEP_BAD;
		if (f.number != HISTORY_ITEM || f.wire != TS_PB_BYTES)
			continue;
		if (!item_parts(w, f.bytes, &item)) {
			ts_wandb_tell(&w->s, "bad_message", TS_NOTICE_SKIPPED,
				      "a value without a name, or one that does not fit its length");
		} else if (w->items.len > ITEMS_MAX - sizeof item) {
			ts_wandb_tell(&w->s, "too_many_values", TS_NOTICE_SKIPPED, "a step of more than 64 MiB of values");
		} else if (item.key != TS_KEY_NONE) {
			note_type(w, item.key);
			ts_buf_bytes(&w->items, &item, sizeof item);
		}
	}
	if (pb.broken)
		ts_wandb_tell(&w->s, "bad_message", TS_NOTICE_SKIPPED, "a step that does not fit its length");
	return ts_buf_check(&w->items, err);
}

/* Nothing can be asked offline, so a log that resumes a run counts its records from 0 again. Online, W&B goes on behind the last step.
 * Steps that begin elsewhere were given, and stand. */
static enum step_found go_on(struct ts_wandb_history *w, int64_t *io_step)
{
	if (w->fresh && w->resumes && *io_step == 0 && w->any_step && w->step < INT64_MAX) {
		w->offset = w->step + 1;
		ts_wandb_tell(&w->s, "resumed_steps", TS_NOTICE_INFO,
			      "a log that resumes the run counts its steps from 0 again; they go on behind the last step, as W&B does "
			      "online");
	}
	w->fresh = false;
	return __builtin_add_overflow(*io_step, w->offset, io_step) ? STEP_BAD : STEP_FOUND;
}

/* Old logs have no message for the step, but have the item _step. Without either, the step is one more than the last. */
static enum step_found guess_step(struct ts_wandb_history *w, const struct item *items, size_t n, int64_t *ret_step)
{
	for (size_t i = 0; i < n; i++)
		if (items[i].key == w->key_step)
			return ts_wandb_value_whole(&items[i].v, ret_step) ? go_on(w, ret_step) : STEP_BAD;
	if (w->any_step && w->step == INT64_MAX)
		return STEP_BAD;
	*ret_step = w->any_step ? w->step + 1 : 0;
	return STEP_FOUND;
}

/* A record without a value of the axis belongs to the step of the record before it; before the first value, to that of the first. */
static enum step_found axis_step(struct ts_wandb_history *w, const struct item *items, size_t n, int64_t *ret_step)
{
	for (size_t i = 0; i < n; i++)
		if (is_axis(w, items[i].key))
			return ts_wandb_value_whole(&items[i].v, ret_step) ? STEP_FOUND : STEP_BAD;
	ts_wandb_tell(&w->s, "no_axis", TS_NOTICE_INFO, "a record without a value of the axis stands at the step before it");
	*ret_step = w->any_step ? w->step : w->axis.first;
	return STEP_FOUND;
}

static enum ts_status put_timestamp(struct ts_wandb_history *w, const struct item *item, struct ts_error *err)
{
	struct ts_rows_column column = {.name = ts_span_str("timestamp"), .type = TS_COLUMN_F64, .quiet = true};
	double value;

	if (!ts_wandb_value_number(&item->v, &value))
		return TS_OK;
	if (!w->timestamp) {
		if (ts_rows_column(w->s.rows, &column, &w->timestamp, err))
			return err->status;
		w->timestamp++;
	}
	return ts_rows_f64(w->s.rows, w->timestamp - 1, value, err);
}

enum ts_status ts_wandb_history_steps(struct ts_wandb_history *w, struct ts_span history, struct ts_error *err)
{
	const struct item *items;
	enum step_found found;
	int64_t step;
	size_t n;

	if (read_items(w, history, &found, &step, err))
		return err->status;
	items = (const struct item *)(const void *)w->items.data;
	n = w->items.len / sizeof *items;
	if (w->axis.name.len)
		found = axis_step(w, items, n, &step);
	else if (found == STEP_NONE)
		found = guess_step(w, items, n, &step);
	else if (found == STEP_FOUND)
		found = go_on(w, &step);
	if (found == STEP_BAD) {
		ts_wandb_tell(&w->s, "bad_step", TS_NOTICE_SKIPPED, "a step that is not an integer of 64 bits");
		return TS_OK;
	}
	if (ts_wandb_history_end(w, err) || ts_rows_step(w->s.rows, step, err))
		return err->status;
	w->any_step = true;
	w->step = step;
	for (size_t i = 0; i < n; i++)
		if (items[i].key == w->key_timestamp ? put_timestamp(w, &items[i], err) : put_item(w, &items[i], err))
			return err->status;
	return TS_OK;
}

/* --- summary --- */

/* A record of the summary comes with almost every step. Only its last values count. */
static enum ts_status keep_summary(struct ts_wandb_history *w, uint32_t key, struct ts_span json, struct ts_error *err)
{
	struct ts_wandb_one *s = &w->s.of[key];

	s->summary.data = NULL;
	if (json.len == 0 || json.len > SUMMARY_MAX)
		return TS_OK;
	if (!s->room || s->room_len < json.len) {
		s->room_len = json.len + 24;
		s->room = ts_arena_alloc(w->s.arena, s->room_len);
		if (!s->room)
			return ts_arena_error(w->s.arena, err);
	}
	memcpy(s->room, json.data, json.len);
	s->summary = ts_span_of(s->room, json.len);
	return TS_OK;
}

static enum ts_status keep_value(struct ts_wandb_history *w, uint32_t key, struct ts_span json, struct ts_error *err);

/* Old SDKs write an object as a whole. Each of its members is kept under its own name, as in the steps. */
static enum ts_status keep_members(struct ts_wandb_history *w, uint32_t parent, struct ts_span object, struct ts_error *err)
{
	struct ts_buf scratch = TS_BUF_INIT(2 * TS_TEXT_MAX);
	struct ts_json_reader r;
	struct ts_json_token token;
	struct ts_error why = {.status = TS_OK};
	enum ts_status status = TS_OK;

	ts_json_reader_init(&r, object, &scratch);
	(void)ts_json_next(&r, &token, &why);
	while (!status && !ts_json_next(&r, &token, &why) && token.type == TS_JSON_KEY) {
		uint32_t key = ts_wandb_key(&w->s, parent, token.text);
		struct ts_span raw;

		if (ts_json_skip(&r, &raw, &why))
			break;
		if (key != TS_KEY_NONE)
			status = keep_value(w, key, raw, err);
	}
	ts_wandb_lacks(&w->s, &why);
	ts_buf_finish(&scratch);
	return status;
}

static enum ts_status keep_value(struct ts_wandb_history *w, uint32_t key, struct ts_span json, struct ts_error *err)
{
	if (json.len == 0 || json.data[0] != '{' || json.len > TS_TEXT_MAX)
		return keep_summary(w, key, json, err);
	w->s.of[key].summary.data = NULL;
	return ts_wandb_is_media(&w->s, json) ? TS_OK : keep_members(w, key, json, err);
}

enum ts_status ts_wandb_history_summary(struct ts_wandb_history *w, struct ts_span message, struct ts_error *err)
{
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;

	while (ts_pb_next(&pb, &f)) {
		struct item item;

		bool removed = f.number == SUMMARY_REMOVE;

		if ((f.number != SUMMARY_UPDATE && !removed) || f.wire != TS_PB_BYTES || !item_parts(w, f.bytes, &item) ||
		    item.key == TS_KEY_NONE)
			continue;
		note_type(w, item.key);
		if (keep_value(w, item.key, !removed ? item.v.json : ts_span_of(NULL, 0), err))
			return err->status;
	}
	return TS_OK;
}

/* A value of the summary is left out if the steps already have it: the last number of a series, or a text of a series
 * of texts. */
static bool is_news(const struct ts_wandb_history *w, uint32_t key)
{
	const struct ts_wandb_one *s = &w->s.of[key];
	uint32_t root = root_of(w, key);
	double value;

	if (!s->summary.data || s->text || s->json || root == w->key_step || root == w->key_timestamp || root == w->key_runtime ||
	    root == w->key_internal || is_axis(w, key))
		return false;
	for (uint32_t k = key; k != TS_KEY_ROOT; k = ts_key_at(&w->s.keys, k)->parent)
		if (w->s.of[k].typed)
			return false;
	if (!s->number)
		return true;
	if (ts_parse_double(s->summary, &value))
		return !(value == s->last);
	return isfinite(s->last) || s->summary.len > strlen("\"-Infinity\"");
}

static enum ts_status summary_fact(struct ts_wandb_history *w, uint32_t key, struct ts_error *err)
{
	uint32_t chain[TS_JSON_DEPTH + 1], node;
	size_t n = 0;

	for (uint32_t k = key; k != TS_KEY_ROOT && n <= TS_JSON_DEPTH; k = ts_key_at(&w->s.keys, k)->parent)
		chain[n++] = k;
	if (ts_fact_tree_path(w->facts, "other.wandb.summary", &node, err))
		return err->status;
	while (n > 0)
		if (ts_fact_tree_node(w->facts, node, ts_key_at(&w->s.keys, chain[--n])->text, &node, err))
			return err->status;
	return ts_fact_tree_set(w->facts, node, w->s.of[key].summary, err);
}

enum ts_status ts_wandb_history_facts(struct ts_wandb_history *w, struct ts_error *err)
{
	for (uint32_t key = 1; key < w->s.keys.n; key++) {
		enum ts_status status;

		if (!is_news(w, key))
			continue;
		status = summary_fact(w, key, err);
		if (status == TS_INVALID || status == TS_TOO_LARGE)
			ts_wandb_tell(&w->s, "bad_message", TS_NOTICE_SKIPPED, err->text);
		else if (status)
			return status;
	}
	return TS_OK;
}
