/* Any bytes as a bundle or a verdict, and, where the first byte is 0, as the message in one: refused, or what it rests on is
 * packed again and reads back the same. */
#include "cli/gate/gate_record.h"

#include "base/base64.h"
#include "base/digest.h"
#include "tests/fuzz/fuzz_files.h"
#include "tests/fuzz/fuzz_hold.h"

#include <unistd.h>

static int record_file(struct ts_span record)
{
	int fd = fuzz_file("bundle.json");

	fuzz_write(fd, "{\"record\": \"", 12);
	fuzz_write(fd, record.data, record.len);
	fuzz_write(fd, "\"}", 2);
	return fd;
}

static void write_and_read(const struct ts_gate_input *input, struct ts_arena *arena)
{
	struct ts_gate_input again;
	struct ts_span first, second;
	struct ts_error err;
	int fd;

	hold(ts_gate_record_text(input, arena, &first, &err) == TS_OK);
	fd = record_file(first);
	hold(ts_gate_record_read(fuzz_file_path(fd), arena, &again, &err) == TS_OK);
	hold(ts_gate_record_text(&again, arena, &second, &err) == TS_OK && ts_span_eq(first, second));
	(void)close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_buf text = TS_BUF_INIT(64 << 20);
	struct ts_gate_input input;
	struct ts_arena arena;
	struct ts_error err;
	int fd;

	hold(ts_digest_init(&err) == TS_OK);
	ts_arena_init(&arena, 0);
	if (size && data[0] == 0) {
		ts_base64_print(&text, ts_span_of(data + 1, size - 1));
		fd = record_file(ts_buf_view(&text));
	} else {
		fd = fuzz_file("bundle.json");
		fuzz_write(fd, data, size);
	}
	if (!ts_gate_record_read(fuzz_file_path(fd), &arena, &input, &err))
		write_and_read(&input, &arena);
	(void)close(fd);
	ts_buf_finish(&text);
	ts_arena_finish(&arena);
	return 0;
}
