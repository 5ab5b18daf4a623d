/* index_record.h - the records that an index is made of; docs/format.md, "Index". index.c and index_decode.c share it. */
#ifndef TSCOPE_RUN_INDEX_RECORD_H
#define TSCOPE_RUN_INDEX_RECORD_H

#include "base/limits.h"
#include "base/object.h"

enum ts_index_record {
	TS_RECORD_FACT = 1,
	TS_RECORD_TABLE = 2,	    /* u8 kind, u8 key_log2 */
	TS_RECORD_BLOCKS = 3,	    /* list: i64 first key, i64 last key, u32 rows; one ref for each entry */
	TS_RECORD_COLUMN = 4,	    /* u8 type, u8 precision, u8 digits, u16 length, name */
	TS_RECORD_VALUES = 5,	    /* list: one ref for each entry */
	TS_RECORD_FILE = 6,	    /* u64 size, u8 length, name */
	TS_RECORD_CHUNKS = 7,	    /* list: one ref for each entry */
	TS_RECORD_FILE_COLUMNS = 8, /* nothing; one ref */
};

enum {
	TS_RECORD_TABLE_BYTES = 1 + 2,
	TS_RECORD_COLUMN_BYTES = 1 + 5,
	TS_RECORD_FILE_BYTES = 1 + 9,
	TS_RECORD_LIST_BYTES = 1 + 4,
	TS_RECORD_FILE_COLUMNS_BYTES = 1,
	TS_RECORD_BLOCK_BYTES = 20,
	TS_INDEX_FIXED_BYTES = 4 + 1,
	/* The bytes of one object that records and their refs may take; room for the ref of the next object is always left. */
	TS_INDEX_ROOM = TS_INDEX_MAX - TS_OBJECT_HEADER - TS_INDEX_FIXED_BYTES - TS_ID_BYTES,
	TS_FILE_NAME_MAX = 255,
};

static inline bool ts_index_record_is_list(uint8_t record)
{
	return record == TS_RECORD_BLOCKS || record == TS_RECORD_VALUES || record == TS_RECORD_CHUNKS;
}

#endif
