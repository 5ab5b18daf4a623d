/* quality_machine.c - how often the rules on the machine speak of a run in which nothing is wrong with it, and whether they do of what
 * was planted.
 *
 * A run is a text in the form of machine.tscope, a row a second for ten minutes and then one every ten seconds, as tscope run writes
 * it, through its reader, the means and the rules. What is drawn anew for each run: 0 to 8 GPUs with their use, chips that differ by
 * 1.5 % in clock and places by 4 degrees, steps that let them idle; 4 to 128 cores, with and without a quota; 0 to 16 workers; memory
 * that is level, fills up and stops, has peaks of evaluations and falls at the ends of epochs; other tenants on cores of their own;
 * daemons. A GPU that reaches the limit of power that it was made with is clean.
 */
#include "quality_parts.h"

#include "analysis/machine/machine_use.h"
#include "analysis/rules/rule.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { TEXT = 8 << 20, GPUS = 8 };

enum fault {
	CLEAN,
	HOT,	  /* a GPU slows down for heat, 10 % of the time */
	LIMITED,  /* a limit of power 25 % below the maker's */
	SLOWER,	  /* one GPU of several is 12 % slower */
	COMPUTES, /* workers that never wait, and steps that do */
	BLOCKED,  /* workers that are blocked by storage half of the time, and steps that wait */
	THREADS,  /* four threads for each core */
	QUOTA,	  /* a quota holds the run for a quarter of the time */
	LEAK,	  /* memory grows by a tenth in the run */
	SWAPS,	  /* pages come and go for a fifth of the time */
	STEAL,	  /* a tenth of the time */
	HOG,	  /* others fill the machine */
	XID,
	FAULTS,
};

static const struct {
	const char *what, *code;
} faults[FAULTS] = {
	{"", ""},
	{"a GPU slows down for heat", "MACHINE.GPU_THROTTLED"},
	{"a limit of power 25 % below the maker's", "MACHINE.GPU_POWER_LIMIT"},
	{"one GPU 12 % slower", "MACHINE.GPU_SLOWER"},
	{"workers compute all the time", "MACHINE.WORKERS_BUSY"},
	{"workers are blocked half of the time", "MACHINE.WORKERS_BLOCKED"},
	{"four threads for each core", "MACHINE.THREADS"},
	{"a quota holds a quarter of the time", "MACHINE.CPU_QUOTA"},
	{"memory grows by a tenth", "MACHINE.MEMORY_GROWS"},
	{"swaps a fifth of the time", "MACHINE.SWAPPING"},
	{"steal of a tenth", "MACHINE.NEIGHBOURS"},
	{"others fill the machine", "MACHINE.NEIGHBOURS"},
	{"an Xid", "MACHINE.GPU_ERROR"},
};

static char text[TEXT];
static size_t n_text;

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text + n_text, TEXT - n_text, format, args);
	va_end(args);
	n_text += n > 0 && (size_t)n < TEXT - n_text ? (size_t)n : 0;
}

static double between(struct ts_random *r, double least, double most)
{
	return least + (most - least) * ts_random_unit(r);
}

static double positive(double value)
{
	return value > 0 ? value : 0;
}

/* What a run is like, drawn once. */
struct host {
	double seconds, all, quota, load, workers, worker_cores, blocked, tenants, steal, pressure, memory, epoch, peak, fills;
	int gpus;
	bool has_quota;
	double busy, clock, power, share_data, state_gpu[GPUS], state_load, state_memory;
	double chip[GPUS], place[GPUS];
	int odd; /* the GPU that a fault is of */
};

