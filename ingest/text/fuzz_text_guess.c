/* Any bytes as a log that no format knows: no crash, no leak, and each template that is guessed is one. */
#include "ingest/core/fuzz_reader.h"
#include "ingest/text/reader_text.h"
#include "ingest/text/text_guess.h"
#include "ingest/text/text_pattern.h"

#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_text_guess guess;
	struct ts_arena arena;
	struct ts_error err;
	int fd = fuzz_file("log");
	const char *path = fuzz_file_path(fd);

	fuzz_write(fd, data, size);
	ts_arena_init(&arena, 0);
	if (!ts_text_guess(path, path, &arena, &guess, &err))
		for (size_t i = 0; i < guess.n; i++)
			if (ts_text_pattern_check(ts_span_str(guess.templates[i]), &err))
				abort();
	(void)ts_text_advice(path, &arena);
	ts_arena_finish(&arena);
	(void)close(fd);
	return 0;
}
