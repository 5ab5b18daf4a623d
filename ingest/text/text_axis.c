#include "ingest/text/text_axis.h"

#include "base/map.h"
#include "base/number.h"
#include "base/text.h"

#include <math.h>

#define STEP_MOST 1e15

/* A whole number that was not rounded: "12", "1,234", "1.0"; "3.16e+04" is none. */
static bool whole(const struct ts_text_cell *c, int64_t *ret)
{
	double value;

	if (c->is_text || !c->value.len || memchr(c->value.data, 'e', c->value.len) || memchr(c->value.data, 'E', c->value.len))
		return false;
	if (!ts_parse_double(c->value, &value)) {
		/* "00012" is no number of JSON. */
		value = 0;
		for (size_t i = 0; i < c->value.len; i++) {
			if (!ts_is_digit(c->value.data[i]) || value > STEP_MOST)
				return false;
			value = value * 10 + (c->value.data[i] - '0');
		}
	}
	if (!(fabs(value) <= STEP_MOST) || value != floor(value))
		return false;
	*ret = (int64_t)value;
	return true;
}

static bool step_of(const struct ts_text_record *r, int64_t *ret)
{
	return r->step < r->n && whole(&r->cells[r->step], ret);
}

static bool epoch_of(const struct ts_text_record *r, int64_t *ret)
{
	const struct ts_text_cell *c = ts_text_record_find(r, "epoch");

	return c && whole(c, ret);
}

/* "0.25" and "1.5e-1", but not "1.0" and "many". */
static bool has_part(const struct ts_text_cell *c)
{
	double value;

	return !c->is_text && ts_parse_double(c->value, &value) && value != floor(value);
}

/* --- looking --- */

static void count(struct ts_text_order *o, bool with)
{
	if (!with) {
		*(o->with ? &o->since : &o->before) += 1;
		return;
	}
	if (o->with++) {
		o->most = o->since > o->most ? o->since : o->most;
		o->gaps += o->since > 0;
		if (o->since < TS_TEXT_GAPS)
			o->sizes[o->since]++;
	}
	o->since = 0;
}

static void look_at_epoch(struct ts_text_axis *a, int64_t epoch)
{
	if (!a->any_epoch)
		a->first_epoch = a->least_epoch = epoch;
	if (epoch < a->least_epoch)
		a->least_epoch = epoch;
	a->any_epoch = true;
	a->epoch = epoch;
}

static void look_at_step(struct ts_text_axis *a, const struct ts_text_record *r, int64_t step)
{
	bool later = a->any && a->any_epoch && a->epoch > a->last_epoch;

	if (!a->any || step < a->least_step)
		a->least_step = step;
	if (!a->totals)
		a->total = r->total;
	else if (a->total != r->total)
		a->total = 0;
	a->totals = true;
	if (later && step <= a->last)
		a->again++;
	else if (later)
		a->on++;
	else if (a->any && step < a->last)
		a->falls++;
	a->rises += a->any && step > a->last;
	a->any = true;
	a->last = step;
	a->last_epoch = a->epoch;
}

static bool is_empty(const struct ts_text_record *r)
{
	return !r->more && r->n - (r->step < r->n) == (ts_text_record_find(r, "epoch") != NULL);
}

void ts_text_axis_look(struct ts_text_axis *a, const struct ts_text_record *r)
{
	int64_t epoch, step;
	const struct ts_text_cell *cell = ts_text_record_find(r, "epoch");
	bool has_epoch = cell && whole(cell, &epoch), has_step = step_of(r, &step);

	if (has_epoch)
		look_at_epoch(a, epoch);
	if (has_step)
		look_at_step(a, r, step);
	a->parts |= cell && !has_epoch && has_part(cell);
	if (has_step || has_epoch)
		*(is_empty(r) ? &a->empty : &a->filled) += 1;
	count(&a->steps, has_step);
	count(&a->epochs, has_epoch);
}

/* --- what was seen --- */

/* How many records stand between two steps as a rule. */
static uint64_t usual_gap(const struct ts_text_order *o)
{
	uint64_t best = 1;

	for (uint64_t i = 2; i < TS_TEXT_GAPS; i++)
		if (o->sizes[i] > o->sizes[best])
			best = i;
	return o->sizes[best] ? best : o->most;
}

static enum ts_text_shape shape_of(const struct ts_text_order *o, bool heads)
{
	if (!o->with)
		return TS_TEXT_SHAPE_NONE;
	if (!o->before || !o->most)
		return TS_TEXT_SHAPE_AFTER;
	if (!o->since)
		return TS_TEXT_SHAPE_BEFORE;
	/* A log that begins within an epoch has as many before the first one, too: a line of an epoch heads what follows. */
	if (o->since >= usual_gap(o) && (heads || o->before != usual_gap(o)))
		return TS_TEXT_SHAPE_AFTER;
	if (o->most > o->before && o->most > o->since && 2 * o->gaps >= o->with - 1)
		return TS_TEXT_SHAPE_AROUND;
	if (2 * o->gaps < o->with - 1)
		return TS_TEXT_SHAPE_AFTER; /* such as lines of an epoch */
	return o->before == o->most ? TS_TEXT_SHAPE_BEFORE : TS_TEXT_SHAPE_AFTER;
}

