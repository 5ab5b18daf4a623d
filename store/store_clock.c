/* store_clock.c - what a sweep believes of the real clock, which somebody may have set ahead.
 *
 * A sweep keeps what time it was, and how long the machine had been up; of a store that was never swept, its beginning counts. The next
 * sweep is later by what the machine was up since, and not by what the real clock was set to; if the machine was started in between, by
 * a few hours at most that nothing proves. So a clock that runs ahead frees nothing that real time would keep, and what is not believed
 * is kept so much longer. A clock that is behind the last sweep frees what is old by it, which is less, and does not move that sweep's
 * time back. */
#include "store/store_internal.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/system.h"

#include <xxhash.h>

#define SECOND INT64_C(1000000000)
enum { DRIFT = 100 }; /* a real clock that is held to others may gain one part in so many */

void ts_sweep_clock_read(bool alone, struct ts_sweep_clock *ret)
{
	struct ts_buf boot = TS_BUF_INIT(256);
	struct ts_error err;

	*ret = (struct ts_sweep_clock){.up_ns = ts_system_uptime_ns(),
				       .unproven_ns = alone ? INT64_MAX : TS_LEASE_FRESH_SECONDS * SECOND};
	if (ts_system_boot_id(&boot, &err) == TS_OK && boot.len)
		ret->boot = XXH3_64bits(boot.data, boot.len) | 1;
	ts_buf_finish(&boot);
}

enum ts_status ts_swept_time_read(struct ts_read r, struct ts_swept_time *ret, struct ts_error *err)
{
	struct ts_swept_time time = {0};
	uint64_t up, at;

	if (ts_read_u64(r, "swept_boot", &time.boot, err) || ts_read_u64(r, "swept_up", &up, err) ||
	    ts_read_u64(r, "swept_at", &at, err))
		return err->status;
	time.up_ns = (int64_t)up;
	time.at_ns = (int64_t)at;
	*ret = time;
	return TS_OK;
}

enum ts_status ts_swept_time_write(struct ts_write *w, const struct ts_swept_time *time, struct ts_error *err)
{
	if (ts_write_u64(w, "swept_boot", time->boot, err) || ts_write_u64(w, "swept_up", (uint64_t)time->up_ns, err))
		return err->status;
	return ts_write_u64(w, "swept_at", (uint64_t)time->at_ns, err);
}

enum ts_status ts_swept_time_begin(struct ts_write *w, struct ts_error *err)
{
	struct ts_swept_time last;
	struct ts_sweep_clock clock;
	struct ts_believed now;

	if (ts_swept_time_read(ts_read_of(w), &last, err))
		return err->status;
	ts_sweep_clock_read(false, &clock);
	ts_clock_believe(&last, &clock, ts_kv_now(w->kv), &now);
	return last.at_ns || !now.next.boot ? TS_OK : ts_swept_time_write(w, &now.next, err);
}

static int64_t later(int64_t at_ns, int64_t by_ns)
{
	return by_ns > INT64_MAX - at_ns ? INT64_MAX : at_ns + by_ns;
}

void ts_clock_believe(const struct ts_swept_time *last, const struct ts_sweep_clock *clock, int64_t now_ns, struct ts_believed *ret)
{
	bool same = clock && clock->boot && last->boot == clock->boot && clock->up_ns >= last->up_ns;
	int64_t proven = same ? clock->up_ns - last->up_ns : 0, most, least;

	*ret = (struct ts_believed){.now_ns = now_ns};
	if (!clock || !clock->boot)
		return;
	ret->next = (struct ts_swept_time){.boot = clock->boot, .up_ns = clock->up_ns, .at_ns = now_ns};
	if (last->at_ns <= 0)
		return;
	most = later(last->at_ns, same ? proven + proven / DRIFT + SECOND : clock->unproven_ns);
	least = later(last->at_ns, proven - proven / DRIFT - SECOND);
	ret->behind = now_ns < least;
	if (now_ns > most)
		ret->now_ns = most;
	ret->next.at_ns = ret->behind ? later(last->at_ns, proven) : ret->now_ns;
}
