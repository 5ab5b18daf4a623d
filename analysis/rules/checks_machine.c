/* checks_machine.c - rules on what the observations of a machine come to, by their rows. */
#include "analysis/rules/check.h"

/* The machine was observed, and for long enough; otherwise the rule does not apply or is unchecked. */
static bool observed(struct ts_check *c)
{
	double n;

	if (!ts_measure_find(c->measures, TS_M_MACHINE_COUNT, TS_NO_SUBJECT)) {
		ts_check_applies_not(c);
		return false;
	}
	return ts_check_need(c, TS_M_MACHINE_COUNT, &n) && ts_check_enough(c, n, "min_observations", "observation");
}

/* Something that not every machine has, and without which there is nothing to ask. */
static bool has(struct ts_check *c, enum ts_measure_name what, double *ret_value)
{
	if (!observed(c))
		return false;
	if (ts_check_want(c, what, ret_value))
		return true;
	ts_check_applies_not(c);
	return false;
}

/* Goes over the GPUs whose row of this measure is known; NULL at the end. *io_at begins at 0. */
static const struct ts_measure *next_gpu(const struct ts_check *c, enum ts_measure_name what, size_t *io_at)
{
	while (*io_at < c->measures->n) {
		const struct ts_measure *row = &c->measures->items[(*io_at)++];

		if (ts_measure_is(row, what) && row->known && isfinite(row->value))
			return row;
	}
	return NULL;
}

static bool has_gpus(struct ts_check *c)
{
	size_t at = 0;

	if (!observed(c))
		return false;
	if (next_gpu(c, TS_M_GPU_BUSY, &at))
		return true;
	ts_check_applies_not(c);
	return false;
}

/* A row of the same GPU, which becomes evidence. */
static bool of_gpu(struct ts_check *c, const struct ts_measure *gpu, enum ts_measure_name what, double *ret_value)
{
	const struct ts_measure *row = ts_measure_find(c->measures, what, gpu->subject);

	if (!row || !row->known || !isfinite(row->value))
		return false;
	ts_check_evidence(c, row);
	*ret_value = row->value;
	return true;
}

static const char *named(struct ts_check *c, const struct ts_measure *gpu)
{
	struct ts_span number;

	if (!ts_measure_part(TS_M_GPU_BUSY, gpu->subject, &number))
		number = gpu->subject;
	return ts_arena_phrase(c->arena, "GPU %.*s", TS_SPAN_ARG(number));
}

/* --- GPUs --- */

/* The GPU of which a measure is greatest, at least so great; NULL: none. *ret_n: how many are. */
static const struct ts_measure *worst_gpu(struct ts_check *c, enum ts_measure_name what, double least, size_t *ret_n)
{
	const struct ts_measure *row, *worst = NULL;
	size_t at = 0, n = 0;

	while ((row = next_gpu(c, what, &at)) != NULL) {
		if (row->value < least)
			continue;
		n++;
		if (!worst || row->value > worst->value)
			worst = row;
	}
	if (worst)
		ts_check_evidence(c, worst);
	*ret_n = n;
	return worst;
}

static const char *and_others(struct ts_check *c, size_t n)
{
	return n < 2 ? "" : ts_arena_phrase(c->arena, ", and those of %s more", ts_say_plural((double)(n - 1), "GPU").text);
}

