/* brief.h - a document as a short text for a model that reads it: what it says first, then what that rests on, then what to do next.
 *
 * A brief has at most TS_BRIEF_BYTES bytes and TS_BRIEF_TOKENS tokens, as token_count.h counts them. Members that say something
 * (verdict, sentence, findings, evidence, experiments) come first and are cut last, and a verdict and its sentence stay whole up to
 * 1,200 bytes; where the bytes of a sentence are a token each, as digits and letters beyond ASCII are, it is cut where the tokens
 * end. What is null or empty, and what repeats other members for programs (curves, records, digests), is left out. Rows of one form
 * are a table. Each list that is cut says how many of its rows are left out. Threads: pure.
 */
#ifndef TSCOPE_CLI_SERVE_BRIEF_H
#define TSCOPE_CLI_SERVE_BRIEF_H

#include "base/arena.h"
#include "base/buf.h"

enum { TS_BRIEF_TOKENS = 1500, TS_BRIEF_BYTES = 3 * TS_BRIEF_TOKENS };

/* document: JSON of one value. command: what gives all of it; next: what to ask next, where the document names no command; NULL: none.
 * Appends to out. TS_INVALID where the document is no JSON. */
enum ts_status ts_brief(struct ts_span document, const char *command, const char *next, struct ts_arena *arena, struct ts_buf *out,
			struct ts_error *err);

#endif
