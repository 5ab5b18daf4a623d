/* column_table.h - the names of a recording's columns. Threads: safe. */
#ifndef TSCOPE_RECORD_COLUMN_TABLE_H
#define TSCOPE_RECORD_COLUMN_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_column_table;

/* Returns NULL if there is no memory. */
struct ts_column_table *ts_column_table_create(void);
void ts_column_table_destroy(struct ts_column_table *t);
/* Returns the number of the column of this kind and name, from 1, which is new if *ret_new; 0 if there are too many or no memory. What
 * comes back with *ret_new is seen by others only after ts_column_table_known: the table stays locked until then. */
uint16_t ts_column_table_find(struct ts_column_table *t, uint8_t kind, const char *name, size_t len, bool *ret_new);
void ts_column_table_known(struct ts_column_table *t);

#endif
