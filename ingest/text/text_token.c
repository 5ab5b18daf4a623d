#include "ingest/text/text_token.h"

#include "base/number.h"
#include "base/text.h"
#include "ingest/rows/log_axes.h"
#include "ingest/text/text_number.h"

enum { UNIT_MAX = 16, DIGITS_MAX = 12 };

/* --- pieces --- */

static size_t digits_at(struct ts_span text, size_t at)
{
	size_t n = 0;

	while (at + n < text.len && ts_is_digit(text.data[at + n]))
		n++;
	return n;
}

static size_t spaces_at(struct ts_span text, size_t at)
{
	size_t n = 0;

	while (at + n < text.len && ts_is_space(text.data[at + n]))
		n++;
	return n;
}

static bool byte_is(struct ts_span text, size_t at, char c)
{
	return at < text.len && text.data[at] == (uint8_t)c;
}

/* Whether nothing that belongs to a word or a number goes on at text.data[at]. */
static bool ends_at(struct ts_span text, size_t at)
{
	return at >= text.len || (!ts_is_alnum(text.data[at]) && text.data[at] != '_');
}

size_t ts_text_unit(struct ts_span text)
{
	static const char *const units[] = {
		"%",	    "ms",	"s",	   "sec",      "secs",	   "second",	 "seconds",   "us",	     "ns",
		"min",	    "mins",	"m",	   "h",	       "hr",	   "hrs",	 "k",	      "K",	     "M",
		"G",	    "T",	"B",	   "b",	       "KB",	   "MB",	 "GB",	      "TB",	     "KiB",
		"MiB",	    "GiB",	"TiB",	   "Mb",       "Gb",	   "it",	 "it/s",      "s/it",	     "ms/it",
		"sec/it",   "s/step",	"ms/step", "us/step",  "sec/step", "s/iter",	 "step/s",    "steps/s",     "/s",
		"iter/s",   "iters/s",	"tok/s",   "tokens/s", "tok/sec",  "tokens/sec", "samples/s", "samples/sec", "img/s",
		"images/s", "imgs/s",	"img/sec", "TFLOPS",   "TFLOPs",   "TFLOP/s",	 "GFLOPS",    "z",	     "W",
		"C",	    "s/sample", "s/batch", "ms/batch", "s/epoch",  "it/sec",	 "steps/sec", "ktok/s",	     "epoch/s",
		"updates/s", "updates/sec"};
	size_t n = 0;

	while (n < text.len && n < UNIT_MAX && (ts_is_alpha(text.data[n]) || text.data[n] == '%' || text.data[n] == '/'))
		n++;
	if (!n || !ends_at(text, n))
		return 0;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (units[i][0] == (char)text.data[0] && ts_span_is(ts_span_part(text, 0, n), units[i]))
			return n;
	return 0;
}

/* --- durations --- */

/* "2:03:04", "02:03", each with a fraction of a second. */
static size_t clock_len(struct ts_span text, double *ret_seconds)
{
	size_t at = digits_at(text, 0), parts = 1;
	double seconds = 0;

	if (!at || at > DIGITS_MAX)
		return 0;
	for (size_t i = 0; i < at; i++)
		seconds = seconds * 10 + (text.data[i] - '0');
	while (parts < 3 && byte_is(text, at, ':') && digits_at(text, at + 1) == 2) {
		seconds = seconds * 60 + (text.data[at + 1] - '0') * 10 + (text.data[at + 2] - '0');
		at += 3;
		parts++;
	}
	if (parts == 1 || !ends_at(text, at) || (byte_is(text, at, ':') && digits_at(text, at + 1)))
		return 0;
	if (byte_is(text, at, '.') && digits_at(text, at + 1)) {
		double unit = 0.1;

		for (at++; at < text.len && ts_is_digit(text.data[at]); at++, unit /= 10)
			seconds += (text.data[at] - '0') * unit;
	}
	*ret_seconds = seconds;
	return at;
}

