#include "launch/observe.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/system.h"
#include "base/text.h"

#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char names[] =
	"seconds,cpu_cores,cpu_quota_cores,cpu_throttled,cpu_steal,load,cpu_waiting,memory_waiting,disk_waiting,"
	"memory_bytes,memory_limit_bytes,swapped_pages_per_s,major_faults_per_s,read_bytes_per_s,written_bytes_per_s,"
	"received_bytes_per_s,sent_bytes_per_s,machine_cores,machine_cores_all,processes,job_cores,job_memory_bytes,threads_ready,"
	"busiest_cores,workers,worker_cores,workers_blocked";
/* In the order of enum ts_gpu_value. */
static const char *const gpu_names[TS_GPU_VALUES] = {
	"busy",
	"memory_busy",
	"memory_bytes",
	"memory_limit_bytes",
	"sm_clock_mhz",
	"sm_clock_limit_mhz",
	"memory_clock_mhz",
	"power_w",
	"power_limit_w",
	"power_default_w",
	"temperature_c",
	"throttled_by_power",
	"throttled_by_heat",
	"throttled_by_others",
	"pcie_received_bytes_per_s",
	"pcie_sent_bytes_per_s",
	"nvlink_received_bytes_per_s",
	"nvlink_sent_bytes_per_s",
	"ecc_corrected",
	"ecc_uncorrected",
	"xid",
};

enum { TEXT = 16384, CPU = 0, MEMORY = 1 };

/* --- files --- */

static size_t read_text(const char *path, char to[TEXT])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, to, TEXT - 1);

	if (fd >= 0)
		(void)close(fd);
	to[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

static size_t read_group(const struct ts_observer *m, int which, const char *name, char to[TEXT])
{
	char path[600];

	to[0] = '\0';
	if (!m->group[which][0])
		return 0;
	(void)snprintf(path, sizeof path, "%s/%s", m->group[which], name);
	return read_text(path, to);
}

/* The number at the beginning of a text, behind blanks; -1: there is none. */
static double number_at(const char *text)
{
	int64_t value;

	text += strspn(text, " \t");
	return ts_parse_i64(ts_span_of(text, strspn(text, "0123456789")), &value) ? (double)value : -1;
}

/* The number behind a word that begins a line. */
static double number_of(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, word, n) == 0 && (line[n] == ' ' || line[n] == ':'))
			return number_at(line + n + 1);
	}
	return -1;
}

/* --- the control group --- */

static void take_group(struct ts_observer *m, int which, const char *top, const char *path, size_t length, const char *file)
{
	char *to = m->group[which], at[1200];
	size_t room = sizeof m->group[which];
	int n = snprintf(to, room, "%s%.*s", top, length > 1 ? (int)length : 0, path);

	for (int i = 0; i < 2; i++) { /* in a container the path is often that of outside, and the group its top */
		(void)snprintf(at, sizeof at, "%s/%s", to, file);
		if (n > 0 && (size_t)n < room && access(at, R_OK) == 0)
			return;
		n = snprintf(to, room, "%s", top);
	}
	to[0] = '\0';
}

static void find_groups(struct ts_observer *m)
{
	char text[TEXT];

	(void)read_text("/proc/self/cgroup", text);
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *kinds = strchr(line, ':'), *path = kinds ? strchr(kinds + 1, ':') : NULL;
		size_t length = path ? strcspn(path + 1, "\n") : 0;

		if (!path)
			continue;
		if (path == kinds + 1 && !m->group[CPU][0] && access("/sys/fs/cgroup/cgroup.controllers", R_OK) == 0) {
			m->second = true;
			take_group(m, CPU, "/sys/fs/cgroup", path + 1, length, "cpu.stat");
			take_group(m, MEMORY, "/sys/fs/cgroup", path + 1, length, "memory.current");
		} else if (strncmp(kinds + 1, "cpu,cpuacct:", 12) == 0) {
			take_group(m, CPU, "/sys/fs/cgroup/cpu,cpuacct", path + 1, length, "cpuacct.usage");
		} else if (strncmp(kinds + 1, "memory:", 7) == 0) {
			take_group(m, MEMORY, "/sys/fs/cgroup/memory", path + 1, length, "memory.usage_in_bytes");
		}
	}
}

