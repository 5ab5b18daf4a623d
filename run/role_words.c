#include "run/role_words.h"

#include "base/bisect.h"
#include "base/limits.h"

enum { WORDS_MAX = 32, WORD_BYTES = 24, CAMEL_LEAST = 4 };

enum kind {
	OTHER, /* not in the table */
	PLAIN, /* says nothing: mean, train */
	MEASURE, /* what the training computed: loss, reward */
	COUNT, /* how far it came: step, tokens */
	CLOCK,
	UNIT, /* of time */
	MEMORY, /* or its unit, and what a device burns */
	RATE,
	PACE, /* a rate unless a word stands beside it that nobody knows: the speed of wind */
	PART, /* of a step: forward, loading */
	DEVICE,
	OWN, /* a device or group that alone says that its columns are costs: gpu, system */
	WEAK, /* a cost beside a device: utilization, temperature */
	LEAN, /* of the training unless a cost stands beside it: ratio, score */
};

struct word {
	const char *text;
	enum kind kind;
};

static const struct word table[] = {
#define WORD(text, kind) {text, kind},
#include "run/role_words.inc"
#undef WORD
};

/* Groups of which every column is a time, whatever stands behind: timing_s/reward, profiling/Time taken. */
static const char *const timers[] = {"profiler", "profiling", "timers", "timing", "timings"};

struct piece {
	uint8_t bytes[WORD_BYTES]; /* in lower case, cut */
	size_t len;
	enum kind kind;
	bool bracketed; /* written as "(s)" */
	bool grouped;	/* '/' or '.' follows: it names a group */
};

struct name {
	struct piece pieces[WORDS_MAX];
	size_t n;
	bool whole; /* false: there are more words */
};

static bool is_letter(uint8_t c)
{
	return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static bool is_piece(const struct piece *p, const char *text)
{
	return ts_span_is(ts_span_of(p->bytes, p->len), text);
}

static enum kind look_up(struct ts_span text)
{
	size_t at = 0, n = sizeof table / sizeof table[0];

	TS_BISECT(at, n, i, ts_span_cmp(ts_span_str(table[i].text), text) < 0);
	return at < n && ts_span_is(text, table[at].text) ? table[at].kind : OTHER;
}

/* The word itself, else without the number behind it (lr0, gpu7), else in the singular. */
static enum kind kind_of(struct ts_span text)
{
	enum kind kind = look_up(text);
	size_t n = text.len;

	while (kind == OTHER && n && is_digit(text.data[n - 1]))
		n--;
	if (n == 0)
		return PLAIN;
	if (n < text.len)
		kind = look_up(ts_span_of(text.data, n));
	if (kind == OTHER && n > 2 && text.data[n - 1] == 's')
		kind = look_up(ts_span_of(text.data, n - 1));
	return kind;
}

/* A word ends before a capital letter that follows a small one (stepTime), but not in GiB. */
static bool ends_at(struct ts_span name, size_t start, size_t i)
{
	uint8_t c = name.data[i], before = i > start ? name.data[i - 1] : 0;

	if (!is_letter(c) && !is_digit(c))
		return true;
	return i - start >= CAMEL_LEAST && c >= 'A' && c <= 'Z' && before >= 'a' && before <= 'z';
}

static void take(struct name *out, struct ts_span name, size_t start, size_t end)
{
	struct piece *p = &out->pieces[out->n];

	if (end - start > WORD_BYTES) {
		*p = (struct piece){.kind = OTHER};
	} else {
		*p = (struct piece){.len = end - start};
		for (size_t i = 0; i < p->len; i++) {
			uint8_t c = name.data[start + i];

			p->bytes[i] = c >= 'A' && c <= 'Z' ? (uint8_t)(c | 32) : c;
		}
		p->kind = kind_of(ts_span_of(p->bytes, p->len));
	}
	p->bracketed = start > 0 && (name.data[start - 1] == '(' || name.data[start - 1] == '[');
	p->grouped = end < name.len && (name.data[end] == '/' || name.data[end] == '.' || name.data[end] == '\\');
	out->n++;
}

static void cut(struct ts_span name, struct name *out)
{
	out->n = 0;
	out->whole = true;
	for (size_t i = 0; i < name.len;) {
		size_t start = i;

		while (i < name.len && !ends_at(name, start, i))
			i++;
		if (i == start) {
			i++;
			continue;
		}
		if (out->n == WORDS_MAX) {
			out->whole = false;
			return;
		}
		take(out, name, start, i);
	}
}

/* "tokens per second" is a rate; of "loss per token" and "loss vs samples" the first half tells. Returns whether it is a rate. */
static bool cut_ratio(struct name *w)
{
	for (size_t i = 1; i + 1 < w->n; i++) {
		if (!is_piece(&w->pieces[i], "per") && !is_piece(&w->pieces[i], "vs"))
			continue;
		if (w->pieces[i + 1].kind == UNIT)
			return true;
	}
	for (size_t i = 1; i < w->n; i++)
		if (is_piece(&w->pieces[i], "per") || is_piece(&w->pieces[i], "vs"))
			w->n = i;
	return false;
}

static size_t first_telling(const struct name *w)
{
	size_t i = 0;

	while (i + 1 < w->n && w->pieces[i].kind == PLAIN)
		i++;
	return i;
}

static bool is_timer(const struct piece *p)
{
	for (size_t i = 0; i < sizeof timers / sizeof timers[0]; i++)
		if (is_piece(p, timers[i]))
			return true;
	return false;
}

static bool has(const struct name *w, enum kind kind)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->pieces[i].kind == kind)
			return true;
	return false;
}