void ts_check_gpu_throttled(struct ts_check *c)
{
	static const struct {
		enum ts_measure_name what;
		const char *by;
	} causes[] = {{TS_M_GPU_HELD_BY_HEAT, "heat"}, {TS_M_GPU_HELD_BY_OTHERS, "its board or other GPUs (power brake, sync boost)"}};
	double clock, limit, heat;
	size_t n;

	if (!has_gpus(c))
		return;
	for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++) {
		const struct ts_measure *gpu = worst_gpu(c, causes[i].what, ts_check_threshold(c, "min_share"), &n);
		bool hot, clocked;

		if (!gpu)
			continue;
		hot = of_gpu(c, gpu, TS_M_GPU_TEMPERATURE, &heat);
		clocked = of_gpu(c, gpu, TS_M_GPU_CLOCK, &clock) && of_gpu(c, gpu, TS_M_GPU_CLOCK_LIMIT, &limit);
		ts_check_worse(c, gpu->value);
		ts_check_fire(c, ts_severity_from(gpu->value, ts_check_threshold(c, "high_share")),
			      "The clock of %s was held by %s for %s of the time%s%s%s", named(c, gpu), causes[i].by,
			      ts_say_percent(gpu->value).text, and_others(c, n),
			      hot ? ts_arena_phrase(c->arena, "; at work it had %.0f degrees Celsius", heat) : "",
			      clocked ? ts_arena_phrase(c->arena, "; its clock was %.0f MHz of %.0f", clock, limit) : "");
		return;
	}
}

void ts_check_gpu_limited(struct ts_check *c)
{
	const struct ts_measure *gpu, *worst = NULL;
	double limit, made_for, held, least = 0, worst_limit = 0, worst_made = 0;
	size_t at = 0, n = 0;

	if (!has_gpus(c))
		return;
	while ((gpu = next_gpu(c, TS_M_GPU_HELD_BY_POWER, &at)) != NULL) {
		if (gpu->value < ts_check_threshold(c, "min_share") || !of_gpu(c, gpu, TS_M_GPU_POWER_LIMIT, &limit) ||
		    !of_gpu(c, gpu, TS_M_GPU_POWER_DEFAULT, &made_for) || limit > ts_check_threshold(c, "max_limit") * made_for)
			continue;
		n++;
		if (worst && limit / made_for >= least)
			continue;
		worst = gpu;
		least = limit / made_for;
		worst_limit = limit;
		worst_made = made_for;
	}
	if (!worst)
		return;
	held = worst->value;
	ts_check_evidence(c, worst);
	ts_check_worse(c, -least);
	ts_check_fire(c, TS_SEVERITY_MEDIUM,
		      "The clock of %s was held by its limit of power for %s of the time%s; the limit is %s W, and "
		      "its maker set %s W",
		      named(c, worst), ts_say_percent(held).text, and_others(c, n), ts_say_number(worst_limit).text,
		      ts_say_number(worst_made).text);
}

void ts_check_gpu_behind(struct ts_check *c)
{
	const struct ts_measure *gpu;
	double clock, limit, peers;
	size_t n;

	if (!has_gpus(c))
		return;
	gpu = worst_gpu(c, TS_M_GPU_BEHIND, ts_check_threshold(c, "min_behind"), &n);
	if (!gpu)
		return;
	ts_check_worse(c, gpu->value);
	ts_check_fire(c, ts_severity_from(gpu->value, ts_check_threshold(c, "high_behind")),
		      "The clock of %s at work is %s below that of the GPUs beside it%s%s", named(c, gpu),
		      ts_say_percent(gpu->value).text,
		      of_gpu(c, gpu, TS_M_GPU_CLOCK, &clock) ? ts_arena_phrase(c->arena, ", %.0f MHz", clock) : "",
		      of_gpu(c, gpu, TS_M_GPU_POWER_LIMIT, &limit) && of_gpu(c, gpu, TS_M_GPU_PEERS_POWER_LIMIT, &peers) &&
				      limit < 0.98 * peers
			      ? ts_arena_phrase(c->arena, "; its limit of power is %s W, and theirs %s W", ts_say_number(limit).text,
						ts_say_number(peers).text)
			      : "");
}

void ts_check_gpu_hotter(struct ts_check *c)
{
	const struct ts_measure *gpu;
	double heat = 0;
	size_t n;

	if (!has_gpus(c))
		return;
	gpu = worst_gpu(c, TS_M_GPU_HOTTER, ts_check_threshold(c, "min_hotter"), &n);
	if (!gpu || !of_gpu(c, gpu, TS_M_GPU_TEMPERATURE, &heat) || heat < ts_check_threshold(c, "min_heat"))
		return;
	ts_check_worse(c, gpu->value);
	ts_check_fire(c, TS_SEVERITY_LOW, "%s has %.0f degrees Celsius at work, %.0f more than the GPUs beside it", named(c, gpu), heat,
		      gpu->value);
}

