#include "service/rpc/meter.h"

#include "base/alloc.h"
#include "base/held.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { STATUSES = TS_INTERNAL + 1, NAME = 80, BOUNDS = 10 };

static const struct {
	int64_t ns;
	const char *text;
} bounds[BOUNDS] = {{1000000, "0.001"}, {5000000, "0.005"},  {20000000, "0.02"},  {100000000, "0.1"},	 {500000000, "0.5"},
		    {2000000000, "2"},	{10000000000, "10"}, {60000000000, "60"}, {300000000000, "300"}, {INT64_MAX, "+Inf"}};

struct times {
	atomic_uint_fast64_t within[BOUNDS]; /* not cumulative; printed so */
	atomic_uint_fast64_t sum_ns;
};

struct method {
	const char *name;
	atomic_uint_fast64_t ended[STATUSES], bytes_in, bytes_out;
	struct times duration, waited;
};

struct caller {
	char name[NAME];
	uint64_t calls, refused, bytes_in;
};

struct ts_meter {
	size_t n;
	pthread_mutex_t mutex;			     /* of the callers */
	struct caller callers[TS_METER_CALLERS + 1]; /* the last is "other" */
	size_t n_callers;
	struct method methods[];
};

enum ts_status ts_meter_create(const char *const *names, size_t n, struct ts_meter **ret_meter, struct ts_error *err)
{
	struct ts_meter *meter = ts_alloc_array(1, sizeof *meter + n * sizeof meter->methods[0]);

	if (!meter)
		return ts_error_set(err, TS_NO_MEMORY, "no memory for the counters of the server");
	meter->n = n;
	for (size_t i = 0; i < n; i++)
		meter->methods[i].name = names[i];
	(void)snprintf(meter->callers[TS_METER_CALLERS].name, NAME, "other");
	pthread_mutex_init(&meter->mutex, NULL);
	*ret_meter = meter;
	return TS_OK;
}

void ts_meter_destroy(struct ts_meter *meter)
{
	if (!meter)
		return;
	pthread_mutex_destroy(&meter->mutex);
	ts_free(meter);
}