/* "DeviceStatsMonitor.on_train_batch_end/...": whatever a monitor saw. */
static bool is_monitored(const struct name *w)
{
	for (size_t i = 0; i + 1 < w->n; i++)
		if (w->pieces[i].grouped && is_piece(&w->pieces[i], "monitor"))
			return true;
	return false;
}

/* The columns of a group time/ or memory/ are costs, except for counts (time/epoch) and for a loss among the memory. */
static enum ts_role by_group(const struct name *w, size_t first)
{
	const struct piece *p = &w->pieces[first];
	bool grouped = p->grouped || (first + 2 < w->n && p[1].kind == PLAIN && p[1].grouped);

	if ((is_timer(p) && w->n > first + 1) || is_monitored(w))
		return TS_ROLE_OBSERVATION;
	if (!grouped || first + 1 == w->n)
		return TS_ROLE_UNKNOWN;
	if (p->kind == CLOCK)
		return has(w, COUNT) && w->pieces[w->n - 1].kind != CLOCK ? TS_ROLE_TRAJECTORY : TS_ROLE_OBSERVATION;
	if (p->kind == MEMORY)
		return has(w, MEASURE) ? TS_ROLE_TRAJECTORY : TS_ROLE_OBSERVATION;
	return TS_ROLE_UNKNOWN;
}

/* An "s" is a second behind what takes time or is counted (forward_s, tokens/s), or in brackets; loss_s is a loss. */
static bool is_unit(const struct name *w, size_t i, bool unknown)
{
	const struct piece *p = &w->pieces[i], *before = i ? p - 1 : NULL;

	if (p->bracketed || (before && before->kind == CLOCK))
		return true;
	if (before && is_piece(before, "in") && i > 1)
		before--;
	if (p->len == 1)
		return before ? before->kind == CLOCK || before->kind == PART || before->kind == COUNT || before->kind == DEVICE ||
					before->kind == OWN || before->kind == MEMORY
			      : i + 1 < w->n && w->pieces[i + 1].kind == COUNT;
	return !unknown;
}

/* What the word says where nothing behind it told; unknown: a word behind it is in no table. */
static enum ts_role by_word(const struct name *w, size_t i, bool unknown)
{
	switch (w->pieces[i].kind) {
	case MEASURE:
		return TS_ROLE_TRAJECTORY;
	case COUNT: /* sec/it */
		return i && w->pieces[i - 1].kind == UNIT && is_unit(w, i - 1, false) ? TS_ROLE_OBSERVATION : TS_ROLE_TRAJECTORY;
	case CLOCK:
		return unknown ? TS_ROLE_UNKNOWN : TS_ROLE_OBSERVATION;
	case UNIT:
		return is_unit(w, i, unknown) ? TS_ROLE_OBSERVATION : TS_ROLE_UNKNOWN;
	case MEMORY:
		return unknown && i ? TS_ROLE_UNKNOWN : TS_ROLE_OBSERVATION;
	case RATE:
		return TS_ROLE_OBSERVATION;
	case PACE:
		return has(w, OTHER) ? TS_ROLE_UNKNOWN : TS_ROLE_OBSERVATION;
	case WEAK:
		return has(w, DEVICE) || has(w, OWN) ? TS_ROLE_OBSERVATION : TS_ROLE_UNKNOWN;
	case OTHER:
	case PLAIN:
	case PART:
	case DEVICE:
	case OWN:
	case LEAN:
		break;
	}
	return TS_ROLE_UNKNOWN;
}

