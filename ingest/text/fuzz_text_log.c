/* Any bytes as a text log, and as the last lines of one; if the first is 't', what follows up to a byte 0 is a template. No crash, no
 * leak. */
#include "ingest/core/fuzz_reader.h"
#include "ingest/core/sink_count.h"
#include "ingest/text/reader_text.h"
#include "ingest/text/text_tail.h"

#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_as_tail(struct ts_span text)
{
	struct ts_text_tail tail = TS_TEXT_TAIL;
	struct ts_facts facts = {.n = 0};
	struct ts_arena arena;
	struct ts_error err;

	ts_arena_init(&arena, 0);
	ts_text_tail_read(&tail, -1, text);
	(void)ts_text_tail_facts(&tail, "output.txt", &arena, &facts, &err);
	ts_arena_finish(&arena);
}

static void read_by(const char *path, const char *pattern)
{
	struct ts_ingest_options options = {.path = path, .patterns = &pattern, .n_patterns = 1};
	struct ts_ingest_result result;
	struct ts_arena arena;
	struct ts_error err;

	ts_arena_init(&arena, 0);
	(void)ts_text_read(&options, fuzz_drop, NULL, &arena, &result, &err);
	ts_arena_finish(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_span rest = ts_span_of(data, size), pattern;
	int fd = fuzz_file("log");
	char text[256];

	if (!size || data[0] != 't') {
		read_as_tail(rest);
		fuzz_write(fd, data, size);
		(void)ts_text_sniff(fuzz_file_path(fd));
		fuzz_read(fuzz_file_path(fd), ts_text_read);
		(void)close(fd);
		return 0;
	}
	rest = ts_span_from(rest, 1);
	pattern = fuzz_part(&rest);
	if (pattern.len < sizeof text && rest.data) {
		if (pattern.len)
			memcpy(text, pattern.data, pattern.len);
		text[pattern.len] = '\0';
		fuzz_write(fd, rest.data, rest.len);
		read_by(fuzz_file_path(fd), text);
	}
	(void)close(fd);
	return 0;
}
