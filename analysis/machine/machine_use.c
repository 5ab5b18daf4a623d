#include "analysis/machine/machine_use.h"

#include "analysis/machine/memory_rise.h"
#include "analysis/stats/stats.h"

#include <math.h>

#define ROW_MOST_S 60.0
#define AT_WORK 0.5	  /* of a row: busy for so much of its time */
#define GPU_PEER_BUSY 0.3 /* of the run */
#define SWAPS 100.0	  /* pages a second from which a machine swaps */

struct making {
	const struct ts_machine_rows *table;
	size_t from;	 /* the first row that counts */
	double *weights; /* seconds of each row */
	struct ts_measures *rows;
	struct ts_arena *arena;
};

static void value(struct making *m, enum ts_measure_name what, struct ts_span of, double v)
{
	if (isfinite(v))
		(void)ts_measure_add(m->rows, m->arena, what, of, v);
}

/* The mean over time of rows that know the column, and in which another one (NULL: any) has at least so much; NaN: there are none. */
static double mean_where(const struct making *m, const double *values, const double *where, double least)
{
	double sum = 0, weight = 0;

	for (size_t i = m->from; i < m->table->n; i++) {
		if (isnan(values[i]) || (where && !(where[i] >= least)))
			continue;
		sum += values[i] * m->weights[i];
		weight += m->weights[i];
	}
	return weight > 0 ? sum / weight : (double)NAN;
}

static double mean(const struct making *m, const double *values)
{
	return mean_where(m, values, NULL, 0);
}

/* The share of the time in which the column had at least so much. */
static double share_of(const struct making *m, const double *values, double least)
{
	double sum = 0, weight = 0;

	for (size_t i = m->from; i < m->table->n; i++) {
		if (isnan(values[i]))
			continue;
		sum += values[i] >= least ? m->weights[i] : 0;
		weight += m->weights[i];
	}
	return weight > 0 ? sum / weight : (double)NAN;
}

static double most(const struct making *m, const double *values)
{
	double greatest = (double)NAN;

	for (size_t i = 0; i < m->table->n; i++)
		if (!isnan(values[i]) && !(values[i] <= greatest))
			greatest = values[i];
	return greatest;
}

/* Sums and newest values count from the first row on. */
static double sum(const struct making *m, const double *values)
{
	double all = 0;
	bool any = false;

	for (size_t i = 0; i < m->table->n; i++) {
		any |= !isnan(values[i]);
		all += isnan(values[i]) ? 0 : values[i];
	}
	return any ? all : (double)NAN;
}

static double newest_but_0(const struct making *m, const double *values)
{
	double newest = (double)NAN;

	for (size_t i = 0; i < m->table->n; i++)
		if (!isnan(values[i]) && (values[i] > 0 || isnan(newest)))
			newest = values[i];
	return newest;
}

static size_t known(const struct making *m, const double *values)
{
	size_t n = 0;

	for (size_t i = m->from; i < m->table->n; i++)
		n += !isnan(values[i]);
	return n;
}

/* --- the machine --- */

static void memory(struct making *m)
{
	const struct ts_machine_rows *t = m->table;
	bool of_job = known(m, t->values[TS_MACHINE_JOB_MEMORY]) > 0;
	const double *values = t->values[of_job ? TS_MACHINE_JOB_MEMORY : TS_MACHINE_MEMORY];
	struct ts_memory_rise rise;

	value(m, TS_M_MACHINE_MEMORY, TS_NO_SUBJECT, most(m, t->values[TS_MACHINE_MEMORY]));
	value(m, TS_M_MACHINE_MEMORY_LIMIT, TS_NO_SUBJECT, most(m, t->values[TS_MACHINE_MEMORY_LIMIT]));
	if (!ts_memory_rise(t->values[TS_MACHINE_SECONDS], values, t->n, &rise))
		return;
	(void)ts_measure_text(m->rows, m->arena, TS_M_MACHINE_RISE_OF, TS_NO_SUBJECT,
			      ts_span_str(of_job ? "the training's processes" : "the machine"));
	value(m, TS_M_MACHINE_RISE_FROM, TS_NO_SUBJECT, rise.first);
	value(m, TS_M_MACHINE_RISE, TS_NO_SUBJECT, rise.last - rise.first);
	value(m, TS_M_MACHINE_RISE_TIME, TS_NO_SUBJECT, rise.seconds);
	value(m, TS_M_MACHINE_RISES, TS_NO_SUBJECT, rise.rises);
	value(m, TS_M_MACHINE_RISE_LATE, TS_NO_SUBJECT, rise.late < 1e6 ? rise.late : 1e6);
}

