#include "base/csv.h"

#include "base/number.h"

static bool needs_quotes(struct ts_span text, unsigned flags)
{
	const char *special = flags & TS_CSV_NO_FORMULA ? ",\"\n\r;\t" : ",\"\n\r";

	for (size_t i = 0; i < text.len; i++)
		if (text.data[i] && strchr(special, text.data[i]))
			return true;
	return text.len == 0;
}

/* Source: OWASP's page on CSV injection, which has the wide forms of = + - @, too. */
static bool is_formula(struct ts_span text)
{
	static const char *const begins[] = {"=",  "+",	    "-",	   "@",		  "\t",		 "\r",
					     "\n", "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"};
	double number;

	for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
		if (ts_span_starts(text, ts_span_str(begins[i])))
			return !ts_parse_double(text, &number);
	return false;
}

void ts_csv_cell(struct ts_buf *out, struct ts_span text, unsigned flags)
{
	bool quotes = (flags & TS_CSV_QUOTED) || needs_quotes(text, flags);

	if (quotes)
		ts_buf_char(out, '"');
	if ((flags & TS_CSV_NO_FORMULA) && is_formula(text))
		ts_buf_char(out, '\'');
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] == '"')
			ts_buf_char(out, '"');
		ts_buf_u8(out, text.data[i]);
	}
	if (quotes)
		ts_buf_char(out, '"');
}
