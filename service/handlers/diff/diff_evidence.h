/* diff_evidence.h - what a diff found, as evidence for ts_diagnose, and the diagnosis.
 *
 * 	ts_evidence_note(&notes, &row, ..., a, b, err)	every series that is compared, also those that agree
 * 	ts_diff_diagnose(&notes, ..., diff, err)	rows of facts are complete
 *
 * What a series is follows from its name: docs/divergence.md lists the names. Beyond the rows, blocks are opened only around
 * the first difference (did a segment or an epoch begin there?) and, where digests of batches differ, those of one rank, up to
 * TS_EVIDENCE_BATCHES steps. The first common step of two series that begin at different steps is looked for in one block of
 * each.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_DIFF_DIFF_EVIDENCE_H
#define TSCOPE_SERVICE_HANDLERS_DIFF_DIFF_EVIDENCE_H

#include "analysis/diverge/evidence.h"
#include "service/handlers/diff/series_gap.h"

/* Steps of digests of batches that are related to one another: two arrays of 16 bytes a step, and one to sort. */
enum { TS_EVIDENCE_BATCHES = 1 << 20 };

struct ts_evidence_notes {
	struct ts_arena *arena;
	struct ts_evidence_series *items;
	struct ts_series_side (*sides)[2]; /* of each */
	size_t n, cap;
	uint32_t others;      /* numbers of no known kind that vary and agree throughout */
	struct ts_span other; /* the name of the first */
	bool no_loss;	      /* neither run has a number that is called a loss: what else a training minimizes stands for it */
	bool rewards;         /* as in evidence.h */
	struct ts_span unrated;
	int64_t unrated_step;
};

/* TS_KINDS: of no interest. type is the column's, role what both sides make of it. */
enum ts_series_kind ts_series_kind_of(struct ts_span name, enum ts_column_type type, enum ts_role role);
/* Whether it is what a training minimizes, by its name: an objective, a cost, an error. */
bool ts_series_stands_for_loss(struct ts_span name);
/* Whether a number of the steps is called a loss of the training. */
bool ts_index_has_loss(const struct ts_index *index);
/* What both sides declare in columns.<column>.when; UNKNOWN where one does not, or they disagree. */
enum ts_digest_time ts_digest_time_of(const struct ts_facts *a, const struct ts_facts *b, struct ts_span column);

/* a or b is NULL where that side lacks the series. seen: how numbers that differ were written; NULL for others. Series of no interest
 * are passed over. */
enum ts_status ts_evidence_note(struct ts_evidence_notes *notes, struct ts_fetch *f, const struct ts_series_row *row,
				const struct ts_writings *seen, const struct ts_series_side *a, const struct ts_series_side *b,
				struct ts_error *err);

/* Sets diff->diagnosis of runs that were aligned by step. repeats may be NULL. */
enum ts_status ts_diff_diagnose(const struct ts_evidence_notes *notes, struct ts_fetch *f, const struct ts_run *a,
				const struct ts_run *b, const struct ts_repeats_seen *repeats, const struct ts_cuts *cuts,
				struct ts_diff *diff, struct ts_error *err);

#endif
