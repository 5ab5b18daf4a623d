/* diff_samples.h - which samples differ in the first batch whose indices do, as evidence for ts_diagnose. */
#ifndef TSCOPE_SERVICE_HANDLERS_DIFF_DIFF_SAMPLES_H
#define TSCOPE_SERVICE_HANDLERS_DIFF_DIFF_SAMPLES_H

#include "service/handlers/diff/diff_evidence.h"

/* Sets e->samples, e->samples_step where both runs recorded their samples there; it opens a block of each of their columns. */
enum ts_status ts_samples_look(const struct ts_evidence_notes *notes, struct ts_fetch *f, const struct ts_run *a,
			       const struct ts_run *b, struct ts_evidence *e, struct ts_error *err);

#endif