void ts_check_gpu_error(struct ts_check *c)
{
	const struct ts_measure *xid, *ecc;
	size_t n_xid, n_ecc;

	if (!has_gpus(c))
		return;
	xid = worst_gpu(c, TS_M_GPU_XID, 1, &n_xid);
	ecc = worst_gpu(c, TS_M_GPU_UNCORRECTED, ts_check_threshold(c, "min_errors"), &n_ecc);
	if (!xid && !ecc)
		return;
	ts_check_fire(c, ecc ? TS_SEVERITY_HIGH : TS_SEVERITY_MEDIUM, "%s%s%s",
		      xid ? ts_arena_phrase(c->arena, "The driver reported error %.0f (Xid) of %s%s", xid->value, named(c, xid),
					    and_others(c, n_xid))
			  : "",
		      xid && ecc ? "; and " : "",
		      ecc ? ts_arena_phrase(c->arena, "%s had %s of memory that could not be corrected", named(c, ecc),
					    ts_say_plural(ecc->value, "error").text)
			  : "");
}

void ts_check_tiny_kernels(struct ts_check *c)
{
	const struct ts_measure *gpu = NULL;
	double busy = 0, n = 0, mean, events, span, rate;
	size_t at = 0;

	if (!has_gpus(c))
		return;
	if (!ts_measure_find(c->measures, TS_M_TRACE_KERNEL_MEAN, TS_NO_SUBJECT)) { /* how many kernels there are is not known */
		ts_check_applies_not(c);
		return;
	}
	while ((gpu = next_gpu(c, TS_M_GPU_BUSY, &at)) != NULL) {
		if (gpu->value < ts_check_threshold(c, "min_busy")) /* it is not used */
			continue;
		ts_check_evidence(c, gpu);
		busy += gpu->value;
		n++;
	}
	if (!ts_check_need(c, TS_M_TRACE_KERNEL_MEAN, &mean) || !ts_check_need(c, TS_M_TRACE_EVENTS, &events) ||
	    !ts_check_need_of(c, TS_M_TRACE_TIME, ts_trace_times[TS_TIME_SPAN], &span) || n == 0 || !(span > 0))
		return;
	busy /= n;
	rate = events / span;
	if (busy > ts_check_threshold(c, "max_busy") || mean > ts_check_threshold(c, "max_mean") ||
	    rate < ts_check_threshold(c, "min_rate"))
		return;
	ts_check_fire(c, TS_SEVERITY_MEDIUM,
		      "GPUs are busy for %s of the time, and by the trace a kernel takes %s while %s are launched in a second",
		      ts_say_percent(busy).text, ts_say_seconds(mean).text, ts_say_plural(rate, "kernel").text);
}

/* --- the host --- */

/* How much of a step waits for data. False: it is known, and hardly any. */
static bool waits_for_data(struct ts_check *c, bool *ret_known, double *ret_share)
{
	*ret_known = ts_check_want_of(c, TS_M_PHASE_SHARE, "data", ret_share);
	return !*ret_known || *ret_share >= ts_check_threshold(c, "min_data");
}

static const char *data_said(struct ts_check *c, bool known, double share)
{
	return known ? ts_arena_phrase(c->arena, "; steps wait for data for %s of their time", ts_say_percent(share).text)
		     : "; whether steps wait for data was not recorded";
}

