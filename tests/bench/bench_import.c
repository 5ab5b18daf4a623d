/* bench_import.c - logs of other tools for ./dev bench, and how long they take to read.
 *
 *	bench_import events PATH MIB	writes an event file of 8 float32 scalars a step, as torch's SummaryWriter does
 *	bench_import wandb PATH MIB	writes a W&B log of 8 numbers a step, with the summary that the SDK writes beside each
 *	bench_import text PATH MIB	writes lines as nanoGPT prints them, which no format knows
 *	bench_import read PATH		reads PATH to objects that go nowhere; prints "SECONDS BYTES ROWS" of processor time
 */
#include "base/clock.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/number.h"
#include "ingest/ingest.h"
#include "ingest/tensorboard/tfrecord.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

enum { SERIES = 8, FLUSH = 1 << 20, BLOCK = 32 << 10 };

static void must(enum ts_status status, const struct ts_error *err)
{
	if (status) {
		fprintf(stderr, "bench_import: %s\n", err->text);
		exit(1);
	}
}

static void varint(struct ts_buf *b, uint64_t v)
{
	for (; v > 127; v >>= 7)
		ts_buf_u8(b, (uint8_t)(v | 128));
	ts_buf_u8(b, (uint8_t)v);
}

/* Writes Event{wall_time, step, summary{value{tag, simple_value}}}. */
static void event(struct ts_buf *out, int64_t step, const char *tag, float value)
{
	struct ts_buf e = TS_BUF_INIT(4096);
	size_t tag_len = strlen(tag), inner = 2 + tag_len + 5;
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	ts_buf_u8(&e, 0x09);
	ts_buf_f64(&e, 1795000000.0 + (double)step / 8);
	ts_buf_u8(&e, 0x10);
	varint(&e, (uint64_t)step);
	ts_buf_u8(&e, 0x2a);
	varint(&e, inner + 2);
	ts_buf_u8(&e, 0x0a);
	varint(&e, inner);
	ts_buf_u8(&e, 0x0a);
	varint(&e, tag_len);
	ts_buf_bytes(&e, tag, tag_len);
	ts_buf_u8(&e, 0x15);
	ts_buf_u32(&e, bits);
	ts_buf_u64(out, e.len);
	ts_buf_u32(out, ts_tfrecord_masked(ts_crc32c(0, out->data + out->len - 8, 8)));
	ts_buf_span(out, ts_buf_view(&e));
	ts_buf_u32(out, ts_tfrecord_masked(ts_crc32c(0, e.data, e.len)));
	ts_buf_finish(&e);
}

static const char *const tags[SERIES] = {"train/loss",	    "train/grad_norm", "train/lr",	  "perf/step_time",
					 "perf/throughput", "perf/mfu",	       "memory/reserved", "optim/scale"};

static void steps_of_events(struct ts_buf *out, int64_t step)
{
	for (int i = 0; i < SERIES; i++)
		event(out, step, tags[i], (float)(1.0 / (double)(step + i + 1)));
}

/* Writes a record in chunks. out begins at byte `at` of the file. */
static void chunks(struct ts_buf *out, uint64_t at, struct ts_span data)
{
	bool first = true, last = false;

	while (!last) {
		size_t left = BLOCK - (size_t)((at + out->len) % BLOCK), n;
		uint8_t type;

		if (left < 7) {
			ts_buf_bytes(out, "\0\0\0\0\0\0", left);
			left = BLOCK;
		}
		n = data.len < left - 7 ? data.len : left - 7;
		last = n == data.len;
		type = first && last ? 1 : first ? 2 : last ? 4 : 3;
		ts_buf_u32(out, (uint32_t)crc32(crc32(0, &type, 1), data.data, (uInt)n));
		ts_buf_u16(out, (uint16_t)n);
		ts_buf_u8(out, type);
		ts_buf_bytes(out, data.data, n);
		data = ts_span_of(data.data + n, data.len - n);
		first = false;
	}
}

/* Writes {nested_key, value_json}. */
static void item(struct ts_buf *b, const char *key, double value)
{
	char text[TS_DOUBLE_TEXT];
	size_t key_len = strlen(key), n = ts_print_double(value, text);

	if (n > 2 && memcmp(text + n - 2, ".0", 2) == 0)
		n -= 2; /* Go writes whole numbers without .0 */
	ts_buf_u8(b, 0x0a);
	varint(b, 2 + key_len + 3 + n);
	ts_buf_u8(b, 0x12);
	varint(b, key_len);
	ts_buf_bytes(b, key, key_len);
	ts_buf_u8(b, 0x82);
	ts_buf_u8(b, 0x01);
	varint(b, n);
	ts_buf_bytes(b, text, n);
}

