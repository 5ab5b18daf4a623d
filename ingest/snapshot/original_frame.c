#include "ingest/snapshot/original_frame.h"

enum { LINE_DIGITS = 9 };

/* The first part of *io that ends before `end`, which is taken off with it. */
static bool take_until(struct ts_span *io, const char *end, struct ts_span *ret)
{
	size_t len = strlen(end);

	for (size_t i = 0; i + len <= io->len; i++)
		if (memcmp(io->data + i, end, len) == 0) {
			*ret = ts_span_part(*io, 0, i);
			*io = ts_span_from(*io, i + len);
			return true;
		}
	return false;
}

static bool number_of(struct ts_span digits, int32_t *ret)
{
	int32_t n = 0;

	for (size_t i = 0; i < digits.len; i++) {
		if (digits.data[i] < '0' || digits.data[i] > '9')
			return false;
		n = 10 * n + (digits.data[i] - '0');
	}
	*ret = n;
	return digits.len > 0;
}

/* One line: `  File "net.py", line 12, in forward`. */
static bool one(struct ts_span line, struct ts_original_frame *ret)
{
	struct ts_original_frame f;
	struct ts_span digits;

	while (line.len && (line.data[0] == ' ' || line.data[0] == '\t'))
		line = ts_span_from(line, 1);
	if (!ts_span_skip(&line, "File \"") || !take_until(&line, "\", line ", &f.file) || !take_until(&line, ", in ", &digits) ||
	    digits.len > LINE_DIGITS || !number_of(digits, &f.line) || !f.file.len || !line.len)
		return false;
	f.function = line;
	*ret = f;
	return true;
}

bool ts_original_frame(struct ts_span stack, struct ts_original_frame *ret)
{
	struct ts_original_frame found;
	bool any = false;

	while (stack.len) {
		struct ts_span line;

		if (!take_until(&stack, "\n", &line)) {
			line = stack;
			stack = ts_span_of(NULL, 0);
		}
		any |= one(line, &found);
	}
	if (any)
		*ret = found;
	return any;
}
