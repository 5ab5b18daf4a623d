/* gpu_rocm.c - what ROCm SMI says of GPUs. The functions and numbers are those of AMD's documentation of its API; a library that lacks
 * one of them says nothing of what it is for. It does not say why a clock is low, and has no Xid. */
#include "launch/program/gpu_library.h"

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
	OK = 0,
	CLOCK_SYSTEM = 0,
	CLOCK_MEMORY = 4,
	VRAM = 0,
	EDGE = 0, /* places where it is hot */
	JUNCTION = 1,
	NOW = 0,
	MEMORY_BLOCK = 1,
	TEMPERATURE_MOST = 150,
	FREQUENCIES_MOST = 33,
	FILLED = 0xA5,
};

struct errors {
	uint64_t corrected, uncorrected;
};

/* What a clock may be and is, in two forms: since release 6.0 a byte stands in front. */
union frequencies {
	struct {
		uint32_t n, current;
		uint64_t hz[FREQUENCIES_MOST];
	} old;
	struct {
		uint8_t sleeps, fill[3];
		uint32_t n, current;
		uint64_t hz[FREQUENCIES_MOST];
	} now;
	uint8_t bytes[1024]; /* room for one that grew */
};

static struct {
	int (*init)(uint64_t flags);
	int (*count)(uint32_t *n);
	int (*busy)(uint32_t gpu, uint32_t *percent);
	int (*memory_busy)(uint32_t gpu, uint32_t *percent);
	int (*used)(uint32_t gpu, int of, uint64_t *bytes);
	int (*total)(uint32_t gpu, int of, uint64_t *bytes);
	int (*clock)(uint32_t gpu, int of, union frequencies *f);
	int (*power)(uint32_t gpu, uint64_t *uw, int *kind);
	int (*power_mean)(uint32_t gpu, uint32_t sensor, uint64_t *uw);
	int (*power_limit)(uint32_t gpu, uint32_t sensor, uint64_t *uw);
	int (*power_default)(uint32_t gpu, uint64_t *uw);
	int (*temperature)(uint32_t gpu, uint32_t where, int which, int64_t *thousandths);
	int (*pcie)(uint32_t gpu, uint64_t *sent, uint64_t *received, uint64_t *packet);
	int (*ecc)(uint32_t gpu, int block, struct errors *errors);
} rocm;

static struct {
	double corrected, uncorrected; /* at the look before */
} gpus[TS_GPUS_MAX];

static bool find_functions(void)
{
	static const char *const names[] = {"librocm_smi64.so",
					    "librocm_smi64.so.7",
					    "librocm_smi64.so.6",
					    "librocm_smi64.so.5",
					    "librocm_smi64.so.1",
					    "/opt/rocm/lib/librocm_smi64.so",
					    NULL};
	static const struct {
		const char *name;
		void *to;
	} functions[] = {
		{"rsmi_init", &rocm.init},
		{"rsmi_num_monitor_devices", &rocm.count},
		{"rsmi_dev_busy_percent_get", &rocm.busy},
		{"rsmi_dev_memory_busy_percent_get", &rocm.memory_busy},
		{"rsmi_dev_memory_usage_get", &rocm.used},
		{"rsmi_dev_memory_total_get", &rocm.total},
		{"rsmi_dev_gpu_clk_freq_get", &rocm.clock},
		{"rsmi_dev_power_get", &rocm.power},
		{"rsmi_dev_power_ave_get", &rocm.power_mean},
		{"rsmi_dev_power_cap_get", &rocm.power_limit},
		{"rsmi_dev_power_cap_default_get", &rocm.power_default},
		{"rsmi_dev_temp_metric_get", &rocm.temperature},
		{"rsmi_dev_pci_throughput_get", &rocm.pcie},
		{"rsmi_dev_ecc_count_get", &rocm.ecc},
	};
	void *library = ts_gpu_load(names);

	for (size_t i = 0; library && i < sizeof functions / sizeof functions[0]; i++) {
		void *function = dlsym(library, functions[i].name);

		memcpy(functions[i].to, &function, sizeof function);
	}
	return rocm.init && rocm.count;
}

static size_t open_rocm(void)
{
	uint32_t n = 0;

	if (!find_functions() || rocm.init(0) != OK || rocm.count(&n) != OK || n > 1024)
		return 0;
	n = n < TS_GPUS_MAX ? n : TS_GPUS_MAX;
	for (size_t i = 0; i < n; i++)
		gpus[i].corrected = gpus[i].uncorrected = NAN;
	return n;
}

/* Which form it has: in the new one three bytes behind the first are left as they were, or are zero, and then the count stands behind
 * them. In the old one the first four bytes are the count, and where that is 1 the current one is the first. */
static bool is_new(const union frequencies *f)
{
	static const uint8_t filled[] = {FILLED, FILLED, FILLED};

	return memcmp(f->now.fill, filled, sizeof filled) == 0 || f->old.n == 0 || (f->old.n == 1 && f->old.current != 0);
}

