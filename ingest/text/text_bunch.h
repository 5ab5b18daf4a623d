/* text_bunch.h - the steps of Hugging Face's records where they do not stand beside the bar that has them.
 *
 * The records go to the standard output and the bar to that of errors. In one file of both, of which only the first was buffered, many
 * records stand together, behind states of the bar that are long past theirs:
 *
 *	 30%|███       | 503/1677 [14:24<33:12]	{'loss': 2.5, 'epoch': 0.0179}		of step 10
 *						{'loss': 2.25, 'epoch': 0.0358}		of step 20
 *
 *	for each record and state of a bar: ts_text_bunch_look(&b, r)		ts_text_bunch_state(&b, n, total)
 *	if ts_text_bunch_is(&b): for each record: ts_text_bunch_step(&b, total, r, last)
 *
 * A record's step is its epoch times the steps of an epoch: the total of the bar, parted by the epoch at the end, which only the record
 * of the whole training has, or the bar's last state. Records with a loss are a constant number of steps apart, so an epoch that is
 * rounded is that of the next such step.
 */
#ifndef TSCOPE_INGEST_TEXT_TEXT_BUNCH_H
#define TSCOPE_INGEST_TEXT_TEXT_BUNCH_H

#include "ingest/text/text_record.h"

struct ts_text_bunch {
	uint64_t records, together; /* records with a loss; those of them behind another one, without a state of the bar between */
	bool behind;		    /* no state of the bar since the last of them */
	int64_t n, total;	    /* the last state of the longest bar without a name */
	double first, second;	    /* epochs of the first two */
	double greatest, whole;	    /* epochs of the last record, and of the whole training; 0: not known */
	int decimals;		    /* the most that an epoch has */
	bool quoted;		    /* epochs stand in quotes: they have four digits, as versions from 5 on write them */
};

void ts_text_bunch_look(struct ts_text_bunch *b, const struct ts_text_record *r);
void ts_text_bunch_state(struct ts_text_bunch *b, int64_t n, int64_t total);
/* Whether records stand together. */
bool ts_text_bunch_is(const struct ts_text_bunch *b);
/* Whether the steps of records with a loss can be told by their epochs. */
bool ts_text_bunch_tells(const struct ts_text_bunch *b, int64_t total);
/* The step of the record. One without a loss, whose epoch is too coarse to tell, has the last step. */
int64_t ts_text_bunch_step(const struct ts_text_bunch *b, int64_t total, const struct ts_text_record *r, int64_t last);

#endif
