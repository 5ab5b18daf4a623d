/* run/trace_sheet.h: which rows a table has, and what stands in them. */
#include "run/trace_sheet.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* A call, an operator, a kernel that says its registers, a copy that says nothing, a Python function, and a flow. */
struct fixture {
	struct ts_trace trace;
	struct ts_trace_rows rows;
	struct ts_arena arena;
	struct ts_error err;
};

static const char *const names[] = {"", "cudaLaunchKernel", "aten::mm", "gemm", "Memcpy", "f", "[32,1,1]", "python", "main", "7"};
enum { N_NAMES = sizeof names / sizeof names[0] };
static struct ts_span words[N_NAMES];
static const struct ts_trace_thread threads[] = {{.pid = 10, .tid = 11, .process = 7, .thread = 8},
						 {.pid = 0, .tid = TS_TRACE_NONE, .tid_text = 9}};

static void begin(struct fixture *f)
{
	static const uint8_t kinds[] = {TS_TRACE_RUNTIME, TS_TRACE_OPERATOR, TS_TRACE_KERNEL, TS_TRACE_COPY, TS_TRACE_PYTHON};
	struct ts_trace_spans *spans = &f->rows.spans;

	*f = (struct fixture){.rows.spans.n = 0};
	ts_arena_init(&f->arena, 1 << 20);
	assert_int_equal(ts_trace_rows_reserve(&f->rows, 5, &f->err), TS_OK);
	for (size_t i = 0; i < N_NAMES; i++)
		words[i] = ts_span_str(names[i]);
	for (size_t i = 0; i < 5; i++) {
#define UNSET(type, column) spans->column[i] = 0;
		TS_TRACE_SPAN_COLUMNS(UNSET)
		spans->start_ns[i] = 100 * (int64_t)i;
		spans->duration_ns[i] = (int64_t)i;
		spans->correlation[i] = i == 4 ? TS_TRACE_NONE : 5;
		spans->name[i] = (uint32_t)i + 1;
		spans->kind[i] = kinds[i];
		spans->thread[i] = i >= 2 && i <= 3;
		spans->device[i] = i >= 2 && i <= 3 ? 0 : TS_TRACE_NO_DEVICE;
	}
	spans->n = 5;
	f->rows.kernels.span[0] = 2;
	f->rows.kernels.grid[0] = 6;
	f->rows.kernels.block[0] = f->rows.kernels.name[0] = 0;
	f->rows.kernels.occupancy[0] = NAN;
	f->rows.kernels.warps[0] = 0.5;
	f->rows.kernels.registers[0] = 40;
	f->rows.kernels.shared_bytes[0] = f->rows.kernels.graph[0] = f->rows.kernels.node[0] = TS_TRACE_NONE;
	f->rows.kernels.n = 1;
	f->rows.flows.time_ns[0] = 3;
	f->rows.flows.id[0] = 9;
	f->rows.flows.category[0] = f->rows.flows.thread[0] = 0;
	f->rows.flows.end[0] = 1;
	f->rows.flows.n = 1;
	assert_int_equal(ts_trace_append(&f->trace, &f->rows, &f->err), TS_OK);
	f->trace.names = words;
	f->trace.n_names = N_NAMES;
	f->trace.threads = threads;
	f->trace.n_threads = 2;
}

static void finish(struct fixture *f)
{
	ts_trace_rows_finish(&f->rows);
	ts_trace_finish(&f->trace);
	ts_arena_finish(&f->arena);
}

static struct ts_trace_sheet opened(struct fixture *f, const char *name)
{
	struct ts_trace_sheet sheet;

	assert_int_equal(ts_trace_sheet_open(&f->trace, ts_span_str(name), &f->arena, &sheet, &f->err), TS_OK);
	return sheet;
}

static const struct ts_sheet_column *column(const struct ts_trace_sheet *sheet, const char *name)
{
	for (size_t i = 0; i < sheet->n_columns; i++)
		if (strcmp(sheet->columns[i].name, name) == 0)
			return &sheet->columns[i];
	fail_msg("there is no column %s", name);
	return NULL;
}

