#include "service/handlers/runs/list_sort.h"

#include "base/cursor.h"
#include "base/number.h"
#include "base/order.h"

enum { TOKEN_MARK = 's', TOKEN_HEADER = 1 + 1 + 1 + 8 + 2 };

enum class { NUMBERS, TEXTS, OTHERS };

static enum class class_of(const struct ts_fact *key) {
	switch (key->type){
		case TS_FACT_BOOL : case TS_FACT_INT : case TS_FACT_FLOAT : return NUMBERS;
		case TS_FACT_TEXT : return TEXTS;
		case TS_FACT_NULL : case TS_FACT_NUMBER : case TS_FACT_OBJECT : case TS_FACT_ARRAY : case
		TS_FACT_ABSENT : case TS_FACT_LONG : break;
	}
return OTHERS;
}

static double number_of(const struct ts_fact *key)
{
	if (key->type == TS_FACT_INT)
		return (double)key->integer;
	return key->type == TS_FACT_BOOL ? (double)key->boolean : key->real;
}

/* NaN comes after all numbers, so that the order is total. */
static int compare_numbers(const struct ts_fact *a, const struct ts_fact *b)
{
	double x = number_of(a), y = number_of(b);
	bool nan_x = x != x, nan_y = y != y;

	if (a->type == TS_FACT_INT && b->type == TS_FACT_INT)
		return (a->integer > b->integer) - (a->integer < b->integer);
	if (nan_x || nan_y)
		return nan_x - nan_y;
	return (x > y) - (x < y);
}

static int compare_keys(const struct ts_fact *a, const struct ts_fact *b)
{
	enum class x = class_of(a), y = class_of(b);

	if (x != y)
		return x < y ? -1 : 1;
	if (x == NUMBERS)
		return compare_numbers(a, b);
	return x == TEXTS ? ts_span_cmp(a->text, b->text) : 0;
}

TS_ORDER(compare_items, struct ts_sort_item, TS_DOWN(known);
	 if (a->known) TS_THEN((a->descending ? -1 : 1) * compare_keys(&a->key, &b->key)); TS_TEXT(name))

/* A big integer sorts as the nearest double. */
static void make_sortable(struct ts_fact *key)
{
	if (key->type == TS_FACT_NUMBER && ts_parse_double(key->text, &key->real))
		key->type = TS_FACT_FLOAT;
	if (key->type != TS_FACT_TEXT)
		key->text.len = 0;
	if (key->text.len > TS_SORT_TEXT)
		key->text.len = TS_SORT_TEXT;
	key->path = ts_span_of(NULL, 0);
}

static void swap(struct ts_sort_item *a, struct ts_sort_item *b)
{
	struct ts_sort_item t = *a;

	*a = *b;
	*b = t;
}

/* Restores the heap after an item was put at its end. */
static void sift_up(struct ts_sort_item *items, size_t at)
{
	while (at > 0 && compare_items(&items[(at - 1) / 2], &items[at]) < 0) {
		swap(&items[(at - 1) / 2], &items[at]);
		at = (at - 1) / 2;
	}
}

/* Restores the heap after its first item was replaced. */
static void sift_down(struct ts_sort_item *items, size_t n)
{
	for (size_t at = 0, child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && compare_items(&items[child], &items[child + 1]) < 0)
			child++;
		if (compare_items(&items[at], &items[child]) >= 0)
			return;
		swap(&items[at], &items[child]);
	}
}

static enum ts_status keep(struct ts_sort_page *page, struct ts_sort_item item, struct ts_error *err)
{
	item.name = ts_arena_span(page->arena, item.name);
	item.key.text = ts_arena_span(page->arena, item.key.text);
	if (!item.name.data || !item.key.text.data)
		return ts_arena_error(page->arena, err);
	if (page->n < page->size) {
		page->items[page->n] = item;
		sift_up(page->items, page->n++);
	} else {
		page->items[0] = item;
		sift_down(page->items, page->n);
	}
	return TS_OK;
}

enum ts_status ts_sort_offer(struct ts_sort_page *page, struct ts_span name, const struct ts_fact *key, struct ts_error *err)
{
	struct ts_sort_item item;

	memset(&item, 0, sizeof item);
	item.name = name;
	item.known = key != NULL;
	item.descending = page->descending;
	if (key) {
		item.key = *key;
		make_sortable(&item.key);
	}
	if (page->has_after && compare_items(&item, &page->after) <= 0)
		return TS_OK;
	if (page->n < page->size)
		return keep(page, item, err);
	page->more = true;
	return compare_items(&item, &page->items[0]) < 0 ? keep(page, item, err) : TS_OK;
}

void ts_sort_end(struct ts_sort_page *page)
{
	TS_SORT(page->items, page->n, compare_items);
}

/* A token has 's', known, type, eight bytes of number, u16 length, text, name. */
enum ts_status ts_sort_token(const struct ts_sort_item *last, struct ts_arena *arena, struct ts_span *ret_token,
			     struct ts_error *err)
{
	size_t len = TOKEN_HEADER + last->key.text.len + last->name.len;
	uint8_t *at = ts_arena_alloc(arena, len);
	uint64_t word = (uint64_t)last->key.integer;

	if (!at)
		return ts_arena_error(arena, err);
	if (last->key.type == TS_FACT_FLOAT)
		memcpy(&word, &last->key.real, sizeof word);
	if (last->key.type == TS_FACT_BOOL)
		word = last->key.boolean;
	at[0] = TOKEN_MARK;
	at[1] = last->known;
	at[2] = (uint8_t)last->key.type;
	ts_store_u64(at + 3, word);
	ts_store_u16(at + 11, (uint16_t)last->key.text.len);
	if (last->key.text.len)
		memcpy(at + TOKEN_HEADER, last->key.text.data, last->key.text.len);
	if (last->name.len)
		memcpy(at + TOKEN_HEADER + last->key.text.len, last->name.data, last->name.len);
	*ret_token = ts_span_of(at, len);
	return TS_OK;
}

static bool read_token(struct ts_span token, struct ts_sort_item *ret)
{
	struct ts_cursor c = ts_cursor_of(token);
	struct ts_sort_item item;
	uint8_t mark = ts_cursor_u8(&c), type;
	uint64_t word;

	memset(&item, 0, sizeof item);
	item.known = ts_cursor_u8(&c);
	type = ts_cursor_u8(&c);
	word = ts_cursor_u64(&c);
	item.key.text = ts_cursor_bytes(&c, ts_cursor_u16(&c));
	item.name = ts_cursor_bytes(&c, ts_cursor_left(&c));
	if (c.failed || mark != TOKEN_MARK || type > TS_FACT_ABSENT)
		return false;
	item.key.type = (enum ts_fact_type)type;
	item.key.integer = (int64_t)word;
	item.key.boolean = word != 0;
	memcpy(&item.key.real, &word, sizeof word);
	*ret = item;
	return true;
}

enum ts_status ts_sort_begin(struct ts_sort_page *page, size_t size, struct ts_span token, bool descending, struct ts_arena *arena,
			     struct ts_error *err)
{
	struct ts_sort_page p = {.size = size, .descending = descending, .arena = arena, .has_after = token.len > 0};

	if (p.has_after && !read_token(token, &p.after))
		return ts_error_set(err, TS_INVALID, "the page token belongs to another order of the list");
	p.after.descending = descending;
	p.items = ts_arena_array(arena, size, sizeof *p.items);
	if (!p.items)
		return ts_arena_error(arena, err);
	*page = p;
	return TS_OK;
}
