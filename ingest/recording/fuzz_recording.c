/* Any bytes as a recording: as they are, and with their checksums mended and every 1,024 bytes the beginning of a chunk, so that frames
 * and lanes are reached. No crash, no leak; and whether rows are sorted in little memory or in much, they are the same. */
#include "base/digest.h"
#include "ingest/core/fuzz_reader.h"
#include "ingest/recording/growth.h"
#include "ingest/recording/recording.h"
#include "ingest/recording/walk.h"
#include "record/crc32c.h"
#include "tests/fuzz/fuzz_hold.h"

#include <stdio.h>
#include <stdlib.h>

enum { PIECE = 1024, CHUNKS_MAX = 8 };

static bool read_once(struct ts_span bytes, size_t memory, struct ts_id *ret_id)
{
	struct ts_source source = {.fd = -1,
				   .memory = bytes,
				   .size = bytes.len,
				   .name = ts_span_str("recording.tscope"),
				   .path = ts_span_str("recording.tscope")};
	struct ts_sink_count sink = {.sink = fuzz_drop};
	struct ts_arena arena;
	struct ts_notices notices = {.arena = &arena};
	struct ts_recording_into into = {.notices = &notices, .sink = &sink, .memory = memory};
	struct ts_recording *recording = NULL;
	struct ts_builder *b = NULL;
	struct ts_facts facts;
	struct ts_error err;
	uint64_t segments;
	bool ok;

	ts_arena_init(&arena, 0);
	ok = ts_recording_open(&source, &notices, &recording, &err) == TS_OK &&
	     ts_recording_facts(recording, &arena, &facts, &err) == TS_OK &&
	     ts_recording_read(&recording, 1, &into, &b, &segments, &err) == TS_OK &&
	     ts_builder_finish(b, &facts, ret_id, &err) == TS_OK;
	ts_builder_destroy(b);
	ts_recording_close(recording);
	ts_arena_finish(&arena);
	return ok;
}

static void take_row(void *ctx, const struct ts_growth_row *row)
{
	uint64_t *rows = ctx;

	for (size_t i = 0; i < row->n; i++)
		hold(row->cells[i].column->path.len > 0);
	++*rows;
}

/* The same file as one that is watched: looked at until damaged frames have been waited for. */
static void watched(struct ts_span bytes)
{
	FILE *file = tmpfile();
	struct ts_growth growth;
	struct ts_error err;
	uint64_t taken = 0, told = 0;

	hold(file && fwrite(bytes.data, 1, bytes.len, file) == bytes.len && fflush(file) == 0);
	ts_growth_init(&growth);
	for (int i = 0; i < 30; i++) {
		uint64_t rows = 0;

		if (ts_growth_read(&growth, fileno(file), bytes.len, take_row, &taken, &rows, &err))
			break;
		told += rows;
	}
	hold(taken >= told); /* a look that fails does not tell its rows */
	ts_growth_finish(&growth);
	(void)fclose(file);
}

static void both_ways(struct ts_span bytes)
{
	struct ts_id a, b;
	bool ok = read_once(bytes, 0, &a);

	watched(bytes);
	hold(ok == read_once(bytes, 100, &b) && (!ok || ts_id_eq(&a, &b)));
}

/* Makes the checksums right of frames as far as their lengths lead. */
static void mend_frames(uint8_t *chunk, size_t at)
{
	while (at + TS_FRAME_HEADER <= TS_FRAME_CHUNK) {
		size_t len = TS_FRAME_LENGTH(ts_load_u32(chunk + at));

		if (len < TS_FRAME_HEADER || len % 8 || len > TS_FRAME_CHUNK - at)
			return;
		ts_store_u32(chunk + at + 4, ts_crc32c(ts_crc32c(0, chunk + at, 4), chunk + at + 8, len - 8));
		at += len;
	}
}

static void mend(uint8_t *file, size_t chunks)
{
	ts_store_u32(file + TS_FRAME_FILE_CRC, ts_crc32c(0, file, TS_FRAME_FILE_CRC));
	for (size_t i = 0; i < chunks; i++) {
		uint8_t *chunk = file + i * TS_FRAME_CHUNK, *header = chunk + ts_chunk_header_at((uint32_t)i);

		ts_store_u32(header + 4, ts_crc32c(0, header + 8, TS_FRAME_CHUNK_HEADER - 8));
		mend_frames(chunk, ts_chunk_header_at((uint32_t)i) + TS_FRAME_CHUNK_HEADER);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t nothing[1];
	static uint8_t file[CHUNKS_MAX * TS_FRAME_CHUNK];
	struct ts_error err;
	size_t chunks = 0;

	hold(ts_digest_init(&err) == TS_OK);
	both_ways(ts_span_of(size ? data : nothing, size));
	memset(file, 0, sizeof file);
	for (; chunks < CHUNKS_MAX && chunks * PIECE < size; chunks++)
		memcpy(file + chunks * TS_FRAME_CHUNK, data + chunks * PIECE,
		       size - chunks * PIECE < PIECE ? size - chunks * PIECE : PIECE);
	mend(file, chunks);
	both_ways(ts_span_of(file, chunks * TS_FRAME_CHUNK));
	return 0;
}
