/* diff_patterns.h - reads the series that the detectors of patterns look at (analysis/diverge/pattern_*.h), as evidence for
 * ts_diagnose.
 *
 * Series of more than TS_EVIDENCE_BATCHES steps are not looked through.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_DIFF_DIFF_PATTERNS_H
#define TSCOPE_SERVICE_HANDLERS_DIFF_DIFF_PATTERNS_H

#include "service/handlers/diff/diff_evidence.h"

/* Fills e->stride, skips_a, skips_b, report and noise. */
enum ts_status ts_patterns_look(const struct ts_evidence_notes *notes, struct ts_fetch *f, struct ts_evidence *e, struct ts_error *err);

#endif
