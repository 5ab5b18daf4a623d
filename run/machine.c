#include "run/machine.h"

#include "base/number.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

const char *const ts_machine_names[TS_MACHINE_COLUMNS] = {
	"seconds",
	"cpu_cores",
	"cpu_quota_cores",
	"cpu_throttled",
	"cpu_steal",
	"load",
	"cpu_waiting",
	"memory_waiting",
	"disk_waiting",
	"memory_bytes",
	"memory_limit_bytes",
	"swapped_pages_per_s",
	"major_faults_per_s",
	"read_bytes_per_s",
	"written_bytes_per_s",
	"received_bytes_per_s",
	"sent_bytes_per_s",
	"machine_cores",
	"machine_cores_all",
	"processes",
	"job_cores",
	"job_memory_bytes",
	"threads_ready",
	"busiest_cores",
	"workers",
	"worker_cores",
	"workers_blocked",
};

const char *const ts_gpu_names[TS_GPU_COLUMNS] = {
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

enum {
	FIELDS_MAX = 512,
	VALUES_MAX = 1 << 23,
	PLACES = TS_MACHINE_COLUMNS + TS_MACHINE_GPUS_MAX * TS_GPU_COLUMNS, /* of the machine, then of GPU 0, 1, ... */
};

/* The columns of the lines that follow a line of names. */
struct head {
	size_t n;
	int places[FIELDS_MAX]; /* -1: not one that is known here */
};

/* Cuts the text up to the next separator off *io. */
static struct ts_span cut(struct ts_span *io, uint8_t separator)
{
	const uint8_t *at = io->len ? memchr(io->data, separator, io->len) : NULL;
	size_t n = at ? (size_t)(at - io->data) : io->len;
	struct ts_span piece = ts_span_part(*io, 0, n);

	*io = ts_span_from(*io, n + (at != NULL));
	return piece;
}

/* "gpu3_power_w". */
static int place_of_gpu(struct ts_span name)
{
	int64_t gpu;
	size_t digits = 3;

	if (!ts_span_starts(name, ts_span_str("gpu")))
		return -1;
	while (digits < name.len && ts_is_digit(name.data[digits]))
		digits++;
	if (digits == name.len || name.data[digits] != '_' || !ts_parse_i64(ts_span_part(name, 3, digits - 3), &gpu) ||
	    gpu >= TS_MACHINE_GPUS_MAX)
		return -1;
	for (int i = 0; i < TS_GPU_COLUMNS; i++)
		if (ts_span_is(ts_span_from(name, digits + 1), ts_gpu_names[i]))
			return TS_MACHINE_COLUMNS + (int)gpu * TS_GPU_COLUMNS + i;
	return -1;
}

static int place_of(struct ts_span name)
{
	for (int i = 0; i < TS_MACHINE_COLUMNS; i++)
		if (ts_span_is(name, ts_machine_names[i]))
			return i;
	return place_of_gpu(name);
}

/* Fields of a line; more than FIELDS_MAX are counted and not kept. */
static size_t fields_of(struct ts_span line, struct ts_span to[FIELDS_MAX])
{
	size_t n = 0, commas = 0;

	for (size_t i = 0; i < line.len; i++)
		commas += line.data[i] == ',';
	for (; n <= commas && n < FIELDS_MAX; n++)
		to[n] = cut(&line, ',');
	return commas + 1;
}

static bool read_line(struct ts_span line, const struct head *head, double to[PLACES])
{
	struct ts_span fields[FIELDS_MAX];

	if (fields_of(line, fields) != head->n)
		return false;
	for (int k = 0; k < PLACES; k++)
		to[k] = NAN;
	for (size_t i = 0; i < head->n; i++) {
		double value = NAN;

		if (fields[i].len && (!ts_parse_double(fields[i], &value) || !isfinite(value)))
			return false;
		if (head->places[i] >= 0)
			to[head->places[i]] = value;
	}
	return !isnan(to[TS_MACHINE_SECONDS]);
}

static bool is_head(struct ts_span line)
{
	return ts_span_is(cut(&line, ','), ts_machine_names[TS_MACHINE_SECONDS]);
}

static bool read_head(struct ts_span line, struct head *ret)
{
	struct ts_span fields[FIELDS_MAX];
	size_t n = is_head(line) ? fields_of(line, fields) : 0;

	if (n == 0 || n > FIELDS_MAX)
		return false;
	for (size_t i = 0; i < n; i++)
		ret->places[i] = place_of(fields[i]);
	ret->n = n;
	return true;
}

static bool has_line(struct ts_span text)
{
	return text.len && memchr(text.data, '\n', text.len);
}

/* How many GPUs the lines of names know, and how many ends of lines there are. */
static void measure(struct ts_span text, size_t *ret_gpus, size_t *ret_lines)
{
	size_t gpus = 0, lines = 0;

	while (has_line(text)) {
		struct head head = {.n = 0};

		lines++;
		if (!read_head(cut(&text, '\n'), &head))
			continue;
		for (size_t i = 0; i < head.n; i++)
			if (head.places[i] >= TS_MACHINE_COLUMNS + (int)gpus * TS_GPU_COLUMNS)
				gpus = (size_t)(head.places[i] - TS_MACHINE_COLUMNS) / TS_GPU_COLUMNS + 1;
	}
	*ret_gpus = gpus;
	*ret_lines = lines;
}

/* The array of a place; NULL: that GPU is not there. */
static double **array_of(struct ts_machine_rows *rows, int place)
{
	int gpu = (place - TS_MACHINE_COLUMNS) / TS_GPU_COLUMNS;

	if (place < TS_MACHINE_COLUMNS)
		return &rows->values[place];
	return (size_t)gpu < rows->n_gpus ? &rows->gpus[gpu][(place - TS_MACHINE_COLUMNS) % TS_GPU_COLUMNS] : NULL;
}

static enum ts_status make_arrays(struct ts_machine_rows *rows, size_t n, struct ts_arena *arena, struct ts_error *err)
{
	for (int k = 0; k < PLACES; k++) {
		double **array = array_of(rows, k);

		if (array)
			*array = ts_arena_array(arena, n, sizeof(double));
	}
	return ts_arena_check(arena, err);
}

enum ts_status ts_machine_read(struct ts_span text, struct ts_arena *arena, struct ts_machine_rows *ret_rows, struct ts_error *err)
{
	struct ts_machine_rows rows = {.n = 0};
	double values[PLACES];
	struct head head;
	size_t lines;

	measure(text, &rows.n_gpus, &lines);
	if (!read_head(cut(&text, '\n'), &head))
		return ts_error_set(err, TS_INVALID, "it is no table of observations of a machine");
	if (lines > TS_MACHINE_ROWS_MAX || lines * (TS_MACHINE_COLUMNS + rows.n_gpus * TS_GPU_COLUMNS) > VALUES_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "more observations of a machine than are read");
	if (make_arrays(&rows, lines + 1, arena, err))
		return err->status;
	while (has_line(text)) { /* what stands behind the last end of a line is cut off */
		struct ts_span line = cut(&text, '\n');

		if (is_head(line)) {
			rows.left_out += !read_head(line, &head);
			continue;
		}
		if (!read_line(line, &head, values)) {
			rows.left_out++;
			continue;
		}
		for (int k = 0; k < PLACES; k++) {
			double **array = array_of(&rows, k);

			if (array)
				(*array)[rows.n] = values[k];
		}
		rows.n++;
	}
	*ret_rows = rows;
	return TS_OK;
}
