/* setting_names.h - what the name of a setting that tscope does not know says: does it act on numbers, or does it name, show, store or
 * schedule something?
 *
 * A guess, and used as one: it ranks settings of unknown effect, and never excludes one. `tscope` shows by it which of several to try
 * first. `./dev bench quality names` prints how often it is right, on names of real trainers that somebody else labelled.
 */
#ifndef TSCOPE_ANALYSIS_DIVERGE_SETTING_NAMES_H
#define TSCOPE_ANALYSIS_DIVERGE_SETTING_NAMES_H

#include "base/buf.h"

enum ts_setting_guess {
	TS_SETTING_UNKNOWN = 0, /* no word of it is known */
	TS_SETTING_ACTS = 1,	/* on what is computed */
	TS_SETTING_IDLE = 2,	/* names, shows, stores, or only times something */
};

/* Of the last key of a path: config.train.alpha_note is idle by "note". Words end at '_', '-', '/', a digit and a capital letter. */
enum ts_setting_guess ts_setting_guess_of(struct ts_span path);

/* The words, for docs/divergence.md. */
void ts_setting_names_markdown(struct ts_buf *out);

#endif
