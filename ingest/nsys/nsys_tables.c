/* The columns are those that NVIDIA documents (Nsight Systems User Guide, SQLite Schema Reference), of versions from 2021 on. */
#include "ingest/nsys/nsys_tables.h"

#include "base/text.h"

#include <stdio.h>

/* A globalTid has the process and the thread in 24 bits each, and a globalPid is one without a thread. */
enum { ID_BITS = 24, ID_MASK = (1 << ID_BITS) - 1, CORRELATION_BITS = 32 };

static int64_t number(const struct ts_nsys_row *row, int column)
{
	return sqlite3_column_type(row->query, column) == SQLITE_INTEGER ? sqlite3_column_int64(row->query, column) : TS_TRACE_NONE;
}

static struct ts_trace_text taken(struct ts_nsys_row *row, struct ts_span said)
{
	row->text_bytes += said.len;
	return (struct ts_trace_text){.data = said.len ? said.data : NULL, .len = (uint32_t)said.len};
}

static struct ts_trace_text text(struct ts_nsys_row *row, int column)
{
	return taken(row, ts_sqlite_text(row->query, column));
}

/* The text of StringIds to which the column refers, until the next one. It is looked for by itself, so that one which is larger than a
 * cell may be costs the name, and not all rows. */
static struct ts_trace_text referred(struct ts_nsys_row *row, int column)
{
	int64_t id = number(row, column);
	int code;

	if (!row->strings || id == TS_TRACE_NONE || row->status)
		return (struct ts_trace_text){.data = NULL};
	(void)sqlite3_reset(row->strings);
	(void)sqlite3_bind_int64(row->strings, 1, id);
	code = sqlite3_step(row->strings);
	if (code == SQLITE_ROW)
		return taken(row, ts_sqlite_text(row->strings, 0));
	if ((code & 0xff) == SQLITE_TOOBIG)
		row->no_name = true;
	else if (code != SQLITE_DONE)
		row->status = ts_sqlite_error(sqlite3_db_handle(row->strings), row->path, row->err);
	return (struct ts_trace_text){.data = NULL};
}

static struct ts_trace_text word(const char *s)
{
	return (struct ts_trace_text){.data = (const uint8_t *)s, .len = (uint32_t)strlen(s)};
}

/* Columns 0 and 1 of every table: start and end. */
static void times(const struct ts_nsys_row *row, struct ts_trace_event *e)
{
	int64_t end = number(row, 1);

	e->phase = 'X';
	e->time_ns = number(row, 0);
	if (end != TS_TRACE_NONE && e->time_ns != TS_TRACE_NONE && __builtin_sub_overflow(end, e->time_ns, &e->duration_ns))
		e->duration_ns = TS_TRACE_NONE;
}

/* CUPTI numbers the calls of each process by itself, in 32 bits. The numbers of the first process stay; before those of another stands
 * how far its number is from the first one's. */
static int64_t of_process(struct ts_nsys_row *row, int64_t correlation, int64_t process)
{
	struct ts_nsys_processes *p = row->processes;

	if (p->first == TS_TRACE_NONE)
		p->first = process;
	if (correlation < 0 || correlation > UINT32_MAX)
		return TS_TRACE_NONE;
	return (((process - p->first) & ID_MASK) << CORRELATION_BITS) | correlation;
}

/* Columns 2 to 5 of what devices did: device, stream, correlation, process. 2^32-1 is no stream: a wait is of all. */
static void place(struct ts_nsys_row *row, struct ts_trace_event *e)
{
	int64_t process = number(row, 5);

	e->pid.number = e->device = number(row, 2);
	e->tid.number = e->stream = number(row, 3) == UINT32_MAX ? TS_TRACE_NONE : number(row, 3);
	if (process != TS_TRACE_NONE)
		e->correlation = of_process(row, number(row, 4), (process >> ID_BITS) & ID_MASK);
	else if (!row->processes->several)
		e->correlation = of_process(row, number(row, 4), row->processes->first);
	else
		row->no_launch = true;
}

static void thread(const struct ts_nsys_row *row, int column, struct ts_trace_event *e)
{
	int64_t global = number(row, column);

	if (global == TS_TRACE_NONE)
		return;
	e->pid.number = (global >> ID_BITS) & ID_MASK;
	e->tid.number = global & ID_MASK;
}

static struct ts_trace_text triple(const struct ts_nsys_row *row, int column, char *to)
{
	int64_t x = number(row, column), y = number(row, column + 1), z = number(row, column + 2);

	if (x == TS_TRACE_NONE || y == TS_TRACE_NONE || z == TS_TRACE_NONE)
		return (struct ts_trace_text){.data = NULL};
	(void)snprintf(to, TS_NSYS_TEXT, "[%" PRId64 ",%" PRId64 ",%" PRId64 "]", x, y, z);
	return word(to);
}

