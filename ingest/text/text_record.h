/* text_record.h - the names and values that one line of a text log has, and the ways in which logs write such pairs.
 *
 * A value is a number ("2.5", "1,234", "nan"), a number with its unit ("20.57GiB", which is the number 20.57 of the name with
 * "(GiB)" behind it), both with a second one in parentheses ("20.57GiB(21.65%)"), or a text. "None" is no value.
 */
#ifndef TSCOPE_INGEST_TEXT_TEXT_RECORD_H
#define TSCOPE_INGEST_TEXT_TEXT_RECORD_H

#include "base/span.h"

#include <stdint.h>

enum { TS_TEXT_CELLS = 128, TS_TEXT_POOL = 8192 };

struct ts_text_cell {
	struct ts_span name, value; /* in the line, in the pool, or static */
	bool is_text;
};

struct ts_text_record {
	struct ts_text_cell cells[TS_TEXT_CELLS];
	size_t n;
	size_t texts;  /* how many cells are texts */
	bool full;     /* there were more cells than fit */
	bool quoted;   /* a number of a dict stood in quotes */
	size_t step;   /* the cell that a template takes for the step (text_pattern.h); TS_TEXT_CELLS: none */
	int64_t total; /* how many steps there will be, which stands behind it; 0: it does not */
	bool brief;    /* of what a template's {*} at the end takes, only an epoch is asked for; kept when the record is cleared */
	bool more;     /* brief: it would take a number */
	uint64_t which; /* what kind of line it is: its template and its first name; set by who matches, kept when it is cleared */
	size_t at;     /* where in its text the first named number stands (text_named.h) */
	char pool[TS_TEXT_POOL];
	size_t pooled;
};

/* How a kind of line renames what it has: "memory(GiB)" to "memory/max_reserved(GiB)". One '*' in both stands for any text; a
 * name that becomes "" is left out. The first row that fits decides. A table ends with a NULL. */
struct ts_text_rename {
	const char *from, *to;
};

void ts_text_record_clear(struct ts_text_record *r);
/* Adds a value as the line writes it, without spaces around it. renames may be NULL. */
void ts_text_record_add(struct ts_text_record *r, const struct ts_text_rename *renames, struct ts_span name, struct ts_span value);
/* Adds a number with its unit; "1.2k" is 1200. If the record has that name already, the first number stays. */
void ts_text_record_measure(struct ts_text_record *r, struct ts_span name, struct ts_span number, struct ts_span unit);
void ts_text_record_double(struct ts_text_record *r, struct ts_span name, double value);
/* Adds a value of a template's field: as ts_text_record_add, and "0:10:00" is seconds, "12/400" is 12. */
void ts_text_record_value(struct ts_text_record *r, struct ts_span name, struct ts_span value);
/* Keeps a copy of the text in the pool; empty if it does not fit. */
struct ts_span ts_text_record_keep(struct ts_text_record *r, struct ts_span text);
/* The cell of that name; NULL if there is none. */
const struct ts_text_cell *ts_text_record_find(const struct ts_text_record *r, const char *name);
/* How many cells are numbers with decimals. */
size_t ts_text_record_decimals(const struct ts_text_record *r);

/* Add the pairs of a line:	between '|'	"lm loss: 1.2 | lr 3 |"
 *				between ','	"loss=1.2, lr=3"
 *				between ' '	"loss: 1.2  lr: 3" */
void ts_text_pairs(struct ts_text_record *r, const struct ts_text_rename *renames, struct ts_span text, char between);
/* Adds the members of a dict as Python or JSON print it, "{'loss': 1.2, 'lr': '3'}", whose brace is text's first byte; values that
 * are lists or dicts are left out. Returns false if the dict does not end within the text. */
bool ts_text_dict(struct ts_text_record *r, const struct ts_text_rename *renames, struct ts_span text);

#endif
