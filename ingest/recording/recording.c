#include "ingest/recording/recording_state.h"

#include "base/alloc.h"
#include "record/crc32c.h"
#include "run/ending.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static void tell(const struct ts_recording *r, struct ts_notices *notices, const char *code, enum ts_notice_level level,
		 const char *detail)
{
	ts_notice_add(notices, code, level, r->source->name, 0, detail);
}

/* --- the header --- */

static enum ts_status read_header(struct ts_recording *r, struct ts_error *err)
{
	const struct ts_source *source = r->source;
	uint8_t h[TS_FRAME_FILE_HEADER];

	r->rank = -1;
	if (source->size < sizeof h)
		return TS_OK;
	if (ts_source_read(source, h, sizeof h, 0, err))
		return err->status;
	if (memcmp(h, TS_FRAME_MAGIC, 8) != 0 || ts_load_u32(h + TS_FRAME_FILE_CRC) != ts_crc32c(0, h, TS_FRAME_FILE_CRC))
		return TS_OK;
	if (ts_load_u32(h + TS_FRAME_FILE_VERSION) != TS_FRAME_VERSION || ts_load_u32(h + TS_FRAME_FILE_CHUNK) != TS_FRAME_CHUNK)
		return ts_error_set(err, TS_INVALID,
				    "%.*s is a recording of version %" PRIu32 " in chunks of %" PRIu32
				    " bytes, which this version of tscope does not read",
				    TS_SPAN_ARG(source->path), ts_load_u32(h + TS_FRAME_FILE_VERSION),
				    ts_load_u32(h + TS_FRAME_FILE_CHUNK));
	r->has_header = true;
	r->rank = (int32_t)ts_load_u32(h + TS_FRAME_FILE_RANK);
	r->unix_ns = ts_frame_i64(h, TS_FRAME_FILE_UNIX_NS);
	r->mono_ns = ts_frame_i64(h, TS_FRAME_FILE_MONO_NS);
	return TS_OK;
}

/* --- how far it goes --- */

static enum ts_status newest_in(const struct ts_source *source, struct ts_chunk *chunk, int64_t *newest, struct ts_error *err)
{
	struct ts_chunks one = {.items = chunk, .n = 1};
	struct ts_frame frame;
	struct ts_frame_walk w;
	enum ts_status status;
	bool more = true;

	ts_frame_walk_init(&w, source, &one, TS_WALK_ALL, NULL);
	while (!(status = ts_frame_walk_next(&w, &frame, &more, err)) && more)
		if (frame.time > *newest)
			*newest = frame.time;
	ts_frame_walk_finish(&w);
	return status;
}

/* The time of the newest frame at this moment: in each lane from its last chunk back to one in which frames have times. */
static enum ts_status newest_now(const struct ts_recording *r, int64_t *ret_time, struct ts_error *err)
{
	struct ts_source quiet = *r->source;
	int64_t newest = TS_TIME_NONE, of_lane;
	struct ts_chunks chunks;
	enum ts_status status;

	quiet.progress = NULL;
	if (ts_chunks_find(&quiet, &chunks, err))
		return err->status;
	status = TS_OK;
	of_lane = TS_TIME_NONE;
	for (size_t i = chunks.n; i-- > 0 && !status;) {
		struct ts_chunk *chunk = &chunks.items[i];

		if (chunk->lane == TS_LANE_NONE)
			continue;
		if (i + 1 == chunks.n || chunks.items[i + 1].lane != chunk->lane)
			of_lane = TS_TIME_NONE;
		if (of_lane == TS_TIME_NONE)
			status = newest_in(&quiet, chunk, &of_lane, err);
		if (of_lane > newest)
			newest = of_lane;
	}
	ts_chunks_finish(&chunks);
	if (!status)
		*ret_time = newest;
	return status;
}

