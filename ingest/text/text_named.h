/* text_named.h - finds the named numbers of a text, in the ways in which trainings print them.
 *
 *	loss: 2.5  loss=2.5  'loss': '2.5'  lr=[1e-3]	a name, a sign, a number; loss: tensor(2.5, device='cuda:0') too
 *	train loss 2.5  Time  0.52 ( 0.53)	at most four words and a number; the one in parentheses is "Time_avg"
 *	| fps | 1000 |				cells of a table
 *	| 40.1% MFU | 420000 tok/s | 120 ms	a number between separators, and words, a rate or a duration as its name
 *	eta: 0:10:00  Accuracy: 98/100  1.2k	a duration is seconds, of a fraction the first number counts, k is a thousand
 *	acc: 45273/58518=0.7737			what a fraction is equal to
 *
 * A unit is part of the name, as text_record.h says. A list counts if all its numbers are the same. Dates, versions, addresses, a
 * rank, a process, a line of a source and how far a bar of tqdm is ("mAP50: 100%|████|") are none. Of two numbers of one name the first
 * counts, but one in a bracket behind a word has that word before its name: "loss[loss=2.5], tot_loss[loss=3.5]" has "tot_loss/loss".
 */
#ifndef TSCOPE_INGEST_TEXT_TEXT_NAMED_H
#define TSCOPE_INGEST_TEXT_TEXT_NAMED_H

#include "ingest/text/text_record.h"
#include "ingest/text/text_token.h"

/* Adds the named numbers of the tokens from..end to the record. Returns whether nothing else stands there, but marks. */
bool ts_text_named(const struct ts_text_tokens *tokens, size_t from, size_t end, struct ts_span line, struct ts_text_record *r);
/* The same for a text that was not cut into tokens. */
bool ts_text_named_in(struct ts_span text, struct ts_text_record *r);
/* Whether words end before this token: a level of a logger, a mark that separates, a wide gap between two words. */
bool ts_text_breaks(const struct ts_text_tokens *tokens, size_t i);
/* Whether the token is a whole number between words and a number with decimals, which counts what they name: "Train loss 40 0.52". */
bool ts_text_is_index(const struct ts_text_tokens *tokens, size_t i);
/* Whether the token is the dot of a short word before a number: "Up. 14000". */
bool ts_text_is_short(const struct ts_text_tokens *tokens, size_t i);
/* Whether the name is what a logger or a launcher says of itself: a rank, a process, a line of a source. */
bool ts_text_is_noise(struct ts_span name);

#endif
