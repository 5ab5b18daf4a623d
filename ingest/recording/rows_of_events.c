/* rows_of_events.c - the rows of events and regions in the order in which they were recorded, and of digests.
 *
 * That order does not change while the recording grows; that in which regions began would, because a region is recorded at its end.
 */
#include "base/text.h"
#include "ingest/recording/recording_state.h"
#include "ingest/rows/spill.h"

#include <stdio.h>

#define EXACT_MAX (INT64_C(1) << 53)

enum { MEMORY = 64 << 20 };

enum field { TIME, NAME, STEP, STEP_TEXT, VALUE, TEXT, DURATION, LANE, OUT, IN, OCCURRENCE, KIND, FIELDS };

static const struct {
	const char *name;
	enum ts_column_type type;
} fields[FIELDS] = {
	[TIME] = {"time", TS_COLUMN_F64},
	[NAME] = {"name", TS_COLUMN_TEXT},
	[STEP] = {"step", TS_COLUMN_F64},
	[STEP_TEXT] = {"step", TS_COLUMN_JSON},
	[VALUE] = {"value", TS_COLUMN_F64},
	[TEXT] = {"text", TS_COLUMN_TEXT},
	[DURATION] = {"duration", TS_COLUMN_F64},
	[LANE] = {"lane", TS_COLUMN_F64},
	[OUT] = {"out", TS_COLUMN_U64},
	[IN] = {"in", TS_COLUMN_U64},
	[OCCURRENCE] = {"occurrence", TS_COLUMN_F64},
	[KIND] = {"kind", TS_COLUMN_TEXT},
};

struct putting {
	struct ts_making *m;
	uint32_t columns[FIELDS]; /* + 1; 0: not made yet */
	int64_t ordinal;
	enum ts_status (*row)(struct putting *p, const uint8_t *frame, uint32_t lane, uint64_t at, struct ts_error *err);
};

/* --- cells --- */

static enum ts_status column(struct putting *p, enum field f, uint32_t *ret, struct ts_error *err)
{
	if (!p->columns[f] &&
	    ts_column_make(p->m->builder, p->m->into->facts, ts_span_str(fields[f].name), fields[f].type, &p->columns[f], err))
		return err->status;
	*ret = p->columns[f] - 1;
	return TS_OK;
}

static enum ts_status put_f64(struct putting *p, enum field f, double value, struct ts_error *err)
{
	uint32_t c = 0;

	if (column(p, f, &c, err))
		return err->status;
	ts_builder_f64(p->m->builder, c, value);
	return TS_OK;
}

static enum ts_status put_u64(struct putting *p, enum field f, uint64_t value, struct ts_error *err)
{
	uint32_t c = 0;

	if (column(p, f, &c, err))
		return err->status;
	ts_builder_u64(p->m->builder, c, value);
	return TS_OK;
}

static enum ts_status put_text(struct putting *p, enum field f, struct ts_span text, struct ts_error *err)
{
	uint32_t c = 0;

	if (column(p, f, &c, err))
		return err->status;
	ts_builder_text(p->m->builder, c, text);
	return TS_OK;
}

static enum ts_status put_step(struct putting *p, int64_t step, struct ts_error *err)
{
	char digits[32];
	int n;

	if (step == TS_FRAME_NO_STEP)
		return TS_OK;
	if ((double)step < 0x1p63 && (int64_t)(double)step == step)
		return put_f64(p, STEP, (double)step, err);
	n = snprintf(digits, sizeof digits, "%" PRId64, step);
	return put_text(p, STEP_TEXT, ts_span_of(digits, (size_t)n), err);
}

static void tell(const struct putting *p, const char *code, uint64_t at, const char *what)
{
	char detail[160];

	(void)snprintf(detail, sizeof detail, "byte %" PRIu64 ": %s", at, what);
	ts_notice_add(p->m->into->notices, code, TS_NOTICE_SKIPPED, p->m->r->source->name, 0, detail);
}

/* --- rows --- */

