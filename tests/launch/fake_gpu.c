/* fake_gpu.c - a library with the names of NVML, or (FAKE_ROCM) of ROCm SMI, for machines without a GPU. Written from the documents of
 * both vendors, and not from launch/gpu_*.c: it is what these are tried against.
 *
 * The environment says what it does. FAKE_GPU has words: hang-init, hang-look, crash-init, crash-look, exit-look, print, nonsense,
 * none, lack (functions that old drivers do not have give "not found" where they are called), xid, old (the older form of clocks). The
 * numbers are those below; GPU 1 is hotter and slower than GPU 0.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int asked_for(const char *word)
{
	const char *words = getenv("FAKE_GPU");

	return words && strstr(words, word) != NULL;
}

static void behave(const char *hang, const char *crash)
{
	if (asked_for("print")) {
		fprintf(stderr, "a driver's noise\n");
		printf("a driver's noise\n");
		fflush(stdout);
	}
	if (asked_for(hang))
		for (;;)
			pause();
	if (asked_for(crash))
		raise(SIGSEGV);
}

#ifndef FAKE_ROCM

struct utilization {
	unsigned gpu, memory;
};
struct memory {
	uint64_t total, free, used;
};
struct event {
	void *device;
	uint64_t type, data;
	unsigned instance, compute;
};
struct field_value {
	unsigned id, scope;
	int64_t timestamp, latency;
	int type, status;
	uint64_t value;
};

static char devices[2];

static int which(void *device)
{
	return device == &devices[1];
}

int nvmlInit_v2(void);
int nvmlInit_v2(void)
{
	behave("hang-init", "crash-init");
	return 0;
}

int nvmlDeviceGetCount_v2(unsigned *n);
int nvmlDeviceGetCount_v2(unsigned *n)
{
	*n = asked_for("none") ? 0 : 2;
	return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **device);
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **device)
{
	*device = &devices[i];
	return i < 2 ? 0 : 2;
}

int nvmlDeviceGetUtilizationRates(void *device, struct utilization *u);
int nvmlDeviceGetUtilizationRates(void *device, struct utilization *u)
{
	behave("hang-look", "crash-look");
	if (asked_for("exit-look"))
		exit(3);
	*u = (struct utilization){asked_for("nonsense") ? 4000000000U : 97, which(device) ? 20 : 40};
	return 0;
}

int nvmlDeviceGetMemoryInfo(void *device, struct memory *m);
int nvmlDeviceGetMemoryInfo(void *device, struct memory *m)
{
	(void)device;
	*m = (struct memory){80ULL << 30, 60ULL << 30, asked_for("nonsense") ? 90ULL << 30 : 20ULL << 30};
	return 0;
}

int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz);
int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz)
{
	*mhz = asked_for("nonsense") ? 4000000000U : type == 2 ? 2619 : which(device) ? 1410 : 1980;
	return type == 1 || type == 2 ? 0 : 2;
}

int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *mhz);
int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *mhz)
{
	(void)device;
	*mhz = 1980;
	return type == 1 ? 0 : 2;
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *mw);
int nvmlDeviceGetPowerUsage(void *device, unsigned *mw)
{
	*mw = which(device) ? 301500 : 650000;
	return 0;
}

int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *mw);
int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *mw)
{
	*mw = which(device) ? 300000 : 700000;
	return 0;
}

int nvmlDeviceGetPowerManagementDefaultLimit(void *device, unsigned *mw);
int nvmlDeviceGetPowerManagementDefaultLimit(void *device, unsigned *mw)
{
	(void)device;
	*mw = 700000;
	return 0;
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius);
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius)
{
	*celsius = asked_for("nonsense") ? 4000 : which(device) ? 86 : 55;
	return sensor == 0 ? 0 : 2;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, uint64_t *bits);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, uint64_t *bits)
{
	*bits = which(device) ? 0x4 | 0x40 | 0x8 : 0x1 | 0x2;
	return 0;
}

int nvmlDeviceGetPcieThroughput(void *device, int counter, unsigned *kb);
int nvmlDeviceGetPcieThroughput(void *device, int counter, unsigned *kb)
{
	(void)device;
	*kb = counter == 0 ? 1000 : 5000;
	return asked_for("lack") ? 3 : 0;
}

int nvmlDeviceGetTotalEccErrors(void *device, int type, int counter, uint64_t *count);
int nvmlDeviceGetTotalEccErrors(void *device, int type, int counter, uint64_t *count)
{
	static uint64_t looks;

	*count = type == 0 && which(device) ? 100 + 2 * ++looks : 7;
	return counter != 0 || asked_for("lack") ? 3 : 0;
}

int nvmlDeviceGetFieldValues(void *device, int n, struct field_value *values);
int nvmlDeviceGetFieldValues(void *device, int n, struct field_value *values)
{
	static uint64_t looks[2];

	looks[which(device)]++;
	for (int i = 0; i < n; i++) {
		values[i].status = asked_for("lack") || values[i].scope != (unsigned)-1 ? 3 : 0;
		values[i].type = 3;
		values[i].value = (values[i].id == 138 ? 1000000 : 3000000) * looks[which(device)];
	}
	return 0;
}

int nvmlEventSetCreate(void **set);
int nvmlEventSetCreate(void **set)
{
	*set = devices;
	return 0;
}

int nvmlDeviceRegisterEvents(void *device, uint64_t types, void *set);
int nvmlDeviceRegisterEvents(void *device, uint64_t types, void *set)
{
	(void)device;
	return types == 8 && set == devices ? 0 : 3;
}

int nvmlEventSetWait_v2(void *set, struct event *event, unsigned ms);
int nvmlEventSetWait_v2(void *set, struct event *event, unsigned ms)
{
	static int came;

	(void)set;
	if (!asked_for("xid") || ms > 0 || came++ != 1) /* at the second look */
		return 10;
	*event = (struct event){.device = &devices[1], .type = 8, .data = 79};
	return 0;
}