static void count_group(const struct ts_observer *m, double now[TS_COUNTERS])
{
	char text[TEXT];

	if (read_group(m, CPU, "cpu.stat", text)) {
		now[TS_COUNT_CPU_US] = number_of(text, "usage_usec");
		now[TS_COUNT_THROTTLED_US] = number_of(text, "throttled_usec");
		if (!m->second && number_of(text, "throttled_time") >= 0)
			now[TS_COUNT_THROTTLED_US] = number_of(text, "throttled_time") / 1000;
	}
	if (!m->second && read_group(m, CPU, "cpuacct.usage", text) && number_at(text) >= 0)
		now[TS_COUNT_CPU_US] = number_at(text) / 1000;
}

static double quota_of(const struct ts_observer *m)
{
	double quota = -1, period = -1, cores = ts_system_cores();
	char text[TEXT];

	if (m->second && read_group(m, CPU, "cpu.max", text)) {
		const char *blank = strchr(text, ' ');

		quota = number_at(text); /* "max": there is none */
		period = blank ? number_at(blank) : -1;
	} else if (!m->second) {
		quota = read_group(m, CPU, "cpu.cfs_quota_us", text) ? number_at(text) : -1;
		period = read_group(m, CPU, "cpu.cfs_period_us", text) ? number_at(text) : -1;
	}
	return quota > 0 && period > 0 && quota / period < cores ? quota / period : cores;
}

/* What can be given back at once, pages of files that nobody used of late, is not in use. */
static void memory_of(const struct ts_observer *m, double *ret_used, double *ret_limit)
{
	double total, limit = -1, idle;
	char text[TEXT];

	(void)read_text("/proc/meminfo", text);
	total = 1024 * number_of(text, "MemTotal");
	*ret_used = total > 0 && number_of(text, "MemAvailable") >= 0 ? total - 1024 * number_of(text, "MemAvailable") : -1;
	if (read_group(m, MEMORY, m->second ? "memory.current" : "memory.usage_in_bytes", text)) {
		*ret_used = number_at(text);
		idle = read_group(m, MEMORY, "memory.stat", text) ? number_of(text, m->second ? "inactive_file" : "total_inactive_file")
								  : -1;
		*ret_used -= idle > 0 && idle < *ret_used ? idle : 0;
	}
	if (read_group(m, MEMORY, m->second ? "memory.max" : "memory.limit_in_bytes", text))
		limit = number_at(text);
	*ret_limit = limit > 0 && (total <= 0 || limit < total) ? limit : total > 0 ? total : -1;
}

/* --- the machine --- */

static void count_processors(double now[TS_COUNTERS])
{
	double kinds[8] = {0}, all = 0;
	const char *at;
	char text[TEXT];

	if (!read_text("/proc/stat", text) || strncmp(text, "cpu ", 4) != 0)
		return;
	at = text + 4;
	for (int i = 0; i < 8; i++) { /* user nice system idle iowait irq softirq steal */
		at += strspn(at, " ");
		kinds[i] = number_at(at);
		at += strspn(at, "0123456789");
		all += kinds[i];
	}
	now[TS_COUNT_TICKS] = all;
	now[TS_COUNT_STEAL] = kinds[7];
	now[TS_COUNT_BUSY] = all - kinds[3] - kinds[4] - kinds[7];
}

/* Of the control group where it says so, else of the machine. */
static double waited(const struct ts_observer *m, int which, const char *kind)
{
	const char *at;
	char text[TEXT], name[64];

	(void)snprintf(name, sizeof name, "%s.pressure", kind);
	if (!m->second || !read_group(m, which, name, text)) {
		(void)snprintf(name, sizeof name, "/proc/pressure/%s", kind);
		(void)read_text(name, text);
	}
	if (strncmp(text, "some ", 5) != 0)
		return -1;
	at = strstr(text, "total=");
	return at ? number_at(at + 6) : -1;
}

static void count_memory(double now[TS_COUNTERS])
{
	double in, out;
	char text[TEXT];

	(void)read_text("/proc/vmstat", text);
	in = number_of(text, "pswpin");
	out = number_of(text, "pswpout");
	now[TS_COUNT_SWAPPED] = in >= 0 && out >= 0 ? in + out : -1;
	now[TS_COUNT_FAULTS] = number_of(text, "pgmajfault");
}

/* The number-th word of a line, from 0. */
static const char *word_of(const char *line, int number)
{
	for (line += strspn(line, " "); number > 0 && *line && *line != '\n'; number--) {
		line += strcspn(line, " \n");
		line += strspn(line, " ");
	}
	return line;
}

