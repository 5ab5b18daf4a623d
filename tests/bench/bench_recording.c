/* bench_recording.c - one run as a recording and as steps.jsonl, for ./dev bench.
 *
 *	bench_recording PATH STEPS [late]	writes PATH/recording/recording.tscope and PATH/json/steps.jsonl: four phases, two
 *						numbers and four of memory a step; late: two phases come ten steps later
 */
#include "base/buf.h"
#include "base/cursor.h"
#include "base/file.h"
#include "base/number.h"
#include "record/crc32c.h"
#include "record/frame.h"
#include "record/tscope.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PHASES = 4, NUMBERS = 2, MEMORY = 4, COLUMNS = PHASES + NUMBERS + MEMORY, LATE = 10 };

#define UNIX_NS INT64_C(1795167217000000000)

static const char *const names[COLUMNS] = {"data",	"forward", "backward", "optimizer",  "loss",
					   "grad_norm", "alloc",   "reserved", "peak_alloc", "peak_reserved"};

static FILE *file, *json;
static struct ts_buf chunk = {.ceiling = TS_FRAME_CHUNK + 64};
static uint32_t number;

static void must(bool good)
{
	if (!good) {
		perror("bench_recording");
		exit(1);
	}
}

static void begin_chunk(void)
{
	uint8_t h[TS_FRAME_CHUNK_HEADER] = {0};

	ts_store_u32(h, TS_FRAME_CHUNK_MAGIC);
	ts_store_u32(h + TS_FRAME_CHUNK_NUMBER, number);
	ts_store_u32(h + TS_FRAME_CHUNK_ORDINAL, number++);
	ts_store_u32(h + TS_FRAME_CHUNK_CRC, ts_crc32c(0, h + 8, sizeof h - 8));
	ts_buf_bytes(&chunk, h, sizeof h);
}

static void end_chunk(void)
{
	must(chunk.len <= TS_FRAME_CHUNK);
	memset(ts_buf_reserve(&chunk, TS_FRAME_CHUNK - chunk.len), 0, TS_FRAME_CHUNK - chunk.len);
	must(fwrite(chunk.data, 1, TS_FRAME_CHUNK, file) == TS_FRAME_CHUNK);
	ts_buf_reset(&chunk);
}

static void put_frame(uint32_t kind, struct ts_buf *body)
{
	uint8_t head[8];

	while (body->len % 8)
		ts_buf_u8(body, 0);
	if (chunk.len + 8 + body->len > TS_FRAME_CHUNK) {
		end_chunk();
		begin_chunk();
	}
	ts_store_u32(head, (uint32_t)(8 + body->len) | kind << 24);
	ts_store_u32(head + 4, ts_crc32c(ts_crc32c(0, head, 4), body->data, body->len));
	ts_buf_bytes(&chunk, head, sizeof head);
	ts_buf_span(&chunk, ts_buf_view(body));
	ts_buf_reset(body);
}

static void begin_file(struct ts_buf *body)
{
	uint8_t h[TS_FRAME_FILE_HEADER] = {0};

	memcpy(h, TS_FRAME_MAGIC, 8);
	ts_store_u32(h + TS_FRAME_FILE_VERSION, TS_FRAME_VERSION);
	ts_store_u32(h + TS_FRAME_FILE_CHUNK, TS_FRAME_CHUNK);
	ts_store_u64(h + TS_FRAME_FILE_UNIX_NS, UNIX_NS);
	ts_store_u32(h + TS_FRAME_FILE_CRC, ts_crc32c(0, h, TS_FRAME_FILE_CRC));
	ts_buf_bytes(&chunk, h, sizeof h);
	begin_chunk();
	for (uint16_t i = 0; i < COLUMNS; i++) {
		ts_buf_u16(body, (uint16_t)(i + 1));
		ts_buf_u8(body, i < PHASES ? TSCOPE_PHASE : i < PHASES + NUMBERS ? TSCOPE_NUMBER : TSCOPE_MEMORY);
		ts_buf_u8(body, (uint8_t)strlen(names[i]));
		ts_buf_u32(body, 0);
		ts_buf_str(body, names[i]);
		put_frame(TS_FRAME_COLUMN, body);
	}
}