/* "1 day, 2:03:04" */
static size_t days_len(struct ts_span text, double *ret_seconds)
{
	size_t n = digits_at(text, 0), at = n, clock;
	int64_t days;
	double seconds;

	if (!n || n > 6 || !ts_parse_i64(ts_span_part(text, 0, n), &days) || !byte_is(text, at, ' ') ||
	    !ts_span_starts(ts_span_from(text, at), ts_span_str(" day")))
		return 0;
	at += 4;
	at += byte_is(text, at, 's');
	at += byte_is(text, at, ',');
	at += byte_is(text, at, ' ');
	clock = clock_len(ts_span_from(text, at), &seconds);
	*ret_seconds = (double)days * 86400 + seconds;
	return clock ? at + clock : 0;
}

/* "8h 7m 49s", "2m3s": two parts or more, each of a lower unit than the one before. */
static size_t letters_len(struct ts_span text, double *ret_seconds)
{
	static const struct {
		char letter;
		double seconds;
	} units[] = {{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}};
	size_t at = 0, end = 0, parts = 0;
	double seconds = 0;

	for (size_t i = 0; i < 4; i++) {
		size_t from = parts ? at + spaces_at(text, at) : at, n = digits_at(text, from), behind = from + n + 1;
		int64_t value = 0;

		if (!n || n > 6 || !byte_is(text, from + n, units[i].letter) || (!ends_at(text, behind) && !digits_at(text, behind)))
			continue;
		for (size_t k = 0; k < n; k++)
			value = value * 10 + (text.data[from + k] - '0');
		seconds += (double)value * units[i].seconds;
		at = end = behind;
		parts++;
	}
	*ret_seconds = seconds;
	return parts > 1 && ends_at(text, end) ? end : 0;
}

/* A number with at most six digits before its point; 0: it is none. */
static size_t amount_len(struct ts_span text, size_t from, double *ret_value)
{
	size_t n = digits_at(text, from), part = byte_is(text, from + n, '.') ? digits_at(text, from + n + 1) : 0;

	if (!n || n > 6 || part > DIGITS_MAX)
		return 0;
	n += part ? 1 + part : 0;
	return ts_parse_double(ts_span_part(text, from, n), ret_value) ? n : 0;
}

/* "3 s, 370.613 ms", "39 m, 57 s": two parts or more, each of the next lower unit, and behind a comma. */
static size_t spaced_len(struct ts_span text, double *ret_seconds)
{
	static const struct {
		const char *name;
		double in_second;
		double seconds;
	} units[] = {{"d", 1, 86400}, {"h", 1, 3600}, {"m", 1, 60}, {"s", 1, 1}, {"ms", 1000, 1}};
	size_t end = 0, parts = 0;
	double seconds = 0, value;

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		struct ts_span unit = ts_span_str(units[i].name);
		size_t from = parts ? end + 2 : 0, n = amount_len(text, from, &value), at = from + n + 1;
		bool listed = !parts || (byte_is(text, end, ',') && byte_is(text, end + 1, ' '));

		if (n && listed && byte_is(text, at - 1, ' ') && ts_span_starts(ts_span_from(text, at), unit) &&
		    ends_at(text, at + unit.len)) {
			seconds += value * units[i].seconds / units[i].in_second;
			end = at + unit.len;
			parts++;
		} else if (parts) {
			break;
		}
	}
	*ret_seconds = seconds;
	return parts > 1 ? end : 0;
}

size_t ts_text_duration(struct ts_span text, double *ret_seconds)
{
	size_t n = digits_at(text, 0), days;
	uint8_t next = n < text.len ? text.data[n] : 0;

	if (!n || !(next == ':' || next == ' ' || next == 'd' || next == 'h' || next == 'm'))
		return 0;
	if (next == ':')
		return clock_len(text, ret_seconds);
	if (next != ' ')
		return letters_len(text, ret_seconds);
	days = days_len(text, ret_seconds);
	return days ? days : spaced_len(text, ret_seconds);
}