static void says(const struct ts_trace_sheet *sheet, const char *name, size_t row, const char *text)
{
	const struct ts_sheet_column *c = column(sheet, name);

	assert_int_equal(c->type, TS_SHEET_TEXT);
	assert_true(ts_span_is(ts_sheet_text(sheet, c, ts_sheet_code(sheet, c, row)), text));
}

static void kernels_are_the_work_of_devices(void **state)
{
	struct ts_trace_sheet sheet;
	struct fixture f;

	(void)state;
	begin(&f);
	sheet = opened(&f, "kernels");
	assert_int_equal(sheet.rows, 2);
	assert_int_equal(ts_sheet_int(&sheet, column(&sheet, "row"), 0), 2);
	assert_int_equal(ts_sheet_int(&sheet, column(&sheet, "row"), 1), 3);
	says(&sheet, "kind", 0, "kernel");
	says(&sheet, "kind", 1, "copy");
	says(&sheet, "name", 0, "gemm");
	says(&sheet, "grid", 0, "[32,1,1]");
	says(&sheet, "grid", 1, "");
	says(&sheet, "thread", 0, "7");
	says(&sheet, "process", 0, "");
	assert_int_equal(ts_sheet_int(&sheet, column(&sheet, "tid"), 0), TS_TRACE_NONE);
	assert_int_equal(ts_sheet_int(&sheet, column(&sheet, "registers"), 0), 40);
	assert_int_equal(ts_sheet_int(&sheet, column(&sheet, "registers"), 1), TS_TRACE_NONE);
	assert_true(ts_sheet_double(&sheet, column(&sheet, "warps"), 0) == 0.5);
	assert_true(isnan(ts_sheet_double(&sheet, column(&sheet, "warps"), 1)));
	assert_true(isnan(ts_sheet_double(&sheet, column(&sheet, "occupancy"), 0)));
	finish(&f);
}

static void other_tables(void **state)
{
	struct ts_trace_sheet sheet;
	struct fixture f;

	(void)state;
	begin(&f);
	sheet = opened(&f, "events");
	assert_int_equal(sheet.rows, 5);
	says(&sheet, "process", 0, "python");
	says(&sheet, "thread", 4, "main");
	says(&sheet, "kind", 0, "runtime");
	assert_int_equal(ts_sheet_int(&sheet, column(&sheet, "pid"), 1), 10);
	assert_int_equal(ts_sheet_int(&sheet, column(&sheet, "device"), 0), TS_TRACE_NONE);
	assert_int_equal(ts_sheet_int(&sheet, column(&sheet, "device"), 3), 0);
	assert_int_equal(ts_sheet_int(&sheet, column(&sheet, "start_ns"), 3), 300);
	sheet = opened(&f, "operators");
	assert_int_equal(sheet.rows, 1);
	says(&sheet, "module", 0, "");
	sheet = opened(&f, "flows");
	assert_int_equal(sheet.rows, 1);
	assert_int_equal(ts_sheet_int(&sheet, column(&sheet, "id"), 0), 9);
	assert_int_equal(ts_sheet_int(&sheet, column(&sheet, "end"), 0), 1);
	assert_int_equal(opened(&f, "collectives").rows, 0);
	for (size_t i = 0; i < TS_TRACE_SHEETS; i++)
		assert_string_equal(opened(&f, ts_trace_sheet_name(i)).name, ts_trace_sheet_name(i));
	assert_int_equal(ts_trace_sheet_open(&f.trace, ts_span_str("kernel"), &f.arena, &sheet, &f.err), TS_NOT_FOUND);
	assert_string_equal(f.err.text, "a trace has no table kernel; it has events, operators, kernels, frames, collectives, syncs, "
					"flows, allocations, counters");
	finish(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_are_the_work_of_devices),
		cmocka_unit_test(other_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
