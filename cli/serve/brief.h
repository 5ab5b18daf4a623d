/* brief.h - a document as a short text for a model that reads it: what it says first, then what that rests on, then what to do next.
 *
 * A brief has at most TS_BRIEF_BYTES bytes, three for a token, and TS_BRIEF_TOKENS tokens as ts_brief_tokens counts them: numbers and
 * digests take more tokens than words of as many bytes. Members that say something
 * (verdict, sentence, findings, evidence, experiments) come first and are cut last; what is null or empty, and what repeats other
 * members for programs (curves, records, digests), is left out. Rows of one form are a table. Each list that is cut says how many of
 * its rows are left out. Threads: pure.
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

/* About how many tokens a tokenizer makes of a text, whose bytes may be any. On briefs of the golden runs it is at most
 * 1 % less than the most that one of four makes (cl100k, o200k, Claude's of 2023, DeepSeek's), and up to 22 % more. */
size_t ts_brief_tokens(struct ts_span text);

#endif
