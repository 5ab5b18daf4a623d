/* pickle_op.h - the opcodes of pickle, protocols 0 to 5: their names, and why those that plain data does not need are refused.
 *
 * Source: Lib/pickletools.py of CPython 3.13. */
#ifndef TSCOPE_INGEST_SNAPSHOT_PICKLE_OP_H
#define TSCOPE_INGEST_SNAPSHOT_PICKLE_OP_H

#include <stdint.h>

enum ts_pickle_op {
	TS_PICKLE_MARK = '(',
	TS_PICKLE_EMPTY_TUPLE = ')',
	TS_PICKLE_STOP = '.',
	TS_PICKLE_BINFLOAT = 'G',
	TS_PICKLE_BINBYTES = 'B',
	TS_PICKLE_SHORT_BINBYTES = 'C',
	TS_PICKLE_BININT = 'J',
	TS_PICKLE_BININT1 = 'K',
	TS_PICKLE_BININT2 = 'M',
	TS_PICKLE_NONE = 'N',
	TS_PICKLE_BINSTRING = 'T',
	TS_PICKLE_SHORT_BINSTRING = 'U',
	TS_PICKLE_BINUNICODE = 'X',
	TS_PICKLE_EMPTY_LIST = ']',
	TS_PICKLE_APPEND = 'a',
	TS_PICKLE_APPENDS = 'e',
	TS_PICKLE_BINGET = 'h',
	TS_PICKLE_LONG_BINGET = 'j',
	TS_PICKLE_BINPUT = 'q',
	TS_PICKLE_LONG_BINPUT = 'r',
	TS_PICKLE_SETITEM = 's',
	TS_PICKLE_TUPLE = 't',
	TS_PICKLE_SETITEMS = 'u',
	TS_PICKLE_EMPTY_DICT = '}',
	TS_PICKLE_PROTO = 0x80,
	TS_PICKLE_TUPLE1 = 0x85,
	TS_PICKLE_TUPLE2 = 0x86,
	TS_PICKLE_TUPLE3 = 0x87,
	TS_PICKLE_NEWTRUE = 0x88,
	TS_PICKLE_NEWFALSE = 0x89,
	TS_PICKLE_LONG1 = 0x8a,
	TS_PICKLE_LONG4 = 0x8b,
	TS_PICKLE_SHORT_BINUNICODE = 0x8c,
	TS_PICKLE_BINUNICODE8 = 0x8d,
	TS_PICKLE_BINBYTES8 = 0x8e,
	TS_PICKLE_MEMOIZE = 0x94,
	TS_PICKLE_FRAME = 0x95,
	TS_PICKLE_BYTEARRAY8 = 0x96,
};

struct ts_pickle_refusal {
	uint8_t code;
	const char *name, *why;
};

/* Why an opcode is refused; NULL: no protocol has this byte. Not for the opcodes above. */
const struct ts_pickle_refusal *ts_pickle_refused(uint8_t code);

#endif