/* Whole disks: a part of one would be counted with it. "sda", "nvme0n1", "vda", and not "sda1", "nvme0n1p1", "dm-0", "loop0". */
static bool is_disk(const char *name)
{
	size_t n = strcspn(name, " ");

	if (strncmp(name, "nvme", 4) == 0)
		return !memchr(name, 'p', n);
	return n == 3 && (name[0] == 's' || name[0] == 'v' || name[0] == 'h') && name[1] == 'd';
}

static void count_disks(double now[TS_COUNTERS])
{
	double read = 0, written = 0;
	bool any = false;
	char text[TEXT];

	(void)read_text("/proc/diskstats", text);
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (!is_disk(word_of(line, 2)))
			continue;
		any = true;
		read += 512 * number_at(word_of(line, 5));
		written += 512 * number_at(word_of(line, 9));
	}
	now[TS_COUNT_READ] = any ? read : -1;
	now[TS_COUNT_WRITTEN] = any ? written : -1;
}

static void count_networks(double now[TS_COUNTERS])
{
	double received = 0, sent = 0;
	bool any = false;
	char text[TEXT];

	(void)read_text("/proc/net/dev", text);
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *name = line + strspn(line, " "), *colon = memchr(line, ':', strcspn(line, "\n"));

		if (!colon || strncmp(name, "lo:", 3) == 0)
			continue;
		any = true;
		received += number_at(word_of(colon + 1, 0));
		sent += number_at(word_of(colon + 1, 8));
	}
	now[TS_COUNT_RECEIVED] = any ? received : -1;
	now[TS_COUNT_SENT] = any ? sent : -1;
}

static void count(const struct ts_observer *m, double now[TS_COUNTERS])
{
	for (int i = 0; i < TS_COUNTERS; i++)
		now[i] = -1;
	count_group(m, now);
	count_processors(now);
	now[TS_COUNT_CPU_WAIT_US] = waited(m, CPU, "cpu");
	now[TS_COUNT_MEMORY_WAIT_US] = waited(m, MEMORY, "memory");
	now[TS_COUNT_IO_WAIT_US] = waited(m, MEMORY, "io");
	count_memory(now);
	count_disks(now);
	count_networks(now);
}

/* --- rows --- */

__attribute__((format(printf, 4, 5))) static void write_to(char *to, size_t room, size_t *n, const char *format, ...)
{
	va_list args;
	int wrote;

	if (*n >= room)
		return;
	va_start(args, format);
	wrote = vsnprintf(to + *n, room - *n, format, args);
	va_end(args);
	*n += wrote > 0 ? (size_t)wrote : room;
}

void ts_observe_begin(struct ts_observer *machine, pid_t launcher)
{
	*machine = (struct ts_observer){.began_ns = ts_now_mono_ns(), .named = SIZE_MAX};
	machine->last_ns = machine->began_ns;
	find_groups(machine);
	count(machine, machine->last);
	ts_tree_begin(&machine->tree, launcher);
	ts_gpus_begin(&machine->gpus);
}

void ts_observe_look(struct ts_observer *machine)
{
	ts_gpus_take(&machine->gpus);
}

void ts_observe_end(struct ts_observer *machine)
{
	ts_gpus_end(&machine->gpus);
}

size_t ts_observe_head(struct ts_observer *machine, char *to, size_t room)
{
	size_t n = 0;

	if (machine->named == machine->gpus.n)
		return 0;
	machine->named = machine->gpus.n;
	write_to(to, room, &n, "%s", names);
	for (size_t i = 0; i < machine->named; i++)
		for (int k = 0; k < TS_GPU_VALUES; k++)
			write_to(to, room, &n, ",gpu%zu_%s", i, gpu_names[k]);
	if (n + 2 > room)
		return 0;
	to[n++] = '\n';
	to[n] = '\0';
	return n;
}

/* What a counter rose by, over a whole; below 0: it is not known, or began anew. */
static double rise(const struct ts_observer *m, const double now[TS_COUNTERS], enum ts_observe_counter which, double whole)
{
	double by = now[which] - m->last[which];

	return now[which] < 0 || m->last[which] < 0 || by < 0 || !(whole > 0) ? -1 : by / whole;
}

/* Three digits: more of them are noise, and a table of 24 hours has to be small. */
static void put(char *to, size_t room, size_t *n, double value)
{
	if (!(value >= 0) || !isfinite(value))
		write_to(to, room, n, ",");
	else if (value >= 100 && value < 10000)
		write_to(to, room, n, ",%.0f", value);
	else
		write_to(to, room, n, ",%.3g", value);
}