/* Whether the process that records still has its lock on the file. */
static bool is_locked(const struct ts_source *source)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};

	return source->fd >= 0 && fcntl(source->fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* --- what is in it --- */

static void count(struct ts_recorded *of, int64_t time)
{
	of->mixed |= of->n && time < of->last;
	of->last = time;
	of->n++;
}

static void count_step(struct ts_recording *r, const struct ts_frame *frame)
{
	int64_t step = ts_frame_i64(frame->bytes, TS_FRAME_STEP_STEP);

	r->least_step = r->steps.n == 0 || step < r->least_step ? step : r->least_step;
	r->increase &= r->steps.n == 0 || step > r->last_step;
	r->last_step = step;
	if (r->steps.n == 0 || frame->time < r->first_time) {
		r->first_time = frame->time;
		r->first_step = step;
	}
	if (r->steps.n == 0 || frame->time >= r->last_time) {
		r->last_time = frame->time;
		r->newest_step = step;
	}
	count(&r->steps, frame->time);
}

/* A late value for no step, which nothing writes, is sorted like any other. */
static void count_added(struct ts_recording *r, const struct ts_frame *frame)
{
	int64_t step = ts_recording_step_added(frame);

	if (frame->kind == TS_FRAME_REGION && step == TS_FRAME_NO_STEP)
		return;
	r->scattered |= r->added && (frame->lane != r->added_lane || step < r->added_step);
	r->scattered |= step == TS_FRAME_NO_STEP || frame->lane == TS_LANE_NONE;
	r->added_lane = frame->lane;
	r->added_step = step;
	r->added++;
}

static void count_end(struct ts_recording *r, const uint8_t *frame)
{
	r->has_end = true;
	r->end_steps = ts_load_le(frame + TS_FRAME_END_STEPS, 8);
	r->end_lost = ts_load_le(frame + TS_FRAME_END_LOST, 8);
	r->end_reason = ts_load_u32(frame + TS_FRAME_END_REASON);
}

static enum ts_status take_column(struct ts_recording *r, struct ts_notices *notices, const struct ts_frame *frame,
				  struct ts_error *err)
{
	char detail[200];
	const char *why;

	if (ts_declared_add(&r->columns, frame->bytes, &why, err))
		return err->status;
	if (!why || !notices)
		return TS_OK;
	(void)snprintf(detail, sizeof detail, "chunk %" PRIu32 ", byte %" PRIu64 ": %s; its values are left out", frame->chunk,
		       frame->at, why);
	tell(r, notices, "bad_column", TS_NOTICE_SKIPPED, detail);
	return TS_OK;
}

static enum ts_status take(struct ts_recording *r, struct ts_notices *notices, const struct ts_frame *frame, struct ts_error *err)
{
	const uint8_t *bytes = frame->bytes;

	r->frames++;
	if (frame->time > r->newest)
		r->newest = frame->time;
	if (frame->kind == TS_FRAME_COLUMN)
		return take_column(r, notices, frame, err);
	if (frame->time > r->cut)
		return TS_OK;
	switch (frame->kind) {
	case TS_FRAME_STEP:
		count_step(r, frame);
		break;
	case TS_FRAME_LATE:
		count_added(r, frame);
		break;
	case TS_FRAME_REGION:
		count_added(r, frame);
		count(&r->events, frame->time);
		break;
	case TS_FRAME_EVENT:
		count(&r->events, frame->time);
		break;
	case TS_FRAME_DIGEST:
		count(&r->digests, frame->time);
		break;
	case TS_FRAME_FIRST:
		if (!r->waiting++)
			r->waiting_step = ts_frame_i64(bytes, TS_FRAME_FIRST_STEP);
		break;
	case TS_FRAME_END:
		count_end(r, bytes);
		break;
	default:
		break;
	}
	return TS_OK;
}

/* Reads every frame; only the first time are notices given. */
static enum ts_status survey(struct ts_recording *r, int64_t cut, struct ts_notices *notices, struct ts_error *err)
{
	struct ts_frame frame;
	struct ts_frame_walk w;
	enum ts_status status;
	bool more = true;

	r->cut = cut;
	r->steps = r->events = r->digests = (struct ts_recorded){.n = 0};
	r->added = r->waiting = r->frames = 0;
	r->scattered = false;
	r->newest = TS_TIME_NONE;
	r->increase = true;
	ts_frame_walk_init(&w, r->source, &r->chunks, TS_WALK_ALL, notices);
	do {
		status = ts_frame_walk_next(&w, &frame, &more, err);
		if (!status && more)
			status = take(r, notices, &frame, err);
	} while (!status && more);
	ts_frame_walk_finish(&w);
	return status;
}

/* What was recorded before this began is there whole. Where the recorder wrote meanwhile, lanes that were read later have more, and a
 * frame that is missing in one would come between them the next time; so all that is newer is left for then. (A thread that was stopped
 * for as long as this takes, just between its look at the clock and its frame, is not waited for: a push then says that the run does
 * not extend the one before.) */
static enum ts_status survey_whole(struct ts_recording *r, struct ts_notices *notices, struct ts_error *err)
{
	int64_t before, after;

	if (newest_now(r, &before, err) || ts_chunks_find(r->source, &r->chunks, err) || survey(r, INT64_MAX, notices, err) ||
	    newest_now(r, &after, err))
		return err->status;
	r->running = !r->has_end && (after > before || is_locked(r->source));
	if (after <= before)
		return TS_OK;
	if (r->source->progress)
		r->source->progress->total += r->source->size;
	return survey(r, before, NULL, err);
}

/* --- what is to be said --- */

static void tell_columns(const struct ts_recording *r, struct ts_notices *notices, size_t refused, struct ts_span first)
{
	char detail[TS_PATH_MAX + 100];

	if (!refused)
		return;
	(void)snprintf(detail, sizeof detail, "%.*s was declared before; the values of the second column are left out",
		       TS_SPAN_ARG(first));
	for (size_t i = 0; i < refused; i++)
		tell(r, notices, "bad_column", TS_NOTICE_SKIPPED, detail);
}

/* Chunks without a header may be those that lanes miss. */
static void tell_missing(const struct ts_recording *r, struct ts_notices *notices)
{
	uint64_t missing = r->chunks.missing;
	char detail[120];

	if (r->running)
		return; /* one that was taken between two looks seems to be missing */
	for (size_t i = 0; i < r->chunks.n && missing; i++)
		missing -= r->chunks.items[i].lane == TS_LANE_NONE && r->chunks.items[i].kinds;
	if (!missing)
		return;
	(void)snprintf(detail, sizeof detail, "%" PRIu64 " chunks of %d bytes are missing between others of their threads", missing,
		       TS_FRAME_CHUNK);
	tell(r, notices, "lost_chunk", TS_NOTICE_SKIPPED, detail);
}

static void tell_end(const struct ts_recording *r, struct ts_notices *notices)
{
	char detail[160];

	if (!r->has_end) {
		tell(r, notices, r->running ? "still_growing" : "no_end", TS_NOTICE_INFO,
		     r->running ? "the run still records"
				: "the recording is not closed, and no process holds it: it was killed, or goes on elsewhere");
		return;
	}
	if (r->end_lost) {
		(void)snprintf(detail, sizeof detail,
			       "the recorder could not record %" PRIu64 " steps, regions, events or late values", r->end_lost);
		tell(r, notices, "lost_frames", TS_NOTICE_SKIPPED, detail);
	}
	if (r->end_steps > r->steps.n) {
		(void)snprintf(detail, sizeof detail, "%" PRIu64 " steps were recorded, and %" PRIu64 " of them are here",
			       r->end_steps, r->steps.n);
		tell(r, notices, "lost_steps", TS_NOTICE_SKIPPED, detail);
	}
	if (r->end_reason != TS_FRAME_CLOSED)
		tell(r, notices, "recording_stopped", TS_NOTICE_SKIPPED,
		     r->end_reason == TS_FRAME_NO_SPACE ? "there was no space left: what the run did afterwards is not recorded"
							: "the recorder stopped: what the run did afterwards is not recorded");
}

static enum ts_status open_recording(struct ts_recording *r, struct ts_notices *notices, struct ts_error *err)
{
	struct ts_span first = {NULL, 0};
	size_t refused;

	if (read_header(r, err) || survey_whole(r, notices, err) || ts_declared_settle(&r->columns, &refused, &first, err))
		return err->status;
	if (!r->has_header && r->frames)
		tell(r, notices, "bad_header", TS_NOTICE_SKIPPED,
		     "the header of the file is damaged: the times of steps are not known, and events are left out");
	tell_columns(r, notices, refused, first);
	tell_missing(r, notices);
	tell_end(r, notices);
	return TS_OK;
}

enum ts_status ts_recording_open(const struct ts_source *source, struct ts_notices *notices, struct ts_recording **ret_recording,
				 struct ts_error *err)
{
	struct ts_recording *r = ts_alloc_array(1, sizeof *r);
	enum ts_status status;

	if (!r)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a recording");
	r->source = source;
	ts_declared_init(&r->columns);
	status = open_recording(r, notices, err);
	if (status)
		ts_recording_close(r);
	else
		*ret_recording = r;
	return status;
}

void ts_recording_close(struct ts_recording *r)
{
	if (!r)
		return;
	ts_chunks_finish(&r->chunks);
	ts_declared_finish(&r->columns);
	ts_free(r);
}

/* --- what it says --- */

int32_t ts_recording_rank(const struct ts_recording *r)
{
	return r->rank;
}

bool ts_recording_ended(const struct ts_recording *r)
{
	return r->has_end;
}

void ts_recording_extent(const struct ts_recording *r, struct ts_recording_extent *ret_extent)
{
	*ret_extent = (struct ts_recording_extent){
		.timed = r->has_header,
		.began = r->has_header ? ts_recording_seconds(r, r->mono_ns) : 0,
		.running = r->running,
		.steps = r->steps.n,
		.first_step = r->first_step,
		.last_step = r->newest_step,
	};
	ret_extent->ended = r->has_header && r->newest > r->mono_ns ? ts_recording_seconds(r, r->newest) : ret_extent->began;
}

static enum ts_status add_clock(const struct ts_declared_column *column, struct ts_arena *arena, struct ts_facts *facts,
				struct ts_error *err)
{
	struct ts_buf path = TS_BUF_INIT(4 * TS_PATH_MAX);
	struct ts_fact fact = {.type = TS_FACT_TEXT,
			       .source = TS_SOURCE_FACTS_JSON,
			       .text = ts_span_str(column->kind == TSCOPE_PHASE ? "host" : "device")};
	enum ts_status status;

	ts_buf_str(&path, "columns");
	ts_path_key(&path, column->path);
	ts_path_key(&path, ts_span_str("clock"));
	status = ts_buf_check(&path, err);
	if (!status && path.len <= TS_PATH_MAX) {
		fact.path = ts_arena_span(arena, ts_buf_view(&path));
		status = fact.path.data ? ts_facts_add(facts, &fact, arena, err) : ts_arena_error(arena, err);
	}
	ts_buf_finish(&path);
	return status;
}

/* That nobody closed it is all that is known of its end. */
static enum ts_status add_open_end(const struct ts_recording *r, struct ts_arena *arena, struct ts_facts *facts, struct ts_error *err)
{
	struct ts_fact fact = {.type = TS_FACT_TEXT,
			       .source = TS_SOURCE_FACTS_JSON,
			       .path = ts_span_str(r->running ? "session.end.state" : "session.end.cause"),
			       .text = ts_span_str(r->running ? ts_end_state_word(TS_END_RUNNING) : ts_end_cause_word(TS_END_CUT))};

	return ts_facts_add(facts, &fact, arena, err);
}

enum ts_status ts_recording_facts(const struct ts_recording *r, struct ts_arena *arena, struct ts_facts *ret_facts,
				  struct ts_error *err)
{
	struct ts_facts facts = {.n = 0};

	for (uint32_t i = 0; i < r->columns.n; i++) {
		const struct ts_declared_column *column = ts_declared_at(&r->columns, i);

		if (column && (column->kind == TSCOPE_PHASE || column->kind == TSCOPE_DEVICE_PHASE) &&
		    add_clock(column, arena, &facts, err))
			return err->status;
	}
	if (!r->has_end && add_open_end(r, arena, &facts, err))
		return err->status;
	(void)ts_facts_sort(&facts);
	*ret_facts = facts;
	return TS_OK;
}

/* --- rows --- */

static void tell_left_out(const struct ts_making *m)
{
	char detail[160];

	if (m->unknown) {
		(void)snprintf(detail, sizeof detail,
			       "%" PRIu64 " values were left out, because nothing sound says what their columns are", m->unknown);
		tell(m->r, m->into->notices, "unknown_column", TS_NOTICE_SKIPPED, detail);
	}
	if (m->dropped) {
		(void)snprintf(detail, sizeof detail, "%" PRIu64 " values were left out, because a rank has at most %d columns",
			       m->dropped, TS_INGEST_COLUMNS_MAX);
		tell(m->r, m->into->notices, "too_many_columns", TS_NOTICE_SKIPPED, detail);
	}
}

enum ts_status ts_recording_read(struct ts_recording *const *attempts, size_t n, const struct ts_recording_into *into,
				 struct ts_builder **ret_builder, uint64_t *ret_segments, struct ts_error *err)
{
	struct ts_making m = {.attempts = attempts, .n = n, .r = attempts[0], .into = into};
	enum ts_status status = ts_builder_create(into->rank, ts_count_sink, into->sink, &m.builder, err);

	if (!status)
		status = ts_making_steps(&m, ret_segments, err);
	if (!status)
		status = ts_making_events(&m, err);
	if (!status)
		status = ts_making_digests(&m, err);
	if (status) {
		ts_builder_destroy(m.builder);
		return status;
	}
	tell_left_out(&m);
	*ret_builder = m.builder;
	return TS_OK;
}
