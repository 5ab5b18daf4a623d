/* gpu_nvml.c - what NVML says of GPUs. The functions, numbers and structs are those of NVIDIA's documentation of its API, which keeps
 * them as they are; a library that lacks one of them says nothing of what it is for. */
#include "launch/program/gpu_library.h"

#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
	OK = 0,
	CLOCK_SM = 1,
	CLOCK_MEMORY = 2,
	SENSOR_OF_GPU = 0,
	PCIE_SENT = 0,
	PCIE_RECEIVED = 1,
	CORRECTED = 0,
	UNCORRECTED = 1,
	SINCE_BOOT = 0,
	NVLINK_SENT = 138, /* fields: KiB of all links */
	NVLINK_RECEIVED = 139,
	XID = 8,	  /* a kind of events */
	EVENTS_MOST = 64, /* at one look */
	TEMPERATURE_MOST = 150,
};

/* Why a clock is lower than it could be. What says nothing is wrong (idle, a clock that somebody set) is not among them. */
static const uint64_t by_power = 0x4, by_heat = 0x20 | 0x40, by_others = 0x8 | 0x10 | 0x80;

struct two {
	unsigned of_gpu, of_memory;
};

struct memory {
	uint64_t total, free, used;
};

struct event {
	void *device;
	uint64_t kind, data;
	unsigned gpu_instance, compute_instance;
};

struct field {
	unsigned field, scope;
	int64_t at_us, took_us;
	int kind, status;
	union {
		double d;
		unsigned ui;
		unsigned long ul; /* NVML itself says so */
		uint64_t ull;
		int64_t sll;
	} value;
};

/* The functions of the library; NULL: it has none of this name. */
static struct {
	int (*init)(void);
	int (*count)(unsigned *n);
	int (*handle)(unsigned i, void **device);
	int (*utilization)(void *device, struct two *percent);
	int (*memory)(void *device, struct memory *memory);
	int (*clock)(void *device, int of, unsigned *mhz);
	int (*clock_limit)(void *device, int of, unsigned *mhz);
	int (*power)(void *device, unsigned *mw);
	int (*power_limit)(void *device, unsigned *mw);
	int (*power_default)(void *device, unsigned *mw);
	int (*temperature)(void *device, int sensor, unsigned *celsius);
	int (*reasons)(void *device, uint64_t *bits);
	int (*pcie)(void *device, int counter, unsigned *kb_per_s);
	int (*ecc)(void *device, int kind, int since, uint64_t *count);
	int (*fields)(void *device, int n, struct field *fields);
	int (*events)(void **set);
	int (*tell)(void *device, uint64_t kinds, void *set);
	int (*wait)(void *set, struct event *event, unsigned ms);
} nvml;

static struct {
	void *device;
	double sent, received, corrected, uncorrected; /* counters at the look before */
	bool tells;				       /* its events are in the set */
	double xid;				       /* the newest since the look before */
} gpus[TS_GPUS_MAX];
static size_t n_gpus;
static void *set;

static bool find_functions(void)
{
	static const char *const names[] = {"libnvidia-ml.so.1", NULL};
	static const struct {
		const char *name;
		void *to;
	} functions[] = {
		{"nvmlInit_v2", &nvml.init},
		{"nvmlDeviceGetCount_v2", &nvml.count},
		{"nvmlDeviceGetHandleByIndex_v2", &nvml.handle},
		{"nvmlDeviceGetUtilizationRates", &nvml.utilization},
		{"nvmlDeviceGetMemoryInfo", &nvml.memory},
		{"nvmlDeviceGetClockInfo", &nvml.clock},
		{"nvmlDeviceGetMaxClockInfo", &nvml.clock_limit},
		{"nvmlDeviceGetPowerUsage", &nvml.power},
		{"nvmlDeviceGetEnforcedPowerLimit", &nvml.power_limit},
		{"nvmlDeviceGetPowerManagementDefaultLimit", &nvml.power_default},
		{"nvmlDeviceGetTemperature", &nvml.temperature},
		{"nvmlDeviceGetCurrentClocksEventReasons", &nvml.reasons},
		{"nvmlDeviceGetPcieThroughput", &nvml.pcie},
		{"nvmlDeviceGetTotalEccErrors", &nvml.ecc},
		{"nvmlDeviceGetFieldValues", &nvml.fields},
		{"nvmlEventSetCreate", &nvml.events},
		{"nvmlDeviceRegisterEvents", &nvml.tell},
		{"nvmlEventSetWait_v2", &nvml.wait},
	};
	void *library = ts_gpu_load(names);

	for (size_t i = 0; library && i < sizeof functions / sizeof functions[0]; i++) {
		void *function = dlsym(library, functions[i].name);

		memcpy(functions[i].to, &function, sizeof function);
	}
	if (library && !nvml.reasons) { /* what it was called before 2023 */
		void *function = dlsym(library, "nvmlDeviceGetCurrentClocksThrottleReasons");

		memcpy(&nvml.reasons, &function, sizeof function);
	}
	return nvml.init && nvml.count && nvml.handle;
}

