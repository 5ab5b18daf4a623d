/* replay_main.c - a main for fuzz targets where there is no libFuzzer: every file of the directories and files given is
 * one input. Fails when one cannot be read, or when there was none at all. Prints how many there were.
 */
#include "base/alloc.h"
#include "base/arena.h"
#include "base/file.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 64 << 20 };

/* The target gets a block of exactly the input's size, so that a sanitizer detects every read beyond it. */
static enum ts_status replay_file(const char *path, struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(INPUT_MAX);
	enum ts_status status = ts_file_read(path, &buf, err);
	uint8_t *exact = ts_alloc(buf.len ? buf.len : 1);

	if (!status && !exact)
		status = ts_error_set(err, TS_NO_MEMORY, "%s: out of memory", path);
	if (!status) {
		if (buf.len)
			memcpy(exact, buf.data, buf.len);
		(void)LLVMFuzzerTestOneInput(exact, buf.len);
	}
	ts_free(exact);
	ts_buf_finish(&buf);
	return status;
}

static enum ts_status replay_directory(const char *path, size_t *count, struct ts_error *err)
{
	struct ts_arena arena;
	enum ts_status status;
	char **names = NULL;
	size_t n = 0;

	ts_arena_init(&arena, 0);
	status = ts_list_dir(path, &arena, &names, &n, err);
	for (size_t i = 0; !status && i < n; i++) {
		char *file = ts_arena_printf(&arena, "%s/%s", path, names[i]);

		status = file ? replay_file(file, err) : ts_arena_error(&arena, err);
		*count += !status;
	}
	ts_arena_finish(&arena);
	return status;
}

int main(int argc, char **argv)
{
	struct ts_error err;
	size_t count = 0;

	for (int i = 1; i < argc; i++) {
		enum ts_status status;

		if (ts_file_kind(argv[i]) == TS_FILE_DIRECTORY) {
			status = replay_directory(argv[i], &count, &err);
		} else {
			status = replay_file(argv[i], &err);
			count += !status;
		}
		if (status) {
			(void)fprintf(stderr, "%s\n", err.text);
			return 1;
		}
	}
	printf("%zu inputs\n", count);
	return count > 0 ? 0 : 1;
}
