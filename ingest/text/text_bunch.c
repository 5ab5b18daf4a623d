#include "ingest/text/text_bunch.h"

#include "base/number.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

enum { RECORDS_LEAST = 4, SIGNIFICANT = 4 };

#define STEPS_MOST 1e15
#define NEAR 0.1 /* so near to a whole number is a step, beside what the digits of its epoch leave open */

static int decimals_of(struct ts_span written)
{
	const uint8_t *point = memchr(written.data, '.', written.len);
	int n = 0;

	for (const uint8_t *c = point ? point + 1 : NULL; c && c < written.data + written.len && ts_is_digit(*c); c++)
		n++;
	return n;
}

static bool epoch_of(const struct ts_text_record *r, double *ret_epoch, struct ts_span *ret_written)
{
	const struct ts_text_cell *c = ts_text_record_find(r, "epoch");

	if (!c || c->is_text || !ts_parse_double(c->value, ret_epoch) || !(*ret_epoch >= 0 && *ret_epoch < 1e9))
		return false;
	*ret_written = c->value;
	return true;
}

/* By how much an epoch may differ from the one that is written: half a unit of its last digit, of which zeros are not written. */
static double open_of(const struct ts_text_bunch *b, double epoch)
{
	return 0.5 * pow(10, b->quoted ? floor(log10(epoch > 0 ? epoch : 1)) - (SIGNIFICANT - 1) : -b->decimals);
}

void ts_text_bunch_look(struct ts_text_bunch *b, const struct ts_text_record *r)
{
	struct ts_span written;
	double epoch;

	if (!epoch_of(r, &epoch, &written))
		return;
	b->quoted |= r->quoted;
	b->decimals = decimals_of(written) > b->decimals ? decimals_of(written) : b->decimals;
	if (ts_text_record_find(r, "train_runtime"))
		b->whole = epoch;
	b->greatest = epoch > b->greatest ? epoch : b->greatest;
	if (!ts_text_record_find(r, "loss"))
		return;
	b->together += b->records && b->behind;
	b->behind = true;
	if (b->records < 2)
		*(b->records ? &b->second : &b->first) = epoch;
	b->records++;
}

void ts_text_bunch_state(struct ts_text_bunch *b, int64_t n, int64_t total)
{
	b->behind = false;
	if (total < b->total)
		return;
	b->n = n;
	b->total = total;
}

bool ts_text_bunch_is(const struct ts_text_bunch *b)
{
	return b->records >= RECORDS_LEAST && 4 * b->together > b->records;
}

/* How many steps an epoch has; 0: not known, since nothing says how many epochs the training was to have. */
static double steps_of_epoch(const struct ts_text_bunch *b, int64_t total)
{
	double epochs = b->whole > 0 ? b->whole : b->total == total && b->n == total ? ceil(b->greatest) : 0;

	return epochs > 0 && b->greatest <= epochs * 1.001 && (double)total <= STEPS_MOST ? (double)total / epochs : 0;
}

/* The steps between two records with a loss. Steps are its multiples, but the first one may be logged besides: 1, 500, 1000. */
static double interval_of(const struct ts_text_bunch *b, double per_epoch)
{
	double gap = nearbyint((b->second - b->first) * per_epoch);

	return gap > 1 && nearbyint(b->first * per_epoch) == 1 ? gap + 1 : gap;
}

bool ts_text_bunch_tells(const struct ts_text_bunch *b, int64_t total)
{
	double per_epoch = steps_of_epoch(b, total), interval = interval_of(b, per_epoch), first = b->first * per_epoch,
	       second = b->second * per_epoch, open = open_of(b, b->second) * per_epoch + NEAR;

	if (!(per_epoch > 0) || interval < 1 || open_of(b, b->greatest) * per_epoch >= interval / 2)
		return false;
	return fabs(first - nearbyint(first)) <= open && fabs(second - nearbyint(second)) <= open;
}

int64_t ts_text_bunch_step(const struct ts_text_bunch *b, int64_t total, const struct ts_text_record *r, int64_t last)
{
	double per_epoch = steps_of_epoch(b, total), interval = interval_of(b, per_epoch), first = nearbyint(b->first * per_epoch);
	double epoch, step;
	struct ts_span written;

	if (!epoch_of(r, &epoch, &written))
		return last;
	step = epoch * per_epoch;
	if (open_of(b, epoch) * per_epoch < 0.5 - NEAR)
		return (int64_t)nearbyint(step);
	if (!ts_text_record_find(r, "loss"))
		return last;
	if (first < interval && step < first + interval / 2 && first <= 1)
		return (int64_t)first;
	return (int64_t)(nearbyint(step / interval) * interval);
}
