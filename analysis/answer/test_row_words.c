/* Words of rows: each value comes back from its word, no two values share one, and what is nobody's word says the least. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/answer/row_words.h"

/* What is said of one enum: n values from 0, of which `least` says the least. */
#define CHECK(type, word_of, value_of, last, least)                                                                                    \
	do {                                                                                                                           \
		for (size_t i = 0; i <= (size_t)(last); i++) {                                                                         \
			const char *word = word_of((enum type)i);                                                                      \
                                                                                                                                       \
			assert_non_null(word);                                                                                         \
			assert_int_equal(value_of(ts_span_str(word)), *word ? i : (size_t)(least));                                    \
			for (size_t k = 0; k < i; k++)                                                                                 \
				assert_string_not_equal(word, word_of((enum type)k));                                                  \
		}                                                                                                                      \
		assert_int_equal(value_of(ts_span_str("a word of a newer server")), least);                                            \
		assert_int_equal(value_of(ts_span_of(NULL, 0)), least);                                                                \
	} while (0)

static void words_come_back(void **state)
{
	(void)state;
	CHECK(ts_answered, ts_answered_word, ts_answered_of, TS_ANSWERED_YES, TS_ANSWERED_UNKNOWN);
	CHECK(ts_time_source, ts_time_source_word, ts_time_source_of, TS_TIME_BY_STAMPS, TS_TIME_UNSAID);
	CHECK(ts_ranks_mode, ts_ranks_mode_word, ts_ranks_mode_of, TS_RANKS_HIDDEN, TS_RANKS_ALONE);
	CHECK(ts_device_kind, ts_device_kind_word, ts_device_kind_of, TS_DEVICE_GPU, TS_DEVICE_UNSAID);
	CHECK(ts_period_cause, ts_period_cause_word, ts_period_cause_of, TS_PERIOD_WORKERS, TS_PERIOD_OTHER);
	CHECK(ts_slowdown_kind, ts_slowdown_word, ts_slowdown_of, TS_SLOWDOWN_LEVELS, TS_SLOWDOWN_NONE);
	CHECK(ts_series_progress, ts_series_progress_word, ts_series_progress_of, TS_PROGRESS_ROSE, TS_PROGRESS_UNKNOWN);
	CHECK(ts_series_trend, ts_series_trend_word, ts_series_trend_of, TS_SERIES_TREND_DIVERGED, TS_SERIES_TREND_UNKNOWN);
	CHECK(ts_move_kind, ts_move_word, ts_move_of, TS_MOVE_DRIFT, TS_MOVE_NONE);
	CHECK(ts_creep_kind, ts_creep_word, ts_creep_of, TS_CREEP_CONFIRMED, TS_CREEP_NONE);
	CHECK(ts_culprit_kind, ts_culprit_kind_word, ts_culprit_kind_of, TS_CULPRIT_STRAGGLER, TS_CULPRIT_STRAGGLER);
	CHECK(ts_memory_phase, ts_memory_phase_word, ts_memory_phase_of, TS_PHASE_OPTIMIZER, TS_PHASE_UNSAID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_come_back),
	};

	return cmocka_run_group_tests_name("row_words", tests, NULL, NULL);
}
