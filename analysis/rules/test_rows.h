/* test_rows.h - for tests of rules and of the bound: rows written as text. */
#ifndef TSCOPE_ANALYSIS_RULES_TEST_ROWS_H
#define TSCOPE_ANALYSIS_RULES_TEST_ROWS_H

#include "analysis/answer/event.h"
#include "analysis/answer/measure.h"

/* "timing/data/share_ratio = 0.3; ranks/all/mode = 'none'; memory/creep/kind ? why" : known, text and unknown rows, added
 * in order. Names have the suffix of their unit, as in JSON. Fails the test on anything else, and on what no analysis makes. */
void test_rows(struct ts_measures *m, struct ts_arena *arena, const char *text);

#endif