/* Two digits, of traffic and of shares of the time: of eight GPUs even the third is a third of the table. */
static void put_roughly(char *to, size_t room, size_t *n, double value)
{
	if (value >= 0 && isfinite(value))
		write_to(to, room, n, ",%.2g", value);
	else
		write_to(to, room, n, ",");
}

/* All digits, of what hardly changes. */
static void put_limit(char *to, size_t room, size_t *n, double value)
{
	if (value >= 0 && isfinite(value))
		write_to(to, room, n, ",%.0f", value);
	else
		write_to(to, room, n, ",");
}

static void put_tree(struct ts_observer *machine, char *to, size_t room, size_t *n)
{
	struct ts_tree_takes takes;

	ts_tree_look(&machine->tree, &takes);
	put(to, room, n, takes.processes);
	put(to, room, n, takes.cores);
	put(to, room, n, takes.memory);
	put(to, room, n, takes.ready);
	put(to, room, n, takes.busiest);
	put(to, room, n, takes.workers);
	put(to, room, n, takes.worker_cores);
	put(to, room, n, takes.blocked);
}

static void put_gpus(struct ts_observer *machine, char *to, size_t room, size_t *n)
{
	double values[TS_GPUS_MAX][TS_GPU_VALUES];

	ts_gpus_row(&machine->gpus, values);
	for (size_t i = 0; i < machine->named; i++)
		for (int k = 0; k < TS_GPU_VALUES; k++) {
			bool limit = k == TS_GPU_HAS_MEMORY_LIMIT || k == TS_GPU_HAS_CLOCK_LIMIT || k == TS_GPU_MAY_TAKE_POWER ||
				     k == TS_GPU_WAS_MADE_FOR_POWER;
			bool rough = k == TS_GPU_IS_BUSY || k == TS_GPU_IS_MEMORY_BUSY ||
				     (k >= TS_GPU_IS_HELD_BY_POWER && k <= TS_GPU_COUNT_NVLINK_SENT);

			(limit ? put_limit : rough ? put_roughly : put)(to, room, n, values[i][k]);
		}
}

size_t ts_observe_row(struct ts_observer *machine, char *to, size_t room)
{
	int64_t now_ns = ts_now_mono_ns();
	double us = (double)(now_ns - machine->last_ns) / 1e3, s = us / 1e6, cores = ts_system_cores(), now[TS_COUNTERS], load, used,
	       limit, ticks;
	char text[TEXT];
	size_t n = 0;

	write_to(to, room, &n, "%.1f", (double)(now_ns - machine->began_ns) / 1e9);
	count(machine, now);
	ticks = now[TS_COUNT_TICKS] - machine->last[TS_COUNT_TICKS];
	memory_of(machine, &used, &limit);
	load = -1;
	if (read_text("/proc/loadavg", text) && !ts_parse_double(ts_span_of(text, strcspn(text, " ")), &load))
		load = -1;
	put(to, room, &n,
	    now[TS_COUNT_CPU_US] >= 0 ? rise(machine, now, TS_COUNT_CPU_US, us) : cores * rise(machine, now, TS_COUNT_BUSY, ticks));
	put(to, room, &n, quota_of(machine));
	put_roughly(to, room, &n, rise(machine, now, TS_COUNT_THROTTLED_US, us));
	put_roughly(to, room, &n, rise(machine, now, TS_COUNT_STEAL, ticks));
	put(to, room, &n, load);
	for (enum ts_observe_counter c = TS_COUNT_CPU_WAIT_US; c <= TS_COUNT_IO_WAIT_US; c++)
		put_roughly(to, room, &n, rise(machine, now, c, us));
	put(to, room, &n, used);
	put_limit(to, room, &n, limit);
	for (enum ts_observe_counter c = TS_COUNT_SWAPPED; c <= TS_COUNT_SENT; c++)
		put_roughly(to, room, &n, rise(machine, now, c, s));
	put(to, room, &n, cores * rise(machine, now, TS_COUNT_BUSY, ticks));
	put_limit(to, room, &n, cores);
	put_tree(machine, to, room, &n);
	put_gpus(machine, to, room, &n);
	memcpy(machine->last, now, sizeof now);
	machine->last_ns = now_ns;
	if (n + 2 > room)
		return 0;
	to[n++] = '\n';
	to[n] = '\0';
	return n;
}
