/* checks_snapshot.c - rules on what a snapshot of a device's memory says, by its rows. */
#include "analysis/answer/row_words.h"
#include "analysis/rules/check.h"
#include "analysis/rules/memory_advice.h"

/* There is a snapshot; otherwise the rule does not apply. */
static bool has_snapshot(struct ts_check *c)
{
	if (ts_measure_find(c->measures, TS_M_SNAPSHOT_RESERVED, TS_NO_SUBJECT))
		return true;
	ts_check_applies_not(c);
	return false;
}

/* The first request that was refused, and what there was then, in bytes. */
struct refused {
	double asked;
	double free, largest; /* in segments that could have served it */
	double left;	      /* of the device */
};

static bool was_refused(struct ts_check *c, struct refused *ret)
{
	double n;

	return has_snapshot(c) && ts_check_need(c, TS_M_SNAPSHOT_REFUSED, &n) && n > 0 &&
	       ts_check_need(c, TS_M_SNAPSHOT_REFUSED_BYTES, &ret->asked) && ts_check_need(c, TS_M_SNAPSHOT_REFUSED_FREE, &ret->free) &&
	       ts_check_need(c, TS_M_SNAPSHOT_REFUSED_LARGEST, &ret->largest) &&
	       ts_check_need(c, TS_M_SNAPSHOT_REFUSED_LEFT, &ret->left);
}

static bool in_pieces(const struct refused *r)
{
	return ts_memory_in_pieces(r->asked, r->free, r->left);
}

void ts_check_out_of_memory(struct ts_check *c)
{
	struct refused r;

	if (!was_refused(c, &r) || in_pieces(&r))
		return;
	if (r.left >= r.asked)
		ts_check_fire(c, TS_SEVERITY_HIGH,
			      "A request of %s was refused although the device had %s left: by a limit on the process, or because the "
			      "allocator asks the device for more at once",
			      ts_say_bytes(r.asked).text, ts_say_bytes(r.left).text);
	else
		ts_check_fire(c, TS_SEVERITY_HIGH,
			      "A request of %s was refused: %s were free in segments that could have served it, the device had %s "
			      "left, and even in one piece that is %s too little",
			      ts_say_bytes(r.asked).text, ts_say_bytes(r.free).text, ts_say_bytes(r.left).text,
			      ts_say_bytes(r.asked - r.free - r.left).text);
}

void ts_check_oom_fragmented(struct ts_check *c)
{
	struct refused r;

	if (!was_refused(c, &r) || !in_pieces(&r))
		return;
	ts_check_fire(c, TS_SEVERITY_HIGH,
		      "A request of %s was refused although %s were free in segments that could have served it and the device had %s "
		      "left: the largest gap has %s",
		      ts_say_bytes(r.asked).text, ts_say_bytes(r.free).text, ts_say_bytes(r.left).text, ts_say_bytes(r.largest).text);
}

void ts_check_headroom(struct ts_check *c)
{
	double left, device;

	if (!has_snapshot(c) || !ts_check_need(c, TS_M_SNAPSHOT_HEADROOM, &left) || !ts_check_need(c, TS_M_SNAPSHOT_CAPACITY, &device))
		return;
	if (left >= ts_check_threshold(c, "min_bytes") || left > ts_check_threshold(c, "max_share") * device)
		return;
	ts_check_worse(c, -left);
	if (left < 0)
		ts_check_fire(c, TS_SEVERITY_HIGH, "%s were reserved, more than the %s that the device is said to have",
			      ts_say_bytes(device - left).text, ts_say_bytes(device).text);
	else
		ts_check_fire(c, left < ts_check_threshold(c, "high_bytes") ? TS_SEVERITY_HIGH : TS_SEVERITY_MEDIUM,
			      "%s of the %s that the device has were never reserved", ts_say_bytes(left).text,
			      ts_say_bytes(device).text);
}

void ts_check_fragments(struct ts_check *c)
{
	double share, stuck, reserved, expandable, pools;
	const char *but = "";

	if (!has_snapshot(c) || !ts_check_need(c, TS_M_SNAPSHOT_STUCK_SHARE, &share) ||
	    !ts_check_need(c, TS_M_SNAPSHOT_STUCK, &stuck) || !ts_check_need(c, TS_M_SNAPSHOT_RESERVED, &reserved))
		return;
	if (share < ts_check_threshold(c, "min_share") || reserved < ts_check_threshold(c, "min_reserved"))
		return;
	if (ts_check_want(c, TS_M_SNAPSHOT_EXPANDABLE, &expandable) && expandable > 0)
		but = "; segments are expandable already";
	else if (ts_check_want(c, TS_M_SNAPSHOT_IN_POOLS, &pools) && pools > stuck / 2)
		but = "; most of it lies in private pools, which keep what they have";
	ts_check_worse(c, share);
	ts_check_fire(c, share >= ts_check_threshold(c, "medium_share") ? TS_SEVERITY_MEDIUM : TS_SEVERITY_LOW,
		      "%s of the reserved memory, %s, is free, but empty_cache does not return it: it lies, for example, between "
		      "blocks in use%s",
		      ts_say_percent(share).text, ts_say_bytes(stuck).text, but);
}

