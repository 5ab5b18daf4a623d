#include "run/machine.h"

#include "base/number.h"

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
};

enum { FIELDS_MAX = 64 };

/* Cuts the text up to the next separator off *io. */
static struct ts_span cut(struct ts_span *io, uint8_t separator)
{
	const uint8_t *at = io->len ? memchr(io->data, separator, io->len) : NULL;
	size_t n = at ? (size_t)(at - io->data) : io->len;
	struct ts_span piece = ts_span_part(*io, 0, n);

	*io = ts_span_from(*io, n + (at != NULL));
	return piece;
}

static int column_of(struct ts_span name)
{
	for (int i = 0; i < TS_MACHINE_COLUMNS; i++)
		if (ts_span_is(name, ts_machine_names[i]))
			return i;
	return -1;
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

static bool read_line(struct ts_span line, const int *columns, size_t n, double to[TS_MACHINE_COLUMNS])
{
	struct ts_span fields[FIELDS_MAX];

	if (fields_of(line, fields) != n)
		return false;
	for (int k = 0; k < TS_MACHINE_COLUMNS; k++)
		to[k] = NAN;
	for (size_t i = 0; i < n; i++) {
		double value = NAN;

		if (fields[i].len && (!ts_parse_double(fields[i], &value) || !isfinite(value)))
			return false;
		if (columns[i] >= 0)
			to[columns[i]] = value;
	}
	return !isnan(to[TS_MACHINE_SECONDS]);
}

static enum ts_status read_head(struct ts_span line, int columns[FIELDS_MAX], size_t *ret_n, struct ts_error *err)
{
	struct ts_span fields[FIELDS_MAX];
	size_t n = fields_of(line, fields);

	if (n > FIELDS_MAX || column_of(fields[0]) != TS_MACHINE_SECONDS)
		return ts_error_set(err, TS_INVALID, "it is no table of observations of a machine");
	for (size_t i = 0; i < n; i++)
		columns[i] = column_of(fields[i]);
	*ret_n = n;
	return TS_OK;
}

enum ts_status ts_machine_read(struct ts_span text, struct ts_arena *arena, struct ts_machine_rows *ret_rows, struct ts_error *err)
{
	struct ts_machine_rows rows = {.n = 0};
	int columns[FIELDS_MAX];
	double values[TS_MACHINE_COLUMNS];
	size_t n = 0, lines = 0;

	if (read_head(cut(&text, '\n'), columns, &n, err))
		return err->status;
	for (size_t i = 0; i < text.len; i++)
		lines += text.data[i] == '\n';
	if (lines > TS_MACHINE_ROWS_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "more than %d observations of a machine", TS_MACHINE_ROWS_MAX);
	for (int k = 0; k < TS_MACHINE_COLUMNS; k++) {
		rows.values[k] = ts_arena_array(arena, lines + 1, sizeof(double));
		if (!rows.values[k])
			return ts_arena_error(arena, err);
	}
	for (; lines; lines--) { /* what stands behind the last end of a line is cut off */
		if (!read_line(cut(&text, '\n'), columns, n, values)) {
			rows.left_out++;
			continue;
		}
		for (int k = 0; k < TS_MACHINE_COLUMNS; k++)
			rows.values[k][rows.n] = values[k];
		rows.n++;
	}
	*ret_rows = rows;
	return TS_OK;
}
