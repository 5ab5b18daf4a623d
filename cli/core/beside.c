#include "cli/core/beside.h"

#include "base/number.h"
#include "base/order.h"
#include "base/text.h"

struct one {
	struct ts_span path; /* without slashes at its end */
	size_t at;
};

TS_ORDER(by_path, struct one, TS_TEXT(path); TS_UP(at))

static struct ts_span trimmed(const char *path)
{
	struct ts_span span = ts_span_str(path);

	while (span.len > 1 && span.data[span.len - 1] == '/')
		span.len--;
	return span;
}

/* Cuts "NAME_rank3" into NAME and 3. */
static bool cut(struct ts_span path, struct ts_span *ret_name, int32_t *ret_rank)
{
	const struct ts_span mark = ts_span_str("_rank");
	size_t digits = path.len;
	int64_t rank;

	while (digits > 0 && ts_is_digit(path.data[digits - 1]))
		digits--;
	if (digits <= mark.len || !ts_span_eq(ts_span_of(path.data + digits - mark.len, mark.len), mark) ||
	    !ts_parse_i64(ts_span_of(path.data + digits, path.len - digits), &rank) || rank > INT32_MAX)
		return false;
	*ret_name = ts_span_of(path.data, digits - mark.len);
	*ret_rank = (int32_t)rank;
	return true;
}

/* The first that is not below this path. */
static size_t first_from(const struct one *sorted, size_t n, struct ts_span path)
{
	size_t low = 0;

	while (n > 0) {
		size_t half = n / 2;

		if (ts_span_cmp(sorted[low + half].path, path) < 0) {
			low += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return low;
}

enum ts_status ts_beside_find(const char *const *paths, size_t n, struct ts_arena *arena, struct ts_beside **ret_beside,
			      struct ts_error *err)
{
	struct ts_beside *beside = ts_arena_array(arena, n, sizeof *beside);
	struct one *sorted = ts_arena_array(arena, n, sizeof *sorted);

	if (!beside || !sorted)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++)
		sorted[i] = (struct one){trimmed(paths[i]), i};
	TS_SORT(sorted, n, by_path);
	for (size_t i = 0; i < n; i++) {
		struct ts_beside b = {.found = false};
		struct ts_span name;
		size_t at;

		if (!cut(trimmed(paths[i]), &name, &b.rank))
			continue;
		at = first_from(sorted, n, name);
		b.found = at < n && ts_span_eq(sorted[at].path, name);
		b.at = b.found ? sorted[at].at : 0;
		beside[i] = b;
	}
	*ret_beside = beside;
	return TS_OK;
}
