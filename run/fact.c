#include "run/fact.h"

#include "base/door.h"
#include "base/grow.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/text.h"
#include "base/words.h"
#include "run/payload.h"

static const char *const group_names[TS_GROUPS] = {
	[TS_GROUP_CODE] = "code",
	[TS_GROUP_CONFIG] = "config",
	[TS_GROUP_SEEDS] = "seeds",
	[TS_GROUP_DETERMINISM] = "determinism",
	[TS_GROUP_LIBRARIES] = "libraries",
	[TS_GROUP_HARDWARE] = "hardware",
	[TS_GROUP_PARALLELISM] = "parallelism",
	[TS_GROUP_DATA] = "data",
	[TS_GROUP_LINEAGE] = "lineage",
	[TS_GROUP_WORK] = "work",
	[TS_GROUP_SESSION] = "session",
	[TS_GROUP_COLUMNS] = "columns",
	[TS_GROUP_OTHER] = "other",
};

static const char *const source_names[] = {
	[TS_SOURCE_RUN_JSON] = "run.json",
	[TS_SOURCE_FACTS_JSON] = "facts.json",
	[TS_SOURCE_HOST] = "host",
	[TS_SOURCE_PUSHER] = "pusher",
};

const char *ts_group_name(enum ts_group group)
{
	return (size_t)group < TS_GROUPS ? group_names[group] : "unknown";
}

bool ts_group_of(struct ts_span path, enum ts_group *ret_group)
{
	struct ts_span first = path;

	for (size_t i = 0; i < path.len; i++)
		if (path.data[i] == '.' || path.data[i] == '[') {
			first.len = i;
			break;
		}
	for (size_t i = 0; i < TS_GROUPS; i++)
		if (ts_span_is(first, group_names[i])) {
			*ret_group = (enum ts_group)i;
			return true;
		}
	return false;
}

TS_WORDS(ts_fact_type_word, enum ts_fact_type, "absent", [TS_FACT_NULL] = "null", [TS_FACT_BOOL] = "bool", [TS_FACT_INT] = "int",
	 [TS_FACT_FLOAT] = "float", [TS_FACT_TEXT] = "text", [TS_FACT_NUMBER] = "number", [TS_FACT_OBJECT] = "object",
	 [TS_FACT_ARRAY] = "array", [TS_FACT_ABSENT] = "absent", [TS_FACT_LONG] = "text")

const char *ts_source_name(enum ts_fact_source source)
{
	if (source < TS_SOURCE_RUN_JSON || source > TS_SOURCE_PUSHER)
		return "unknown";
	return source_names[source];
}

bool ts_source_parse(struct ts_span name, enum ts_fact_source *ret_source)
{
	for (int i = TS_SOURCE_RUN_JSON; i <= TS_SOURCE_PUSHER; i++)
		if (ts_span_is(name, source_names[i])) {
			*ret_source = (enum ts_fact_source)i;
			return true;
		}
	return false;
}

enum ts_status ts_facts_add(struct ts_facts *facts, const struct ts_fact *fact, struct ts_arena *arena,
			    struct ts_error *err)
{
	if (!TS_GROW_IN(arena, facts->items, facts->cap, facts->n + 1, 32))
		return ts_arena_error(arena, err);
	facts->items[facts->n++] = *fact;
	return TS_OK;
}

static int compare(const struct ts_fact *a, const struct ts_fact *b)
{
	int c = ts_span_cmp(a->path, b->path);

	return c ? c : (a->source > b->source) - (a->source < b->source);
}

static void reverse(struct ts_fact *items, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		struct ts_fact keep = items[i];

		items[i] = items[n - 1 - i];
		items[n - 1 - i] = keep;
	}
}