static void look_at_clock(uint32_t gpu, int of, double *to, double *to_limit)
{
	union frequencies f;
	const uint64_t *hz;
	uint32_t n, current;
	double most = 0;

	memset(&f, FILLED, sizeof f);
	if (!rocm.clock || rocm.clock(gpu, of, &f) != OK)
		return;
	hz = is_new(&f) ? f.now.hz : f.old.hz;
	n = is_new(&f) ? f.now.n : f.old.n;
	current = is_new(&f) ? f.now.current : f.old.current;
	if (n > FREQUENCIES_MOST || current >= n)
		return;
	*to = ts_gpu_within((double)hz[current] / 1e6, 1, 1e5);
	for (uint32_t i = 0; i < n; i++)
		most = (double)hz[i] > most ? (double)hz[i] : most;
	if (to_limit)
		*to_limit = ts_gpu_within(most / 1e6, 1, 1e5);
}

static void look_at_memory(uint32_t gpu, double to[TS_GPU_VALUES])
{
	uint64_t used = 0, total = 0;
	uint32_t percent = 0;

	if (rocm.busy && rocm.busy(gpu, &percent) == OK)
		to[TS_GPU_IS_BUSY] = ts_gpu_within(percent / 100.0, 0, 1);
	if (rocm.memory_busy && rocm.memory_busy(gpu, &percent) == OK)
		to[TS_GPU_IS_MEMORY_BUSY] = ts_gpu_within(percent / 100.0, 0, 1);
	if (rocm.used && rocm.total && rocm.used(gpu, VRAM, &used) == OK && rocm.total(gpu, VRAM, &total) == OK && total > 0 &&
	    total < UINT64_C(1) << 50 && used <= total) {
		to[TS_GPU_HAS_MEMORY] = (double)used;
		to[TS_GPU_HAS_MEMORY_LIMIT] = (double)total;
	}
}

static void look_at_power(uint32_t gpu, double to[TS_GPU_VALUES])
{
	int64_t thousandths = 0;
	uint64_t uw = 0;
	int kind = 0;

	if ((rocm.power && rocm.power(gpu, &uw, &kind) == OK) || (rocm.power_mean && rocm.power_mean(gpu, 0, &uw) == OK))
		to[TS_GPU_TAKES_POWER] = ts_gpu_within((double)uw / 1e6, 0, 1e4);
	if (rocm.power_limit && rocm.power_limit(gpu, 0, &uw) == OK)
		to[TS_GPU_MAY_TAKE_POWER] = ts_gpu_within((double)uw / 1e6, 1, 1e4);
	if (rocm.power_default && rocm.power_default(gpu, &uw) == OK)
		to[TS_GPU_WAS_MADE_FOR_POWER] = ts_gpu_within((double)uw / 1e6, 1, 1e4);
	if (rocm.temperature &&
	    (rocm.temperature(gpu, JUNCTION, NOW, &thousandths) == OK || rocm.temperature(gpu, EDGE, NOW, &thousandths) == OK))
		to[TS_GPU_IS_HOT] = ts_gpu_within((double)thousandths / 1e3, 1, TEMPERATURE_MOST);
}

static void look_rocm(size_t gpu, double seconds, double to[TS_GPU_VALUES])
{
	uint64_t sent = 0, received = 0, packet = 0;
	struct errors errors = {0};
	uint32_t i = (uint32_t)gpu;

	(void)seconds;
	look_at_memory(i, to);
	look_at_clock(i, CLOCK_SYSTEM, &to[TS_GPU_HAS_CLOCK], &to[TS_GPU_HAS_CLOCK_LIMIT]);
	look_at_clock(i, CLOCK_MEMORY, &to[TS_GPU_HAS_MEMORY_CLOCK], NULL);
	look_at_power(i, to);
	if (rocm.pcie && rocm.pcie(i, &sent, &received, &packet) == OK) { /* packets of the last second */
		to[TS_GPU_COUNT_PCIE_SENT] = ts_gpu_within((double)sent * (double)packet, 0, 1e12);
		to[TS_GPU_COUNT_PCIE_RECEIVED] = ts_gpu_within((double)received * (double)packet, 0, 1e12);
	}
	if (rocm.ecc && rocm.ecc(i, MEMORY_BLOCK, &errors) == OK) {
		to[TS_GPU_COUNT_CORRECTED] = ts_gpu_rise(ts_gpu_within((double)errors.corrected, 0, 1e15), &gpus[gpu].corrected, 1);
		to[TS_GPU_COUNT_UNCORRECTED] =
			ts_gpu_rise(ts_gpu_within((double)errors.uncorrected, 0, 1e15), &gpus[gpu].uncorrected, 1);
	}
}

const struct ts_gpu_library ts_gpu_rocm = {open_rocm, look_rocm};
