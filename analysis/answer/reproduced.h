/* reproduced.h - the answer to "does a recorded training come out again": how far it does, or what is missing. Texts are spans, so that
 * an answer holds nothing but itself. */
#ifndef TSCOPE_ANALYSIS_ANSWER_REPRODUCED_H
#define TSCOPE_ANALYSIS_ANSWER_REPRODUCED_H

#include "analysis/answer/run_ref.h"

struct ts_reproduced_texts {
	struct ts_span *items;
	size_t n;
};

struct ts_reproduced {
	struct ts_run_ref run;
	struct ts_span verdict; /* "same", "parted", "not_known", or "planned" where nothing was executed */
	struct ts_span sentence;
	bool parted;
	int64_t step;		/* parted: the first step that differs */
	uint64_t steps, series; /* same: bit for bit in so many steps and series */
	struct ts_reproduced_texts command; /* the words that are executed; none: not known */
	struct ts_span commit;		    /* empty: not known */
	struct ts_reproduced_texts lacks;   /* of the record, without which it cannot be run again */
	struct ts_reproduced_texts gone;    /* of this machine, likewise */
	struct ts_reproduced_texts differs; /* here from the record */
	struct ts_reproduced_texts unsure;  /* without which nobody knows whether all is as it was */
	struct ts_span folder;		    /* of the new run; empty: none was made */
};

#endif