/* --- dates and other things with digits that are no number --- */

/* "2026-11-28", "2026/11/28", "28.11.2026"; and a time behind it. */
static size_t date_len(struct ts_span text)
{
	size_t first = digits_at(text, 0), second, third, at;
	uint8_t mark;
	double ignored;

	if (!first || first > 4 || first >= text.len)
		return 0;
	mark = text.data[first];
	if (mark != '-' && mark != '/' && mark != '.')
		return 0;
	second = digits_at(text, first + 1);
	at = first + 1 + second;
	third = byte_is(text, at, (char)mark) ? digits_at(text, at + 1) : 0;
	if (!second || second > 2 || !third || (first != 4 && third != 4 && !(first == 2 && third == 2)) || !(first <= 2 || first == 4))
		return 0;
	at += 1 + third;
	if (at < text.len && (text.data[at] == 'T' || text.data[at] == ' ' || text.data[at] == '_' || text.data[at] == '-')) {
		size_t clock = clock_len(ts_span_from(text, at + 1), &ignored);

		at += clock ? 1 + clock : 0;
	}
	if (byte_is(text, at, ',') && digits_at(text, at + 1) == 3)
		at += 4;
	if (byte_is(text, at, 'Z'))
		at++;
	return at;
}

/* "10/30 22:08:29": a day and a time. */
static size_t day_len(struct ts_span text)
{
	size_t first = digits_at(text, 0), second = byte_is(text, first, '/') ? digits_at(text, first + 1) : 0, at, clock;
	double ignored;

	if (first != 2 || second != 2 || !byte_is(text, 5, ' '))
		return 0;
	at = 6;
	clock = clock_len(ts_span_from(text, at), &ignored);
	return clock >= 8 ? at + clock : 0;
}

/* "I0811 21:54:55.531340": the level, the day and the time of glog. */
static size_t glog_len(struct ts_span text)
{
	double ignored;
	size_t clock;

	if (!text.len || !memchr("IWEF", text.data[0], 4) || digits_at(text, 1) != 4 || !byte_is(text, 5, ' '))
		return 0;
	clock = clock_len(ts_span_from(text, 6), &ignored);
	return clock >= 8 ? 6 + clock : 0;
}

/* The bytes up to the next space or mark that ends a word. */
static size_t word_rest(struct ts_span text, size_t at)
{
	size_t n = at;

	while (n < text.len && (ts_is_alnum(text.data[n]) || memchr("_.-/@+", text.data[n], 6)))
		n++;
	return n;
}

/* --- tokens --- */

static void set(struct ts_text_token *t, enum ts_text_token_kind kind, size_t len)
{
	t->kind = kind;
	t->end = t->at + len;
}

static bool is_open(const struct ts_text_token *t)
{
	return t && t->kind == TS_TEXT_MARK && t->mark == '[';
}

static bool is_axis(const struct ts_text_token *t)
{
	return t && t->kind == TS_TEXT_WORD && ts_log_axis_rank(t->text) != TS_LOG_AXIS_NONE;
}

/* A second whole number behind a slash: that of "12/400", of " 8/   60"; and that of "[ 1 of 50", "Batch 10 of 100". rest begins behind
 * the first. */
static size_t whole_len(struct ts_span rest, const struct ts_text_token *before, struct ts_span *ret_whole)
{
	size_t at = 0, n;

	while (byte_is(rest, at, ' '))
		at++;
	if ((is_open(before) || is_axis(before)) && ts_span_starts(ts_span_from(rest, at), ts_span_str("of ")))
		at++;
	else if (!byte_is(rest, at, '/'))
		return 0;
	at++;
	while (byte_is(rest, at, ' '))
		at++;
	n = ts_text_number_len(ts_span_from(rest, at));
	if (!n || !ts_is_digit(rest.data[at]))
		return 0;
	*ret_whole = ts_span_part(rest, at, n);
	at += n;
	if (ts_span_starts(ts_span_from(rest, at), ts_span_str("it")) && ends_at(rest, at + 2))
		at += 2;
	return ends_at(rest, at) && !byte_is(rest, at, '/') && !(byte_is(rest, at, '.') && digits_at(rest, at + 1)) ? at : 0;
}

