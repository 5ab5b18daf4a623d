/* log_names.h: the table of docs/importers.md, and who gets a column first. */
#include "ingest/rows/log_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ts_log_name name_of(struct ts_log_names *names, const char *text)
{
	struct ts_log_name out;
	struct ts_error err;

	if (ts_log_name(names, ts_span_str(text), &out, &err))
		fail_msg("%s", err.text);
	return out;
}

static void names_become_columns(void **state)
{
	struct ts_arena arena;
	struct ts_log_names names = {.arena = &arena};
	struct ts_log_name n;

	(void)state;
	ts_arena_init(&arena, 0);
	n = name_of(&names, "loss_metrics/global_avg_loss");
	assert_true(ts_span_is(n.column, "scalars.loss") && n.known && n.factor == 1);
	n = name_of(&names, "memory/max_reserved(GiB)");
	assert_true(ts_span_is(n.column, "memory.peak_reserved") && n.factor == 1073741824.0);
	n = name_of(&names, "mfu(%)");
	assert_true(ts_span_is(n.column, "scalars.mfu") && n.factor == 0.01);
	n = name_of(&names, "eval/acc.top1");
	assert_true(ts_span_is(n.column, "scalars.eval/acc\\.top1") && !n.known && n.factor == 1);
	ts_arena_finish(&arena);
}

static void the_first_name_has_the_column(void **state)
{
	struct ts_arena arena;
	struct ts_log_names names = {.arena = &arena};

	(void)state;
	ts_arena_init(&arena, 0);
	assert_true(ts_span_is(name_of(&names, "train/loss").column, "scalars.loss"));
	assert_true(ts_span_is(name_of(&names, "Loss/train").column, "scalars.Loss/train"));
	assert_true(ts_span_is(name_of(&names, "train/loss").column, "scalars.loss"));
	ts_arena_finish(&arena);
}

static void what_trainings_measure(void **state)
{
	static const struct {
		const char *name;
		bool is;
	} cases[] = {{"loss", true},
		     {"train/CrossEntropyLoss", true},
		     {"val_acc", true},
		     {"Acc@1", true},
		     {"total_loss", true},
		     {"valLoss", true},
		     {"ep_rew_mean", true},
		     {"mAP50(B)", true},
		     {"Learning Rate", true},
		     {"valid WER", true},
		     {"global average objf", true},
		     {"char train(%)", true},
		     {"train(%)", false},
		     {"next train", false},
		     {"power", false},
		     {"closest", false},
		     {"temperature", false},
		     {"accept", false},
		     {"lrx", false},
		     {"size", false},
		     {"", false}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (ts_log_name_measures(ts_span_str(cases[i].name)) != cases[i].is)
			fail_msg("%s", cases[i].name);
}

/* The digits are those of sha256sum. */
static void a_name_that_no_column_can_have_keeps_its_beginning(void **state)
{
	struct ts_arena arena;
	struct ts_notices notices = {.arena = &arena};
	struct ts_log_names names = {.arena = &arena, .notices = &notices};
	char longest[3001], dots[301];
	struct ts_span column;

	(void)state;
	ts_arena_init(&arena, 0);
	memset(longest, 'x', 3000);
	longest[3000] = '\0';
	memset(dots, '.', 300);
	dots[300] = '\0';
	assert_true(ts_span_is(name_of(&names, "a\xff" "b").column, "scalars.a_b~01ce0241"));
	column = name_of(&names, longest).column;
	assert_true(column.len < 120 && ts_span_starts(column, ts_span_str("scalars.xxxx")));
	assert_memory_equal(column.data + column.len - 9, "~e1630f84", 9);
	longest[2999] = 'y';
	assert_false(ts_span_eq(column, name_of(&names, longest).column));
	column = name_of(&names, dots).column;
	assert_memory_equal(column.data + column.len - 9, "~a0bd2a8e", 9);
	assert_int_equal(notices.n, 1);
	assert_string_equal(notices.items[0].code, "renamed_key");
	assert_int_equal(notices.items[0].count, 4);
	ts_arena_finish(&arena);
}

static void the_table_is_documented(void **state)
{
	struct ts_buf want = TS_BUF_INIT(1 << 20);
	char *text = calloc(1, 1 << 20);
	FILE *f = fopen("docs/importers.md", "rb");

	(void)state;
	assert_non_null(f);
	assert_non_null(text);
	assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
	(void)fclose(f);
	ts_log_names_markdown(&want);
	ts_buf_u8(&want, 0);
	if (!strstr(text, (const char *)want.data))
		fail_msg("docs/importers.md lacks:\n%s", (const char *)want.data);
	ts_buf_finish(&want);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_become_columns),	   cmocka_unit_test(the_first_name_has_the_column),
		cmocka_unit_test(what_trainings_measure),  cmocka_unit_test(a_name_that_no_column_can_have_keeps_its_beginning),
		cmocka_unit_test(the_table_is_documented),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
