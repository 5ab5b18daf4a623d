#include "service/metrics.h"

#include "base/clock.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

static void put(struct ts_buf *out, const char *name, const char *type, const char *help, double value)
{
	ts_buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n%s %.17g\n", name, help, name, type, name, value);
}

static void gauge(struct ts_buf *out, const char *name, const char *help, double value)
{
	put(out, name, "gauge", help, value);
}

/* What cannot be asked is left out: an absent value is a gap in a graph, and 0 would be a lie. */
static void print_store(const struct ts_metrics *m, struct ts_buf *out)
{
	struct ts_store_stats stats;
	struct ts_error err;
	struct statvfs disk;
	bool known = m->engine->ops->stats(m->engine, &stats, &err) == TS_OK;

	gauge(out, "tscoped_store_up", "1 if the store answers.", known);
	if (known) {
		gauge(out, "tscoped_store_objects", "Objects in the store.", (double)stats.objects);
		gauge(out, "tscoped_store_names", "Names, tags, branches and stages.", (double)stats.refs);
		gauge(out, "tscoped_store_object_bytes", "Stored bytes of the objects.", (double)stats.stored_bytes);
		gauge(out, "tscoped_store_file_bytes", "What the store takes on the disk.", (double)stats.file_bytes);
	}
	if (statvfs(m->store, &disk) == 0) {
		gauge(out, "tscoped_disk_size_bytes", "The file system of the store.", (double)disk.f_blocks * (double)disk.f_frsize);
		gauge(out, "tscoped_disk_free_bytes", "Of it, free for the user of the server.",
		      (double)disk.f_bavail * (double)disk.f_frsize);
	}
}

/* The descriptors of this process, without the one that counts them; -1: not known. */
static int count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = -1;

	if (!dir)
		return -1;
	for (struct dirent *entry; (entry = readdir(dir));)
		n += entry->d_name[0] != '.';
	(void)closedir(dir);
	return n;
}

static void print_process(const struct ts_metrics *m, struct ts_buf *out)
{
	long size, resident, shared, page = sysconf(_SC_PAGESIZE);
	FILE *statm = fopen("/proc/self/statm", "re");
	int descriptors = count_descriptors();
	struct timespec cpu;

	put(out, "process_start_time_seconds", "gauge", "When the server started, in seconds since 1970.", (double)m->started_ns / 1e9);
	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu) == 0)
		put(out, "process_cpu_seconds_total", "counter", "Seconds of CPU, user and system.",
		    (double)cpu.tv_sec + (double)cpu.tv_nsec / 1e9);
	if (descriptors >= 0)
		gauge(out, "process_open_fds", "Open descriptors.", descriptors);
	if (statm && fscanf(statm, "%ld %ld %ld", &size, &resident, &shared) == 3) {
		gauge(out, "process_resident_memory_bytes", "Memory in RAM, with the pages of the store that are mapped.",
		      (double)resident * (double)page);
		gauge(out, "tscoped_anonymous_memory_bytes", "Memory in RAM that is not a file's.",
		      (double)(resident - shared) * (double)page);
	}
	if (statm)
		(void)fclose(statm);
}

static void print_connections(const struct ts_metrics *m, struct ts_buf *out)
{
	struct ts_guard_counts counts;

	ts_server_connections(m->server, &counts);
	gauge(out, "tscoped_connections", "Open connections.", counts.connections);
	ts_buf_str(out, "# HELP tscoped_connections_ended_total Connections that were refused or cut, by cause.\n"
			"# TYPE tscoped_connections_ended_total counter\n");
	for (int i = TS_CUTOFF_NONE + 1; i < TS_CUTOFFS; i++)
		ts_buf_printf(out, "tscoped_connections_ended_total{cause=\"%s\"} %" PRIu64 "\n", ts_cutoff_word((enum ts_cutoff)i),
			      counts.ended[i]);
}

static int metrics_page(void *ctx, struct ts_buf *out)
{
	struct ts_metrics *m = ctx;

	ts_buf_str(out, "# HELP tscoped_info The version of the server.\n# TYPE tscoped_info gauge\ntscoped_info{version=\"" TS_VERSION
			"\"} 1\n");
	gauge(out, "tscoped_calls", "Calls that are running or wait for a thread.", ts_server_calls(m->server));
	print_connections(m, out);
	print_store(m, out);
	print_process(m, out);
	ts_meter_print(ts_server_meter(m->server), out);
	return 200;
}

/* Ready: the store answers. A server that stops answers no more, which is an answer, too. */
static int ready_page(void *ctx, struct ts_buf *out)
{
	struct ts_metrics *m = ctx;
	struct ts_store_stats stats;
	struct ts_error err;

	if (m->engine->ops->stats(m->engine, &stats, &err)) {
		ts_buf_printf(out, "not ready: %s\n", err.text);
		return 503;
	}
	ts_buf_str(out, "ready\n");
	return 200;
}

static const struct ts_http_page pages[] = {
	{"/metrics", "text/plain; version=0.0.4; charset=utf-8", metrics_page},
	{"/ready", "text/plain; charset=utf-8", ready_page},
};

enum ts_status ts_metrics_start(struct ts_metrics *metrics, unsigned port, struct ts_error *err)
{
	return ts_http_start(port, pages, sizeof pages / sizeof pages[0], metrics, &metrics->http, err);
}

void ts_metrics_stop(struct ts_metrics *metrics)
{
	ts_http_stop(metrics->http);
	metrics->http = NULL;
}