static void add(atomic_uint_fast64_t *counter, uint64_t n)
{
	atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

static uint64_t got(atomic_uint_fast64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

static void time_in(struct times *times, int64_t ns)
{
	size_t i = 0;

	while (ns > bounds[i].ns)
		i++;
	add(&times->within[i], 1);
	add(&times->sum_ns, ns > 0 ? (uint64_t)ns : 0);
}

/* The caller holds the mutex. */
static struct caller *caller_of(struct ts_meter *meter, const char *name)
{
	TS_DOOR_HELD(&meter->mutex);
	for (size_t i = 0; i < meter->n_callers; i++)
		if (strncmp(meter->callers[i].name, name, NAME - 1) == 0)
			return &meter->callers[i];
	if (meter->n_callers == TS_METER_CALLERS)
		return &meter->callers[TS_METER_CALLERS];
	(void)snprintf(meter->callers[meter->n_callers].name, NAME, "%s", name);
	return &meter->callers[meter->n_callers++];
}

void ts_meter_count(struct ts_meter *meter, const struct ts_metered_call *call)
{
	struct method *method = &meter->methods[call->method];
	struct caller *caller;

	add(&method->ended[call->status], 1);
	add(&method->bytes_in, call->bytes_in);
	add(&method->bytes_out, call->bytes_out);
	time_in(&method->duration, call->duration_ns);
	time_in(&method->waited, call->waited_ns);
	pthread_mutex_lock(&meter->mutex);
	caller = caller_of(meter, call->caller);
	caller->calls++;
	caller->bytes_in += call->bytes_in;
	caller->refused += call->status == TS_DENIED || call->status == TS_UNAVAILABLE;
	pthread_mutex_unlock(&meter->mutex);
}

uint64_t ts_meter_ended(struct ts_meter *meter, enum ts_status status)
{
	uint64_t n = 0;

	for (size_t i = 0; i < meter->n; i++)
		n += got(&meter->methods[i].ended[status]);
	return n;
}

void ts_meter_label(struct ts_buf *out, const char *value)
{
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			ts_buf_char(out, '\\');
		if (*value == '\n')
			ts_buf_str(out, "\\n");
		else if ((uint8_t)*value >= 0x20 && *value != 0x7f)
			ts_buf_char(out, *value);
	}
}

static void head(struct ts_buf *out, const char *name, const char *type, const char *help)
{
	ts_buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void print_ended(struct ts_meter *meter, struct ts_buf *out)
{
	head(out, "tscoped_calls_total", "counter", "Calls that ended, by method and status.");
	for (size_t i = 0; i < meter->n; i++)
		for (int status = 0; status < STATUSES; status++)
			if (got(&meter->methods[i].ended[status]))
				ts_buf_printf(out, "tscoped_calls_total{method=\"%s\",status=\"%s\"} %" PRIu64 "\n",
					      meter->methods[i].name, ts_status_word((enum ts_status)status),
					      got(&meter->methods[i].ended[status]));
}

static void print_times(struct ts_meter *meter, bool waited, const char *name, const char *help, struct ts_buf *out)
{
	head(out, name, "histogram", help);
	for (size_t i = 0; i < meter->n; i++) {
		struct times *times = waited ? &meter->methods[i].waited : &meter->methods[i].duration;
		uint64_t n = 0;

		for (size_t k = 0; k < BOUNDS; k++) {
			n += got(&times->within[k]);
			ts_buf_printf(out, "%s_bucket{method=\"%s\",le=\"%s\"} %" PRIu64 "\n", name, meter->methods[i].name,
				      bounds[k].text, n);
		}
		ts_buf_printf(out, "%s_sum{method=\"%s\"} %.9g\n%s_count{method=\"%s\"} %" PRIu64 "\n", name, meter->methods[i].name,
			      (double)got(&times->sum_ns) / 1e9, name, meter->methods[i].name, n);
	}
}

static void print_bytes(struct ts_meter *meter, bool in, const char *name, const char *help, struct ts_buf *out)
{
	head(out, name, "counter", help);
	for (size_t i = 0; i < meter->n; i++)
		ts_buf_printf(out, "%s{method=\"%s\"} %" PRIu64 "\n", name, meter->methods[i].name,
			      got(in ? &meter->methods[i].bytes_in : &meter->methods[i].bytes_out));
}

static void print_caller(const struct caller *caller, const char *name, uint64_t value, struct ts_buf *out)
{
	ts_buf_printf(out, "%s{caller=\"", name);
	ts_meter_label(out, caller->name);
	ts_buf_printf(out, "\"} %" PRIu64 "\n", value);
}

void ts_meter_print(struct ts_meter *meter, struct ts_buf *out)
{
	print_ended(meter, out);
	print_times(meter, false, "tscoped_call_seconds", "From the arrival of a call to its end.", out);
	print_times(meter, true, "tscoped_queue_seconds", "What a call waited for a thread.", out);
	print_bytes(meter, true, "tscoped_received_bytes_total", "Bytes of request messages.", out);
	print_bytes(meter, false, "tscoped_sent_bytes_total", "Bytes of reply messages.", out);
}

void ts_meter_print_callers(struct ts_meter *meter, struct ts_buf *out)
{
	static const char *const names[] = {"tscoped_caller_calls_total", "tscoped_caller_refused_total",
					    "tscoped_caller_received_bytes_total"};
	static const char *const helps[] = {"Calls that ended, by who called.",
					    "Calls that were denied or found no room, by who called.",
					    "Bytes of requests, by who called."};

	pthread_mutex_lock(&meter->mutex);
	for (size_t k = 0; k < 3; k++) {
		head(out, names[k], "counter", helps[k]);
		for (size_t i = 0; i <= TS_METER_CALLERS; i++) {
			const struct caller *c = &meter->callers[i];
			uint64_t values[] = {c->calls, c->refused, c->bytes_in};

			if (c->calls)
				print_caller(c, names[k], values[k], out);
		}
	}
	pthread_mutex_unlock(&meter->mutex);
}