/* Whether a number counts: "12", "1,234"; and "1.0" of "1.0it". */
static bool counts(struct ts_span number, bool zeros)
{
	size_t i = 0;

	while (i < number.len && (ts_is_digit(number.data[i]) || number.data[i] == ','))
		i++;
	if (zeros && i < number.len && number.data[i] == '.')
		for (i++; i < number.len && number.data[i] == '0'; i++)
			;
	return i == number.len;
}

static bool take_fraction(struct ts_span text, size_t n, const struct ts_text_token *before, struct ts_text_token *t)
{
	struct ts_span whole;
	size_t it = ts_span_starts(ts_span_from(text, n), ts_span_str("it/")) ? 2 : 0, second;

	if (!counts(ts_span_part(text, 0, n), it > 0))
		return false;
	second = whole_len(ts_span_from(text, n + it), before, &whole);
	if (!second || !counts(whole, it > 0))
		return false;
	t->whole = whole;
	t->text = ts_span_part(text, 0, n);
	set(t, TS_TEXT_FRACTION, n + it + second);
	return true;
}

static bool is_rate(struct ts_span word)
{
	return word.len && memchr(word.data, '/', word.len);
}

/* "1971.60 tokens/sec": whether a number with the unit of a rate begins at text.data[at]. */
static bool begins_rate(struct ts_span text, size_t at)
{
	size_t n = ts_text_number_len(ts_span_from(text, at)), from = at + n + 1;

	return n && byte_is(text, from - 1, ' ') && is_rate(ts_span_part(text, from, ts_text_unit(ts_span_from(text, from))));
}

/* A unit behind a space, which is none if it is the name of what follows: "loss 2.5 s: 3". Of rates in a row, "71.2 samples/sec 1971
 * tokens/sec", each has its own behind it, unless the first one's stands before it. */
static size_t spaced_unit(struct ts_span text, size_t at, const struct ts_text_token *before)
{
	size_t n = byte_is(text, at, ' ') ? ts_text_unit(ts_span_from(text, at + 1)) : 0, end = at + 1 + n;
	bool row = n && is_rate(ts_span_part(text, at + 1, n)) && !(before && before->kind == TS_TEXT_WORD && is_rate(before->text));

	if (!n || (n == 1 && text.data[at + 1] != '%' && text.data[at + 1] != 's'))
		return 0;
	end += spaces_at(text, end);
	if (byte_is(text, end, ':') || byte_is(text, end, '='))
		return 0;
	return end < text.len && end > at + 1 + n && ts_is_digit(text.data[end]) && !(row && begins_rate(text, end)) ? 0 : 1 + n;
}

/* "[31001-31100]" is up to the second. */
static bool take_range(struct ts_span text, size_t n, const struct ts_text_token *before, struct ts_text_token *t)
{
	size_t from = n + 1 + spaces_at(text, n + 1), second = byte_is(text, n, '-') ? digits_at(text, from) : 0;

	if (!is_open(before) || !second || digits_at(text, 0) != n || !byte_is(text, from + second, ']'))
		return false;
	t->whole = t->text;
	t->text = ts_span_part(text, from, second);
	set(t, TS_TEXT_NUMBER, from + second);
	return true;
}