static size_t open_nvml(void)
{
	unsigned n = 0;

	if (!find_functions() || nvml.init() != OK || nvml.count(&n) != OK || n > 1024)
		return 0;
	if (!nvml.events || !nvml.tell || !nvml.wait || nvml.events(&set) != OK)
		set = NULL;
	for (n_gpus = 0; n_gpus < n && n_gpus < TS_GPUS_MAX; n_gpus++) {
		gpus[n_gpus].sent = gpus[n_gpus].received = gpus[n_gpus].corrected = gpus[n_gpus].uncorrected = NAN;
		if (nvml.handle((unsigned)n_gpus, &gpus[n_gpus].device) != OK)
			gpus[n_gpus].device = NULL; /* such as one that fell off the bus: it has its place, and nothing is known */
		else
			gpus[n_gpus].tells = set && nvml.tell(gpus[n_gpus].device, XID, set) == OK;
	}
	return n_gpus;
}

/* Takes the events that came; they are of any GPU. */
static void take_events(void)
{
	struct event event;

	for (int i = 0; set && i < EVENTS_MOST; i++) {
		memset(&event, 0, sizeof event);
		if (nvml.wait(set, &event, 0) != OK)
			return;
		for (size_t k = 0; k < n_gpus; k++)
			if (gpus[k].device == event.device && event.kind == XID)
				gpus[k].xid = ts_gpu_within((double)event.data, 1, 9999);
	}
}

/* A number of 32 bits that some function gives, in its range. */
static double asked(int status, const unsigned *value, double scale, double most)
{
	return status == OK ? ts_gpu_within(*value * scale, 0, most) : (double)NAN;
}

static void look_at_clocks(void *device, double to[TS_GPU_VALUES])
{
	unsigned mhz = 0;
	uint64_t bits = 0;

	if (nvml.clock)
		to[TS_GPU_HAS_CLOCK] = asked(nvml.clock(device, CLOCK_SM, &mhz), &mhz, 1, 1e5);
	if (nvml.clock)
		to[TS_GPU_HAS_MEMORY_CLOCK] = asked(nvml.clock(device, CLOCK_MEMORY, &mhz), &mhz, 1, 1e5);
	if (nvml.clock_limit)
		to[TS_GPU_HAS_CLOCK_LIMIT] = asked(nvml.clock_limit(device, CLOCK_SM, &mhz), &mhz, 1, 1e5);
	if (!nvml.reasons || nvml.reasons(device, &bits) != OK)
		return;
	to[TS_GPU_IS_HELD_BY_POWER] = (bits & by_power) != 0;
	to[TS_GPU_IS_HELD_BY_HEAT] = (bits & by_heat) != 0;
	to[TS_GPU_IS_HELD_BY_OTHERS] = (bits & by_others) != 0 && (bits & by_heat) == 0; /* the board says "slow" for heat, too */
}

static void look_at_memory(void *device, double to[TS_GPU_VALUES])
{
	struct memory memory = {0};
	struct two percent = {0};

	if (nvml.utilization && nvml.utilization(device, &percent) == OK) {
		to[TS_GPU_IS_BUSY] = ts_gpu_within(percent.of_gpu / 100.0, 0, 1);
		to[TS_GPU_IS_MEMORY_BUSY] = ts_gpu_within(percent.of_memory / 100.0, 0, 1);
	}
	if (nvml.memory && nvml.memory(device, &memory) == OK && memory.total > 0 && memory.total < UINT64_C(1) << 50 &&
	    memory.used <= memory.total) {
		to[TS_GPU_HAS_MEMORY] = (double)memory.used;
		to[TS_GPU_HAS_MEMORY_LIMIT] = (double)memory.total;
	}
}