void ts_check_workers_busy(struct ts_check *c)
{
	double workers, cores, share = 0;
	bool known;

	if (!has(c, TS_M_MACHINE_WORKERS, &workers) || workers < 1 || !ts_check_need(c, TS_M_MACHINE_WORKER_CORES, &cores) ||
	    cores < ts_check_threshold(c, "min_cores") || !waits_for_data(c, &known, &share))
		return;
	ts_check_fire(c, known ? ts_severity_from(share, ts_check_threshold(c, "high_data")) : TS_SEVERITY_LOW,
		      "The workers that load data compute for %s of their time, %s of them%s: transforms are what takes long, not the "
		      "storage",
		      ts_say_percent(cores < 1 ? cores : 1).text, ts_say_number(workers).text, data_said(c, known, share));
}

void ts_check_workers_blocked(struct ts_check *c)
{
	double workers, blocked, share = 0;
	bool known;

	if (!has(c, TS_M_MACHINE_WORKERS, &workers) || workers < 1 || !ts_check_need(c, TS_M_MACHINE_WORKERS_BLOCKED, &blocked) ||
	    blocked < ts_check_threshold(c, "min_blocked") || !waits_for_data(c, &known, &share))
		return;
	ts_check_fire(
		c, known ? ts_severity_from(share, ts_check_threshold(c, "high_data")) : TS_SEVERITY_LOW,
		"The workers that load data are blocked by a disk or a network file system for %s of their time, %s of them%s: the "
		"storage is what takes long, not the transforms",
		ts_say_percent(blocked).text, ts_say_number(workers).text, data_said(c, known, share));
}

static bool oversubscribed(struct ts_check *c, double *ret_ready, double *ret_allowed)
{
	double looks;

	return ts_check_want(c, TS_M_MACHINE_THREADS, ret_ready) && ts_check_want(c, TS_M_MACHINE_THREADS_LOOKS, &looks) &&
	       ts_check_want(c, TS_M_MACHINE_CORES_ALLOWED, ret_allowed) &&
	       looks >= ts_rule_threshold(c->policy, "MACHINE.THREADS", "min_looks") &&
	       *ret_ready >= ts_rule_threshold(c->policy, "MACHINE.THREADS", "min_ready") * *ret_allowed;
}

void ts_check_threads(struct ts_check *c)
{
	double ready, allowed, held = 0, used;

	if (!has(c, TS_M_MACHINE_JOB_CORES, &used) || !oversubscribed(c, &ready, &allowed))
		return;
	(void)ts_check_want(c, TS_M_MACHINE_QUOTA_HELD, &held);
	ts_check_fire(c, held >= ts_check_threshold(c, "medium_held") ? TS_SEVERITY_MEDIUM : TS_SEVERITY_LOW,
		      "%s threads of the training could run at the same time, and it may use %s cores%s", ts_say_number(ready).text,
		      ts_say_number(allowed).text,
		      held > 0 ? ts_arena_phrase(c->arena, "; its quota held it for %s of the time", ts_say_percent(held).text) : "");
}

void ts_check_cpu_quota(struct ts_check *c)
{
	double held, allowed;

	if (!has(c, TS_M_MACHINE_QUOTA_HELD, &held) || held < ts_check_threshold(c, "min_share"))
		return;
	ts_check_fire(c, ts_severity_from(held, ts_check_threshold(c, "high_share")),
		      "The quota of CPUs held the run for %s of the time%s", ts_say_percent(held).text,
		      ts_check_want(c, TS_M_MACHINE_CORES_ALLOWED, &allowed)
			      ? ts_arena_phrase(c->arena, "; it may use %s cores", ts_say_number(allowed).text)
			      : "");
}