/* "1epoch", "682batch", "1-682batch", of which the last counts: the name of an axis right behind a whole number. */
static bool take_axis(struct ts_span text, size_t n, struct ts_text_token *t)
{
	size_t second = byte_is(text, n, '-') ? digits_at(text, n + 1) : 0, from = second ? n + 1 : 0,
	       end = second ? n + 1 + second : n, word = 0;

	while (end + word < text.len && ts_is_alpha(text.data[end + word]))
		word++;
	if (word < 4 || digits_at(text, 0) != n || !ends_at(text, end + word) ||
	    ts_log_axis_rank(ts_span_part(text, end, word)) == TS_LOG_AXIS_NONE)
		return false;
	if (second)
		t->whole = t->text;
	t->text = ts_span_part(text, from, end - from);
	t->unit = ts_span_part(text, end, word);
	set(t, TS_TEXT_NUMBER, end + word);
	return true;
}

static void take_number(struct ts_span text, const struct ts_text_token *before, struct ts_text_token *t)
{
	size_t n = ts_text_number_len(text), unit;

	if (n > 1 && text.data[n - 1] == '.' && (n == text.len || ts_is_space(text.data[n])))
		n--; /* the end of a sentence: "Step: 19000. Mean Reward: 2.5." */
	t->text = ts_span_part(text, 0, n);
	if (take_fraction(text, n, before, t) || take_axis(text, n, t) || take_range(text, n, before, t))
		return;
	unit = ts_text_unit(ts_span_from(text, n));
	if (unit) {
		t->unit = ts_span_part(text, n, unit);
		set(t, TS_TEXT_NUMBER, n + unit);
		return;
	}
	if (!ends_at(text, n) || (n < text.len && (text.data[n] == '.' || text.data[n] == '-' || text.data[n] == '@') &&
				  n + 1 < text.len && ts_is_alnum(text.data[n + 1]))) {
		set(t, TS_TEXT_OTHER, word_rest(text, n));
		return;
	}
	unit = spaced_unit(text, n, before);
	if (unit)
		t->unit = ts_span_part(text, n + 1, unit - 1);
	set(t, TS_TEXT_NUMBER, n + unit);
}

/* before: the token before it; NULL: it is the first. */
static void take_digits(struct ts_span text, const struct ts_text_token *before, struct ts_text_token *t)
{
	double seconds;
	size_t n = date_len(text);

	if (!n)
		n = day_len(text);
	if (!n && text.len > 2 && text.data[0] == '0' && (text.data[1] | 32) == 'x' && ts_is_alnum(text.data[2]))
		n = word_rest(text, 0);
	if (n) {
		set(t, TS_TEXT_OTHER, n);
		return;
	}
	n = ts_text_duration(text, &seconds);
	t->text = ts_span_part(text, 0, n);
	if (n)
		set(t, TS_TEXT_DURATION, n);
	else
		take_number(text, before, t);
}

/* "(B)" and "(GiB)" behind a word. */
static size_t bracket_len(struct ts_span text, size_t at)
{
	size_t n = at + 1;

	if (!byte_is(text, at, '(') || n >= text.len || !(ts_is_alpha(text.data[n]) || text.data[n] == '%'))
		return 0;
	while (n < text.len && (ts_is_alnum(text.data[n]) || memchr("/%.^_*", text.data[n], 6)))
		n++;
	return byte_is(text, n, ')') ? n + 1 - at : 0;
}

/* Bytes of lines and blocks, with which bars and tables are drawn (U+2500 to U+25FF), and other signs beyond letters. */
static bool is_drawn(struct ts_span text, size_t at)
{
	if (text.data[at] == 0xe2)
		return at + 1 >= text.len || text.data[at + 1] != 0x82;
	return text.data[at] == 0xc2;
}

/* The mark that a wide one of Chinese and Japanese text stands for (U+FF1A, U+FF0C, U+FF1D), which has three bytes; 0: it is none. */
static uint8_t wide_mark(struct ts_span text, size_t at)
{
	if (at + 2 >= text.len || text.data[at] != 0xef || text.data[at + 1] != 0xbc)
		return 0;
	return text.data[at + 2] == 0x9a ? ':' : text.data[at + 2] == 0x8c ? ',' : text.data[at + 2] == 0x9d ? '=' : 0;
}

