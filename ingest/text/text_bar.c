#include "ingest/text/text_bar.h"

#include "base/number.h"
#include "base/text.h"

static size_t digits_before(struct ts_span text, size_t end)
{
	size_t n = 0;

	while (n < end && ts_is_digit(text.data[end - n - 1]))
		n++;
	return n;
}

/* Finds "10%|", the digits of which are the percentage. */
static bool find_percent(struct ts_span text, size_t *ret_from, size_t *ret_end)
{
	for (size_t i = 0; i + 1 < text.len; i++) {
		size_t n = text.data[i] == '%' && text.data[i + 1] == '|' ? digits_before(text, i) : 0;

		if (n) {
			*ret_from = i - n;
			*ret_end = i + 2;
			return true;
		}
	}
	return false;
}

/* Reads the digits at the beginning of *rest, and moves behind them. */
static bool take_count(struct ts_span *rest, int64_t *ret_count)
{
	size_t n = 0;

	while (n < rest->len && ts_is_digit(rest->data[n]))
		n++;
	if (!ts_parse_i64(ts_span_part(*rest, 0, n), ret_count))
		return false;
	*rest = ts_span_from(*rest, n);
	return true;
}

bool ts_text_bar_parse(struct ts_span text, struct ts_text_bar *ret_bar)
{
	size_t from, end;
	struct ts_span rest;

	if (!find_percent(text, &from, &end))
		return false;
	rest = ts_span_from(text, end);
	ret_bar->what = ts_trim(ts_span_part(text, 0, from));
	while (ts_span_ends(ret_bar->what, ":"))
		ret_bar->what = ts_trim(ts_span_part(ret_bar->what, 0, ret_bar->what.len - 1));
	if (!rest.len || !memchr(rest.data, '|', rest.len))
		return false;
	rest = ts_trim(ts_span_after(rest, '|'));
	if (!take_count(&rest, &ret_bar->n) || !ts_span_skip(&rest, "/") || !take_count(&rest, &ret_bar->total))
		return false;
	rest = ts_trim(rest);
	if (!ts_span_skip(&rest, "[") || !ts_span_ends(rest, "]"))
		return false;
	ret_bar->inside = ts_span_part(rest, 0, rest.len - 1);
	return true;
}
