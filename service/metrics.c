#include "service/metrics.h"

#include "base/clock.h"
#include "base/version.h"
#include "service/auth/token.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/resource.h>
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

static void counter(struct ts_buf *out, const char *name, const char *help, double value)
{
	put(out, name, "counter", help, value);
}

/* Who reads, and what pushes did not have to send. */
static void print_vitals(const struct ts_metrics *m, struct ts_buf *out)
{
	struct ts_store_vitals v;
	struct ts_error err;

	if (m->engine->ops->vitals(m->engine, &v, &err))
		return;
	gauge(out, "tscoped_store_readers", "Transactions that read the store now, of all processes.", (double)v.readers);
	gauge(out, "tscoped_store_reader_slots", "How many there can be.", (double)v.reader_slots);
	gauge(out, "tscoped_store_oldest_reader_seconds",
	      "For how long a reader has been seen to hold back pages that were freed since; 0 if none does.", v.oldest_reader_s);
	gauge(out, "tscoped_store_leased_bytes", "Stored bytes that were sent and that no name has reached yet: a lease keeps them.",
	      (double)v.unnamed_bytes);
	gauge(out, "tscoped_store_leased_objects", "The objects of these.", (double)v.unnamed_objects);
	counter(out, "tscoped_store_asked_bytes_total", "Stored bytes of the objects that pushes wanted to be there.",
		(double)v.asked_bytes);
	counter(out, "tscoped_store_new_bytes_total", "Of these, bytes that were not there and were stored.", (double)v.new_bytes);
	if (v.gathers)
		counter(out, "tscoped_bucket_failures_total",
			"Times that packs could not be moved into the bucket or out of it; it is tried again.",
			(double)v.gather_failures);
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
	print_vitals(m, out);
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
	struct rlimit limit;
	struct timespec cpu;

	gauge(out, "process_start_time_seconds", "When the server started, in seconds since 1970.", (double)m->started_ns / 1e9);
	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu) == 0)
		counter(out, "process_cpu_seconds_total", "Seconds of CPU, user and system.",
			(double)cpu.tv_sec + (double)cpu.tv_nsec / 1e9);
	if (descriptors >= 0)
		gauge(out, "process_open_fds", "Open descriptors.", descriptors);
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
		gauge(out, "process_max_fds", "How many descriptors may be open.", (double)limit.rlim_cur);
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
	counter(out, "tscoped_streams_reset_total", "Streams that were reset before they had ended, by either side.",
		(double)counts.resets);
	ts_buf_str(out, "# HELP tscoped_connections_ended_total Connections that were refused or cut, by cause.\n"
			"# TYPE tscoped_connections_ended_total counter\n");
	for (int i = TS_CUTOFF_NONE + 1; i < TS_CUTOFFS; i++)
		ts_buf_printf(out, "tscoped_connections_ended_total{cause=\"%s\"} %" PRIu64 "\n", ts_cutoff_word((enum ts_cutoff)i),
			      counts.ended[i]);
}

/* What the calls hold in arenas and messages. */
static void print_memory(const struct ts_metrics *m, struct ts_buf *out)
{
	size_t limit, used = ts_server_memory(m->server, &limit);

	gauge(out, "tscoped_arena_bytes", "Memory of all calls, in arenas and messages that have arrived.", (double)used);
	if (limit)
		gauge(out, "tscoped_arena_limit_bytes", "How much that may be; calls that need more are refused.", (double)limit);
}

static void print_refused(const struct ts_metrics *m, struct ts_buf *out)
{
	static const struct {
		enum ts_status status;
		const char *cause;
	} causes[] = {{TS_DENIED, "denied"}, {TS_UNAVAILABLE, "busy"},   {TS_NO_MEMORY, "memory"},
		      {TS_FULL, "disk"},     {TS_TOO_LARGE, "too_large"}, {TS_DEADLINE, "deadline"}};

	ts_buf_str(out, "# HELP tscoped_refused_total Calls that were refused or given up, by cause; a quota is too_large.\n"
			"# TYPE tscoped_refused_total counter\n");
	for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++)
		ts_buf_printf(out, "tscoped_refused_total{cause=\"%s\"} %" PRIu64 "\n", causes[i].cause,
			      ts_meter_ended(ts_server_meter(m->server), causes[i].status));
	ts_buf_str(out, "# HELP tscoped_quota_refused_total Writes that a quota did not allow, by quota.\n"
			"# TYPE tscoped_quota_refused_total counter\n");
	for (int i = 0; i < TS_QUOTA_KINDS; i++)
		ts_buf_printf(out, "tscoped_quota_refused_total{quota=\"%s\"} %" PRIu64 "\n", ts_quota_word(i),
			      m->quotas ? (uint64_t)atomic_load(&m->quotas->refused[i]) : 0);
}