static bool in_word(struct ts_span text, size_t at)
{
	uint8_t c = text.data[at];

	return ts_is_alnum(c) || (c >= 0x80 && !is_drawn(text, at) && !wide_mark(text, at)) || memchr("_/@.%+#-", c, 8);
}

static size_t word_len(struct ts_span text)
{
	size_t n = 0, bracket;

	while (n < text.len && in_word(text, n))
		n++;
	while (n > 1 && memchr("/.+#-", text.data[n - 1], 5))
		n--;
	bracket = bracket_len(text, n);
	return n + bracket;
}

static void take_mark(struct ts_span text, struct ts_text_token *t)
{
	size_t n = 1;

	t->mark = wide_mark(text, 0);
	if (t->mark) {
		set(t, TS_TEXT_MARK, 3);
		return;
	}
	t->mark = text.data[0];
	while (n < text.len && (text.data[n] == t->mark || (t->mark >= 0x80 && text.data[n] >= 0x80)))
		n++;
	if (t->mark >= 0x80 || n > 2)
		t->mark = '~';
	set(t, TS_TEXT_MARK, t->mark == '~' ? n : 1);
}

/* "nan", "-inf" and the like are numbers, also with a sign. */
static bool begins_number(struct ts_span text)
{
	size_t sign = text.data[0] == '-' || text.data[0] == '+', n;

	if (sign < text.len && (ts_is_digit(text.data[sign]) || (text.data[sign] == '.' && digits_at(text, sign + 1))))
		return true;
	n = ts_text_number_len(text);
	return n && ends_at(text, n) && !byte_is(text, n, '/') && !byte_is(text, n, '-');
}

void ts_text_tokenize(struct ts_span line, struct ts_text_tokens *ret_tokens)
{
	size_t at = 0;

	ret_tokens->n = 0;
	ret_tokens->full = false;
	for (;;) {
		size_t spaces = spaces_at(line, at);
		struct ts_text_token *t = &ret_tokens->items[ret_tokens->n];
		struct ts_span rest;

		at += spaces;
		if (at >= line.len)
			return;
		if (ret_tokens->n == TS_TEXT_TOKENS) {
			ret_tokens->full = true;
			return;
		}
		rest = ts_span_from(line, at);
		*t = (struct ts_text_token){.at = at,
					    .gap = (uint8_t)(spaces > 1 || (spaces && line.data[at - 1] == '\t') ? 2 : spaces)};
		if (begins_number(rest))
			take_digits(rest, ret_tokens->n ? t - 1 : NULL, t);
		else if (glog_len(rest))
			set(t, TS_TEXT_OTHER, glog_len(rest));
		else if (ts_is_alpha(rest.data[0]) || rest.data[0] == '_' ||
			 (rest.data[0] >= 0x80 && !is_drawn(rest, 0) && !wide_mark(rest, 0)))
			set(t, TS_TEXT_WORD, word_len(rest));
		else
			take_mark(rest, t);
		if (t->kind == TS_TEXT_WORD || t->kind == TS_TEXT_OTHER)
			t->text = ts_span_part(rest, 0, t->end - t->at);
		ret_tokens->n++;
		at = t->end;
	}
}

static uint8_t lower(uint8_t c)
{
	return ts_is_alpha(c) ? c | 32 : c;
}

bool ts_text_word_among(struct ts_span word, const char *const *list)
{
	uint8_t first = word.len ? lower(word.data[0]) : 0;

	for (; *list; list++) {
		const char *want = *list;
		size_t i = 0;

		if ((uint8_t)want[0] != first)
			continue;
		while (i < word.len && want[i] && lower(word.data[i]) == (uint8_t)want[i])
			i++;
		if (i == word.len && !want[i])
			return true;
	}
	return false;
}
