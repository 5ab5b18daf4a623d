/* comparison_say.c - the sentences of comparison.h. */
#include "analysis/settings/comparison.h"

enum { SENTENCES = 5 };

static size_t count_settings(const struct ts_comparison *c, enum ts_setting_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_settings; i++)
		n += c->settings[i].state == state;
	return n;
}

/* "val_loss.best falls where config.lr rises: rank correlation -0.82 over 24 runs, 95 % interval -0.92 to -0.62". */
static const char *strongest(const struct ts_comparison *c, struct ts_arena *a)
{
	const struct ts_compared_setting *s = &c->settings[0];
	const char *what = s->word.len ? ts_arena_phrase(a, "is %s where %.*s is %.*s", s->rho < 0 ? "lower" : "higher",
							 TS_SPAN_ARG(s->path), TS_SPAN_ARG(s->word))
				       : ts_arena_phrase(a, "%s where %.*s rises", s->rho < 0 ? "falls" : "rises",
							 TS_SPAN_ARG(s->path));

	return ts_arena_phrase(a, "%.*s %s: rank correlation %.2f over %zu runs, 95 %% interval %.2f to %.2f", TS_SPAN_ARG(c->outcome),
			       what, s->rho, s->runs, s->low, s->high);
}

static const char *of_settings(const struct ts_comparison *c, struct ts_arena *a)
{
	size_t unknown = count_settings(c, TS_SETTING_FEW) + count_settings(c, TS_SETTING_MOVES),
	       shown = count_settings(c, TS_SETTING_GOES_WITH);

	if (c->n_settings == 0)
		return ts_arena_phrase(a, "No setting differs among the %zu runs that have %.*s", c->runs, TS_SPAN_ARG(c->outcome));
	if (shown > 0)
		return strongest(c, a);
	if (unknown == c->n_settings)
		return ts_arena_phrase(a, "With which settings %.*s goes is not known from these %zu runs", TS_SPAN_ARG(c->outcome),
				       c->runs);
	return ts_arena_phrase(a, "No setting is shown to go with %.*s over these %zu runs", TS_SPAN_ARG(c->outcome), c->runs);
}

static const char *rest_of_settings(const struct ts_comparison *c, struct ts_arena *a)
{
	size_t few = count_settings(c, TS_SETTING_FEW), moving = count_settings(c, TS_SETTING_MOVES);

	if (few && moving)
		return ts_arena_phrase(a,
				       "Not known of %zu setting%s with too few runs, or too few of another value, and of %zu that "
				       "move%s with another",
				       few, few == 1 ? "" : "s", moving, moving == 1 ? "s" : "");
	if (few)
		return ts_arena_phrase(a, "Not known of %zu setting%s with too few runs, or too few of another value", few,
				       few == 1 ? "" : "s");
	return moving ? ts_arena_phrase(a, "Not known of %zu setting%s with another one: the effects cannot be told apart", moving,
					moving == 1 ? " that moves" : "s that move")
		      : NULL;
}

static const char *of_groups(const struct ts_comparison *c, struct ts_arena *a)
{
	const struct ts_compared_group *best = &c->groups[0];
	size_t worse = 0, open = 0;

	for (size_t i = 0; i < c->n_groups; i++) {
		worse += c->groups[i].state == TS_GROUP_WORSE;
		open += c->groups[i].state == TS_GROUP_NO_WORSE;
	}
	if (best->state != TS_GROUP_BEST)
		return ts_arena_phrase(a, "Groups by %.*s cannot be compared: two of them need %d runs or more", TS_SPAN_ARG(c->by),
				       TS_GROUP_LEAST);
	return ts_arena_phrase(a, "By %.*s, %s%.*s has the best mean of %.*s, %.6g; %zu of the others %s shown to be worse, %zu %s not",
			       TS_SPAN_ARG(c->by), best->name.len ? "" : "what is not recorded", TS_SPAN_ARG(best->name),
			       TS_SPAN_ARG(c->outcome), best->mean, worse, worse == 1 ? "is" : "are", open, open == 1 ? "is" : "are");
}

static void add(struct ts_comparison *c, const char *text)
{
	if (text)
		c->sentences[c->n_sentences++] = ts_span_str(text);
}

enum ts_status ts_comparison_say(struct ts_comparison *c, struct ts_arena *a, struct ts_error *err)
{
	c->sentences = ts_arena_array(a, SENTENCES, sizeof *c->sentences);
	if (!c->sentences)
		return ts_arena_error(a, err);
	if (c->by.len) {
		add(c, of_groups(c, a));
		if (!c->direction_known)
			add(c, ts_arena_phrase(a,
					       "Whether a low or a high %.*s is better is not known from its name: the least is called "
					       "the best",
					       TS_SPAN_ARG(c->outcome)));
	} else {
		add(c, of_settings(c, a));
		add(c, rest_of_settings(c, a));
	}
	if (c->without)
		add(c, ts_arena_phrase(a, "%zu run%s that match%s %s no %.*s", c->without, c->without == 1 ? "" : "s",
				       c->without == 1 ? "es" : "", c->without == 1 ? "has" : "have", TS_SPAN_ARG(c->outcome)));
	return ts_arena_check(a, err);
}
