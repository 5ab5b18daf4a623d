#include "analysis/peers/peer_page.h"

#include <math.h>

static const char *time_of(struct ts_peer_page *p, double us)
{
	return us >= 1e6 ? ts_arena_printf(p->arena, "%.3fs", us / 1e6) : us >= 1e3 ? ts_arena_printf(p->arena, "%.3fms", us / 1e3)
										      : ts_arena_printf(p->arena, "%.3fus", us);
}

static const char *memory_of(struct ts_peer_page *p, double bytes)
{
	static const char *const units[] = {"KB", "MB", "GB"};
	int unit = -1;

	while (unit < 2 && fabs(bytes) >= 1024) {
		bytes /= 1024;
		unit++;
	}
	return unit < 0 ? ts_arena_printf(p->arena, "%.0f B", bytes) : ts_arena_printf(p->arena, "%.2f %s", bytes, units[unit]);
}

static const char *formed(struct ts_peer_page *p, enum ts_peer_form form, double x)
{
	switch (form) {
	case TS_FORM_SECONDS:
		return ts_arena_printf(p->arena, "%.2fs", x);
	case TS_FORM_SECONDS_3:
		return ts_arena_printf(p->arena, "%.3fs", x);
	case TS_FORM_MS:
		return ts_arena_printf(p->arena, "%.1fms", x);
	case TS_FORM_MS_3:
		return ts_arena_printf(p->arena, "%.3fms", x);
	case TS_FORM_PERCENT:
		return ts_arena_printf(p->arena, "%.1f%%", x);
	case TS_FORM_PERCENT_0:
		return ts_arena_printf(p->arena, "%.0f%%", x);
	case TS_FORM_GB:
		return ts_arena_printf(p->arena, "%.2f GB", x);
	case TS_FORM_GB_0:
		return ts_arena_printf(p->arena, "%.0fGB", x);
	case TS_FORM_MB:
		return ts_arena_printf(p->arena, "%.1fMB", x);
	case TS_FORM_TIMES:
		return ts_arena_printf(p->arena, "%.2fx", x);
	case TS_FORM_NUMBER:
		return ts_arena_printf(p->arena, "%.1f", x);
	case TS_FORM_TIME:
		return time_of(p, x);
	case TS_FORM_SHARE:
		return ts_arena_printf(p->arena, "%.2f%%", x);
	case TS_FORM_MEMORY:
		return memory_of(p, x);
	case TS_FORM_COUNT:
		break;
	}
	return ts_arena_printf(p->arena, "%.0f", x);
}

const char *ts_peer_formed(struct ts_peer_page *p, enum ts_peer_form form, double x)
{
	const char *text = formed(p, form, x);

	p->failed |= !text;
	return text ? text : "";
}

static void add_number(struct ts_peer_page *p, const struct ts_peer_number *number)
{
	if (p->n_numbers < TS_PEER_NUMBERS)
		p->numbers[p->n_numbers++] = *number;
}

void ts_peer_number(struct ts_peer_page *p, const char *what, enum ts_peer_form form, double theirs, double right, const char *why)
{
	const char *a = formed(p, form, theirs), *b = formed(p, form, right);
	struct ts_peer_number number = {.what = what, .theirs = theirs, .known = true, .right = right, .form = form};

	p->failed |= !a || !b;
	if (a && b && strcmp(a, b) != 0)
		number.why = why;
	add_number(p, &number);
}

void ts_peer_unknown(struct ts_peer_page *p, const char *what, enum ts_peer_form form, double theirs, const char *why)
{
	const struct ts_peer_number number = {.what = what, .theirs = theirs, .why = why, .form = form};

	add_number(p, &number);
}

/* The wrong numbers of the line as they should be. */
static const char *right_of(struct ts_peer_page *p)
{
	const char *text = NULL;

	for (size_t i = 0; i < p->n_numbers; i++) {
		const struct ts_peer_number *n = &p->numbers[i];
		const char *one = n->known ? formed(p, n->form, n->right) : "not known";

		if (!n->why)
			continue;
		text = ts_arena_printf(p->arena, "%s%s%s %s", text ? text : "", text ? ", " : "", one ? one : "", n->why);
		p->failed |= !text;
	}
	return text;
}

static void add_line(struct ts_peer_page *p, const char *text)
{
	struct ts_peer_line *line;

	if (p->n == p->cap) {
		size_t cap = p->cap ? 2 * p->cap : 64;
		struct ts_peer_line *more = ts_arena_array(p->arena, cap, sizeof *more);

		if (!more) {
			p->failed = true;
			return;
		}
		if (p->n)
			memcpy(more, p->lines, p->n * sizeof *more);
		p->lines = more;
		p->cap = cap;
	}
	line = &p->lines[p->n++];
	line->text = text ? text : "";
	line->right = right_of(p);
	line->n_numbers = p->n_numbers;
	line->numbers = ts_arena_dup(p->arena, p->numbers, p->n_numbers * sizeof p->numbers[0]);
	p->failed |= !text || !line->numbers;
	p->n_numbers = 0;
}

void ts_peer_line(struct ts_peer_page *p, const char *format, ...)
{
	const char *text;
	va_list args;

	va_start(args, format);
	text = ts_arena_vprintf(p->arena, format, args);
	va_end(args);
	add_line(p, text);
}

void ts_peer_gap(struct ts_peer_page *p)
{
	add_line(p, "");
}

void ts_peer_heading(struct ts_peer_page *p, const char *what, const char *of)
{
	static const char rule[] = "===========================================================================";

	ts_peer_gap(p);
	add_line(p, rule);
	ts_peer_line(p, "  %s%s", what, of);
	add_line(p, rule);
}

enum ts_status ts_peer_page_end(struct ts_peer_page *p, const char *peer, struct ts_peer_answer *ret, struct ts_error *err)
{
	if (p->failed)
		return ts_arena_error(p->arena, err);
	*ret = (struct ts_peer_answer){.peer = peer, .path = "", .lines = p->lines, .n_lines = p->n};
	return TS_OK;
}

const char *ts_peer_cell(struct ts_peer_page *p, struct ts_span text, size_t cut, size_t width)
{
	size_t bytes = 0, characters = 0;
	const char *cell;

	while (bytes < text.len && characters < cut) {
		bytes++;
		while (bytes < text.len && (text.data[bytes] & 0xc0) == 0x80)
			bytes++;
		characters++;
	}
	cell = ts_arena_printf(p->arena, "%.*s%*s", (int)bytes, (const char *)text.data,
			       characters < width ? (int)(width - characters) : 0, "");
	p->failed |= !cell;
	return cell ? cell : "";
}

const char *ts_peer_grouped(struct ts_peer_page *p, uint64_t n)
{
	char digits[32], *at = digits + sizeof digits - 1;
	const char *text;

	*at = '\0';
	for (int i = 0; n || i == 0; i++, n /= 10) {
		if (i && i % 3 == 0)
			*--at = ',';
		*--at = (char)('0' + n % 10);
	}
	text = ts_arena_dup(p->arena, at, strlen(at) + 1);
	p->failed |= !text;
	return text ? text : "";
}

bool ts_peer_has(struct ts_span text, const char *part, bool fold)
{
	size_t n = strlen(part);

	for (size_t i = 0; i + n <= text.len; i++) {
		size_t k = 0;

		while (k < n) {
			uint8_t c = text.data[i + k];

			if (fold && c >= 'A' && c <= 'Z')
				c = (uint8_t)(c - 'A' + 'a');
			if (c != (uint8_t)part[k])
				break;
			k++;
		}
		if (k == n)
			return true;
	}
	return false;
}