static void print_follow(const struct ts_metrics *m, struct ts_buf *out)
{
	struct ts_follow_state state;

	if (!m->follow)
		return;
	ts_follow_look(m->follow, &state);
	if (state.behind_s >= 0)
		gauge(out, "tscoped_follow_behind_seconds", "How long ago the store was what the leader's was.", state.behind_s);
	counter(out, "tscoped_follow_records_total", "Records that came from the leader.", (double)state.records);
	counter(out, "tscoped_follow_failures_total", "Questions that the leader did not answer.", (double)state.failures);
}

static void of_member(struct ts_buf *out, const char *name, const struct ts_member_state *state, uint64_t n)
{
	if (state->self)
		return;
	ts_buf_printf(out, "%s{member=\"", name);
	ts_meter_label(out, state->address);
	ts_buf_printf(out, "\"} %" PRIu64 "\n", n);
}

/* What the other servers of the store do for calls of this one. */
static void print_members(const struct ts_metrics *m, struct ts_buf *out)
{
	struct ts_member_state state;

	if (!m->members)
		return;
	ts_buf_str(out, "# HELP tscoped_member_runs_total Runs that another server of the store reduced for calls of this one.\n"
			"# TYPE tscoped_member_runs_total counter\n");
	for (size_t i = 0; ts_members_look(m->members, i, &state); i++)
		of_member(out, "tscoped_member_runs_total", &state, state.items);
	ts_buf_str(out, "# HELP tscoped_member_failures_total Parts of a call that another server was asked for and refused, or lost.\n"
			"# TYPE tscoped_member_failures_total counter\n");
	for (size_t i = 0; ts_members_look(m->members, i, &state); i++)
		of_member(out, "tscoped_member_failures_total", &state, state.failures);
}

/* Who calls is for those who may read every project. */
static bool may_see_names(const struct ts_metrics *m, struct ts_span bearer)
{
	struct ts_token token;
	struct ts_error err;

	return bearer.len && ts_token_find(m->engine, bearer, ts_now_real_ns(), &token, &err) == TS_OK && token.role >= TS_AUTH_READ &&
	       strcmp(token.projects, "*") == 0;
}

static int metrics_page(void *ctx, struct ts_span bearer, struct ts_buf *out)
{
	struct ts_metrics *m = ctx;

	ts_buf_str(out, "# HELP tscoped_info The version of the server.\n# TYPE tscoped_info gauge\n");
	ts_buf_printf(out, "tscoped_info{version=\"%s\"} 1\n", ts_version());
	gauge(out, "tscoped_calls", "Calls that are running or wait for a thread.", ts_server_calls(m->server));
	print_memory(m, out);
	print_connections(m, out);
	print_refused(m, out);
	print_store(m, out);
	print_follow(m, out);
	print_members(m, out);
	print_process(m, out);
	ts_meter_print(ts_server_meter(m->server), out);
	if (may_see_names(m, bearer))
		ts_meter_print_callers(ts_server_meter(m->server), out);
	return 200;
}

/* Ready: the store answers. A server that stops answers no more, which is an answer, too. */
static int ready_page(void *ctx, struct ts_span bearer, struct ts_buf *out)
{
	struct ts_metrics *m = ctx;
	struct ts_store_stats stats;
	struct ts_error err;

	(void)bearer;
	if (m->engine->ops->stats(m->engine, &stats, &err)) {
		ts_buf_printf(out, "not ready: the store does not answer (%s); the log says more\n", ts_status_word(err.status));
		return 503;
	}
	ts_buf_str(out, "ready\n");
	return 200;
}

static const struct ts_loopback_page pages[] = {
	{"/metrics", "text/plain; version=0.0.4; charset=utf-8", metrics_page},
	{"/ready", "text/plain; charset=utf-8", ready_page},
};

enum ts_status ts_metrics_start(struct ts_metrics *metrics, unsigned port, struct ts_error *err)
{
	return ts_loopback_start(port, pages, sizeof pages / sizeof pages[0], metrics, &metrics->http, err);
}

void ts_metrics_stop(struct ts_metrics *metrics)
{
	ts_loopback_stop(metrics->http);
	metrics->http = NULL;
}
