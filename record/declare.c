/* declare.c - tscope_declare: a column is in the file before anybody has its number. */
#include "record/column_table.h"
#include "record/recorder.h"
#include "record/utf8.h"

#include <stdio.h>

static void put_column(struct tscope_run *run, struct ts_lane *lane, uint16_t column, enum tscope_kind kind, const char *name,
		       size_t len)
{
	size_t size = TS_FRAME_ALIGNED(TS_FRAME_COLUMN_NAME + len);
	uint8_t *frame = ts_lane_room(lane, size);

	if (!frame) {
		ts_run_lost(run);
		return;
	}
	memset(frame + TS_FRAME_HEADER, 0, size - TS_FRAME_HEADER);
	ts_put16(frame + TS_FRAME_COLUMN_COLUMN, column);
	frame[TS_FRAME_COLUMN_KIND] = (uint8_t)kind;
	frame[TS_FRAME_COLUMN_LENGTH] = (uint8_t)len;
	memcpy(frame + TS_FRAME_COLUMN_NAME, name, len);
	ts_lane_put(lane, frame, TS_FRAME_COLUMN, size);
}

static tscope_column refuse(struct tscope_run *run, const char *why)
{
	atomic_fetch_add_explicit(&run->refused, 1, memory_order_relaxed);
	ts_run_trouble(run, why);
	return 0;
}

static tscope_column refuse_further(struct tscope_run *run, const char *name)
{
	char what[256];

	(void)snprintf(what, sizeof what, "there are more than %d columns, or no memory for another one: the first left out is %.150s",
		       TS_FRAME_COLUMNS_MAX, name);
	return refuse(run, what);
}

/* A run that has nearly all columns is told so once, while there is still time to log less. */
static void tell_of_limit(const struct tscope_run *run, const char *name)
{
	char what[512];

	(void)snprintf(what, sizeof what, "%d columns are there, and the recording takes at most %d: the last was %s",
		       TS_FRAME_COLUMNS_NEAR, TS_FRAME_COLUMNS_MAX, name);
	ts_run_say(run, what);
}

tscope_column ts_run_declare(struct tscope_run *run, struct ts_lane *lane, enum tscope_kind kind, const char *name)
{
	size_t len = name ? strlen(name) : 0;
	uint16_t column;
	bool is_new;

	if (kind < TSCOPE_PHASE || kind > TSCOPE_EVENT)
		return refuse(run, "a column was declared with a kind that there is not");
	if (len == 0 || len > TS_FRAME_COLUMN_NAME_MAX || !ts_record_utf8_valid(name, len))
		return refuse(run, "a column's name has to be 1 to 255 bytes of UTF-8");
	column = ts_column_table_find(run->columns, (uint8_t)kind, name, len, &is_new);
	if (column == 0)
		return refuse_further(run, name);
	if (!is_new)
		return column;
	put_column(run, lane, column, kind, name, len);
	atomic_store_explicit(&run->kinds[column], (uint8_t)kind, memory_order_release);
	ts_column_table_known(run->columns);
	if (column == TS_FRAME_COLUMNS_NEAR)
		tell_of_limit(run, name);
	return column;
}

tscope_column tscope_declare(struct tscope_run *run, enum tscope_kind kind, const char *name)
{
	struct ts_lane *lane;
	tscope_column column;

	if (!ts_run_live(run))
		return 0;
	lane = ts_run_borrow(run);
	column = ts_run_declare(run, lane, kind, name);
	ts_run_return(lane);
	return column;
}
