/* frame.h - the numbers of a recording file (docs/recording.md): what the recorder writes and the reader reads.
 *
 * All integers are little-endian. Offsets are bytes from the beginning of the header or of the frame that they belong to.
 */
#ifndef TSCOPE_RECORD_FRAME_H
#define TSCOPE_RECORD_FRAME_H

#include <stdint.h>

#define TS_FRAME_FILE "recording.tscope"
#define TS_FRAME_MAGIC "\x89TSCR\r\n\x1a" /* 8 bytes */
#define TS_FRAME_NO_STEP INT64_MIN	 /* of a region or an event outside of any step */

enum {
	TS_FRAME_VERSION = 1,
	TS_FRAME_CHUNK = 65536,
	TS_FRAME_CHUNK_MAGIC = 0x4b4e4843, /* "CHNK" */
};

/* The header of the file. */
enum {
	TS_FRAME_FILE_VERSION = 8,    /* u32 */
	TS_FRAME_FILE_CHUNK = 12,     /* u32 TS_FRAME_CHUNK */
	TS_FRAME_FILE_TOKEN = 16,     /* u8[16] random */
	TS_FRAME_FILE_RANK = 32,      /* i32 */
	TS_FRAME_FILE_WORLD = 36,     /* i32 */
	TS_FRAME_FILE_UNIX_NS = 40,   /* i64 the wall clock at ... */
	TS_FRAME_FILE_MONO_NS = 48,   /* i64 ... this time of the recorder's clock */
	TS_FRAME_FILE_PROCESS = 56,   /* u32 */
	TS_FRAME_FILE_FLUSH_MS = 60,  /* u32 */
	TS_FRAME_FILE_CRC = 124,      /* u32 of bytes 0 to 123 */
	TS_FRAME_FILE_HEADER = 128,
};

/* The header of a chunk, at its beginning; in chunk 0 behind the header of the file. */
enum {
	TS_FRAME_CHUNK_CRC = 4,	     /* u32 of bytes 8 to 31 */
	TS_FRAME_CHUNK_NUMBER = 8,   /* u32 of the chunk in the file */
	TS_FRAME_CHUNK_LANE = 12,    /* u32 */
	TS_FRAME_CHUNK_ORDINAL = 16, /* u32 which chunk of its lane */
	TS_FRAME_CHUNK_HEADER = 32,
};

/* A frame: u32 length | kind << 24, u32 CRC over that word and the bytes from 8 on, then what the kind has. Its length is a multiple
 * of 8 and counts these 8 bytes. */
enum ts_frame_kind {
	TS_FRAME_COLUMN = 1,
	TS_FRAME_STEP = 2,
	TS_FRAME_LATE = 3,
	TS_FRAME_REGION = 4,
	TS_FRAME_EVENT = 5,
	TS_FRAME_DIGEST = 6,
	TS_FRAME_FIRST = 7,
	TS_FRAME_END = 15,
};

enum { TS_FRAME_HEADER = 8 };
#define TS_FRAME_LENGTH(word) ((word) & UINT32_C(0xffffff))
#define TS_FRAME_KIND(word) ((word) >> 24)
#define TS_FRAME_ALIGNED(size) (((size) + 7) / 8 * 8)

enum {
	TS_FRAME_COLUMN_COLUMN = 8, /* u16 from 1 */
	TS_FRAME_COLUMN_KIND = 10,  /* u8 enum tscope_kind */
	TS_FRAME_COLUMN_LENGTH = 11, /* u8 of the name */
	TS_FRAME_COLUMN_NAME = 16,
	TS_FRAME_COLUMN_NAME_MAX = 255,
	TS_FRAME_COLUMNS_MAX = 16000,
	TS_FRAME_COLUMNS_NEAR = 15000, /* from here on a run is told of the limit */
};

