/* analyze_machine_rows.h - what the observations of a machine say (run/machine.h), as rows beside those of steps, so that the rules on
 * machines are asked. They are kept with a run as a file: of the job where one machine has all ranks, else of the first rank of each.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_MACHINE_ROWS_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_MACHINE_ROWS_H

#include "analysis/answer/measure.h"
#include "service/handlers/core/read.h"

/* From which step of a rank on observations count, if its timestamps and tscope run say when that was. */
struct ts_machine_from {
	const struct ts_run *run;
	const struct ts_index *index; /* of the rank */
	int64_t step;		      /* INT64_MIN: all count */
};

/* Appends the rows of the file that this index keeps; of one that cannot be read the row that says why. None: it keeps none. from may
 * be NULL: all observations count. */
enum ts_status ts_machine_rows_of(struct ts_fetch *f, const struct ts_index *index, const struct ts_machine_from *from,
				  struct ts_arena *arena, struct ts_measures *io_rows, struct ts_error *err);
/* The same of the index of the job. */
enum ts_status ts_machine_rows_of_job(struct ts_fetch *f, const struct ts_run *run, const struct ts_machine_from *from,
				      struct ts_arena *arena, struct ts_measures *io_rows, struct ts_error *err);
/* The same of a stored run: the machine of the job, else that of the first rank that has one. */
enum ts_status ts_machine_rows_of_run(struct ts_fetch *f, const struct ts_id *id, struct ts_arena *arena, struct ts_measures *io_rows,
				      struct ts_error *err);
/* The same of the first of n runs that has any. A run that is not here is passed over: of a baseline that came as a record of its
 * reductions there is nothing else. */
enum ts_status ts_machine_rows_of_first(struct ts_fetch *f, const struct ts_id *const *ids, size_t n, struct ts_arena *arena,
					struct ts_measures *io_rows, struct ts_error *err);

#endif