/* Whether the name ends with "cost" and a word before it, as these. */
static bool costs(const struct name *w, const char *const *words)
{
	for (; w->n > 1 && is_piece(&w->pieces[w->n - 1], "cost") && *words; words++)
		if (is_piece(&w->pieces[w->n - 2], *words))
			return true;
	return false;
}

enum ts_role ts_role_by_words(struct ts_span name)
{
	/* reader_cost is a time (PaddlePaddle). batch_cost is one, too, and in other programs what is minimized. */
	static const char *const times[] = {"reader", "data", "loader", "time", NULL}, *const either[] = {"batch", "api", NULL};
	struct name w;
	size_t first;
	bool unknown = false;
	enum ts_role role;

	if (name.len > TS_PATH_MAX)
		return TS_ROLE_UNKNOWN;
	cut(name, &w);
	if (!w.whole || w.n == 0)
		return TS_ROLE_UNKNOWN;
	first = first_telling(&w);
	role = by_group(&w, first);
	if (role != TS_ROLE_UNKNOWN)
		return role;
	if (cut_ratio(&w) || costs(&w, times))
		return TS_ROLE_OBSERVATION;
	if (costs(&w, either))
		return TS_ROLE_UNKNOWN;
	for (size_t i = w.n; i-- > 0;) {
		role = by_word(&w, i, unknown);
		if (role != TS_ROLE_UNKNOWN)
			return role;
		unknown = unknown || w.pieces[i].kind == OTHER;
	}
	if (first < w.n && w.pieces[first].kind == OWN)
		return TS_ROLE_OBSERVATION;
	return has(&w, LEAN) && !unknown && !has(&w, CLOCK) ? TS_ROLE_TRAJECTORY : TS_ROLE_UNKNOWN;
}

bool ts_words_name_loss_scale(struct ts_span name)
{
	static const char *const beside[] = {"amp",	 "dynamic", "fp",    "fp16",	  "grad",
					     "gradient", "loss",    "mixed", "precision", "samples"};
	bool scale = false;
	struct name w;

	if (name.len > TS_PATH_MAX)
		return false;
	cut(name, &w);
	for (size_t i = 0; i < w.n; i++) {
		const struct piece *p = &w.pieces[i];
		bool fits = p->kind == PLAIN;

		if (is_piece(p, "scale") || is_piece(p, "scaler")) {
			scale = true;
			continue;
		}
		for (size_t k = 0; k < sizeof beside / sizeof beside[0] && !fits; k++)
			fits = is_piece(p, beside[k]);
		if (!fits)
			return false;
	}
	return scale && w.whole;
}

static bool is_one_of(const struct piece *p, const char *const *words)
{
	while (*words && !is_piece(p, *words))
		words++;
	return *words != NULL;
}

bool ts_words_name_objective(struct ts_span name, bool *ret_elsewhere)
{
	/* These are losses and nothing else. Of the others some are scores, too (dice), and some are words that stand beside them. */
	static const char *const losses[] = {"ce",    "bce",   "crossentropy", "xent",	 "nll",	   "mse",     "mae", "rmse", "huber",
					     "hinge", "focal", "tversky",      "lovasz", "logcosh", "infonce", "kld", NULL};
	static const char *const beside[] = {"dice",  "jaccard", "iou",	    "giou",   "ciou",  "diou", "kl",   "l1",	   "l2",
					     "cross", "entropy", "smooth", "label", "soft", "binary", "and", "plus", "weighted", NULL};
	static const char *const elsewhere[] = {"val", "valid", "validation", "eval", "evaluation", "test", "dev", NULL};
	size_t found = 0, others = 0;
	struct name w;

	*ret_elsewhere = false;
	if (name.len > TS_PATH_MAX)
		return false;
	cut(name, &w);
	for (size_t i = 0; i < w.n; i++) {
		*ret_elsewhere |= is_one_of(&w.pieces[i], elsewhere);
		if (is_one_of(&w.pieces[i], losses))
			found++;
		else if (is_one_of(&w.pieces[i], beside))
			others++;
		else if (w.pieces[i].kind != PLAIN)
			return false;
	}
	return w.whole && found > 0 && found + others > 1;
}