void ts_text_axis_begin(struct ts_text_axis *a)
{
	a->any = a->any_epoch = a->known = false;
	a->n_offsets = a->n_names = 0;
	a->greatest = 0;
	a->by_epoch = !a->steps.with && !a->parts;
	a->shape = shape_of(a->by_epoch ? &a->epochs : &a->steps, a->by_epoch && a->empty > a->filled);
}

/* --- steps within epochs --- */

/* Epochs count from 1 where the log begins with 1, or begins later and its steps with 1. */
static int64_t before_epochs(const struct ts_text_axis *a)
{
	return a->least_epoch == 1 || (a->least_epoch > 1 && a->least_step > 0) ? 1 : 0;
}

static int64_t offset_of(struct ts_text_axis *a)
{
	size_t i = a->n_offsets;

	if (a->total)
		return (a->epoch - before_epochs(a)) * a->total;
	while (i > 0 && a->offsets[i - 1].epoch > a->epoch)
		i--;
	if (i > 0 && a->offsets[i - 1].epoch == a->epoch)
		return a->offsets[i - 1].offset;
	a->n_offsets = i;
	if (i == TS_TEXT_EPOCHS)
		return a->offsets[i - 1].offset;
	a->offsets[i].epoch = a->epoch;
	a->offsets[i].offset = i ? a->greatest + (a->least_step <= 0) : 0;
	a->n_offsets++;
	return a->offsets[i].offset;
}

static bool in_range(const struct ts_text_axis *a)
{
	return fabs((double)a->epoch) * (double)(a->total ? a->total : 1) < STEP_MOST;
}

static int64_t counted_on(struct ts_text_axis *a, int64_t step)
{
	int64_t out = step;

	if (a->again > a->on && a->any_epoch && in_range(a))
		out += offset_of(a);
	if (!a->known || out > a->greatest)
		a->greatest = out;
	return out;
}

/* --- blocks --- */

/* Whether records without a step stand behind some that have one. */
static bool has_followers(const struct ts_text_order *o)
{
	return o->most + o->since > 0;
}

static void keep_names(struct ts_text_axis *a, const struct ts_text_record *r, uint64_t by)
{
	for (size_t i = 0; i < r->n && a->n_names < TS_TEXT_BLOCK_NAMES; i++) {
		a->by[a->n_names] = by;
		a->names[a->n_names++] = ts_hash_bytes(ts_hash_open, r->cells[i].name);
	}
}

enum ts_text_place ts_text_axis_step(struct ts_text_axis *a, const struct ts_text_record *r, int64_t *ret_step)
{
	int64_t epoch, step;
	bool has_epoch = epoch_of(r, &epoch), has, begins = false;

	if (has_epoch) {
		a->epoch = epoch;
		a->any_epoch = true;
	}
	has = a->by_epoch ? has_epoch : step_of(r, &step);
	if (has) {
		step = a->by_epoch ? epoch : counted_on(a, step);
		begins = !a->known || step != a->step;
		a->step = step;
		a->known = true;
	}
	*ret_step = a->step;
	if (a->shape == TS_TEXT_SHAPE_NONE || a->shape == TS_TEXT_SHAPE_AROUND)
		return TS_TEXT_BLOCK;
	if (a->shape == TS_TEXT_SHAPE_BEFORE)
		return has ? TS_TEXT_ENDS : TS_TEXT_OPENS;
	if (begins)
		a->n_names = 0;
	if (has && has_followers(a->by_epoch ? &a->epochs : &a->steps))
		keep_names(a, r, TS_TEXT_BY_STEP);
	return has ? TS_TEXT_OWN_ROW : a->known ? TS_TEXT_FOLLOWS : TS_TEXT_LOST;
}

bool ts_text_axis_gave(const struct ts_text_axis *a, struct ts_span name, uint64_t which)
{
	uint64_t hash = ts_hash_bytes(ts_hash_open, name);

	for (size_t i = 0; i < a->n_names; i++)
		if (a->names[i] == hash && a->by[i] != which)
			return true;
	return false;
}

void ts_text_axis_follow(struct ts_text_axis *a, const struct ts_text_record *r)
{
	for (size_t i = 0; i < a->n_names && r->n; i++)
		if (a->by[i] == r->which && a->names[i] == ts_hash_bytes(ts_hash_open, r->cells[0].name))
			return; /* a line of the same kind again */
	keep_names(a, r, r->which);
}

bool ts_text_axis_heads(const struct ts_text_axis *a, const struct ts_text_record *r)
{
	const struct ts_text_order *o = a->steps.with ? &a->steps : &a->epochs;

	return is_empty(r) && (o->before + o->since + o->most > 0 || a->filled > a->empty);
}

bool ts_text_axis_repeats(struct ts_text_axis *a, const struct ts_text_record *r)
{
	bool repeats = false;

	for (size_t i = 0; i < r->n && !repeats; i++)
		for (size_t k = 0; k < a->n_names && !repeats; k++)
			repeats = a->names[k] == ts_hash_bytes(ts_hash_open, r->cells[i].name);
	if (repeats)
		a->n_names = 0;
	keep_names(a, r, TS_TEXT_BY_STEP);
	return repeats;
}