/* Returns the first of the sorted items that is not before fact; with after_equals, the first that is after it. */
static size_t bound(const struct ts_fact *items, size_t n, const struct ts_fact *fact, bool after_equals)
{
	size_t low = 0;

	while (n > 0) {
		size_t half = n / 2;
		int c = compare(&items[low + half], fact);

		if (c < 0 || (after_equals && c == 0)) {
			low += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return low;
}

/* Merges two sorted runs in place by rotation: this is stable (the last added must win) and needs no memory. */
static void merge(struct ts_fact *items, size_t left, size_t right)
{
	size_t cut_left, cut_right;

	if (left == 0 || right == 0 || compare(&items[left - 1], &items[left]) <= 0)
		return;
	if (left + right == 2) {
		reverse(items, 2);
		return;
	}
	if (left > right) {
		cut_left = left / 2;
		cut_right = bound(items + left, right, &items[cut_left], false);
	} else {
		cut_right = right / 2;
		cut_left = bound(items, left, &items[left + cut_right], true);
	}
	reverse(items + cut_left, left - cut_left);
	reverse(items + left, cut_right);
	reverse(items + cut_left, left - cut_left + cut_right);
	merge(items, cut_left, cut_right);
	merge(items + cut_left + cut_right, left - cut_left, right - cut_right);
}

static void sort(struct ts_fact *items, size_t n)
{
	if (n < 2)
		return;
	sort(items, n / 2);
	sort(items + n / 2, n - n / 2);
	merge(items, n / 2, n - n / 2);
}

size_t ts_facts_sort(struct ts_facts *facts)
{
	size_t kept = 0;
	size_t dropped;

	sort(facts->items, facts->n);
	for (size_t i = 0; i < facts->n; i++) {
		if (kept > 0 && compare(&facts->items[kept - 1], &facts->items[i]) == 0)
			kept--;
		if (kept != i)
			facts->items[kept] = facts->items[i];
		kept++;
	}
	dropped = facts->n - kept;
	facts->n = kept;
	TS_DOOR(ts_facts_hold(facts));
	return dropped;
}

bool ts_facts_hold(const struct ts_facts *facts)
{
	for (size_t i = 0; i < facts->n; i++) {
		const struct ts_fact *fact = &facts->items[i];

		if (fact->path.len == 0 || fact->path.len > TS_PATH_MAX || fact->type > TS_FACT_ABSENT ||
		    fact->source > TS_SOURCE_PUSHER)
			return false;
		if (i && compare(fact - 1, fact) >= 0)
			return false;
	}
	return true;
}

const struct ts_fact *ts_facts_find(const struct ts_facts *facts, struct ts_span path)
{
	struct ts_fact last = {.path = path, .source = TS_SOURCE_PUSHER};
	size_t at;

	TS_DOOR(ts_facts_hold(facts));
	if (facts->n == 0)
		return NULL;
	at = bound(facts->items, facts->n, &last, true);
	if (at == 0 || !ts_span_eq(facts->items[at - 1].path, path))
		return NULL;
	return &facts->items[at - 1];
}

bool ts_fact_counts(const struct ts_facts *facts, size_t i)
{
	return i + 1 == facts->n || !ts_span_eq(facts->items[i].path, facts->items[i + 1].path);
}

bool ts_facts_true(const struct ts_facts *facts, const char *path)
{
	const struct ts_fact *fact = ts_facts_find(facts, ts_span_str(path));

	TS_DOOR(ts_facts_hold(facts));
	return fact && fact->type == TS_FACT_BOOL && fact->boolean;
}

bool ts_facts_have_source(const struct ts_facts *facts, enum ts_fact_source source)
{
	TS_DOOR(ts_facts_hold(facts));
	for (size_t i = 0; i < facts->n; i++)
		if (facts->items[i].source == source)
			return true;
	return false;
}

bool ts_fact_same(const struct ts_fact *a, const struct ts_fact *b)
{
	if (a->type != b->type)
		return false;
	switch (a->type) {
	case TS_FACT_BOOL:
		return a->boolean == b->boolean;
	case TS_FACT_INT:
		return a->integer == b->integer;
	case TS_FACT_FLOAT:
		return ts_f64_bits(a->real) == ts_f64_bits(b->real);
	case TS_FACT_TEXT:
	case TS_FACT_NUMBER:
		return ts_span_eq(a->text, b->text);
	case TS_FACT_LONG:
		return a->text_len == b->text_len && ts_id_eq(&a->text_id, &b->text_id);
	case TS_FACT_NULL:
	case TS_FACT_OBJECT:
	case TS_FACT_ARRAY:
	case TS_FACT_ABSENT:
		return true;
	}
	return false;
}

static bool is_special(uint8_t c)
{
	return c == '.' || c == '[' || c == ']' || c == '\\';
}

void ts_path_key(struct ts_buf *path, struct ts_span key)
{
	if (path->len)
		ts_buf_char(path, '.');
	for (size_t i = 0; i < key.len; i++) {
		if (is_special(key.data[i]))
			ts_buf_char(path, '\\');
		ts_buf_u8(path, key.data[i]);
	}
}

void ts_path_index(struct ts_buf *path, size_t i)
{
	ts_buf_printf(path, "[%zu]", i);
}

/* Returns the end of "[digits]" at path[at], or 0 if there is no such text. */
static size_t scan_index(struct ts_span path, size_t at, size_t *ret_index)
{
	size_t i = at + 1;
	size_t value = 0;

	for (; i < path.len && ts_is_digit(path.data[i]); i++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (size_t)(path.data[i] - '0'), &value))
			return 0;
	if (i == at + 1 || i == path.len || path.data[i] != ']' || (path.data[at + 1] == '0' && i > at + 2))
		return 0;
	*ret_index = value;
	return i + 1;
}

/* Finds the end of the key at path[at]: an unescaped '.' or '[', or the end of the path. Returns false if an escape
 * or a ']' is wrong. */
static bool scan_key(struct ts_span path, size_t at, size_t *ret_end)
{
	for (; at < path.len && path.data[at] != '.' && path.data[at] != '['; at++) {
		if (path.data[at] == ']')
			return false;
		if (path.data[at] == '\\' && (++at == path.len || !is_special(path.data[at])))
			return false;
	}
	*ret_end = at;
	return true;
}

bool ts_path_valid(struct ts_span path)
{
	size_t at, index;

	if (path.len == 0 || path.len > TS_PATH_MAX || !scan_key(path, 0, &at))
		return false;
	while (at < path.len) {
		if (path.data[at] == '[') {
			at = scan_index(path, at, &index);
			if (at == 0 || (at < path.len && path.data[at] != '.' && path.data[at] != '['))
				return false;
		} else if (!scan_key(path, at + 1, &at)) {
			return false;
		}
	}
	return true;
}

static struct ts_span unescape(struct ts_span key, struct ts_arena *arena)
{
	uint8_t *out;
	size_t n = 0;

	if (!key.len || !memchr(key.data, '\\', key.len))
		return key;
	out = ts_arena_alloc(arena, key.len);
	if (!out)
		return ts_span_of(NULL, 0);
	for (size_t i = 0; i < key.len; i++) {
		if (key.data[i] == '\\' && i + 1 < key.len)
			i++;
		out[n++] = key.data[i];
	}
	return ts_span_of(out, n);
}

bool ts_path_next(struct ts_span path, size_t *at, struct ts_arena *arena, struct ts_span *ret_key, bool *ret_is_index,
		  size_t *ret_index)
{
	size_t start = *at;
	size_t end;

	if (start >= path.len || (start == 0 && path.data[0] == '.'))
		return false;
	if (path.data[start] == '[') {
		end = scan_index(path, start, ret_index);
		if (end == 0)
			return false;
		*at = end;
		*ret_is_index = true;
		return true;
	}
	if (start > 0)
		start++; /* skips the '.' */
	if (!scan_key(path, start, &end))
		return false;
	*ret_key = unescape(ts_span_of(path.data + start, end - start), arena);
	*ret_is_index = false;
	*at = end;
	return true;
}

void ts_fact_print(const struct ts_fact *fact, struct ts_buf *out)
{
	char digits[TS_DOUBLE_TEXT];

	switch (fact->type) {
	case TS_FACT_NULL:
		ts_buf_str(out, "null");
		break;
	case TS_FACT_BOOL:
		ts_buf_str(out, fact->boolean ? "true" : "false");
		break;
	case TS_FACT_INT:
		ts_buf_printf(out, "%" PRId64, fact->integer);
		break;
	case TS_FACT_FLOAT:
		ts_buf_bytes(out, digits, ts_print_double(fact->real, digits));
		break;
	case TS_FACT_TEXT:
	case TS_FACT_NUMBER:
		ts_buf_span(out, fact->text);
		break;
	case TS_FACT_OBJECT:
		ts_buf_str(out, "{}");
		break;
	case TS_FACT_ARRAY:
		ts_buf_str(out, "[]");
		break;
	case TS_FACT_ABSENT:
		ts_buf_str(out, "<absent>");
		break;
	case TS_FACT_LONG:
		ts_buf_printf(out, "<text of %u bytes>", fact->text_len);
		break;
	}
}

/* --- a rank against the head --- */

/* Returns the first fact that is not before (path, source). */
static size_t lower_bound(const struct ts_facts *facts, struct ts_span path, enum ts_fact_source source)
{
	size_t low = 0;
	size_t n = facts->n;

	while (n > 0) {
		size_t half = n / 2;
		const struct ts_fact *fact = &facts->items[low + half];
		int order = ts_span_cmp(fact->path, path);

		if (order < 0 || (order == 0 && fact->source < source)) {
			low += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return low;
}

const struct ts_fact *ts_facts_of_source(const struct ts_facts *facts, struct ts_span path, enum ts_fact_source source)
{
	size_t i = lower_bound(facts, path, source);

	TS_DOOR(ts_facts_hold(facts));
	if (i == facts->n || facts->items[i].source != source || !ts_span_eq(facts->items[i].path, path))
		return NULL;
	return &facts->items[i];
}

enum ts_status ts_facts_differences(const struct ts_facts *head, const struct ts_facts *rank, struct ts_arena *arena,
				    struct ts_facts *ret_facts, struct ts_error *err)
{
	struct ts_facts facts = {.n = 0};

	TS_DOOR(ts_facts_hold(head));
	for (size_t i = 0; i < rank->n; i++) {
		const struct ts_fact *fact = &rank->items[i];
		const struct ts_fact *same = ts_facts_of_source(head, fact->path, fact->source);

		if ((!same || !ts_fact_same(same, fact)) && ts_facts_add(&facts, fact, arena, err))
			return err->status;
	}
	for (size_t i = 0; i < head->n; i++) {
		struct ts_fact absent = {
			.path = head->items[i].path, .source = head->items[i].source, .type = TS_FACT_ABSENT};

		if (!ts_facts_of_source(rank, absent.path, absent.source) &&
		    ts_facts_add(&facts, &absent, arena, err))
			return err->status;
	}
	(void)ts_facts_sort(&facts);
	*ret_facts = facts;
	return TS_OK;
}

enum ts_status ts_facts_whole(const struct ts_facts *head, const struct ts_facts *differences, struct ts_arena *arena,
			      struct ts_facts *ret_facts, struct ts_error *err)
{
	struct ts_facts facts = {.n = 0};

	TS_DOOR(ts_facts_hold(head));
	for (size_t i = 0; i < head->n; i++)
		if (!ts_facts_of_source(differences, head->items[i].path, head->items[i].source) &&
		    ts_facts_add(&facts, &head->items[i], arena, err))
			return err->status;
	for (size_t i = 0; i < differences->n; i++)
		if (differences->items[i].type != TS_FACT_ABSENT &&
		    ts_facts_add(&facts, &differences->items[i], arena, err))
			return err->status;
	(void)ts_facts_sort(&facts);
	*ret_facts = facts;
	return TS_OK;
}
