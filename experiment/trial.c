#include "experiment/trial.h"

#include "base/words.h"

TS_WORDS(ts_trial_why_word, enum ts_trial_why, "", [TS_TRIAL_B_AGAIN] = "b_again", [TS_TRIAL_A_AGAIN] = "a_again",
	 [TS_TRIAL_REPEAT] = "repeat", [TS_TRIAL_LIKELIEST] = "likeliest", [TS_TRIAL_SEARCH] = "search", [TS_TRIAL_NEEDED] = "needed",
	 [TS_TRIAL_PUT_BACK] = "put_back", [TS_TRIAL_TO_THE_END] = "to_the_end", [TS_TRIAL_COMMIT] = "commit", [TS_TRIAL_HERE] = "here",
	 [TS_TRIAL_DETERMINISTIC] = "deterministic", [TS_TRIAL_SCATTER] = "scatter", [TS_TRIAL_OFTEN] = "often")

TS_WORDS(ts_trial_why_text, enum ts_trial_why,
	 "", [TS_TRIAL_B_AGAIN] = "B again, as it was recorded", [TS_TRIAL_A_AGAIN] = "A again, as it was recorded",
	 [TS_TRIAL_REPEAT] = "does a rerun repeat itself?", [TS_TRIAL_LIKELIEST] = "A with the likeliest cause alone",
	 [TS_TRIAL_SEARCH] = "A with a part of what differs", [TS_TRIAL_NEEDED] = "A with what was found, without one member of it",
	 [TS_TRIAL_PUT_BACK] = "B with what was found put back", [TS_TRIAL_TO_THE_END] = "A with what was found, to the end",
	 [TS_TRIAL_COMMIT] = "a commit between the two", [TS_TRIAL_HERE] = "A without a part of this machine's environment",
	 [TS_TRIAL_DETERMINISTIC] = "do runs repeat with deterministic kernels?", [TS_TRIAL_SCATTER] = "how far do repeats lie apart?",
	 [TS_TRIAL_OFTEN] = "does the result come back?")

bool ts_trials_equal(const struct ts_trial *a, const struct ts_trial *b)
{
	return ts_factor_sets_equal(&a->from_b, &b->from_b) && a->commit == b->commit && a->deterministic == b->deterministic &&
	       a->stop == b->stop && a->repeat == b->repeat;
}
