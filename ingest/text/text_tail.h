/* text_tail.h - what the last lines that processes of a training printed say of its end: how it ended, at which line of the program an
 * exception was raised, and which rank torchrun names as the first that failed.
 *
 *	struct ts_text_tail tail = TS_TEXT_TAIL;
 *	ts_text_tail_read(&tail, rank, text)		for each process
 *	ts_text_tail_facts(&tail, "output.txt", arena, &facts, err)
 *
 * A program that printed an exception and goes on to report steps has caught it, unless torchrun says behind them that a rank ended
 * with 1, as an exception that nobody caught ends it: then others went on. The lines are those of text_end.h; sequences that
 * colour or move a terminal are left out. Any bytes are good input.
 */
#ifndef TSCOPE_INGEST_TEXT_TEXT_TAIL_H
#define TSCOPE_INGEST_TEXT_TEXT_TAIL_H

#include "ingest/text/text_end.h"
#include "run/fact.h"

enum { TS_TEXT_TAIL_PLACE = 512, TS_TEXT_TAIL_LINE = 4096, TS_TEXT_TAIL_LAST = 256 };

struct ts_text_tail {
	struct ts_text_end end;
	char frame[TS_TEXT_TAIL_PLACE]; /* of the program's own code, in the traceback that is read: train.py:12 */
	char at[TS_TEXT_TAIL_PLACE];	/* where the exception was raised that counts */
	enum { TS_TAIL_ALONE, TS_TAIL_FOLLOWS, TS_TAIL_FOLLOWED } chain; /* of the traceback that is read: the last one led to it */
	struct ts_text_end passed;	   /* the last exception behind which steps were reported; not said: there is none */
	char passed_at[TS_TEXT_TAIL_PLACE]; /* where it was raised */
	bool others; /* to be set: lines that follow are of other processes, whose steps show nothing of the first */
	uint64_t lines;
	char last[TS_TEXT_TAIL_LAST]; /* the last line that has anything, but for the recorder's */
	bool ours; /* the line before was the recorder's, which goes on where it is indented */
	bool root;	   /* inside of what torchrun says of the first failure */
	int32_t root_rank; /* -1: it says none */
	int64_t root_code; /* its exit code; below 0: a signal's number */
};

#define TS_TEXT_TAIL {.root_rank = -1}

/* A line without the sequences by which terminals are coloured and moved, of one that was overwritten the last, and of a long one the
 * beginning. */
struct ts_span ts_text_tail_plain(struct ts_span line, uint8_t to[TS_TEXT_TAIL_LINE]);
/* rank: of the process that printed it; -1: of lines that say none themselves it is not known. */
void ts_text_tail_read(struct ts_text_tail *tail, int32_t rank, struct ts_span text);
/* Adds what the lines say below session.launch.end (docs/run.md), if they say anything. record: what they stand in. The facts are not
 * sorted any more. */
enum ts_status ts_text_tail_facts(const struct ts_text_tail *tail, const char *record, struct ts_arena *arena, struct ts_facts *facts,
				  struct ts_error *err);

#endif
