/* text_pattern.h - finds the fields of a line by a template, such as "step {step} loss {loss} lr {lr}".
 *
 *	{loss}	a number ("2.5", "1,234", "nan") with its unit, a duration ("0:10:00", which is seconds, or milliseconds if the
 *		name ends in _ms), a fraction ("12/400", which is 12), or else a word that ends at a space or at the template's next
 *		character
 *	{}	such a number or word, which is not kept; or more text, up to where the rest of the template fits
 *	{*}	at the end: every named number that follows (text_named.h). At the beginning: those that stand before. Alone: a line of
 *		named numbers and nothing else
 *	{val_*}	{*} whose names get "val_" before them, unless they say themselves what the numbers are of ("test acc"). Alone: a
 *		line of which the first name begins so: "Valid loss: 2.5, acc: 0.5"
 *	{{ }}	a brace
 *	a space	any number of spaces, also none
 *	,	right before a field, behind another: a list, in which no number has a comma of its own
 *
 * A step and an epoch, by the names of log_axes.h, are numbers only; so are all fields of a template that has no character of its own,
 * which fits whole lines (a table). Whatever else stands before and behind the template in the line is ignored. Matching takes time in
 * the product of both lengths at most, but for a fixed number of times that the last {} before a failure reaches further.
 */
#ifndef TSCOPE_INGEST_TEXT_TEXT_PATTERN_H
#define TSCOPE_INGEST_TEXT_TEXT_PATTERN_H

#include "base/error.h"
#include "ingest/text/text_record.h"

enum { TS_TEXT_PATTERN_MAX = 1024 };

/* Fails with TS_INVALID if the text is no template that keeps a field: what is wrong, and where. */
enum ts_status ts_text_pattern_check(struct ts_span pattern, struct ts_error *err);
/* Finds the first place in line where the whole template fits, and adds its fields. *ret_rest is what follows, *ret_at where the
 * template begins; both may be NULL. The template has passed the check, or is one of ours. */
bool ts_text_pattern_match(struct ts_span pattern, struct ts_span line, struct ts_text_record *r, struct ts_span *ret_rest,
			   size_t *ret_at);

/* Whether the template is {*} or {val_*} alone. */
bool ts_text_pattern_is_alone(struct ts_span pattern);

#endif