/* Writes Record{num, history or summary}. */
static void items(struct ts_buf *out, uint64_t at, int64_t step, uint8_t number)
{
	struct ts_buf b = TS_BUF_INIT(4096), record = TS_BUF_INIT(4096);

	for (int i = 0; i < SERIES; i++)
		item(&b, tags[i], 1.0 / (double)(step + i + 1));
	item(&b, "_step", (double)step);
	item(&b, "_timestamp", 1795000000.0 + (double)step / 8);
	item(&b, "_runtime", (double)step / 8);
	if (number == 2) {
		ts_buf_u8(&b, 0x12);
		varint(&b, step < 128 ? 2 : step < 16384 ? 3 : step < 2097152 ? 4 : 5);
		ts_buf_u8(&b, 0x08);
		varint(&b, (uint64_t)step);
	}
	ts_buf_u8(&record, 0x08);
	varint(&record, (uint64_t)step);
	ts_buf_u8(&record, (uint8_t)(number << 3 | 2));
	varint(&record, b.len);
	ts_buf_span(&record, ts_buf_view(&b));
	chunks(out, at, ts_buf_view(&record));
	ts_buf_finish(&b);
	ts_buf_finish(&record);
}

static void printed_line(struct ts_buf *out, int64_t step)
{
	ts_buf_printf(out, "iter %" PRId64 ": loss %.4f, time %.2fms, mfu %.2f%%\n", step, 2.0 + (double)(step * 7919 % 10007) / 1e4,
		      90 + (double)(step % 97) / 8, 30 + (double)(step % 31) / 16);
}

static void write_log(const char *path, uint64_t bytes, char kind)
{
	struct ts_buf out = TS_BUF_INIT(4 * FLUSH);
	struct ts_error err;
	uint64_t written = 0;
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);

	if (fd < 0) {
		perror(path);
		exit(1);
	}
	if (kind == 'w')
		ts_buf_bytes(&out, ":W&B\xe1\xbe", 7);
	for (int64_t step = 0; written < bytes; step++) {
		if (kind == 't') {
			printed_line(&out, step);
		} else if (kind == 'w') {
			items(&out, written, step, 3);
			items(&out, written, step, 2);
		} else {
			steps_of_events(&out, step);
		}
		if (out.len < FLUSH && written + out.len < bytes)
			continue;
		must(ts_buf_check(&out, &err), &err);
		must(ts_write_full(fd, out.data, out.len, &err), &err);
		written += out.len;
		ts_buf_reset(&out);
	}
	(void)close(fd);
	ts_buf_finish(&out);
}

static enum ts_status drop(void *ctx, const struct ts_id *id, struct ts_span object, struct ts_error *err)
{
	(void)ctx;
	(void)id;
	(void)object;
	(void)err;
	return TS_OK;
}

static void read_log(const char *path)
{
	struct ts_ingest_options options = {.path = path};
	struct ts_ingest_result result;
	struct ts_arena arena;
	struct ts_error err;
	clock_t begin;

	must(ts_digest_init(&err), &err);
	ts_arena_init(&arena, 0);
	begin = clock();
	must(ts_ingest(&options, drop, NULL, &arena, &result, &err), &err);
	printf("%.6f %" PRIu64 " %" PRIu64 "\n", (double)(clock() - begin) / CLOCKS_PER_SEC, result.bytes_read, result.rows);
	ts_arena_finish(&arena);
}

int main(int argc, char **argv)
{
	if (argc == 4 && (strcmp(argv[1], "events") == 0 || strcmp(argv[1], "wandb") == 0 || strcmp(argv[1], "text") == 0)) {
		write_log(argv[2], strtoull(argv[3], NULL, 10) << 20, *argv[1]);
	} else if (argc == 3 && strcmp(argv[1], "read") == 0) {
		read_log(argv[2]);
	} else {
		fprintf(stderr, "usage: bench_import events|wandb|text PATH MIB | read PATH\n");
		return 2;
	}
	return 0;
}
