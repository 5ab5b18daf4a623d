/* quality_names.c - how often the name of a setting tells whether it acts on numbers. setting_names.inc has names of settings of real
 * trainers, each with what somebody said of it who had not read the words that the guess is made of; the goals were set before the
 * guess was first asked about them.
 */
#include "quality_parts.h"

#include "analysis/diverge/setting_names.h"

enum part { MENDED_BY, OTHERS };

static const struct name {
	const char *name; /* NULL: what follows is of this part */
	enum part part;
	bool acts;
} names[] = {
#define PART(of) {NULL, of, false},
#define ACTS(name) {name, 0, true},
#define IDLE(name) {name, 0, false},
#include "setting_names.inc"
#undef PART
#undef ACTS
#undef IDLE
};

/* Of the names of one label and part, how many the guess says to be `said`. */
static void of_label(struct quality *q, struct quality_case c, enum part part, bool acts, enum ts_setting_guess said)
{
	enum part now = MENDED_BY;

	for (size_t i = 0; quality_wants(q, &c) && i < sizeof names / sizeof *names; i++) {
		if (!names[i].name)
			now = names[i].part;
		else if (now == part && names[i].acts == acts)
			quality_count(&c, ts_setting_guess_of(ts_span_str(names[i].name)) == said);
	}
	quality_report(q, &c);
}

void quality_names(struct quality *q)
{
	of_label(q, quality_at_most("names, a setting that acts: said to be idle", 0.05), OTHERS, true, TS_SETTING_IDLE);
	of_label(q, quality_at_least("names, a setting that acts: said to act", 0.60), OTHERS, true, TS_SETTING_ACTS);
	of_label(q, quality_at_most("names, an idle setting: said to act", 0.20), OTHERS, false, TS_SETTING_ACTS);
	of_label(q, quality_at_least("names, an idle setting: said to be idle", 0.60), OTHERS, false, TS_SETTING_IDLE);
	of_label(q, quality_at_most("names that mended the words, one that acts: said to be idle", 0.05), MENDED_BY, true,
		 TS_SETTING_IDLE);
	of_label(q, quality_at_least("names that mended the words, one that acts: said to act", 0.60), MENDED_BY, true,
		 TS_SETTING_ACTS);
	of_label(q, quality_at_most("names that mended the words, an idle one: said to act", 0.20), MENDED_BY, false, TS_SETTING_ACTS);
	of_label(q, quality_at_least("names that mended the words, an idle one: said to be idle", 0.60), MENDED_BY, false,
		 TS_SETTING_IDLE);
}
