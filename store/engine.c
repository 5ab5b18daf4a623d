#include "base/words.h"
#include "store/engine_common.h"

#include "base/cursor.h"
#include "base/limits.h"

void ts_engine_destroy(struct ts_engine *engine)
{
	if (engine)
		engine->ops->destroy(engine);
}

void ts_depot_destroy(struct ts_depot *depot)
{
	if (depot)
		depot->ops->destroy(depot);
}

enum ts_status ts_ref_kind_check(enum ts_ref_kind kind, struct ts_error *err)
{
	if (kind != TS_REF_RUN && kind != TS_REF_TAG && kind != TS_REF_STAGE && kind != TS_REF_BRANCH)
		return ts_error_set(err, TS_INVALID, "there is no kind of name with number %d", (int)kind);
	return TS_OK;
}

enum ts_status ts_ref_name_check(struct ts_span name, struct ts_error *err)
{
	if (name.len == 0 || name.len > TS_REF_NAME_MAX)
		return ts_error_set(err, TS_INVALID, "the name has %zu bytes, and 1 to %d are allowed", name.len,
				    TS_REF_NAME_MAX);
	if (memchr(name.data, 0, name.len))
		return ts_error_set(err, TS_INVALID, "the name has a NUL byte");
	return TS_OK;
}

static enum ts_status check_len(const char *what, struct ts_span span, size_t most, struct ts_error *err)
{
	if (span.len > most)
		return ts_error_set(err, TS_TOO_LARGE, "the %s has %zu bytes, and at most %zu are allowed", what, span.len, most);
	return TS_OK;
}

enum ts_status ts_note_check(struct ts_span name, const struct ts_note *note, struct ts_error *err)
{
	if (ts_ref_name_check(name, err) || check_len("note", note->value, TS_NOTE_MAX, err) ||
	    check_len("note's author", note->who, TS_WHO_MAX, err))
		return err->status;
	if (note->key.len == 0 || note->key.len > TS_NOTE_KEY_MAX || memchr(note->key.data, 0, note->key.len))
		return ts_error_set(err, TS_INVALID, "a note's key must have 1 to %d bytes and no NUL byte", TS_NOTE_KEY_MAX);
	return TS_OK;
}

enum ts_status ts_record_check(const struct ts_record *record, struct ts_error *err)
{
	bool ok = record->key.len > 0 && record->key.len <= TS_RECORD_KEY_MAX;

	for (size_t i = 0; ok && i < record->key.len; i++)
		ok = record->key.data[i] > ' ' && record->key.data[i] < 0x7f;
	if (!ok)
		return ts_error_set(err, TS_INVALID, "the key of a record must have 1 to %d bytes of printable ASCII",
				    TS_RECORD_KEY_MAX);
	return check_len("record", record->value, TS_RECORD_MAX, err);
}

enum ts_status ts_extracts_check(const struct ts_extract *extracts, size_t n, struct ts_error *err)
{
	for (size_t i = 0; i < n; i++)
		if (check_len("extract", extracts[i].value, TS_EXTRACT_MAX, err))
			return err->status;
	return TS_OK;
}

static enum ts_status check_update(const struct ts_ref_update *u, struct ts_error *err)
{
	if (ts_ref_kind_check(u->kind, err) || ts_ref_name_check(u->name, err) ||
	    check_len("pusher's name", u->who, TS_WHO_MAX, err) ||
	    check_len("summary", u->summary, TS_SUMMARY_MAX, err) ||
	    check_len("message", u->message, TS_NOTE_MAX, err) || ts_extracts_check(u->extracts, u->n_extracts, err))
		return err->status;
	if (u->note && (u->kind != TS_REF_RUN || u->remove))
		return ts_error_set(err, TS_INVALID, "only the name of a run that stays can have a note");
	return u->note ? ts_note_check(u->name, u->note, err) : TS_OK;
}

enum ts_status ts_updates_check(const struct ts_ref_update *updates, size_t n, struct ts_error *err)
{
	for (size_t i = 0; i < n; i++) {
		if (check_update(&updates[i], err))
			return err->status;
		for (size_t j = 0; j < i; j++)
			if (updates[i].kind == updates[j].kind && ts_span_eq(updates[i].name, updates[j].name))
				return ts_error_set(err, TS_INVALID, "one commit names %.*s twice",
						    TS_SPAN_ARG(updates[i].name));
	}
	return TS_OK;
}

