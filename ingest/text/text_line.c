#include "ingest/text/text_line.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/text.h"

enum { ESC = 0x1b, BEL = 7, PREFIXES = 3, RANK_DIGITS = 6, STAMP_LEAST = 20 };

/* How many bytes the escape sequence takes that text begins with. */
static size_t escape_len(struct ts_span text)
{
	size_t i = 2;

	if (text.len < 2)
		return text.len;
	if (text.data[1] == '[') {
		while (i < text.len && (text.data[i] < 0x40 || text.data[i] > 0x7e))
			i++;
		return i < text.len ? i + 1 : i;
	}
	if (text.data[1] == ']') {
		while (i < text.len && text.data[i] != BEL && text.data[i] != ESC)
			i++;
		return i < text.len && text.data[i] == BEL ? i + 1 : i;
	}
	return 2;
}

static enum ts_status strip_escapes(struct ts_span raw, struct ts_buf *scratch, struct ts_span *ret_text, struct ts_error *err)
{
	*ret_text = raw;
	if (!raw.len || !memchr(raw.data, ESC, raw.len))
		return TS_OK;
	ts_buf_reset(scratch);
	for (size_t i = 0; i < raw.len;) {
		const uint8_t *next = memchr(raw.data + i, ESC, raw.len - i);
		size_t end = next ? (size_t)(next - raw.data) : raw.len;

		ts_buf_span(scratch, ts_span_part(raw, i, end - i));
		i = end + escape_len(ts_span_from(raw, end));
	}
	*ret_text = ts_buf_view(scratch);
	return ts_buf_check(scratch, err);
}

/* Reads the digits at text.data[*at] as a rank. */
static bool rank_at(struct ts_span text, size_t *at, int32_t *ret_rank)
{
	size_t from = *at;
	int64_t rank;

	while (*at < text.len && *at - from < RANK_DIGITS && ts_is_digit(text.data[*at]))
		(*at)++;
	if (*at == from || !ts_parse_i64(ts_span_part(text, from, *at - from), &rank))
		return false;
	*ret_rank = (int32_t)rank;
	return true;
}

/* "[rank3]:" and "[1,3]<stdout>:". */
static size_t bracket_rank(struct ts_span text, int32_t *ret_rank)
{
	size_t i = 1;
	bool mpi = false;

	while (i < text.len && ts_is_alpha(text.data[i]))
		i++;
	if (i == 1) {
		while (i < text.len && ts_is_digit(text.data[i]))
			i++;
		if (i == 1 || i >= text.len || text.data[i] != ',')
			return 0;
		i++;
		mpi = true;
	}
	if (!rank_at(text, &i, ret_rank) || i >= text.len || text.data[i++] != ']')
		return 0;
	while (mpi && i < text.len && text.data[i] != ':' && text.data[i] != ' ')
		i++;
	return i < text.len && text.data[i] == ':' ? i + 1 : 0;
}

/* How many bytes the rank takes that text begins with; 0: it begins with none. */
static size_t rank_len(struct ts_span text, int32_t *ret_rank)
{
	size_t i = 0;

	if (text.len && text.data[0] == '[')
		return bracket_rank(text, ret_rank);
	return rank_at(text, &i, ret_rank) && i + 1 < text.len && text.data[i] == ':' && text.data[i + 1] == ' ' ? i + 1 : 0;
}

static size_t time_len(struct ts_span text)
{
	size_t i = 0;
	int64_t ns;

	while (i < text.len && !ts_is_space(text.data[i]))
		i++;
	return i >= STAMP_LEAST && ts_is_digit(text.data[0]) && text.data[10] == 'T' && ts_time_parse(ts_span_part(text, 0, i), &ns)
		       ? i
		       : 0;
}

enum ts_status ts_text_line_clean(struct ts_span raw, struct ts_buf *scratch, struct ts_text_line *ret_line, struct ts_error *err)
{
	struct ts_span text, numbered = {.len = 0};

	*ret_line = (struct ts_text_line){.rank = TS_TEXT_NO_RANK};
	if (strip_escapes(raw, scratch, &text, err))
		return err->status;
	text = ts_trim(text);
	for (int i = 0; i < PREFIXES; i++) {
		int32_t rank = TS_TEXT_NO_RANK;
		size_t n = rank_len(text, &rank);

		if (n) {
			ret_line->rank = rank;
			if (ts_is_digit(text.data[0]) && !numbered.len)
				numbered = text;
		} else {
			n = time_len(text);
			if (n)
				ret_line->time = ts_span_part(text, 0, n);
		}
		text = ts_trim(ts_span_from(text, n));
	}
	ret_line->text = text;
	ret_line->numbered = numbered.len ? numbered : text;
	return TS_OK;
}
