/* testimony.h - what a recorded column proves or contradicts, about which causes, at which step: one table, and what asks it.
 *
 * A row holds where the record shows all of its conditions. A row that holds and contradicts a cause excludes it; a cause that no row
 * contradicts remains possible. A row that holds and proves a cause is what high confidence rests on: without one there is none.
 * The diagnosis, what else it could be, and its sentences read the rows; docs/divergence.md holds what ts_testimony_markdown writes.
 *
 * For analysis/diverge only. Pure: a question asks the inquiry and changes nothing.
 */
#ifndef TSCOPE_ANALYSIS_DIVERGE_TESTIMONY_H
#define TSCOPE_ANALYSIS_DIVERGE_TESTIMONY_H

#include "analysis/diverge/inquiry.h"
#include "base/buf.h"

enum ts_testimony_says { TS_TESTIMONY_CONTRADICTS = 1, TS_TESTIMONY_PROVES = 2 };

enum { TS_TESTIMONY_CONDITIONS = 3, TS_TESTIMONY_CAUSES = 8 };

/* What a record shows, as a clause: "the batches agree at that step". */
struct ts_condition {
	const char *clause;
	bool (*holds)(const struct ts_inquiry *q);
};

struct ts_testimony {
	enum ts_testimony_says says;
	const struct ts_condition *conditions[TS_TESTIMONY_CONDITIONS + 1]; /* all of them; ends with NULL */
	enum ts_cause causes[TS_TESTIMONY_CAUSES + 1];			    /* ends with UNKNOWN */
};

extern const struct ts_testimony ts_testimonies[];
extern const size_t ts_testimonies_n;

/* The first row that holds and contradicts the cause, or proves it; NULL: none does. */
const struct ts_testimony *ts_contradicts(const struct ts_inquiry *q, enum ts_cause cause);
const struct ts_testimony *ts_proves(const struct ts_inquiry *q, enum ts_cause cause);

/* "the batches agree at that step, and the generators do": the conditions of a row, into the arena of q. */
struct ts_span ts_testimony_text(struct ts_inquiry *q, const struct ts_testimony *row);

/* The table of docs/divergence.md. */
void ts_testimony_markdown(struct ts_buf *out);

#endif
