/* test_rows.h - for tests of rules and of the bound: rows written as text. */
#ifndef TSCOPE_ANALYSIS_RULES_TEST_ROWS_H
#define TSCOPE_ANALYSIS_RULES_TEST_ROWS_H

#include "analysis/answer/event.h"
#include "analysis/answer/measure.h"

/* Adds, in order, rows written as "timing/data/share_ratio = 0.3; ranks/all/mode = 'none'; memory/creep/kind ? why": a known,
 * a text and an unknown row. Names have the suffix of their unit, as in JSON. The test fails on any other form, and on a
 * measure that no analysis produces. */
void test_rows(struct ts_measures *m, struct ts_arena *arena, const char *text);

#endif