void ts_check_retries(struct ts_check *c)
{
	double n, bytes;

	if (!has_snapshot(c) || !ts_check_need(c, TS_M_SNAPSHOT_RETRIES, &n) || !ts_check_need(c, TS_M_SNAPSHOT_RETRIED, &bytes))
		return;
	if (n < ts_check_threshold(c, "min_retries"))
		return;
	ts_check_worse(c, n);
	ts_check_fire(c, n >= ts_check_threshold(c, "high_retries") ? TS_SEVERITY_HIGH : TS_SEVERITY_MEDIUM,
		      "In %s the allocator gave %s back to the device and asked it again, each time waiting for all its work",
		      ts_say_plural(n, "request").text, ts_say_bytes(bytes).text);
}

void ts_check_emptied(struct ts_check *c)
{
	double bytes, peak;

	if (!has_snapshot(c) || !ts_check_need(c, TS_M_SNAPSHOT_EMPTIED, &bytes) ||
	    !ts_check_need(c, TS_M_SNAPSHOT_PEAK_RESERVED, &peak))
		return;
	if (!(peak > 0) || bytes < ts_check_threshold(c, "min_peaks") * peak)
		return;
	ts_check_worse(c, bytes / peak);
	ts_check_fire(c, TS_SEVERITY_LOW,
		      "%s were given back to the device in all although no request needed it: %s times the most that was reserved",
		      ts_say_bytes(bytes).text, ts_say_number(bytes / peak).text);
}

void ts_check_churn(struct ts_check *c)
{
	double all, largest, peak;

	if (!has_snapshot(c) || !ts_check_need(c, TS_M_SNAPSHOT_CHURN, &all) ||
	    !ts_check_need(c, TS_M_SNAPSHOT_CHURN_LARGEST, &largest) || !ts_check_need(c, TS_M_SNAPSHOT_PEAK, &peak))
		return;
	if (!(all > 0) || largest < ts_check_threshold(c, "min_share") * all || largest < ts_check_threshold(c, "min_peaks") * peak)
		return;
	ts_check_worse(c, largest / peak);
	ts_check_fire(c, TS_SEVERITY_LOW, "%.*s asked for %s in all, %s times the peak and %s of all requests",
		      TS_SPAN_ARG(ts_check_text(c, TS_M_SNAPSHOT_CHURN_SOURCE)), ts_say_bytes(largest).text,
		      ts_say_number(largest / peak).text, ts_say_percent(largest / all).text);
}

/* The share of a kind at the peak. */
static bool need_kind(struct ts_check *c, enum ts_memory_kind of, double *ret_share, double *ret_bytes)
{
	const char *kind = ts_memory_kind_word(of);

	return has_snapshot(c) && ts_check_need_of(c, TS_M_SNAPSHOT_KIND_SHARE, kind, ret_share) &&
	       ts_check_need_of(c, TS_M_SNAPSHOT_KIND, kind, ret_bytes);
}

void ts_check_gradients_kept(struct ts_check *c)
{
	double share, bytes;
	enum ts_memory_phase phase;

	if (!has_snapshot(c) || !ts_check_need(c, TS_M_SNAPSHOT_KEPT_SHARE, &share) || !ts_check_need(c, TS_M_SNAPSHOT_KEPT, &bytes))
		return;
	phase = ts_memory_phase_of(ts_check_text(c, TS_M_SNAPSHOT_PEAK_PHASE));
	if (phase != TS_PHASE_FORWARD || share < ts_check_threshold(c, "min_share"))
		return;
	ts_check_worse(c, share);
	ts_check_fire(c, share >= ts_check_threshold(c, "medium_share") ? TS_SEVERITY_MEDIUM : TS_SEVERITY_LOW,
		      "The peak lies in a forward pass, and gradients of the step before hold %s of it, %s", ts_say_percent(share).text,
		      ts_say_bytes(bytes).text);
}

void ts_check_optimizer_state(struct ts_check *c)
{
	double share, bytes;

	if (!need_kind(c, TS_MEMORY_OPTIMIZER, &share, &bytes))
		return;
	if (share < ts_check_threshold(c, "min_share"))
		return;
	ts_check_worse(c, share);
	ts_check_fire(c, TS_SEVERITY_LOW, "The state of the optimizer holds %s of the peak, %s", ts_say_percent(share).text,
		      ts_say_bytes(bytes).text);
}

void ts_check_carried(struct ts_check *c)
{
	double share, bytes;

	if (!has_snapshot(c) || !ts_check_need(c, TS_M_SNAPSHOT_CARRIED_SHARE, &share) ||
	    !ts_check_need(c, TS_M_SNAPSHOT_CARRIED, &bytes))
		return;
	if (share < ts_check_threshold(c, "min_share"))
		return;
	ts_check_worse(c, share);
	ts_check_fire(
		c, share >= ts_check_threshold(c, "medium_share") ? TS_SEVERITY_MEDIUM : TS_SEVERITY_LOW,
		"%s, %s of the peak, outlived two steps of the optimizer without being a parameter, a gradient or its state; most was "
		"asked for by %.*s",
		ts_say_bytes(bytes).text, ts_say_percent(share).text, TS_SPAN_ARG(ts_check_text(c, TS_M_SNAPSHOT_CARRIED_SOURCE)));
}