static enum ts_status begin(struct putting *p, int64_t time, struct ts_span name, int64_t step, struct ts_error *err)
{
	ts_builder_row(p->m->builder, TS_TABLE_EVENTS, p->ordinal++);
	return put_f64(p, TIME, ts_recording_seconds(p->m->r, time), err) || put_text(p, NAME, name, err) ? err->status
													  : put_step(p, step, err);
}

static enum ts_status put_region(struct putting *p, const uint8_t *frame, struct ts_span name, struct ts_error *err)
{
	if (begin(p, ts_frame_i64(frame, TS_FRAME_REGION_BEGIN), name, ts_frame_i64(frame, TS_FRAME_REGION_STEP), err))
		return err->status;
	if (put_f64(p, DURATION, (double)ts_frame_i64(frame, TS_FRAME_REGION_DURATION) / 1e9, err))
		return err->status;
	return put_f64(p, LANE, ts_load_u32(frame + TS_FRAME_REGION_LANE), err);
}

static enum ts_status put_event(struct putting *p, const uint8_t *frame, struct ts_span name, uint32_t lane, uint64_t at,
				struct ts_error *err)
{
	struct ts_span text = ts_span_of(frame + TS_FRAME_EVENT_VALUE, ts_load_u32(frame + TS_FRAME_EVENT_LENGTH));
	double value;

	if (begin(p, ts_frame_i64(frame, TS_FRAME_EVENT_TIME), name, ts_frame_i64(frame, TS_FRAME_EVENT_STEP), err))
		return err->status;
	if (ts_frame_u16(frame, TS_FRAME_EVENT_FORM) == TS_FRAME_NUMBER) {
		memcpy(&value, &(uint64_t){ts_load_le(frame + TS_FRAME_EVENT_VALUE, 8)}, sizeof value);
		if (put_f64(p, VALUE, value, err))
			return err->status;
	} else if (!ts_utf8_valid(text)) {
		tell(p, "bad_utf8", at, "an event whose text is not UTF-8; it is kept without the text");
	} else if (put_text(p, TEXT, text, err)) {
		return err->status;
	}
	return lane == TS_LANE_NONE ? TS_OK : put_f64(p, LANE, lane, err);
}

static enum ts_status event_row(struct putting *p, const uint8_t *frame, uint32_t lane, uint64_t at, struct ts_error *err)
{
	bool region = TS_FRAME_KIND(ts_load_u32(frame)) == TS_FRAME_REGION;
	const struct ts_declared_column *c =
		ts_declared_at(&p->m->r->columns, ts_frame_u16(frame, region ? TS_FRAME_REGION_COLUMN : TS_FRAME_EVENT_COLUMN));

	if (!c || c->kind != (region ? TSCOPE_REGION : TSCOPE_EVENT)) {
		p->m->unknown++;
		return TS_OK;
	}
	if (region ? put_region(p, frame, c->name, err) : put_event(p, frame, c->name, lane, at, err))
		return err->status;
	return ts_builder_row_end(p->m->builder, err);
}

static enum ts_status digest_row(struct putting *p, const uint8_t *frame, uint32_t lane, uint64_t at, struct ts_error *err)
{
	static const char *const kinds[] = {
		[TS_FRAME_DIGEST_PARAM] = "param",
		[TS_FRAME_DIGEST_GRAD] = "grad",
		[TS_FRAME_DIGEST_ACTIVATION] = "activation",
		[TS_FRAME_DIGEST_COLLECTIVE] = "collective",
		[TS_FRAME_DIGEST_RNG] = "rng",
	};
	struct ts_span name = ts_span_of(frame + TS_FRAME_DIGEST_NAME, ts_frame_u16(frame, TS_FRAME_DIGEST_LENGTH));
	int64_t step = ts_frame_i64(frame, TS_FRAME_DIGEST_STEP);
	uint8_t kind = frame[TS_FRAME_DIGEST_KIND];