static void draw(enum fault fault, struct ts_random *r, struct host *h)
{
	*h = (struct host){.seconds = between(r, 900, 20000)};
	h->gpus = (int)ts_random_below(r, 4);
	h->gpus = h->gpus == 3 ? 8 : h->gpus == 2 ? 4 : h->gpus;
	if (fault == HOT || fault == LIMITED || fault == XID)
		h->gpus = h->gpus ? h->gpus : 1;
	if (fault == SLOWER)
		h->gpus = h->gpus > 1 ? h->gpus : 4;
	h->all = 4 * (double)(1 + ts_random_below(r, 32));
	h->has_quota = ts_random_below(r, 2);
	h->quota = h->has_quota ? fmax(2, floor(h->all * between(r, 0.2, 0.9))) : h->all;
	h->workers = ts_random_below(r, 3) ? (double)ts_random_below(r, 17) : 0;
	if (fault == COMPUTES || fault == BLOCKED)
		h->workers = 4;
	h->workers = fmin(h->workers, h->quota - 1);
	h->worker_cores = fault == COMPUTES ? between(r, 0.94, 1) : between(r, 0.1, 1);
	h->blocked = fault == BLOCKED ? between(r, 0.45, 0.8) : between(r, 0, 0.2);
	h->share_data = fault == COMPUTES || fault == BLOCKED ? between(r, 0.15, 0.6) : between(r, 0, 0.09);
	h->load = between(r, 0.3, 0.95);
	h->tenants = h->has_quota && ts_random_below(r, 2) ? between(r, 0, h->all - h->quota) : 0; /* on cores of their own */
	h->steal = ts_random_below(r, 2) ? 0 : between(r, 0, 0.01);
	h->pressure = between(r, 0, 0.4);
	h->memory = pow(2, between(r, 31, 38));
	h->epoch = between(r, 200, 3000);
	h->peak = between(r, 0, 0.3);
	h->fills = between(r, 30, 400);
	h->busy = between(r, 0.3, 1);
	h->clock = between(r, 1200, 2000);
	h->power = between(r, 300, 1000);
	h->odd = h->gpus ? (int)ts_random_below(r, (uint64_t)h->gpus) : 0;
	for (int i = 0; i < GPUS; i++) {
		h->chip[i] = 1 + 0.015 * ts_random_normal(r);
		h->place[i] = 60 + 4 * ts_random_normal(r);
		h->state_gpu[i] = (double)NAN;
	}
	h->state_load = h->state_memory = (double)NAN;
}

static void put_gpu(struct host *h, enum fault fault, int i, double at, struct ts_random *r)
{
	double noise = quality_ar1(r, 0.8, 0.1, &h->state_gpu[i]), busy = fmin(1, positive(h->busy + noise));
	bool odd = i == h->odd, hot = fault == HOT && odd && fmod(at, 100) < 10;
	double limit = fault == LIMITED ? 0.75 * h->power : h->power;
	double clock = h->clock * h->chip[i] * (1 + 0.02 * ts_random_normal(r)) * (fault == SLOWER && odd ? 0.88 : 1) * (hot ? 0.6 : 1);
	double capped = fault == LIMITED ? between(r, 0.3, 1) : h->busy > 0.8 ? between(r, 0, 1) : 0;

	put(",%.2g,%.4g,%.0f,%.0f,2000,%.0f,%.0f,%.0f,%.2g,%d,0,%d", busy, 2e10, h->memory, busy > 0.05 ? clock : 210,
	    limit * (0.2 + 0.8 * busy), limit, h->power, capped, hot, fault == XID && odd && at > 500 && at <= 511 ? 79 : 0);
	put(",%.0f", h->place[i] + 15 * (busy - 0.5) + (hot ? 25 : 0) + ts_random_normal(r));
}

static double memory_at(struct host *h, enum fault fault, double at, struct ts_random *r)
{
	double evaluation = fmod(at, h->epoch) < 0.1 * h->epoch ? h->peak : 0;
	double level = 1 - 0.3 * exp(-at / h->fills) + evaluation + 0.002 * quality_ar1(r, 0.98, 1, &h->state_memory);

	return h->memory * 0.3 * (level + (fault == LEAK ? 0.13 * at / h->seconds : 0));
}

