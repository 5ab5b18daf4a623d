/* step.c - the path of a step: begin, marks, numbers, end. No system call and no lock but where lane 0 needs a slot and few are
 * empty. */
#include "record/recorder.h"

#define DURATION_MAX (INT64_C(1) << 56) /* two years: sums of what is below do not overflow */

static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, 8);
	return bits;
}

/* Returns the place of the column's value in this row; a new one is 0. */
static inline uint64_t *cell(struct ts_row *row, tscope_column column)
{
	uint64_t where = row->where[column];

	if (where >> 16 == row->serial)
		return &row->values[where & 0xffff];
	row->where[column] = row->serial << 16 | row->count;
	row->columns[row->count] = column;
	row->values[row->count] = 0;
	return &row->values[row->count++];
}

static inline void add(struct ts_row *row, tscope_column column, int64_t duration)
{
	uint64_t *value = cell(row, column);

	*value += (uint64_t)duration;
}

static void clear(struct ts_row *row)
{
	row->serial++;
	row->count = 0;
	row->waited = 0;
}

static void put_late(struct tscope_run *run, struct ts_lane *lane, int64_t step, const uint16_t *columns, const uint64_t *values,
		     uint32_t count)
{
	if (!ts_lane_late(lane, step, columns, values, count))
		ts_run_lost(run);
}

/* A row with more cells than one frame should have goes on in LATE frames. */
static void put_step(struct tscope_run *run, int64_t duration)
{
	struct ts_row *row = &run->row;
	uint32_t count = row->count < TS_FRAME_CELLS_MAX ? row->count : TS_FRAME_CELLS_MAX;
	size_t size = TS_FRAME_STEP_CELLS + ts_cells_size(count);
	uint8_t *frame = ts_lane_room(&run->steps, size);

	if (!frame) {
		ts_run_lost(run);
		return;
	}
	ts_put64(frame + TS_FRAME_STEP_STEP, (uint64_t)row->step);
	ts_put64(frame + TS_FRAME_STEP_BEGIN, (uint64_t)row->begin);
	ts_put64(frame + TS_FRAME_STEP_DURATION, (uint64_t)duration);
	ts_put64(frame + TS_FRAME_STEP_COUNT, count);
	ts_put_cells(frame + TS_FRAME_STEP_CELLS, row->columns, row->values, count);
	ts_lane_put(&run->steps, frame, TS_FRAME_STEP, size);
	atomic_store_explicit(&run->area->steps, ++row->ended, memory_order_relaxed);
	while (count < row->count) {
		uint32_t n = row->count - count < TS_FRAME_CELLS_MAX ? row->count - count : TS_FRAME_CELLS_MAX;

		put_late(run, &run->steps, row->step, row->columns + count, row->values + count, n);
		count += n;
	}
}

static inline void begin(struct tscope_run *run, int64_t step, int64_t now)
{
	struct ts_row *row = &run->row;
	int64_t between;

	if (step == TSCOPE_NEXT)
		step = row->given_up ? row->next : !row->any ? 0 : row->step == INT64_MAX ? INT64_MAX : row->step + 1;
	if (step > run->stop)
		ts_run_stop(run);
	row->given_up = false;
	row->before = row->step;
	row->step = step;
	row->open = true;
	row->begin = row->last = now;
	between = row->begin - row->end - row->waited;
	if (row->any && between > 0)
		add(row, TS_RUN_BETWEEN, between);
	atomic_store_explicit(&run->step_open, step, memory_order_relaxed);
	atomic_store_explicit(&run->area->step_last, step, memory_order_relaxed);
}

static inline int64_t end(struct tscope_run *run, int64_t now)
{
	struct ts_row *row = &run->row;

	if (now > row->last)
		add(row, row->last > row->begin ? TS_RUN_OTHER : TS_RUN_STEP, now - row->last);
	put_step(run, now - row->begin);
	ts_waits_step(&run->area->waits_of_steps, row->step, row->any ? row->end : row->begin, now);
	row->open = false;
	row->any = true;
	row->end = now;
	clear(row);
	atomic_store_explicit(&run->step_open, TS_FRAME_NO_STEP, memory_order_relaxed);
	return now - row->begin;
}