enum ts_status ts_expect_check(const struct ts_ref_update *u, const struct ts_id *current, struct ts_error *err)
{
	char found[TS_ID_HEX + 1];
	char wanted[TS_ID_HEX + 1];

	if (current && u->expect == TS_EXPECT_ABSENT)
		return ts_error_set(err, TS_CONFLICT, "%.*s exists already and points at %s", TS_SPAN_ARG(u->name),
				    ts_id_hex(current, found));
	if (!current && u->expect == TS_EXPECT_ID)
		return ts_error_set(err, TS_CONFLICT, "%.*s does not exist, but it was expected to point at %s",
				    TS_SPAN_ARG(u->name), ts_id_hex(&u->expected, wanted));
	if (current && u->expect == TS_EXPECT_ID && !ts_id_eq(current, &u->expected))
		return ts_error_set(err, TS_CONFLICT, "%.*s points at %s, but it was expected to point at %s", TS_SPAN_ARG(u->name),
				    ts_id_hex(current, found), ts_id_hex(&u->expected, wanted));
	if (!current && u->remove)
		return ts_no_ref(u->kind, u->name, err);
	return TS_OK;
}

struct ts_ref ts_ref_after(const struct ts_ref_update *u, const struct ts_ref *current)
{
	if (u->remove)
		return *current;
	return (struct ts_ref){
		.kind = u->kind,
		.name = u->name,
		.id = u->id,
		.seq = current->seq + 1,
		.moved_ns = u->now_ns,
		.who = u->who,
		.summary = u->summary,
	};
}

enum ts_status ts_texts_copy(struct ts_arena *arena, struct ts_span *const *texts, size_t n, struct ts_error *err)
{
	size_t bytes = n;
	uint8_t *at;

	for (size_t i = 0; i < n; i++)
		bytes += texts[i]->len;
	at = ts_arena_alloc(arena, bytes);
	if (!at)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++) {
		struct ts_span text = *texts[i];

		if (text.len)
			memcpy(at, text.data, text.len);
		at[text.len] = 0;
		*texts[i] = ts_span_of(at, text.len);
		at += text.len + 1;
	}
	return TS_OK;
}

enum ts_status ts_ref_copy(struct ts_arena *arena, const struct ts_ref *ref, struct ts_ref *ret_ref, struct ts_error *err)
{
	struct ts_ref copy = *ref;

	if (ts_texts_copy(arena, (struct ts_span *[]){&copy.name, &copy.who, &copy.summary}, 3, err))
		return err->status;
	*ret_ref = copy;
	return TS_OK;
}

enum ts_status ts_pruned_copy(struct ts_arena *arena, const struct ts_pruned *pruned, struct ts_pruned *ret_pruned,
			      struct ts_error *err)
{
	struct ts_pruned copy = *pruned;

	if (ts_texts_copy(arena, (struct ts_span *[]){&copy.who, &copy.owner}, 2, err))
		return err->status;
	*ret_pruned = copy;
	return TS_OK;
}

static bool is_same(const struct ts_retired *a, const struct ts_retired *b)
{
	return a->kind == b->kind && (a->kind == TS_REF_RUN || a->seq == b->seq) && ts_span_eq(a->name, b->name);
}

enum ts_status ts_retire_check(const struct ts_retire *retire, struct ts_error *err)
{
	if (retire->n > TS_RETIRE_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "%zu names and entries are to go at once, and at most %d are allowed", retire->n,
				    TS_RETIRE_MAX);
	for (size_t i = 0; i < retire->n; i++) {
		const struct ts_retired *item = &retire->items[i];

		if (ts_ref_name_check(item->name, err))
			return err->status;
		if (item->kind != TS_REF_RUN && item->kind != TS_REF_BRANCH)
			return ts_error_set(err, TS_INVALID, "only names of runs and entries of branches can be retired, and no %s",
					    ts_ref_word(item->kind));
		for (size_t k = 0; k < i; k++)
			if (is_same(item, &retire->items[k]))
				return ts_error_set(err, TS_INVALID, "one request retires %.*s twice", TS_SPAN_ARG(item->name));
	}
	return check_len("name of who retires", retire->who, TS_WHO_MAX, err);
}

enum ts_status ts_no_ref(enum ts_ref_kind kind, struct ts_span name, struct ts_error *err)
{
	const char *word = kind == TS_REF_RUN   ? "run" :
			   kind == TS_REF_TAG	? "tag" :
			   kind == TS_REF_STAGE ? "stage" :
						  "branch";