/* Cells: n u16 columns, zeros up to a multiple of 8, then n values of 8 bytes. */
enum {
	TS_FRAME_STEP_STEP = 8,	     /* i64 */
	TS_FRAME_STEP_BEGIN = 16,    /* i64 ns */
	TS_FRAME_STEP_DURATION = 24, /* i64 ns */
	TS_FRAME_STEP_COUNT = 32,    /* u16 n */
	TS_FRAME_STEP_CELLS = 40,
	TS_FRAME_LATE_STEP = 8,	  /* i64 */
	TS_FRAME_LATE_COUNT = 16, /* u16 n */
	TS_FRAME_LATE_CELLS = 24,
	TS_FRAME_CELLS_MAX = 4000, /* that the recorder puts into one frame; the others follow as LATE */
};

enum {
	TS_FRAME_REGION_COLUMN = 8,    /* u16 */
	TS_FRAME_REGION_LANE = 12,     /* u32 the thread, numbered from 0 as they came */
	TS_FRAME_REGION_STEP = 16,     /* i64 or TS_FRAME_NO_STEP */
	TS_FRAME_REGION_BEGIN = 24,    /* i64 ns */
	TS_FRAME_REGION_DURATION = 32, /* i64 ns */
	TS_FRAME_REGION_SIZE = 40,
};

enum {
	TS_FRAME_EVENT_COLUMN = 8,  /* u16 */
	TS_FRAME_EVENT_FORM = 10,   /* u16 enum ts_frame_form */
	TS_FRAME_EVENT_LENGTH = 12, /* u32 of the text */
	TS_FRAME_EVENT_STEP = 16,   /* i64 or TS_FRAME_NO_STEP */
	TS_FRAME_EVENT_TIME = 24,   /* i64 ns */
	TS_FRAME_EVENT_VALUE = 32,  /* f64, or the text */
	TS_FRAME_EVENT_TEXT_MAX = 4096,
};
enum ts_frame_form { TS_FRAME_NUMBER = 1, TS_FRAME_TEXT = 2 };

enum {
	TS_FRAME_DIGEST_STEP = 8,	 /* i64 */
	TS_FRAME_DIGEST_OUT = 16,	 /* u64 */
	TS_FRAME_DIGEST_IN = 24,	 /* u64 */
	TS_FRAME_DIGEST_HAS_IN = 32,	 /* u8 */
	TS_FRAME_DIGEST_KIND = 33,	 /* u8 enum ts_frame_digest */
	TS_FRAME_DIGEST_LENGTH = 34,	 /* u16 of the name */
	TS_FRAME_DIGEST_OCCURRENCE = 36, /* u32 */
	TS_FRAME_DIGEST_NAME = 40,
	TS_FRAME_DIGEST_NAME_MAX = 512,
};
enum ts_frame_digest {
	TS_FRAME_DIGEST_NONE,
	TS_FRAME_DIGEST_PARAM,
	TS_FRAME_DIGEST_GRAD,
	TS_FRAME_DIGEST_ACTIVATION,
	TS_FRAME_DIGEST_COLLECTIVE,
	TS_FRAME_DIGEST_RNG,
};

/* A value of a step that has not begun: of a row if there is no step at all. */
enum {
	TS_FRAME_FIRST_COLUMN = 8, /* u16 */
	TS_FRAME_FIRST_STEP = 16,  /* i64 */
	TS_FRAME_FIRST_TIME = 24,  /* i64 ns */
	TS_FRAME_FIRST_VALUE = 32, /* f64 */
	TS_FRAME_FIRST_SIZE = 40,
};

enum {
	TS_FRAME_END_TIME = 8,	  /* i64 ns */
	TS_FRAME_END_STEPS = 16,  /* u64 */
	TS_FRAME_END_LOST = 24,	  /* u64 frames */
	TS_FRAME_END_WAITS = 32,  /* u64 */
	TS_FRAME_END_REASON = 40, /* u32 enum ts_frame_reason */
	TS_FRAME_END_SIZE = 48,
};
enum ts_frame_reason { TS_FRAME_CLOSED = 1, TS_FRAME_NO_SPACE = 2, TS_FRAME_STOPPED = 3 };

#endif