static void of_machine(struct making *m)
{
	static const struct {
		enum ts_machine_column column;
		enum ts_measure_name what;
	} means[] = {
		{TS_MACHINE_CPU, TS_M_MACHINE_CORES},
		{TS_MACHINE_CORES, TS_M_MACHINE_CORES_ALLOWED},
		{TS_MACHINE_HOST_USED, TS_M_MACHINE_HOST_CORES},
		{TS_MACHINE_HOST, TS_M_MACHINE_HOST_ALL},
		{TS_MACHINE_JOB_CPU, TS_M_MACHINE_JOB_CORES},
		{TS_MACHINE_BUSIEST, TS_M_MACHINE_BUSIEST},
		{TS_MACHINE_THROTTLED, TS_M_MACHINE_QUOTA_HELD},
		{TS_MACHINE_STEAL, TS_M_MACHINE_STOLEN},
		{TS_MACHINE_CPU_PRESSURE, TS_M_MACHINE_CPU_PRESSURE},
		{TS_MACHINE_MEMORY_PRESSURE, TS_M_MACHINE_MEMORY_PRESSURE},
		{TS_MACHINE_IO_PRESSURE, TS_M_MACHINE_IO_PRESSURE},
		{TS_MACHINE_SWAPPED, TS_M_MACHINE_SWAPPED},
		{TS_MACHINE_THREADS_READY, TS_M_MACHINE_THREADS},
		{TS_MACHINE_WORKERS, TS_M_MACHINE_WORKERS},
		{TS_MACHINE_WORKER_CPU, TS_M_MACHINE_WORKER_CORES},
		{TS_MACHINE_WORKERS_BLOCKED, TS_M_MACHINE_WORKERS_BLOCKED},
	};
	const double *ready = m->table->values[TS_MACHINE_THREADS_READY];

	for (size_t i = 0; i < sizeof means / sizeof means[0]; i++)
		value(m, means[i].what, TS_NO_SUBJECT, mean(m, m->table->values[means[i].column]));
	value(m, TS_M_MACHINE_SWAPS, TS_NO_SUBJECT, share_of(m, m->table->values[TS_MACHINE_SWAPPED], SWAPS));
	if (known(m, ready))
		value(m, TS_M_MACHINE_THREADS_LOOKS, TS_NO_SUBJECT, (double)known(m, ready));
	memory(m);
}

/* --- GPUs --- */

static void of_gpu(struct making *m, size_t gpu, struct ts_span of)
{
	static const struct {
		enum ts_gpu_column column;
		enum ts_measure_name what;
	} means[] = {
		{TS_GPU_BUSY, TS_M_GPU_BUSY},
		{TS_GPU_MEMORY_BUSY, TS_M_GPU_MEMORY_BUSY},
		{TS_GPU_SM_CLOCK_LIMIT, TS_M_GPU_CLOCK_LIMIT},
		{TS_GPU_POWER, TS_M_GPU_POWER},
		{TS_GPU_POWER_LIMIT, TS_M_GPU_POWER_LIMIT},
		{TS_GPU_POWER_DEFAULT, TS_M_GPU_POWER_DEFAULT},
		{TS_GPU_HELD_BY_POWER, TS_M_GPU_HELD_BY_POWER},
		{TS_GPU_HELD_BY_HEAT, TS_M_GPU_HELD_BY_HEAT},
		{TS_GPU_HELD_BY_OTHERS, TS_M_GPU_HELD_BY_OTHERS},
		{TS_GPU_PCIE_RECEIVED, TS_M_GPU_PCIE_RECEIVED},
		{TS_GPU_PCIE_SENT, TS_M_GPU_PCIE_SENT},
		{TS_GPU_NVLINK_RECEIVED, TS_M_GPU_NVLINK_RECEIVED},
		{TS_GPU_NVLINK_SENT, TS_M_GPU_NVLINK_SENT},
	};
	double *const *columns = m->table->gpus[gpu];

	for (size_t i = 0; i < sizeof means / sizeof means[0]; i++)
		value(m, means[i].what, of, mean(m, columns[means[i].column]));
	value(m, TS_M_GPU_MEMORY, of, most(m, columns[TS_GPU_MEMORY]));
	value(m, TS_M_GPU_MEMORY_LIMIT, of, most(m, columns[TS_GPU_MEMORY_LIMIT]));
	value(m, TS_M_GPU_CLOCK, of, mean_where(m, columns[TS_GPU_SM_CLOCK], columns[TS_GPU_BUSY], AT_WORK));
	value(m, TS_M_GPU_TEMPERATURE, of, mean_where(m, columns[TS_GPU_TEMPERATURE], columns[TS_GPU_BUSY], AT_WORK));
	value(m, TS_M_GPU_UNCORRECTED, of, sum(m, columns[TS_GPU_ECC_UNCORRECTED]));
	value(m, TS_M_GPU_XID, of, newest_but_0(m, columns[TS_GPU_XID]));
}

