/* Any bytes as what a page beside the one that is written has behind its beginning: it is linked or not, and what is written into it is
 * found again and only once. */
#include "base/file.h"
#include "cli/report/page_links.h"
#include "tests/fuzz/fuzz_files.h"
#include "tests/fuzz/fuzz_hold.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put(const char *name, struct ts_span begin, struct ts_span rest)
{
	struct ts_buf page = TS_BUF_INIT(1 << 20);

	ts_buf_span(&page, begin);
	ts_buf_span(&page, rest);
	(void)fuzz_folder_put(name, ts_buf_view(&page));
	ts_buf_finish(&page);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_span begin = ts_span_str(ts_page_begin), rest = ts_span_of(data, size < 1 << 18 ? size : 1 << 18);
	struct ts_buf html = TS_BUF_INIT(1 << 20), first = TS_BUF_INIT(1 << 21), second = TS_BUF_INIT(1 << 21);
	struct ts_page_links links;
	struct ts_arena arena;
	struct ts_error err;
	char path[128], beside[128];
	size_t linked;

	ts_arena_init(&arena, 8 << 20);
	put("beside.html", begin, rest);
	put("foreign.html", ts_span_str(""), rest);
	(void)snprintf(path, sizeof path, "%s/z.html", fuzz_folder());
	(void)snprintf(beside, sizeof beside, "%s/beside.html", fuzz_folder());
	ts_buf_printf(&html, "%sz</title>%s", ts_page_begin, ts_page_place);
	hold(ts_page_links_find(path, &arena, &links, &err) == TS_OK);
	hold(ts_page_links_put(&links, &html, &err) == TS_OK);
	linked = ts_page_links_spread(&links, ts_buf_view(&html), &arena);
	hold(linked <= links.n);
	hold(ts_file_read(beside, &first, &err) == TS_OK && ts_span_starts(ts_buf_view(&first), begin));
	hold(ts_page_links_spread(&links, ts_buf_view(&html), &arena) == linked);
	hold(ts_file_read(beside, &second, &err) == TS_OK && ts_span_eq(ts_buf_view(&first), ts_buf_view(&second)));
	ts_buf_finish(&second);
	ts_buf_finish(&first);
	ts_buf_finish(&html);
	ts_arena_finish(&arena);
	return 0;
}
