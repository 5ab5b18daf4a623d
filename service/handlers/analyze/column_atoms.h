/* column_atoms.h - sums of the blocks of a column, from which any view of it is cut without opening a block.
 *
 * An atom is what up to TS_ATOM_ROWS rows of a block came to: the rows of a block are cut at multiples of that number. A process
 * remembers the atoms of the blocks that it was asked about last: some 57 MB of them, those of 268 million rows. They are a function of
 * the bytes of two blocks, and the ids of the blocks name these bytes, so one table serves all stores. Threads: safe.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_COLUMN_ATOMS_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_COLUMN_ATOMS_H

#include "analysis/stats/cell.h"
#include "service/handlers/core/read.h"

enum { TS_ATOM_ROWS = 256 };

/* How many atoms a block of so many rows has. */
static inline size_t ts_atoms_in(uint32_t rows)
{
	return (rows + TS_ATOM_ROWS - 1) / TS_ATOM_ROWS;
}

/* Fills the atoms of all blocks of a column of doubles, one block after the other; their places are the keys. A helper reads half of
 * them, where the machine has a core for it. */
enum ts_status ts_atoms_of_column(struct ts_fetch *f, const struct ts_table *table, const struct ts_column *column,
				  struct ts_cell *ret_atoms, struct ts_error *err);

#endif