/* Two numbers of bytes together, of which the sum has to be one. */
static int64_t sum(int64_t a, int64_t b)
{
	int64_t all;

	if (a == TS_TRACE_NONE || b == TS_TRACE_NONE || __builtin_add_overflow(a, b, &all))
		return TS_TRACE_NONE;
	return all;
}

/* CUPTI numbers the nodes of a graph behind 32 bits that are the number of the graph. */
static int64_t graph_of(int64_t node)
{
	return node == TS_TRACE_NONE ? TS_TRACE_NONE : node >> 32;
}

static bool kernel(struct ts_nsys_row *row, struct ts_trace_event *e)
{
	times(row, e);
	place(row, e);
	e->category = word("kernel");
	e->name = referred(row, 6);
	if (!e->name.data)
		e->name = referred(row, 7);
	e->says = TS_TRACE_SAYS_KERNEL;
	e->kernels = (struct ts_trace_says_kernel){.grid = triple(row, 8, row->grid),
						   .block = triple(row, 11, row->block),
						   .occupancy = __builtin_nan(""),
						   .warps = __builtin_nan(""),
						   .registers = number(row, 14),
						   .shared_bytes = sum(number(row, 15), number(row, 16)),
						   .graph = graph_of(number(row, 17)),
						   .node = number(row, 17)};
	return true;
}

/* CUpti_ActivityMemcpyKind, by the words that Kineto has for it. */
static const char *const copies[] = {"Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"};

static bool copy(struct ts_nsys_row *row, struct ts_trace_event *e)
{
	int64_t kind = number(row, 7);
	bool known = kind > 0 && kind < (int64_t)(sizeof copies / sizeof copies[0]);

	times(row, e);
	place(row, e);
	e->category = word("gpu_memcpy");
	e->bytes = number(row, 6);
	(void)snprintf(row->name, sizeof row->name, "Memcpy %s", known ? copies[kind] : copies[0]);
	e->name = word(row->name);
	return true;
}

static bool fill(struct ts_nsys_row *row, struct ts_trace_event *e)
{
	times(row, e);
	place(row, e);
	e->category = word("gpu_memset");
	e->bytes = number(row, 6);
	e->name = word("Memset");
	return true;
}

/* A graph as a whole, where the recording does not go into graphs. */
static bool graph(struct ts_nsys_row *row, struct ts_trace_event *e)
{
	times(row, e);
	place(row, e);
	e->category = word("kernel");
	(void)snprintf(row->name, sizeof row->name, "CUDA graph %" PRId64, number(row, 6));
	e->name = number(row, 6) == TS_TRACE_NONE ? word("CUDA graph") : word(row->name);
	return true;
}