/* The median of the others that are at work and know it; NaN: there is none. */
static double of_peers(const struct making *m, const bool *works, size_t gpu, enum ts_gpu_column column)
{
	double values[TS_MACHINE_GPUS_MAX];

	for (size_t i = 0; i < m->table->n_gpus; i++)
		values[i] = works[i] && i != gpu ? mean_where(m, m->table->gpus[i][column], m->table->gpus[i][TS_GPU_BUSY], AT_WORK)
						 : (double)NAN;
	return ts_median_finite(values, m->table->n_gpus, values);
}

static void beside_peers(struct making *m, const bool *works, size_t gpu, struct ts_span of)
{
	double *const *columns = m->table->gpus[gpu];
	double clock = mean_where(m, columns[TS_GPU_SM_CLOCK], columns[TS_GPU_BUSY], AT_WORK);
	double heat = mean_where(m, columns[TS_GPU_TEMPERATURE], columns[TS_GPU_BUSY], AT_WORK);
	double clocks = of_peers(m, works, gpu, TS_GPU_SM_CLOCK), heats = of_peers(m, works, gpu, TS_GPU_TEMPERATURE);
	double limits = of_peers(m, works, gpu, TS_GPU_POWER_LIMIT);

	if (clocks > 0)
		value(m, TS_M_GPU_BEHIND, of, 1 - clock / clocks);
	value(m, TS_M_GPU_HOTTER, of, heat - heats);
	value(m, TS_M_GPU_PEERS_POWER_LIMIT, of, limits);
}

static void of_gpus(struct making *m)
{
	bool works[TS_MACHINE_GPUS_MAX] = {false};

	for (size_t i = 0; i < m->table->n_gpus; i++)
		works[i] = mean(m, m->table->gpus[i][TS_GPU_BUSY]) >= GPU_PEER_BUSY;
	for (size_t i = 0; i < m->table->n_gpus; i++) {
		const char *of = ts_measure_subject(TS_M_GPU_BUSY, (int64_t)i, m->arena);

		if (!of)
			return;
		of_gpu(m, i, ts_span_str(of));
		if (works[i])
			beside_peers(m, works, i, ts_span_str(of));
	}
}

enum ts_status ts_machine_use(const struct ts_machine_rows *table, struct ts_arena *arena, struct ts_measures *io_rows,
			      struct ts_error *err)
{
	struct making m = {.table = table, .from = table->n / 10, .rows = io_rows, .arena = arena};
	const double *seconds = table->values[TS_MACHINE_SECONDS];
	double before = 0;

	m.weights = ts_arena_array(arena, table->n + 1, sizeof *m.weights);
	if (!m.weights)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < table->n; i++) {
		double since = seconds[i] - before;

		m.weights[i] = since > 0 ? fmin(since, ROW_MOST_S) : 0; /* time that goes back is a run that was joined again */
		before = seconds[i];
	}
	value(&m, TS_M_MACHINE_COUNT, TS_NO_SUBJECT, (double)table->n);
	if (table->n)
		value(&m, TS_M_MACHINE_SPAN, TS_NO_SUBJECT, sum(&m, m.weights));
	of_machine(&m);
	of_gpus(&m);
	return ts_arena_check(arena, err);
}

enum ts_status ts_machine_use_unread(const char *reason, struct ts_arena *arena, struct ts_measures *io_rows, struct ts_error *err)
{
	return ts_measure_unknown(io_rows, arena, TS_M_MACHINE_COUNT, TS_NO_SUBJECT, reason) ? TS_OK : ts_arena_error(arena, err);
}
