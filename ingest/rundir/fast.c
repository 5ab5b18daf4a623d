/* fast.c - reads records that look like an earlier one without parsing them: only their numbers are parsed, the rest
 * is compared.
 *
 * A shape is one literal and what follows it: the step, a number of some column, or the end of the record. Shapes form a
 * tree whose paths are records that the general parser took and found plain, so that whatever matches a path has the same
 * keys, once each, and differs in its numbers alone. Anything else (a string, null, a number that needs care, another
 * order) is not plain, and is the general parser's.
 */
#include "ingest/rundir/record.h"

#include "base/alloc.h"

/* The most shapes of one file. Records that would add more are parsed by the general parser. */
enum { SHAPES_MAX = 4096, LITERAL_MAX = 4096 };

struct ts_shape {
	struct ts_kept kept;
	uint8_t *literal;
	uint32_t len;
	enum ts_follows follows;
	bool phase; /* the column is a phase; a negative value gives a notice, so it is not plain */
	uint32_t key;
	uint32_t child;	  /* the first shape that follows this one; 0 = none */
	uint32_t sibling; /* another shape with the same parent; 0 = none */
};

void ts_shapes_finish(struct ts_record *p)
{
	for (size_t i = 0; i < p->n_shapes; i++)
		ts_free(p->shapes[i].literal);
	ts_free(p->shapes);
	p->shapes = NULL;
	p->n_shapes = 0;
}

static struct ts_shape *match(const struct ts_record *p, uint32_t first, const uint8_t *at, const uint8_t *end)
{
	size_t left = (size_t)(end - at);

	for (uint32_t i = first; i; i = p->shapes[i].sibling) {
		struct ts_shape *shape = &p->shapes[i];

		if (shape->len <= left && memcmp(at, shape->literal, shape->len) == 0)
			return shape;
	}
	return NULL;
}

/* Takes the number at `at` for shape. Returns its number of bytes, or 0 if it is not a plain number. */
static size_t take_number(struct ts_record *p, struct ts_shape *shape, const uint8_t *at, const uint8_t *end)
{
	struct ts_cell *cell;
	double v;
	size_t n;

	if (shape->follows == TS_FOLLOWS_STEP)
		return ts_line_step(at, end, &p->step);
	n = ts_line_number(&shape->kept, shape->phase, at, end, &v);
	if (n == 0)
		return 0;
	cell = p->n < p->cap ? &p->cells[p->n++] : ts_record_cell(p);
	if (!cell)
		return 0;
	*cell = (struct ts_cell){.key = shape->key, .type = TS_COLUMN_F64, .real = v};
	return n;
}

size_t ts_record_fast(struct ts_record *p, struct ts_span text)
{
	const uint8_t *at = text.data;
	const uint8_t *end = at + text.len;
	uint32_t first = p->n_shapes ? p->shapes[0].child : 0;

	p->n = 0;
	for (;;) {
		struct ts_shape *shape = match(p, first, at, end);
		size_t n;

		if (!shape)
			return 0;
		at += shape->len;
		if (shape->follows == TS_FOLLOWS_END) {
			n = ts_line_end(at, end);
			return n ? (size_t)(at - text.data) + n : 0;
		}
		n = take_number(p, shape, at, end);
		if (n == 0)
			return 0;
		at += n;
		first = shape->child;
	}
}

/* Appends a shape to the line, if it is not that of another number than keys says. */
static bool add_part(struct ts_line *line, const struct ts_shape *shape, const uint32_t *keys, size_t n)
{
	bool number = shape->follows == TS_FOLLOWS_NUMBER;

	if (number && (line->numbers == n || keys[line->numbers] != shape->key))
		return false;
	line->parts[line->n++] = (struct ts_line_part){shape->literal, shape->len, shape->follows, shape->phase};
	line->numbers += number;
	line->least += shape->len + 1;
	return true;
}

bool ts_record_line(const struct ts_record *p, struct ts_span text, const uint32_t *keys, size_t n, struct ts_line *ret_line)
{
	const uint8_t *at = text.data, *end = at + text.len;
	uint32_t first = p->n_shapes ? p->shapes[0].child : 0;
	struct ts_line line = {.n = 0};

	while (n <= TS_LINE_NUMBERS) {
		const struct ts_shape *shape = match(p, first, at, end);
		struct ts_kept none = {.len = 0};
		int64_t step;
		double v;

		if (!shape || !add_part(&line, shape, keys, n))
			return false;
		at += shape->len;
		if (shape->follows == TS_FOLLOWS_END) {
			*ret_line = line;
			return line.numbers == n;
		}
		at += shape->follows == TS_FOLLOWS_STEP ? ts_line_step(at, end, &step) : ts_line_number(&none, false, at, end, &v);
		first = shape->child;
	}
	return false;
}

static uint32_t find(const struct ts_record *p, uint32_t parent, struct ts_span literal, enum ts_follows follows,
		     uint32_t key)
{
	for (uint32_t i = p->shapes[parent].child; i; i = p->shapes[i].sibling)
		if (p->shapes[i].follows == follows && p->shapes[i].key == key &&
		    ts_span_eq(ts_span_of(p->shapes[i].literal, p->shapes[i].len), literal))
			return i;
	return 0;
}

/* Returns the shape below parent and creates it if necessary. Returns 0 if there is no space. The newest shape is tried
 * first. */
static uint32_t get(struct ts_record *p, uint32_t parent, struct ts_span literal, enum ts_follows follows, uint32_t key)
{
	uint32_t shape = find(p, parent, literal, follows, key);
	uint8_t *copy;

	if (shape || p->n_shapes == SHAPES_MAX || literal.len == 0 || literal.len > LITERAL_MAX)
		return shape;
	copy = ts_alloc(literal.len);
	if (!copy)
		return 0;
	memcpy(copy, literal.data, literal.len);
	shape = (uint32_t)p->n_shapes++;
	p->shapes[shape] = (struct ts_shape){.literal = copy,
					     .len = (uint32_t)literal.len,
					     .follows = follows,
					     .phase = key && ts_key_at(&p->keys, key)->parent == p->key_phases,
					     .key = key,
					     .sibling = p->shapes[parent].child};
	p->shapes[parent].child = shape;
	return shape;
}

/* Allocates space for all shapes at once, so that nothing moves. Shape 0 is the start of a record. Without memory, no
 * shape is learned. */
static bool make_room(struct ts_record *p)
{
	if (p->shapes)
		return true;
	p->shapes = ts_alloc_array(SHAPES_MAX, sizeof *p->shapes);
	p->n_shapes = p->shapes ? 1 : 0;
	return p->shapes != NULL;
}

void ts_record_learn(struct ts_record *p, struct ts_span text, size_t used)
{
	size_t n = p->spots.len / sizeof(struct ts_spot);
	uint32_t shape = 0;
	size_t at = 0;

	if (!p->plain || n == 0 || !make_room(p))
		return;
	for (size_t i = 0; i < n; i++) {
		struct ts_spot spot;

		memcpy(&spot, p->spots.data + i * sizeof spot, sizeof spot);
		shape = get(p, shape, ts_span_of(text.data + at, spot.at - at),
			    spot.key == TS_KEY_ROOT ? TS_FOLLOWS_STEP : TS_FOLLOWS_NUMBER, spot.key);
		if (!shape)
			return;
		at = spot.at + spot.len;
	}
	(void)get(p, shape, ts_span_of(text.data + at, used - at), TS_FOLLOWS_END, TS_KEY_ROOT);
}