static void put_row(struct host *h, enum fault fault, double at, struct ts_random *r)
{
	double load = fmin(1, positive(h->load + quality_ar1(r, 0.7, 0.05, &h->state_load)));
	double job = fmin(h->quota, 1 + load + h->workers * h->worker_cores), daemons = between(r, 0, 0.3);
	double others = fault == HOG ? h->all - job : h->tenants * between(r, 0.7, 1) + daemons;
	double ready =
		fault == THREADS ? 4 * h->quota * between(r, 0.8, 1) : fmin(1 + load + h->workers * h->worker_cores, 1.2 * h->quota);
	double held = fault == QUOTA ? between(r, 0.1, 0.4) : h->has_quota && load > 0.9 ? between(r, 0, 0.05) : 0;
	double pressure = fault == HOG ? between(r, 0.3, 0.9) : positive(h->pressure + 0.05 * ts_random_normal(r));
	bool swaps = fault == SWAPS ? fmod(at, 100) < 20 : ts_random_below(r, 500) == 0;

	put("%.1f,%.3g,%.0f,%.3g,%.3g,%.3g,%.3g,%.3g", at, job + daemons, h->quota, held,
	    fault == STEAL ? between(r, 0.05, 0.15) : h->steal * between(r, 0, 2), fmin(1, pressure), swaps ? 0.05 : 0,
	    between(r, 0, 0.1));
	put(",%.4g,%.0f,%.3g,%.3g,%.0f,%.3g,%.4g", memory_at(h, fault, at, r) + 1e9, h->memory + 2e9, swaps ? 3000.0 : 0,
	    fmin(h->all, job + others), h->all, job, memory_at(h, fault, at, r));
	if (fmod(at, 10) < 1)
		put(",%.3g", ready);
	else
		put(",");
	put(",%.3g,%.0f,", fmin(1.2, 0.5 + load), h->workers);
	if (h->workers > 0)
		put("%.3g,%.3g", fmin(1, positive(h->worker_cores + 0.03 * ts_random_normal(r))),
		    fmin(1, positive(h->blocked + 0.1 * ts_random_normal(r))));
	else
		put(",");
	for (int i = 0; i < h->gpus; i++)
		put_gpu(h, fault, i, at, r);
	put("\n");
}

static void make(struct host *h, enum fault fault, struct ts_random *r)
{
	n_text = 0;
	put("seconds,cpu_cores,cpu_quota_cores,cpu_throttled,cpu_steal,cpu_waiting,memory_waiting,disk_waiting,memory_bytes,"
	    "memory_limit_bytes,swapped_pages_per_s,machine_cores,machine_cores_all,job_cores,job_memory_bytes,threads_ready,"
	    "busiest_cores,workers,worker_cores,workers_blocked");
	for (int i = 0; i < h->gpus; i++)
		put(",gpu%d_busy,gpu%d_memory_bytes,gpu%d_memory_limit_bytes,gpu%d_sm_clock_mhz,gpu%d_sm_clock_limit_mhz,gpu%d_power_w,"
		    "gpu%d_power_limit_w,gpu%d_power_default_w,gpu%d_throttled_by_power,gpu%d_throttled_by_heat,"
		    "gpu%d_throttled_by_others,gpu%d_xid,gpu%d_temperature_c",
		    i, i, i, i, i, i, i, i, i, i, i, i, i);
	put("\n");
	for (double at = 1; at < h->seconds; at += at < 600 ? 1 : 10)
		put_row(h, fault, at, r);
}

static bool says(enum fault fault, const char *code, struct ts_random *r)
{
	struct ts_measures rows = {.n = 0};
	struct ts_events none = {.n = 0};
	struct ts_findings found = {.n = 0};
	struct ts_machine_rows table;
	struct ts_arena arena;
	struct ts_error err;
	struct host host;
	bool said = false;

	draw(fault, r, &host);
	make(&host, fault, r);
	ts_arena_init(&arena, 0);
	(void)ts_measure_add(&rows, &arena, TS_M_PHASE_SHARE, ts_span_str("data"), host.share_data);
	if (!ts_machine_read(ts_span_of(text, n_text), &arena, &table, &err) && !ts_machine_use(&table, &arena, &rows, &err) &&
	    !ts_findings_check(&rows, &none, NULL, 0, NULL, &arena, &found, &err))
		for (size_t i = 0; i < found.n; i++)
			said |= ts_span_starts(found.items[i].code, ts_span_str(code));
	ts_arena_finish(&arena);
	return said;
}

static void clean(struct quality *q)
{
	struct quality_case c = quality_at_most("machine: false finding of any severity", 0.01);
	struct ts_random r;

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 1500); i++) {
		quality_random(&c, i, &r);
		quality_count(&c, says(CLEAN, "MACHINE.", &r));
	}
	quality_report(q, &c);
}

void quality_machine(struct quality *q)
{
	clean(q);
	for (int fault = CLEAN + 1; fault < FAULTS; fault++) {
		char name[128];
		/* A growth by a tenth, beside what fills and moves by itself, is near the limit of its rule. */
		struct quality_case c = quality_at_least(name, fault == LEAK ? 0.7 : 0.9);
		struct ts_random r;

		(void)snprintf(name, sizeof name, "machine: %s: %s", faults[fault].what, faults[fault].code);
		for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 200); i++) {
			quality_random(&c, i, &r);
			quality_count(&c, says((enum fault)fault, faults[fault].code, &r));
		}
		quality_report(q, &c);
	}
}
