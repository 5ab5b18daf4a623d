/* fuzz_bundle.c - reads any bytes as the table of a bundle and as the record of a place. What is read lies within the bundle, its packs
 * one behind the other, and is written back as the same bytes. The target sets the right checksum of the record, since otherwise no
 * code after that check would be reached. */
#include "base/cursor.h"
#include "store/cluster/bundle.h"
#include "tests/fuzz/fuzz_hold.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Rows of an older version have 0 where a checksum stands now. */
static void without_checksums(struct ts_buf *table, struct ts_span was, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t at = TS_BUNDLE_HEAD + i * TS_BUNDLE_ROW + 12;

		if (memcmp(was.data + at, "\0\0\0\0", 4) == 0)
			memset(table->data + at, 0, 4);
	}
}

static void read_table(struct ts_span bytes, uint64_t whole)
{
	struct ts_bundle_part *parts;
	struct ts_error err;
	struct ts_buf again = TS_BUF_INIT(64 << 20);
	size_t n;

	if (bytes.len < TS_BUNDLE_HEAD || ts_bundle_head_parse(ts_span_part(bytes, 0, TS_BUNDLE_HEAD), &n, &err) ||
	    bytes.len < TS_BUNDLE_HEAD + n * TS_BUNDLE_ROW)
		return;
	parts = calloc(n, sizeof *parts);
	if (!parts)
		abort();
	if (ts_bundle_rows_parse(ts_span_part(bytes, TS_BUNDLE_HEAD, n * TS_BUNDLE_ROW), n, whole, parts, &err) == TS_OK) {
		hold(parts[0].offset == TS_BUNDLE_HEAD + n * TS_BUNDLE_ROW);
		for (size_t i = 0; i < n; i++)
			hold(parts[i].offset + parts[i].len == (i + 1 < n ? parts[i + 1].offset : whole));
		ts_bundle_begin(&again, bytes.data + 8, parts, n);
		without_checksums(&again, bytes, n);
		hold(ts_span_eq(ts_buf_view(&again), ts_span_part(bytes, 0, again.len)));
	}
	ts_buf_finish(&again);
	free(parts);
}

static void read_place(struct ts_span bytes)
{
	struct ts_bundle_key key = ts_key_of_place(7);
	struct ts_buf stored = TS_BUF_INIT(1 << 20);
	struct ts_place place;
	struct ts_error err;

	ts_buf_span(&stored, bytes);
	ts_check_append(&stored, ts_bundle_key_span(&key));
	if (!stored.failed && ts_place_parse(ts_bundle_key_span(&key), ts_buf_view(&stored), &place, &err) == TS_OK)
		hold(bytes.len == 76);
	ts_buf_finish(&stored);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_span bytes = ts_span_of(data, size);

	read_place(bytes);
	if (size > 8) /* how long the bundle is, and then its table */
		read_table(ts_span_from(bytes, 8), ts_load_le(data, 8));
	return 0;
}
