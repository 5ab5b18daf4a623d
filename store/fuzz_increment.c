/* Feeds bytes to the reader of an increment, once as they are and once with right checksums over what they say; each record of one that
 * is read lies in the file and has the hash that the index gives. */
#include "store/increment.h"

#include "base/buf.h"
#include "base/cursor.h"

#include <stdlib.h>
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void hold(bool condition)
{
	if (!condition)
		abort();
}

static bool lies_in(struct ts_span file, struct ts_span part)
{
	return part.data >= file.data && part.len <= (size_t)(file.data + file.len - part.data);
}

static void read_it(struct ts_span file)
{
	struct ts_increment_record record;
	struct ts_increment inc;
	struct ts_error err;

	if (ts_increment_parse(file, &inc, &err))
		return;
	hold(inc.name.len > 0 && lies_in(file, inc.name) && lies_in(file, inc.folder));
	for (uint64_t i = 0; i < inc.n; i++) {
		if (ts_increment_record(&inc, i, &record, &err))
			continue;
		hold(record.db < TS_DBS && record.key.len > 0 && record.key.len <= TS_KEY_MAX);
		hold(lies_in(file, record.key) && lies_in(file, record.value));
		hold(ts_record_hash(record.db, record.key, record.value) == record.hash);
	}
}

/* A file of one record, whose numbers the input chooses. */
static void make_one(struct ts_span input)
{
	struct ts_buf out = TS_BUF_INIT(1 << 20), index = TS_BUF_INIT(1 << 10);
	struct ts_super_slot slot = {.txn = 1};
	struct ts_id before = {{0}};
	struct ts_cursor c = ts_cursor_of(input);
	uint8_t name = ts_cursor_u8(&c), db = ts_cursor_u8(&c), gone = ts_cursor_u8(&c);
	uint16_t key = ts_cursor_u16(&c);
	uint64_t at = ts_cursor_u64(&c), hash = ts_cursor_u64(&c), index_at = ts_cursor_u64(&c);
	struct ts_span rest = ts_span_from(input, c.failed ? input.len : c.at);
	struct ts_span text = ts_span_of(rest.data, rest.len < name ? rest.len : name);

	ts_increment_head(&out, &slot, &before, text, ts_span_str("/backup"));
	at = at % 7 ? at : out.len;
	index_at = index_at % 7 ? index_at : out.len + rest.len;
	ts_buf_span(&out, rest);
	ts_buf_u64(&index, at);
	ts_buf_u64(&index, hash % 7 || rest.len < key || db >= TS_DBS || !key
				       ? hash
				       : ts_record_hash((enum ts_db)db, ts_span_of(rest.data, key), ts_span_from(rest, key)));
	ts_buf_u32(&index, (uint32_t)(rest.len - (rest.len < key ? rest.len : key)));
	ts_buf_u16(&index, key);
	ts_buf_u8(&index, db);
	ts_buf_u8(&index, gone);
	ts_buf_span(&out, ts_buf_view(&index));
	ts_increment_tail(&out, &slot, index_at, ts_buf_view(&index));
	if (!out.failed && !index.failed)
		read_it(ts_buf_view(&out));
	ts_buf_finish(&out);
	ts_buf_finish(&index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_it(ts_span_of(data, size));
	make_one(ts_span_of(data, size));
	return 0;
}
