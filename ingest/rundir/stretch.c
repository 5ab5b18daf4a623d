#include "ingest/rundir/stretch.h"

#include "base/alloc.h"
#include "base/held.h"
#include "base/file.h"

enum {
	PIECE = 256 << 10, /* small enough that its text and columns stay in a core's cache */
	BEYOND = 16 << 10, /* bytes that are read behind a piece, for the end of its last line */
};

/* --- one piece --- */

/* Reads the text of piece k, and a byte before it. *ret_first is where it begins in the file, and *ret_n its size with what is read
 * behind it. */
static bool read_text(const struct ts_stretch *s, uint64_t k, uint8_t *text, uint64_t *ret_first, size_t *ret_n)
{
	uint64_t first = s->from + k * s->piece - (k > 0), left = s->source->size - first;
	size_t n = s->piece + (k > 0) + BEYOND, got = n;
	struct ts_error ignored;

	n = left < n ? (size_t)left : n;
	if (s->source->fd < 0)
		memcpy(text, s->source->memory.data + first, n);
	else if (ts_pread_full(s->source->fd, text, n, first, &got, &ignored) || got < n)
		return false;
	*ret_first = first;
	*ret_n = n;
	return true;
}

/* Takes the lines that begin in text[at..to) of n bytes, and returns where the first one begins that was not taken. */
static size_t take_lines(const struct ts_stretch *s, struct ts_stretch_piece *p, size_t at, size_t to, size_t n)
{
	while (at < to && p->n < s->rows) {
		int64_t *step = &p->steps[p->n];
		size_t len = ts_line_take(s->line, p->kept, ts_span_of(p->text + at, n - at), step, p->values + p->n, s->rows);

		if (len == 0 || (p->n > 0 && *step <= step[-1]))
			break;
		at += len;
		p->n++;
	}
	return at;
}

static void parse(const struct ts_stretch *s, uint64_t k, struct ts_stretch_piece *p)
{
	size_t n, at = 0, to;
	uint64_t first;

	p->n = 0;
	p->whole = false;
	p->read = read_text(s, k, p->text, &first, &n);
	if (!p->read)
		return;
	to = s->piece + (k > 0) < n ? s->piece + (k > 0) : n;
	if (k > 0) {
		const uint8_t *newline = memchr(p->text, '\n', n);

		/* Without one, a line ends in none of this, and was not taken by the piece before. */
		at = newline ? (size_t)(newline - p->text) + 1 : n;
	}
	at = take_lines(s, p, at, to, n);
	p->whole = at >= to;
	p->end = first + at;
}

/* --- who parses what --- */

/* The caller holds the lock. */
static bool may_take(const struct ts_stretch *s)
{
	return !s->stop && s->next < s->count && s->next < s->now + TS_STRETCH_PIECES;
}

/* Parses the next piece. The caller holds the lock, which is free meanwhile. */
static void take(struct ts_stretch *s)
{
	uint64_t k = s->next++;
	struct ts_stretch_piece *p = &s->pieces[k % TS_STRETCH_PIECES];

	TS_DOOR_HELD(&s->lock);
	pthread_mutex_unlock(&s->lock);
	parse(s, k, p);
	pthread_mutex_lock(&s->lock);
	p->done = true;
	s->stop |= !p->whole;
	pthread_cond_signal(&s->changed);
}

static void help(void *ctx)
{
	struct ts_stretch *s = ctx;

	pthread_mutex_lock(&s->lock);
	while (!s->stop && s->next < s->count)
		if (may_take(s))
			take(s);
		else
			pthread_cond_wait(&s->changed, &s->lock);
	pthread_mutex_unlock(&s->lock);
}

static bool make_room(struct ts_stretch *s)
{
	bool ok = true;

	for (size_t i = 0; i < TS_STRETCH_PIECES && i < s->count; i++) {
		struct ts_stretch_piece *p = &s->pieces[i];

		p->text = ts_alloc(s->piece + 1 + BEYOND);
		p->steps = ts_alloc(s->rows * sizeof *p->steps);
		p->values = ts_alloc(s->rows * (s->line->numbers + 1) * sizeof *p->values);
		ok &= p->text && p->steps && p->values;
	}
	return ok;
}

bool ts_stretch_begin(struct ts_stretch *s, const struct ts_source *source, const struct ts_line *line, uint64_t from,
		      int64_t last, size_t piece)
{
	piece = piece ? piece : PIECE;
	*s = (struct ts_stretch){.source = source, .line = line, .from = from, .piece = piece, .last = last};
	s->count = (source->size - from + piece - 1) / piece;
	s->rows = piece / line->least + 1;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->changed, NULL);
	if (make_room(s))
		return true;
	ts_stretch_end(s);
	return false;
}

void ts_stretch_help(struct ts_stretch *s, struct ts_helper *helper)
{
	s->helper = helper;
	if (helper)
		ts_helper_give(helper, help, s);
}

/* Gives the room of the piece before back, and waits for the next one, or parses pieces meanwhile. */
static struct ts_stretch_piece *await(struct ts_stretch *s)
{
	struct ts_stretch_piece *p;

	pthread_mutex_lock(&s->lock);
	if (s->given) {
		s->pieces[s->now++ % TS_STRETCH_PIECES].done = false;
		pthread_cond_signal(&s->changed);
	}
	p = &s->pieces[s->now % TS_STRETCH_PIECES];
	while (!p->done)
		if (may_take(s))
			take(s);
		else
			pthread_cond_wait(&s->changed, &s->lock);
	pthread_mutex_unlock(&s->lock);
	s->given = true;
	return p;
}

bool ts_stretch_next(struct ts_stretch *s, struct ts_stretch_rows *ret_rows)
{
	struct ts_stretch_piece *p;

	if (s->over || s->now + s->given == s->count)
		return false;
	p = await(s);
	s->over = !p->whole;
	if (!p->read || (p->n && p->steps[0] <= s->last)) {
		s->over = true;
		return false;
	}
	if (p->n)
		s->last = p->steps[p->n - 1];
	*ret_rows = (struct ts_stretch_rows){
		.steps = p->steps,
		.values = p->values,
		.n = p->n,
		.stride = s->rows,
		.end = p->end,
	};
	return true;
}

void ts_stretch_end(struct ts_stretch *s)
{
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->lock);
	if (s->helper)
		ts_helper_wait(s->helper);
	for (size_t i = 0; i < TS_STRETCH_PIECES; i++) {
		ts_free(s->pieces[i].text);
		ts_free(s->pieces[i].steps);
		ts_free(s->pieces[i].values);
	}
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->lock);
}