static int64_t phase_ns(int64_t step, int i)
{
	return 2000000 + i * 3000000 + (int64_t)((uint64_t)(step * 4 + i) * 2654435761u % 1000003);
}

static double value_of(int64_t step, int i)
{
	return i == 4	? 0.4 + 2 * exp(-(double)step / 2e5) + (double)phase_ns(step, 0) * 1e-9
	       : i == 5 ? (double)phase_ns(step, 1) / 6e6
	       : i == 6 ? (double)(7000000000 + 4096 * (phase_ns(step, 2) % 8000))
	       : i == 8 ? 8912345600.0
			: 9663676416.0;
}

static void put_cells(struct ts_buf *body, int64_t step, int from, int to)
{
	for (int i = from; i < to; i++)
		ts_buf_u16(body, (uint16_t)(i + 1));
	while (body->len % 8)
		ts_buf_u8(body, 0);
	for (int i = from; i < to; i++)
		if (i < PHASES)
			ts_buf_u64(body, (uint64_t)phase_ns(step, i));
		else
			ts_buf_f64(body, value_of(step, i));
}

/* The columns from..to in a STEP frame. */
static void put_step(struct ts_buf *body, int64_t step, int64_t begin, int64_t duration, int from)
{
	ts_buf_u64(body, (uint64_t)step);
	ts_buf_u64(body, (uint64_t)begin);
	ts_buf_u64(body, (uint64_t)duration);
	ts_buf_u64(body, (uint64_t)(COLUMNS - from));
	put_cells(body, step, from, COLUMNS);
	put_frame(TS_FRAME_STEP, body);
}

static void put_late(struct ts_buf *body, int64_t step, int n)
{
	ts_buf_u64(body, (uint64_t)step);
	ts_buf_u64(body, (uint64_t)n);
	put_cells(body, step, 0, n);
	put_frame(TS_FRAME_LATE, body);
}

static void put_number(const char *before, double v)
{
	char text[TS_DOUBLE_TEXT];

	must(fprintf(json, "%s%.*s", before, (int)ts_print_double(v, text), text) > 0);
}

static void put_json(int64_t step, int64_t end)
{
	static const char *const before[COLUMNS] = {
		",\"phases\":{\"data\":",   ",\"forward\":",	  ",\"backward\":",	      ",\"optimizer\":",
		"},\"scalars\":{\"loss\":", ",\"grad_norm\":",	  "},\"memory\":{\"alloc\":", ",\"reserved\":",
		",\"peak_alloc\":",	    ",\"peak_reserved\":"};

	must(fprintf(json, "{\"step\":%" PRId64, step) > 0);
	put_number(",\"timestamp\":", (double)(UNIX_NS + end) / 1e9);
	for (int i = 0; i < COLUMNS; i++)
		put_number(before[i], i < PHASES ? (double)phase_ns(step, i) / 1e9 : value_of(step, i));
	must(fputs("}}\n", json) >= 0);
}

static FILE *open_in(const char *folder, const char *below, const char *name)
{
	struct ts_error err;
	char path[4096];
	FILE *f;

	(void)snprintf(path, sizeof path, "%s/%s", folder, below);
	must(ts_make_dirs(path, 0777, &err) == TS_OK);
	(void)snprintf(path, sizeof path, "%s/%s/%s", folder, below, name);
	f = fopen(path, "w");
	must(f != NULL);
	return f;
}

int main(int argc, char **argv)
{
	struct ts_buf body = TS_BUF_INIT(TS_FRAME_CHUNK);
	int late = argc == 4 ? 2 : 0;
	int64_t now = 0;

	if (argc < 3 || argc > 4) {
		fprintf(stderr, "usage: bench_recording PATH STEPS [late]\n");
		return 2;
	}
	file = open_in(argv[1], "recording", TS_FRAME_FILE);
	json = open_in(argv[1], "json", "steps.jsonl");
	begin_file(&body);
	for (int64_t step = 0, n = strtoll(argv[2], NULL, 10); step < n; step++, now += 20000000) {
		put_step(&body, step, now, 19000000, late);
		if (late && step >= LATE)
			put_late(&body, step - LATE, late);
		put_json(step, now + 19000000);
	}
	end_chunk();
	must(fclose(file) == 0 && fclose(json) == 0);
	ts_buf_finish(&body);
	ts_buf_finish(&chunk);
	return 0;
}
