/* moment.c - regions and events of any thread, and digests in the order of execution. */
#include "record/occurrences.h"
#include "record/recorder.h"
#include "record/utf8.h"

#include <stdlib.h>

void tscope_region(struct tscope_run *run, tscope_column region, int64_t begin_ns)
{
	int64_t now;
	struct ts_lane *lane;
	uint8_t *frame;

	if (!ts_run_live(run))
		return;
	if (ts_run_kind(run, region) != TSCOPE_REGION) {
		ts_run_refused(run, region);
		return;
	}
	now = ts_tick_ns();
	lane = ts_run_borrow(run);
	frame = ts_lane_room(lane, TS_FRAME_REGION_SIZE);
	if (frame) {
		ts_put64(frame + TS_FRAME_REGION_COLUMN, region);
		ts_put32(frame + TS_FRAME_REGION_LANE, ts_run_thread());
		ts_put64(frame + TS_FRAME_REGION_STEP, (uint64_t)atomic_load_explicit(&run->step_open, memory_order_relaxed));
		ts_put64(frame + TS_FRAME_REGION_BEGIN, (uint64_t)begin_ns);
		ts_put64(frame + TS_FRAME_REGION_DURATION, begin_ns < now ? (uint64_t)now - (uint64_t)begin_ns : 0);
		ts_lane_put(lane, frame, TS_FRAME_REGION, TS_FRAME_REGION_SIZE);
	}
	ts_run_return(lane);
	if (!frame)
		ts_run_lost(run);
}

/* `value` has `len` bytes. */
static void put_event(struct tscope_run *run, tscope_column event, enum ts_frame_form form, const void *value, size_t len)
{
	size_t size = TS_FRAME_ALIGNED(TS_FRAME_EVENT_VALUE + len);
	int64_t now = ts_tick_ns();
	struct ts_lane *lane = ts_run_borrow(run);
	uint8_t *frame = ts_lane_room(lane, size);

	if (frame) {
		memset(frame + size - 8, 0, 8);
		ts_put16(frame + TS_FRAME_EVENT_COLUMN, event);
		ts_put16(frame + TS_FRAME_EVENT_FORM, (uint16_t)form);
		ts_put32(frame + TS_FRAME_EVENT_LENGTH, form == TS_FRAME_TEXT ? (uint32_t)len : 0);
		ts_put64(frame + TS_FRAME_EVENT_STEP, (uint64_t)atomic_load_explicit(&run->step_open, memory_order_relaxed));
		ts_put64(frame + TS_FRAME_EVENT_TIME, (uint64_t)now);
		memcpy(frame + TS_FRAME_EVENT_VALUE, value, len);
		ts_lane_put(lane, frame, TS_FRAME_EVENT, size);
	}
	ts_run_return(lane);
	if (!frame)
		ts_run_lost(run);
}

static bool is_event(struct tscope_run *run, tscope_column event)
{
	if (ts_run_kind(run, event) == TSCOPE_EVENT)
		return true;
	ts_run_refused(run, event);
	return false;
}

void tscope_event(struct tscope_run *run, tscope_column event, double value)
{
	uint64_t bits;
	uint8_t bytes[8];

	if (!ts_run_live(run) || !is_event(run, event))
		return;
	memcpy(&bits, &value, 8);
	ts_put64(bytes, bits);
	put_event(run, event, TS_FRAME_NUMBER, bytes, 8);
}

void tscope_event_text(struct tscope_run *run, tscope_column event, const char *text)
{
	if (!ts_run_live(run) || !is_event(run, event))
		return;
	if (!text)
		text = "";
	put_event(run, event, TS_FRAME_TEXT, text, ts_record_utf8_cut(text, strlen(text), TS_FRAME_EVENT_TEXT_MAX));
}

static enum ts_frame_digest digest_kind(const char *kind)
{
	static const char *const names[] = {"", "param", "grad", "activation", "collective", "rng"};

	for (unsigned i = 1; kind && i < sizeof names / sizeof *names; i++) {
		if (strcmp(kind, names[i]) == 0)
			return (enum ts_frame_digest)i;
	}
	return TS_FRAME_DIGEST_NONE;
}

static int64_t step_of_digest(const struct tscope_run *run)
{
	return run->row.open || run->row.any ? run->row.step : 0;
}

void tscope_digest(struct tscope_run *run, const char *name, const char *kind, int has_in, uint64_t in, uint64_t out)
{
	size_t len = name ? strlen(name) : 0, size = TS_FRAME_ALIGNED(TS_FRAME_DIGEST_NAME + len);
	uint8_t *frame;

	if (!ts_run_live(run))
		return;
	if (len == 0 || len > TS_FRAME_DIGEST_NAME_MAX || !ts_record_utf8_valid(name, len)) {
		atomic_fetch_add_explicit(&run->refused, 1, memory_order_relaxed);
		ts_run_trouble(run, "a digest's name has to be 1 to 512 bytes of UTF-8");
		return;
	}
	if (!run->occurrences)
		run->occurrences = ts_occurrences_create();
	frame = run->occurrences ? ts_lane_room(&run->steps, size) : NULL;
	if (!frame) {
		ts_run_lost(run);
		return;
	}
	memset(frame + size - 8, 0, 8);
	ts_put64(frame + TS_FRAME_DIGEST_STEP, (uint64_t)step_of_digest(run));
	ts_put64(frame + TS_FRAME_DIGEST_OUT, out);
	ts_put64(frame + TS_FRAME_DIGEST_IN, has_in ? in : 0);
	frame[TS_FRAME_DIGEST_HAS_IN] = has_in != 0;
	frame[TS_FRAME_DIGEST_KIND] = (uint8_t)digest_kind(kind);
	ts_put16(frame + TS_FRAME_DIGEST_LENGTH, (uint16_t)len);
	ts_put32(frame + TS_FRAME_DIGEST_OCCURRENCE, ts_occurrences_count(run->occurrences, step_of_digest(run), name, len));
	memcpy(frame + TS_FRAME_DIGEST_NAME, name, len);
	ts_lane_put(&run->steps, frame, TS_FRAME_DIGEST, size);
}