static void look_at_power(void *device, double to[TS_GPU_VALUES])
{
	unsigned value = 0;

	if (nvml.power)
		to[TS_GPU_TAKES_POWER] = asked(nvml.power(device, &value), &value, 1e-3, 1e4);
	if (nvml.power_limit)
		to[TS_GPU_MAY_TAKE_POWER] = asked(nvml.power_limit(device, &value), &value, 1e-3, 1e4);
	if (nvml.power_default)
		to[TS_GPU_WAS_MADE_FOR_POWER] = asked(nvml.power_default(device, &value), &value, 1e-3, 1e4);
	if (nvml.temperature)
		to[TS_GPU_IS_HOT] = asked(nvml.temperature(device, SENSOR_OF_GPU, &value), &value, 1, TEMPERATURE_MOST);
}

/* Bytes that a field counts; NAN: it does not. */
static double bytes_of(const struct field *field)
{
	enum { DOUBLE, UNSIGNED, LONG, LONG_LONG, SIGNED };
	double kib = NAN;

	if (field->status != OK)
		return NAN;
	switch (field->kind) {
	case DOUBLE:
		kib = field->value.d;
		break;
	case UNSIGNED:
		kib = field->value.ui;
		break;
	case LONG:
		kib = (double)field->value.ul;
		break;
	case LONG_LONG:
		kib = (double)field->value.ull;
		break;
	case SIGNED:
		kib = (double)field->value.sll;
		break;
	default:
		break;
	}
	return 1024 * ts_gpu_within(kib, 0, 1e16);
}

static void look_at_links(size_t gpu, double seconds, double to[TS_GPU_VALUES])
{
	struct field fields[] = {{.field = NVLINK_SENT, .scope = UINT_MAX, .status = 1},
				 {.field = NVLINK_RECEIVED, .scope = UINT_MAX, .status = 1}};
	void *device = gpus[gpu].device;
	unsigned kb = 0;

	if (nvml.pcie)
		to[TS_GPU_COUNT_PCIE_SENT] = asked(nvml.pcie(device, PCIE_SENT, &kb), &kb, 1e3, 1e12);
	if (nvml.pcie)
		to[TS_GPU_COUNT_PCIE_RECEIVED] = asked(nvml.pcie(device, PCIE_RECEIVED, &kb), &kb, 1e3, 1e12);
	if (!nvml.fields || nvml.fields(device, 2, fields) != OK)
		return;
	to[TS_GPU_COUNT_NVLINK_SENT] = ts_gpu_within(ts_gpu_rise(bytes_of(&fields[0]), &gpus[gpu].sent, seconds), 0, 1e14);
	to[TS_GPU_COUNT_NVLINK_RECEIVED] = ts_gpu_within(ts_gpu_rise(bytes_of(&fields[1]), &gpus[gpu].received, seconds), 0, 1e14);
}

static double errors_of(void *device, int kind, double *io_last)
{
	uint64_t count = 0;

	if (!nvml.ecc || nvml.ecc(device, kind, SINCE_BOOT, &count) != OK || count > UINT64_C(1) << 52)
		return NAN;
	return ts_gpu_rise((double)count, io_last, 1);
}

static void look_nvml(size_t gpu, double seconds, double to[TS_GPU_VALUES])
{
	void *device = gpus[gpu].device;

	if (gpu == 0)
		take_events();
	if (!device)
		return;
	look_at_memory(device, to);
	look_at_clocks(device, to);
	look_at_power(device, to);
	look_at_links(gpu, seconds, to);
	to[TS_GPU_COUNT_CORRECTED] = errors_of(device, CORRECTED, &gpus[gpu].corrected);
	to[TS_GPU_COUNT_UNCORRECTED] = errors_of(device, UNCORRECTED, &gpus[gpu].uncorrected);
	if (gpus[gpu].tells)
		to[TS_GPU_SAYS_XID] = gpus[gpu].xid;
	gpus[gpu].xid = 0;
}

const struct ts_gpu_library ts_gpu_nvml = {open_nvml, look_nvml};
