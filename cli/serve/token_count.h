/* token_count.h - how many tokens a language model's tokenizer may make of a text, without the tables of any.
 *
 * The count is meant to be too high, never too low: digits count one each, since some tokenizers cut numbers so, as do signs and the
 * bytes of letters beyond ASCII; a word is one token and a quarter up to eight letters, and more beyond or where no vowel separates
 * its consonants. For briefs it is above the most that any of six tokenizers makes of them (cl100k, o200k, Claude's of 2023,
 * DeepSeek's and two of Qwen's), by less than a half (test_token_count.c). It is too low for words that are in no language, such as
 * random letters.
 * Threads: pure.
 */
#ifndef TSCOPE_CLI_SERVE_TOKEN_COUNT_H
#define TSCOPE_CLI_SERVE_TOKEN_COUNT_H

#include "base/span.h"

/* text: any bytes. */
size_t ts_tokens_most(struct ts_span text);

#endif