#else

struct errors {
	uint64_t correctable, uncorrectable;
};
struct version {
	uint32_t major, minor, patch;
	const char *build;
};

int rsmi_init(uint64_t flags);
int rsmi_init(uint64_t flags)
{
	behave("hang-init", "crash-init");
	return flags == 0 ? 0 : 1;
}

int rsmi_num_monitor_devices(uint32_t *n);
int rsmi_num_monitor_devices(uint32_t *n)
{
	*n = asked_for("none") ? 0 : 2;
	return 0;
}

int rsmi_dev_busy_percent_get(uint32_t gpu, uint32_t *percent);
int rsmi_dev_busy_percent_get(uint32_t gpu, uint32_t *percent)
{
	behave("hang-look", "crash-look");
	*percent = asked_for("nonsense") ? 255 : gpu ? 50 : 99;
	return 0;
}

int rsmi_dev_memory_usage_get(uint32_t gpu, int type, uint64_t *bytes);
int rsmi_dev_memory_usage_get(uint32_t gpu, int type, uint64_t *bytes)
{
	(void)gpu;
	*bytes = 30ULL << 30;
	return type == 0 ? 0 : 1;
}

int rsmi_dev_memory_total_get(uint32_t gpu, int type, uint64_t *bytes);
int rsmi_dev_memory_total_get(uint32_t gpu, int type, uint64_t *bytes)
{
	(void)gpu;
	*bytes = asked_for("nonsense") ? 1 : 192ULL << 30;
	return type == 0 ? 0 : 1;
}

/* As a driver writes it, field by field; the older form has no byte in front. */
int rsmi_dev_gpu_clk_freq_get(uint32_t gpu, int type, void *out);
int rsmi_dev_gpu_clk_freq_get(uint32_t gpu, int type, void *out)
{
	struct {
		uint32_t n, current;
		uint64_t hz[32];
	} *before = out;
	struct {
		_Bool sleeps;
		uint32_t n, current;
		uint64_t hz[33];
	} *now = out;
	const uint64_t clocks[] = {132000000, type == 0 ? 2100000000 : 1300000000};
	uint32_t current = asked_for("nonsense") ? 0xFFFFFFFF : gpu == 0;

	if (type != 0 && type != 4)
		return 1;
	if (asked_for("old")) {
		before->n = 2;
		before->current = current;
		memcpy(before->hz, clocks, sizeof clocks);
		return 0;
	}
	now->sleeps = 1;
	now->n = 2;
	now->current = current;
	memcpy(now->hz, clocks, sizeof clocks);
	return 0;
}

int rsmi_dev_power_ave_get(uint32_t gpu, uint32_t sensor, uint64_t *uw);
int rsmi_dev_power_ave_get(uint32_t gpu, uint32_t sensor, uint64_t *uw)
{
	*uw = gpu ? 400000000 : 700000000;
	return sensor == 0 ? 0 : 1;
}

int rsmi_dev_power_cap_get(uint32_t gpu, uint32_t sensor, uint64_t *uw);
int rsmi_dev_power_cap_get(uint32_t gpu, uint32_t sensor, uint64_t *uw)
{
	(void)gpu;
	*uw = 750000000;
	return sensor == 0 ? 0 : 1;
}

int rsmi_dev_power_cap_default_get(uint32_t gpu, uint64_t *uw);
int rsmi_dev_power_cap_default_get(uint32_t gpu, uint64_t *uw)
{
	(void)gpu;
	*uw = 1000000000;
	return 0;
}

int rsmi_dev_temp_metric_get(uint32_t gpu, uint32_t sensor, int metric, int64_t *thousandths);
int rsmi_dev_temp_metric_get(uint32_t gpu, uint32_t sensor, int metric, int64_t *thousandths)
{
	*thousandths = gpu ? 91000 : 66000;
	return sensor == 1 && metric == 0 ? 0 : 1;
}

int rsmi_dev_ecc_count_get(uint32_t gpu, int block, struct errors *errors);
int rsmi_dev_ecc_count_get(uint32_t gpu, int block, struct errors *errors)
{
	static uint64_t looks;

	*errors = (struct errors){gpu ? 0 : 5 * ++looks, 0};
	return block == 1 ? 0 : 1;
}

#endif