void tscope_step_begin(struct tscope_run *run, int64_t step)
{
	if (!ts_run_live(run))
		return;
	if (run->row.open)
		(void)tscope_step_end(run);
	begin(run, step, ts_tick_ns());
}

int64_t tscope_step_end(struct tscope_run *run)
{
	if (!ts_run_live(run) || !run->row.open)
		return 0;
	return end(run, ts_tick_ns());
}

/* A time between two others; the later of them where they are the wrong way round. */
static int64_t within(int64_t ns, int64_t first, int64_t last)
{
	return ns < first ? first : ns > last ? (last > first ? last : first) : ns;
}

/* What was waited since the step before lay in this step, as far as it began no later. */
void tscope_step_begin_at(struct tscope_run *run, int64_t step, int64_t begin_ns)
{
	struct ts_row *row;
	int64_t now, inside;

	if (!ts_run_live(run))
		return;
	row = &run->row;
	if (row->open)
		(void)tscope_step_end(run);
	now = ts_tick_ns();
	begin(run, step, within(begin_ns, row->any ? row->end : INT64_MIN, now));
	inside = row->any ? row->waited - (row->begin - row->end) : 0;
	if (inside > 0)
		row->last = within(row->begin + inside, row->begin, now);
}

int64_t tscope_step_end_at(struct tscope_run *run, int64_t end_ns)
{
	if (!ts_run_live(run) || !run->row.open)
		return 0;
	return end(run, within(end_ns, run->row.last, ts_tick_ns()));
}

void tscope_step_cancel(struct tscope_run *run)
{
	struct ts_row *row;

	if (!ts_run_live(run) || !run->row.open)
		return;
	row = &run->row;
	row->open = false;
	row->given_up = true;
	row->next = row->step;
	row->step = row->before;
	clear(row);
	atomic_store_explicit(&run->step_open, TS_FRAME_NO_STEP, memory_order_relaxed);
	atomic_store_explicit(&run->area->step_last, row->any ? row->step : TSCOPE_NEXT, memory_order_relaxed);
}

int64_t tscope_step_now(const struct tscope_run *run)
{
	return ts_run_live(run) ? atomic_load_explicit(&run->area->step_last, memory_order_relaxed) : TSCOPE_NEXT;
}

void tscope_mark(struct tscope_run *run, tscope_column phase)
{
	struct ts_row *row;
	enum tscope_kind kind;
	int64_t now;

	if (!ts_run_live(run) || !run->row.open)
		return;
	kind = ts_run_kind(run, phase);
	if (kind != TSCOPE_PHASE && kind != TSCOPE_DEVICE_PHASE) {
		ts_run_refused(run, phase);
		return;
	}
	row = &run->row;
	now = ts_tick_ns();
	if (kind == TSCOPE_PHASE)
		add(row, phase, now > row->last ? now - row->last : 0);
	if (now > row->last)
		row->last = now;
}

static bool takes_duration(enum tscope_kind kind, int64_t duration_ns)
{
	return (kind == TSCOPE_PHASE || kind == TSCOPE_DEVICE_PHASE) && duration_ns >= 0 && duration_ns <= DURATION_MAX;
}

void tscope_add_ns(struct tscope_run *run, tscope_column phase, int64_t duration_ns)
{
	struct ts_row *row;
	enum tscope_kind kind;

	if (!ts_run_live(run))
		return;
	kind = ts_run_kind(run, phase);
	if (!takes_duration(kind, duration_ns)) {
		ts_run_refused(run, phase);
		return;
	}
	row = &run->row;
	add(row, phase, duration_ns);
	if (kind != TSCOPE_PHASE)
		return;
	if (row->open)
		row->last += duration_ns;
	else
		row->waited += duration_ns;
}

