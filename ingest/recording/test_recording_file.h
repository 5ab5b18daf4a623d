/* test_recording_file.h - writes recordings for tests from docs/recording.md alone: it shares no code and no number with the
 * recorder or the reader.
 *
 * Times are ns of a clock whose TEST_MONO is the wall clock TEST_UNIX.
 */
#ifndef TSCOPE_INGEST_RECORDING_TEST_RECORDING_FILE_H
#define TSCOPE_INGEST_RECORDING_TEST_RECORDING_FILE_H

#include <stddef.h>
#include <stdint.h>

#define TEST_UNIX INT64_C(1795167217000000000)
#define TEST_MONO INT64_C(5000000000)
#define TEST_MS INT64_C(1000000)

enum { TEST_CHUNK = 65536, TEST_LANES = 8 };
enum { TEST_PHASE = 1, TEST_DEVICE, TEST_REGION, TEST_NUMBER, TEST_MEMORY, TEST_AMOUNT, TEST_DIGEST, TEST_EVENT };

struct test_file {
	uint8_t *data;
	size_t size;	 /* whole chunks */
	uint32_t chunks; /* in use */
	struct {
		uint32_t chunk, at, n; /* n: its chunks so far; 0: it has none */
	} lanes[TEST_LANES];
	uint64_t steps;
	size_t at, len;	      /* of the last frame in the file */
	uint32_t first_chunk; /* a lane's chunks are taken from the end of each pair, if it is set: out of order in the file */
	void (*after)(struct test_file *f, void *ctx); /* called when a frame is in the file */
	void *ctx;
};

void test_file_init(struct test_file *f, int32_t rank, int32_t world);
void test_file_finish(struct test_file *f);

struct test_cell {
	uint16_t column;
	uint64_t bits;
};
uint64_t test_bits(double v);
#define TEST_CELLS(...)                                                                                                            \
	(const struct test_cell[]){__VA_ARGS__}, sizeof((struct test_cell[]){__VA_ARGS__}) / sizeof(struct test_cell)

void test_column(struct test_file *f, uint32_t lane, uint16_t column, uint8_t kind, const char *name);
void test_step(struct test_file *f, uint32_t lane, int64_t step, int64_t begin, int64_t duration, const struct test_cell *cells,
	       size_t n);
void test_late(struct test_file *f, uint32_t lane, int64_t step, const struct test_cell *cells, size_t n);
void test_first(struct test_file *f, uint32_t lane, uint16_t column, int64_t step, int64_t time, double value);
void test_region(struct test_file *f, uint32_t lane, uint16_t column, int64_t step, int64_t begin, int64_t duration);
void test_event_number(struct test_file *f, uint32_t lane, uint16_t column, int64_t step, int64_t time, double value);
void test_event_text(struct test_file *f, uint32_t lane, uint16_t column, int64_t step, int64_t time, const char *text);
void test_digest(struct test_file *f, uint32_t lane, int64_t step, const char *name, uint64_t out, const uint64_t *in, uint8_t kind,
		 uint32_t occurrence);
void test_end(struct test_file *f, uint32_t lane, int64_t time, uint64_t lost, uint32_t reason);
/* A frame of any kind with these bytes behind its header; their number is a multiple of 8. Returns its place in the file. */
size_t test_frame(struct test_file *f, uint32_t lane, uint8_t kind, const void *body, size_t n);
/* Makes the checksum of the frame or of the header of the file at this place right again. */
void test_mend(struct test_file *f, size_t at);
/* Has a chunk say that it is this one of this lane. */
void test_relabel(struct test_file *f, uint32_t chunk, uint32_t lane, uint32_t ordinal);
void test_mend_header(struct test_file *f);

#endif