	(void)lane;
	if (name.len == 0 || name.len > TS_PATH_MAX || !ts_utf8_valid(name) || step <= -EXACT_MAX || step >= EXACT_MAX) {
		tell(p, "bad_digest", at, "a digest whose name is not 1 to 512 bytes of UTF-8, or whose step is not below 2^53");
		return TS_OK;
	}
	ts_builder_row(p->m->builder, TS_TABLE_DIGESTS, p->ordinal++);
	if (put_f64(p, STEP, (double)step, err) || put_text(p, NAME, name, err) ||
	    put_u64(p, OUT, ts_load_le(frame + TS_FRAME_DIGEST_OUT, 8), err) ||
	    put_f64(p, OCCURRENCE, ts_load_u32(frame + TS_FRAME_DIGEST_OCCURRENCE), err))
		return err->status;
	if (frame[TS_FRAME_DIGEST_HAS_IN] && put_u64(p, IN, ts_load_le(frame + TS_FRAME_DIGEST_IN, 8), err))
		return err->status;
	if (kind && put_text(p, KIND, ts_span_str(kinds[kind]), err))
		return err->status;
	return ts_builder_row_end(p->m->builder, err);
}

/* --- in order --- */

static enum ts_status put_sorted(struct putting *p, struct ts_spill *by_time, struct ts_error *err)
{
	struct ts_span record;
	bool more = true;
	int64_t time;

	while (more) {
		if (ts_spill_next(by_time, &time, &record, &more, err))
			return err->status;
		if (more && p->row(p, record.data + 12, ts_load_u32(record.data), ts_load_le(record.data + 4, 8), err))
			return err->status;
	}
	return TS_OK;
}

/* by_time, if it is not NULL, gets u32 lane, u64 place in the file and the frame. */
static enum ts_status walk(struct putting *p, uint32_t kinds, struct ts_spill *by_time, struct ts_error *err)
{
	struct ts_buf record = TS_BUF_INIT(TS_FRAME_CHUNK + 12);
	struct ts_frame frame;
	struct ts_frame_walk w;
	enum ts_status status;
	bool more = true;

	ts_recording_walk(p->m->r, kinds, &w);
	while (!(status = ts_recording_next(p->m->r, &w, &frame, &more, err)) && more) {
		if (by_time) {
			ts_buf_reset(&record);
			ts_buf_u32(&record, frame.lane);
			ts_buf_u64(&record, frame.at);
			ts_buf_bytes(&record, frame.bytes, frame.len);
			status = ts_buf_check(&record, err) ? err->status
							    : ts_spill_add(by_time, frame.time, ts_buf_view(&record), err);
		} else {
			status = p->row(p, frame.bytes, frame.lane, frame.at, err);
		}
		if (status)
			break;
	}
	ts_buf_finish(&record);
	ts_frame_walk_finish(&w);
	return status;
}

static enum ts_status put_all(struct putting *p, const struct ts_recorded *of, uint32_t kinds, struct ts_error *err)
{
	struct ts_builder_stats stats;
	struct ts_spill *by_time = NULL;
	enum ts_status status = TS_OK;

	if (!of->n)
		return TS_OK;
	ts_builder_stats(p->m->builder, &stats);
	if (stats.columns + FIELDS > TS_INGEST_COLUMNS_MAX) {
		p->m->dropped += of->n;
		return TS_OK;
	}
	if (of->mixed)
		status = ts_spill_create(p->m->into->memory ? p->m->into->memory : MEMORY, &by_time, err);
	if (!status)
		status = walk(p, kinds, by_time, err);
	if (!status && by_time)
		status = put_sorted(p, by_time, err);
	ts_spill_destroy(by_time);
	return status;
}

/* Without a header nobody knows when an event was. */
enum ts_status ts_making_events(struct ts_making *m, struct ts_error *err)
{
	struct putting p = {.m = m, .row = event_row};

	for (size_t i = 0; i < m->n; i++) {
		m->r = m->attempts[i];
		if (m->r->has_header && put_all(&p, &m->r->events, TS_OF_EVENTS, err))
			return err->status;
	}
	return TS_OK;
}

enum ts_status ts_making_digests(struct ts_making *m, struct ts_error *err)
{
	struct putting p = {.m = m, .row = digest_row};

	for (size_t i = 0; i < m->n; i++) {
		m->r = m->attempts[i];
		if (put_all(&p, &m->r->digests, TS_OF_DIGESTS, err))
			return err->status;
	}
	return TS_OK;
}