static void log_bits(struct tscope_run *run, tscope_column column, uint64_t bits)
{
	struct ts_row *row = &run->row;

	if (row->open)
		*cell(row, column) = bits;
	else if (row->any)
		put_late(run, &run->steps, row->step, &column, &bits, 1);
}

static bool is_number(enum tscope_kind kind)
{
	return kind == TSCOPE_NUMBER || kind == TSCOPE_MEMORY || kind == TSCOPE_AMOUNT;
}

void tscope_log(struct tscope_run *run, tscope_column number, double value)
{
	if (!ts_run_live(run))
		return;
	if (is_number(ts_run_kind(run, number)))
		log_bits(run, number, bits_of(value));
	else
		ts_run_refused(run, number);
}

void tscope_log_digest(struct tscope_run *run, tscope_column digest, uint64_t bits)
{
	if (!ts_run_live(run))
		return;
	if (ts_run_kind(run, digest) == TSCOPE_DIGEST)
		log_bits(run, digest, bits);
	else
		ts_run_refused(run, digest);
}

void ts_run_late(struct tscope_run *run, int64_t step, tscope_column column, uint64_t bits)
{
	struct ts_lane *lane = ts_run_borrow(run);

	put_late(run, lane, step, &column, &bits, 1);
	ts_run_return(lane);
}

void tscope_late(struct tscope_run *run, int64_t step, tscope_column column, double value)
{
	if (!ts_run_live(run))
		return;
	if (is_number(ts_run_kind(run, column)))
		ts_run_late(run, step, column, bits_of(value));
	else
		ts_run_refused(run, column);
}

void tscope_first(struct tscope_run *run, int64_t step, tscope_column column, double value)
{
	struct ts_lane *lane;
	uint8_t *frame;

	if (!ts_run_live(run))
		return;
	if (!is_number(ts_run_kind(run, column))) {
		ts_run_refused(run, column);
		return;
	}
	lane = ts_run_borrow(run);
	frame = ts_lane_room(lane, TS_FRAME_FIRST_SIZE);
	if (frame) {
		ts_put64(frame + TS_FRAME_FIRST_COLUMN, column);
		ts_put64(frame + TS_FRAME_FIRST_STEP, (uint64_t)step);
		ts_put64(frame + TS_FRAME_FIRST_TIME, (uint64_t)ts_tick_ns());
		ts_put64(frame + TS_FRAME_FIRST_VALUE, bits_of(value));
		ts_lane_put(lane, frame, TS_FRAME_FIRST, TS_FRAME_FIRST_SIZE);
	}
	ts_run_return(lane);
	if (!frame)
		ts_run_lost(run);
}

void tscope_late_ns(struct tscope_run *run, int64_t step, tscope_column phase, int64_t duration_ns)
{
	if (!ts_run_live(run))
		return;
	if (takes_duration(ts_run_kind(run, phase), duration_ns))
		ts_run_late(run, step, phase, (uint64_t)duration_ns);
	else
		ts_run_refused(run, phase);
}

void tscope_late_digest(struct tscope_run *run, int64_t step, tscope_column digest, uint64_t bits)
{
	if (!ts_run_live(run))
		return;
	if (ts_run_kind(run, digest) == TSCOPE_DIGEST)
		ts_run_late(run, step, digest, bits);
	else
		ts_run_refused(run, digest);
}

void tscope_late_digests(struct tscope_run *run, int64_t step, const tscope_column *digests, const uint64_t *bits, unsigned n)
{
	struct ts_lane *lane;

	if (!ts_run_live(run))
		return;
	for (unsigned i = 0; i < n && i < TSCOPE_LATE_MAX; i++)
		if (ts_run_kind(run, digests[i]) != TSCOPE_DIGEST) {
			ts_run_refused(run, digests[i]);
			return;
		}
	lane = ts_run_borrow(run);
	put_late(run, lane, step, digests, bits, n < TSCOPE_LATE_MAX ? n : TSCOPE_LATE_MAX);
	ts_run_return(lane);
}
