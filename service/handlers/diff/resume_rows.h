/* resume_rows.h - rows of one column between two keys, opening only the blocks that hold them. */
#ifndef TSCOPE_SERVICE_HANDLERS_DIFF_RESUME_ROWS_H
#define TSCOPE_SERVICE_HANDLERS_DIFF_RESUME_ROWS_H

#include "analysis/diverge/resume.h"
#include "service/handlers/core/read.h"

struct ts_rows {
	int64_t *keys; /* ascending */
	uint64_t *words; /* the bits of f64, or u64 */
	size_t n;
};

/* Rows with first <= key <= last, the first `most` of them, or (from_end) the last. The column is F64 or U64. */
enum ts_status ts_rows_load(struct ts_fetch *f, const struct ts_table *table, const struct ts_column *column,
			    int64_t first, int64_t last, size_t most, bool from_end, struct ts_arena *arena,
			    struct ts_rows *ret, struct ts_error *err);
/* Its words as numbers, where the column is F64. */
const double *ts_rows_real(const struct ts_rows *rows);

/* Room for pairs, and those of equal keys, at most `most`; words_a, words_b beside steps in *ret. */
struct ts_row_pairs {
	int64_t *steps;
	uint64_t *a, *b;
	size_t n;
};
bool ts_rows_pair(const struct ts_rows *a, const struct ts_rows *b, size_t most, struct ts_arena *arena,
		  struct ts_row_pairs *ret);

/* What a column of steps is to a resume; false: nothing, it is no number or digest of the trajectory. */
bool ts_resume_kind_of(const struct ts_index *index, const struct ts_facts *facts, const struct ts_column *column,
		       enum ts_resume_kind *ret_kind);
/* The quantum of a column where its precision is declared; 0 for doubles. f32: of the greatest of the values. */
double ts_resume_quantum(const struct ts_column *column, const struct ts_row_pairs *pairs);
/* A series of pairs; numbers or digests by its kind. facts_a, facts_b: of the two sides, for when digests were taken. */
struct ts_resume_series ts_resume_series_of(enum ts_resume_kind kind, struct ts_span name, int32_t rank,
					    const struct ts_row_pairs *pairs, const struct ts_facts *facts_a,
					    const struct ts_facts *facts_b);

#endif