	return ts_error_set(err, TS_NOT_FOUND, "there is no %s %.*s", word, TS_SPAN_ARG(name));
}

enum ts_status ts_no_object(const struct ts_id *id, struct ts_error *err)
{
	char hex[TS_ID_HEX + 1];

	return ts_error_set(err, TS_NOT_FOUND, "there is no object %s", ts_id_hex(id, hex));
}

enum ts_status ts_no_extract(struct ts_error *err)
{
	return ts_error_set(err, TS_NOT_FOUND, "the run has no such extract");
}

enum ts_status ts_incomplete(const struct ts_id *missing, struct ts_error *err)
{
	char hex[TS_ID_HEX + 1];

	return ts_error_set(err, TS_NOT_FOUND, "the run is not complete: object %s is missing", ts_id_hex(missing, hex));
}

bool ts_lease_is_old(int64_t lease_ns, int64_t now_ns)
{
	return now_ns - lease_ns > (int64_t)TS_LEASE_FRESH_SECONDS * 1000000000 || ts_lease_is_ahead(lease_ns, now_ns);
}

bool ts_lease_is_ahead(int64_t lease_ns, int64_t now_ns)
{
	return lease_ns - now_ns > (int64_t)TS_LEASE_FRESH_SECONDS * 1000000000;
}

void ts_time_key(int64_t time_ns, uint8_t out[8])
{
	ts_store_be(out, ~((uint64_t)time_ns ^ (uint64_t)1 << 63), 8);
}

int64_t ts_time_of_key(const uint8_t in[8])
{
	return (int64_t)(~ts_load_be(in, 8) ^ (uint64_t)1 << 63);
}

enum ts_status ts_page_of(const struct ts_ref_query *query, struct ts_page *ret_page, struct ts_error *err)
{
	size_t front = query->order == TS_ORDER_NEWEST ? 8 : 0;
	struct ts_page page = {0};

	if (ts_ref_kind_check(query->kind, err))
		return err->status;
	if (query->limit == 0)
		return ts_error_set(err, TS_INVALID, "a page must have at least 1 name");
	if (query->after.len) {
		if (query->after.len <= front || query->after.len - front > TS_REF_NAME_MAX)
			return ts_error_set(err, TS_INVALID, "the page token is not valid");
		page.begun = true;
		page.moved_ns = front ? ts_time_of_key(query->after.data) : 0;
		page.name = ts_span_of(query->after.data + front, query->after.len - front);
	}
	*ret_page = page;
	return TS_OK;
}

enum ts_status ts_page_token(const struct ts_ref *last, enum ts_ref_order order, struct ts_arena *arena,
			     struct ts_span *ret_token, struct ts_error *err)
{
	size_t front = order == TS_ORDER_NEWEST ? 8 : 0;
	uint8_t *token = ts_arena_alloc(arena, front + last->name.len);

	if (!token)
		return ts_arena_error(arena, err);
	if (front)
		ts_time_key(last->moved_ns, token);
	memcpy(token + front, last->name.data, last->name.len);
	*ret_token = ts_span_of(token, front + last->name.len);
	return TS_OK;
}

enum ts_status ts_prefix_range(struct ts_span hex, struct ts_id *ret_first, struct ts_id *ret_last, struct ts_error *err)
{
	char text[TS_ID_HEX];
	struct ts_id first;
	struct ts_id last;

	if (hex.len == 0 || hex.len > TS_ID_HEX)
		return ts_error_set(err, TS_INVALID, "the beginning of an id must have 1 to %d digits", TS_ID_HEX);
	memset(text, '0', sizeof text);
	memcpy(text, hex.data, hex.len);
	if (!ts_id_parse(ts_span_of(text, sizeof text), &first))
		return ts_error_set(err, TS_INVALID, "the beginning of an id is not hexadecimal");
	memset(text + hex.len, 'f', sizeof text - hex.len);
	(void)ts_id_parse(ts_span_of(text, sizeof text), &last);
	*ret_first = first;
	*ret_last = last;
	return TS_OK;
}

TS_WORDS(ts_ref_word, enum ts_ref_kind, "stage", [TS_REF_RUN] = "run", [TS_REF_TAG] = "tag", [TS_REF_STAGE] = "stage",
	 [TS_REF_BRANCH] = "branch")