/* CUpti_ActivitySynchronizationType, by the words that Kineto has for it. */
static const char *const waits[] = {"Unknown", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"};

static bool wait(struct ts_nsys_row *row, struct ts_trace_event *e)
{
	int64_t kind = number(row, 6);
	bool known = kind > 0 && kind < (int64_t)(sizeof waits / sizeof waits[0]);

	times(row, e);
	place(row, e);
	e->category = word("cuda_sync");
	e->name = word(known ? waits[kind] : waits[0]);
	return true;
}

/* cudaLaunchKernel_v7000 and cudaLaunchKernel_ptsz_v7000 are cudaLaunchKernel. */
static struct ts_trace_text without_version(struct ts_trace_text name)
{
	static const char ptsz[] = "_ptsz", ptds[] = "_ptds";
	size_t n = name.len;

	while (n && ts_is_digit(name.data[n - 1]))
		n--;
	if (n == name.len || n < 2 || name.data[n - 1] != 'v' || name.data[n - 2] != '_')
		n = name.len + 2;
	n -= 2;
	if (n > 5 && (memcmp(name.data + n - 5, ptsz, 5) == 0 || memcmp(name.data + n - 5, ptds, 5) == 0))
		n -= 5;
	name.len = (uint32_t)n;
	return name;
}

static bool call(struct ts_nsys_row *row, struct ts_trace_event *e)
{
	times(row, e);
	thread(row, 2, e);
	if (e->pid.number != TS_TRACE_NONE) {
		e->correlation = of_process(row, number(row, 3), e->pid.number);
		row->processes->several |= e->pid.number != row->processes->first;
	} else {
		row->no_launch = true;
	}
	e->name = without_version(referred(row, 4));
	e->category = word(e->name.len > 4 && memcmp(e->name.data, "cuda", 4) == 0 ? "cuda_runtime" : "cuda_driver");
	return true;
}

/* torch.autograd.profiler.emit_nvtx writes "aten::mm, seq = 3, op_id = 7, sizes = [[2, 3], [3, 4]]". */
static bool is_operator(struct ts_trace_text name)
{
	return name.len > 6 && memcmp(name.data, "aten::", 6) == 0;
}

static struct ts_trace_text behind(struct ts_trace_text text, const char *key)
{
	size_t n = strlen(key);

	for (size_t i = 0; i + n <= text.len; i++)
		if (memcmp(text.data + i, key, n) == 0)
			return (struct ts_trace_text){.data = text.data + i + n, .len = (uint32_t)(text.len - i - n)};
	return (struct ts_trace_text){.data = NULL};
}

/* Lists of whole numbers, closed as often as they are opened: what a file says is not JSON because it stands there. */
static bool is_sizes(struct ts_trace_text text)
{
	bool number = false, any = false; /* behind a number or a list; in the list that is open there is something */
	size_t depth = 0;

	for (size_t i = 0; i < text.len; i++) {
		uint8_t c = text.data[i], before = i ? text.data[i - 1] : 0;

		if (c == '[') {
			if (number || (i && !depth))
				return false;
			depth++;
			any = false;
		} else if (c == ']') {
			if (!depth || (!number && any))
				return false;
			depth--;
			number = any = true;
		} else if (c == ',') {
			if (!number)
				return false;
			number = false;
		} else if (ts_is_digit(c)) {
			if (!depth || (number && !ts_is_digit(before)) || (before == '0' && !(i > 1 && ts_is_digit(text.data[i - 2]))))
				return false;
			number = any = true;
		} else if (c != ' ') {
			return false;
		}
		if (!depth && c == ']')
			return i + 1 == text.len;
	}
	return false;
}

static void read_operator(struct ts_trace_event *e)
{
	struct ts_trace_text sizes = behind(e->name, ", sizes = ");
	static const char ids[] = ", input_op_ids";
	const uint8_t *comma = memchr(e->name.data, ',', e->name.len);
	struct ts_trace_text rest = behind(sizes, ids);

	if (rest.data)
		sizes.len -= rest.len + (uint32_t)sizeof ids - 1;
	e->category = word("cpu_op");
	e->name.len = comma ? (uint32_t)(comma - e->name.data) : e->name.len;
	if (is_sizes(sizes)) {
		e->shapes = sizes;
		e->shapes.json = true;
	}
}

/* A range between start and end may overlap others and end on another thread, so it stands within nothing, and nothing within it: of
 * each thread, those that it began are on one beside it. */
static void beside(struct ts_nsys_row *row, struct ts_trace_event *e)
{
	if (e->tid.number == TS_TRACE_NONE)
		return;
	(void)snprintf(row->grid, sizeof row->grid, "start/end %" PRId64, e->tid.number);
	e->tid = (struct ts_trace_name){.number = TS_TRACE_NONE, .text = word(row->grid)};
}

static bool range(struct ts_nsys_row *row, struct ts_trace_event *e)
{
	enum { PUSH_POP = 59, START_END = 60 };
	int64_t kind = number(row, 2), end = number(row, 1);

	if ((kind != TS_TRACE_NONE && kind != PUSH_POP && kind != START_END) || end == TS_TRACE_NONE || end < number(row, 0))
		return false;
	times(row, e);
	thread(row, 3, e);
	if (kind == START_END)
		beside(row, e);
	e->category = word("user_annotation");
	e->name = text(row, 4);
	if (!e->name.data)
		e->name = referred(row, 5);
	if (is_operator(e->name))
		read_operator(e);
	return true;
}

static bool name(struct ts_nsys_row *row, struct ts_trace_event *e)
{
	e->phase = 'M';
	thread(row, 0, e);
	e->name = word("thread_name");
	e->arg_name = referred(row, 1);
	return e->arg_name.data && e->pid.number != TS_TRACE_NONE;
}

#define PLACE "start", "end", "deviceId", "streamId", "correlationId", "globalPid"
const struct ts_nsys_table ts_nsys_tables[] = {
	{"CUPTI_ACTIVITY_KIND_RUNTIME", {"start", "end", "globalTid", "correlationId", "=nameId"}, call, false},
	{"ThreadNames", {"globalTid", "=nameId"}, name, false},
	{"NVTX_EVENTS", {"start", "end", "eventType", "globalTid", "text", "=textId"}, range, false},
	{"CUPTI_ACTIVITY_KIND_KERNEL",
	 {PLACE, "=demangledName", "=shortName", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "registersPerThread",
	  "staticSharedMemory", "dynamicSharedMemory", "graphNodeId"},
	 kernel,
	 true},
	{"CUPTI_ACTIVITY_KIND_MEMCPY", {PLACE, "bytes", "copyKind"}, copy, true},
	{"CUPTI_ACTIVITY_KIND_MEMSET", {PLACE, "bytes"}, fill, true},
	{"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", {PLACE, "graphId"}, graph, true},
	{"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", {PLACE, "syncType"}, wait, false},
#undef PLACE
};
const size_t ts_nsys_n_tables = sizeof ts_nsys_tables / sizeof ts_nsys_tables[0];
