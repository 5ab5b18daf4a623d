/* text_pattern.h - finds the fields of a line by a template, such as "step {step} loss {loss} lr {lr}".
 *
 *	{loss}	a number ("2.5", "1,234", "nan"), or else a word that ends at a space or at the template's next character
 *	{}	such a number or word, which is not kept
 *	{{ }}	a brace
 *	a space	any number of spaces, also none
 *
 * Whatever stands before and behind the template in the line is ignored. Matching takes time in the product of both lengths at
 * most, for a template is never tried twice from one place.
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

#endif