void ts_check_host_memory(struct ts_check *c)
{
	double by, from, over, rises, late, used, limit, left;
	enum ts_severity severity = TS_SEVERITY_LOW;

	if (!has(c, TS_M_MACHINE_RISE, &by) || !ts_check_need(c, TS_M_MACHINE_RISE_FROM, &from) ||
	    !ts_check_need(c, TS_M_MACHINE_RISE_TIME, &over) || !ts_check_need(c, TS_M_MACHINE_RISES, &rises) ||
	    !ts_check_need(c, TS_M_MACHINE_RISE_LATE, &late))
		return;
	if (over < ts_check_threshold(c, "min_s") || rises < 5 || late < ts_check_threshold(c, "min_late") ||
	    by < ts_check_threshold(c, "min_share") * from || by < ts_check_threshold(c, "min_bytes"))
		return;
	left = ts_check_want(c, TS_M_MACHINE_MEMORY, &used) && ts_check_want(c, TS_M_MACHINE_MEMORY_LIMIT, &limit) && limit > used
		       ? (limit - used) / (by / over)
		       : (double)INFINITY;
	if (left <= ts_check_threshold(c, "high_left"))
		severity = TS_SEVERITY_HIGH;
	else if (left <= 7 * ts_check_threshold(c, "high_left"))
		severity = TS_SEVERITY_MEDIUM;
	ts_check_worse(c, by / over);
	ts_check_fire(c, severity, "The memory of %.*s grows by %s an hour, all the time%s",
		      TS_SPAN_ARG(ts_check_text(c, TS_M_MACHINE_RISE_OF)), ts_say_bytes(by / over * 3600).text,
		      isfinite(left) ? ts_arena_phrase(c->arena, "; at that rate the limit of %s is reached after %s",
						       ts_say_bytes(limit).text, ts_say_seconds(left).text)
				     : "");
}

void ts_check_swapping(struct ts_check *c)
{
	double share, pages, waits = 0;

	if (!has(c, TS_M_MACHINE_SWAPS, &share) || share < ts_check_threshold(c, "min_share") ||
	    !ts_check_need(c, TS_M_MACHINE_SWAPPED, &pages))
		return;
	(void)ts_check_want(c, TS_M_MACHINE_MEMORY_PRESSURE, &waits);
	ts_check_fire(c, ts_severity_from(waits, ts_check_threshold(c, "high_waits")),
		      "The machine swapped during %s of the time, %s pages a second on the average%s", ts_say_percent(share).text,
		      ts_say_number(pages).text,
		      waits > 0 ? ts_arena_phrase(c->arena, "; some process waited for memory during %s", ts_say_percent(waits).text)
				: "");
}

/* Others have at least so many cores of a machine that is full, and the training, which does not compete with itself, waits. */
static bool is_crowded(struct ts_check *c, double *ret_others, double *ret_waits)
{
	double all, used, job, ready, allowed, held = 0;

	if (!ts_check_want(c, TS_M_MACHINE_HOST_ALL, &all) || !ts_check_want(c, TS_M_MACHINE_HOST_CORES, &used) ||
	    !ts_check_want(c, TS_M_MACHINE_JOB_CORES, &job) || !ts_check_want(c, TS_M_MACHINE_CPU_PRESSURE, ret_waits))
		return false;
	(void)ts_check_want(c, TS_M_MACHINE_QUOTA_HELD, &held);
	*ret_others = used - job;
	return used >= ts_check_threshold(c, "min_full") * all && *ret_others >= ts_check_threshold(c, "min_others") * all &&
	       *ret_waits >= ts_check_threshold(c, "min_waits") &&
	       held < ts_rule_threshold(c->policy, "MACHINE.CPU_QUOTA", "min_share") && !oversubscribed(c, &ready, &allowed);
}

void ts_check_neighbours(struct ts_check *c)
{
	double stolen = 0, others, waits;

	if (!observed(c))
		return;
	if (ts_check_want(c, TS_M_MACHINE_STOLEN, &stolen) && stolen >= ts_check_threshold(c, "min_stolen"))
		ts_check_fire(c, ts_severity_from(stolen, ts_check_threshold(c, "high_stolen")),
			      "The host of this virtual machine gave %s of its time to others (steal)", ts_say_percent(stolen).text);
	else if (is_crowded(c, &others, &waits))
		ts_check_fire(c, TS_SEVERITY_MEDIUM,
			      "Other processes of the machine used %s cores, none was left, and some process waited for a core during "
			      "%s of the time",
			      ts_say_number(others).text, ts_say_percent(waits).text);
}
