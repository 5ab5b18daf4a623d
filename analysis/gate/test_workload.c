/* Which facts make two runs the same work, and which do not. Expected digests are of Python's hashlib over the rows written out
 * by hand: hashlib.sha256(b"config.lr\0" b"0.1\0" ...).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/gate/workload.h"

#include <string.h>

static struct ts_arena arena;

static int set_up(void **state)
{
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, 1 << 20);
	return ts_digest_init(&err) ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	ts_arena_finish(&arena);
	return 0;
}

static struct ts_fact text(const char *path, const char *value)
{
	return (struct ts_fact){
		.path = ts_span_str(path), .type = TS_FACT_TEXT, .source = TS_SOURCE_RUN_JSON, .text = ts_span_str(value)};
}

static struct ts_fact integer(const char *path, int64_t value)
{
	return (struct ts_fact){.path = ts_span_str(path), .type = TS_FACT_INT, .source = TS_SOURCE_RUN_JSON, .integer = value};
}

static struct ts_fact real(const char *path, double value)
{
	return (struct ts_fact){.path = ts_span_str(path), .type = TS_FACT_FLOAT, .source = TS_SOURCE_RUN_JSON, .real = value};
}

static struct ts_fact truth(const char *path, bool value)
{
	return (struct ts_fact){.path = ts_span_str(path), .type = TS_FACT_BOOL, .source = TS_SOURCE_RUN_JSON, .boolean = value};
}

static struct ts_facts facts_of(const struct ts_fact *items, size_t n)
{
	struct ts_facts facts = {.n = 0};
	struct ts_error err;

	for (size_t i = 0; i < n; i++)
		assert_int_equal(ts_facts_add(&facts, &items[i], &arena, &err), TS_OK);
	(void)ts_facts_sort(&facts);
	return facts;
}

#define FACTS(...)                                                                                                     \
	facts_of((const struct ts_fact[]){__VA_ARGS__},                                                                \
		 sizeof((const struct ts_fact[]){__VA_ARGS__}) / sizeof(struct ts_fact))

static struct ts_workload work_of(struct ts_facts facts, const char *ignored)
{
	struct ts_span glob = ts_span_str(ignored ? ignored : "");
	struct ts_ignore ignore = {.globs = &glob, .n = ignored != NULL};
	struct ts_workload w;
	struct ts_error err;

	assert_int_equal(ts_workload_of(&facts, ignore, &arena, &w, &err), TS_OK);
	return w;
}

static void expect_key(struct ts_workload w, enum ts_workload_part part, const char *hex)
{
	char out[TS_ID_HEX + 1];

	assert_string_equal(ts_id_hex(&w.key[part], out), hex);
}

static bool same(struct ts_workload a, struct ts_workload b, enum ts_workload_part part)
{
	return ts_id_eq(&a.key[part], &b.key[part]);
}

/* The digests are those of printf 'config.lr\0000.1\000data.set\000c4\000work.tokens_per_step\0004096\000' |
 * sha256sum, and so on. */
static void keys_are_digests_of_rows(void **state)
{
	struct ts_workload w = work_of(FACTS(real("config.lr", 0.1), text("data.set", "c4"), integer("work.tokens_per_step", 4096),
					     integer("seeds.torch", 7), text("hardware.gpu", "NVIDIA H100"),
					     integer("parallelism.world_size", 8), integer("parallelism.rank", 0),
					     text("libraries.torch", "2.3.1+cu121")),
				       NULL);

	(void)state;
	expect_key(w, TS_WORKLOAD_CONFIG, "5666603a9c97cffc720b5b30407b909383c2c78e47a8b57ccc942a803c46a559");
	expect_key(w, TS_WORKLOAD_HARDWARE, "ebe0ddcd8481b4804272a03473db6994e1151d4e09e4d040bd9b166aa6b04cdf");
	expect_key(w, TS_WORKLOAD_PARALLELISM, "3e19b4319d3db530580d6815e651f12a29c1f13280434cece5facc9fd15c2ea7");
	expect_key(w, TS_WORKLOAD_LIBRARIES, "f8320548cbbe44eaf84092222953228d2374d36ba0818f1ce96ee64162fe6441");
}

static void says_nothing_is_zeros(void **state)
{
	static const struct ts_id zeros;
	struct ts_workload w = work_of(FACTS(text("code.commit", "abc"), truth("code.dirty", true), text("code.branch", "main"),
					     real("session.started", 1795167217.25)),
				       NULL);

	(void)state;
	for (size_t i = 0; i < TS_WORKLOAD_PARTS; i++)
		assert_true(ts_id_eq(&w.key[i], &zeros));
	assert_true(ts_span_is(w.commit, "abc"));
	assert_true(ts_span_is(w.branch, "main"));
	assert_true(w.dirty);
	assert_int_equal(w.started_ns, INT64_C(1795167217250000000));
	assert_int_equal(w.session.len, 0);
	assert_int_equal(w.name.len, 0);
}

/* Seeds, code, lineage, determinism and ignored facts are not part of the workload; 32 and 32.0 are one number. */
static void what_does_not_count(void **state)
{
	struct ts_workload a = work_of(FACTS(integer("config.batch", 32), text("config.run_name", "x")), "config.run_*");
	struct ts_workload b = work_of(FACTS(real("config.batch", 32.0), text("config.run_name", "y"), integer("seeds.torch", 1),
					     text("code.commit", "abc"), text("lineage.parent", "p"),
					     text("determinism.env.NCCL_ALGO", "Ring"), text("session.host", "n1")),
				       "config.run_*");
	struct ts_workload c = work_of(FACTS(integer("config.batch", 64), text("config.run_name", "x")), "config.run_*");
	struct ts_workload d = work_of(FACTS(integer("config.batch", 32), text("config.run_name", "x")), NULL);

	(void)state;
	assert_true(same(a, b, TS_WORKLOAD_CONFIG));
	assert_false(same(a, c, TS_WORKLOAD_CONFIG));
	assert_false(same(a, d, TS_WORKLOAD_CONFIG));
}

/* Devices count by name, memory and number; which of the host's devices they are does not count. */
static void hardware_is_what_was_there(void **state)
{
	struct ts_workload a = work_of(FACTS(text("hardware.gpus[0].name", "H100"), text("hardware.gpus[0].uuid", "u1"),
					     text("hardware.gpus[0].driver", "550.1"), integer("hardware.gpus[0].memory", 80),
					     integer("hardware.cpu_count", 16)),
				       NULL);
	struct ts_workload b = work_of(FACTS(text("hardware.gpus[0].name", "H100"), text("hardware.gpus[0].uuid", "u2"),
					     text("hardware.gpus[0].driver", "550.9"), integer("hardware.gpus[0].memory", 80),
					     integer("hardware.cpu_count", 32)),
				       NULL);
	struct ts_workload more = work_of(FACTS(text("hardware.gpus[0].name", "H100"), integer("hardware.gpus[0].memory", 80),
						text("hardware.gpus[1].name", "H100"), integer("hardware.gpus[1].memory", 80),
						text("hardware.gpus[0].driver", "560.1")),
					  NULL);
	struct ts_workload other = work_of(FACTS(text("hardware.gpus[0].name", "H100"), integer("hardware.gpus[0].memory", 80),
						 text("hardware.ranks[3].gpus[0].name", "A100")),
					   NULL);

	(void)state;
	assert_true(same(a, b, TS_WORKLOAD_HARDWARE));
	assert_true(same(a, b, TS_WORKLOAD_LIBRARIES));
	assert_false(same(a, more, TS_WORKLOAD_HARDWARE));
	assert_false(same(a, more, TS_WORKLOAD_LIBRARIES));
	assert_false(same(a, other, TS_WORKLOAD_HARDWARE));
}

/* Without a GPU the processors are the devices. */
static void processors_are_devices_too(void **state)
{
	struct ts_fact none = {.path = ts_span_str("hardware.gpu"), .type = TS_FACT_NULL};
	struct ts_workload a = work_of(FACTS(none, integer("hardware.gpu_count", 0), text("hardware.processor", "x86"),
					     integer("hardware.cpu_count", 16)),
				       NULL);
	struct ts_workload b = work_of(FACTS(none, integer("hardware.gpu_count", 0), text("hardware.processor", "x86"),
					     integer("hardware.cpu_count", 32)),
				       NULL);

	(void)state;
	assert_false(same(a, b, TS_WORKLOAD_HARDWARE));
}

static void majors_of_libraries(void **state)
{
	static const struct {
		const char *a, *b;
		bool same;
	} pairs[] = {
		{"2.3.1+cu121", "2.9.0", true}, {"2.3.1", "3.0", false}, {"0.4.1", "0.4.9", true},
		{"0.4.1", "0.5.0", false},	{"v12.1", "12.8", true}, {"nightly", "nightly", true},
		{"nightly", "stable", false},	{"0", "0.4", false},	 {"10.1", "1.0", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
		struct ts_workload a = work_of(FACTS(text("libraries.x", pairs[i].a)), NULL);
		struct ts_workload b = work_of(FACTS(text("libraries.x", pairs[i].b)), NULL);

		if (same(a, b, TS_WORKLOAD_LIBRARIES) != pairs[i].same)
			fail_msg("%s and %s", pairs[i].a, pairs[i].b);
	}
}

/* The same hosts under another job, after another boot or with other devices are another session. */
static void sessions(void **state)
{
	struct ts_workload a = work_of(FACTS(text("session.host", "n1"), text("session.boot_id", "b"),
					     text("session.slurm.SLURM_JOB_ID", "7"), text("hardware.gpus[0].uuid", "u")),
				       NULL);
	struct ts_workload again = work_of(FACTS(text("session.host", "n1"), text("session.boot_id", "b"),
						 text("session.slurm.SLURM_JOB_ID", "7"), text("hardware.gpus[0].uuid", "u"),
						 text("session.name", "another run"), real("session.started", 5.0)),
					   NULL);
	struct ts_workload job = work_of(FACTS(text("session.host", "n1"), text("session.boot_id", "b"),
					       text("session.slurm.SLURM_JOB_ID", "8"), text("hardware.gpus[0].uuid", "u")),
					 NULL);
	struct ts_workload device = work_of(FACTS(text("session.host", "n1"), text("session.boot_id", "b"),
						  text("session.slurm.SLURM_JOB_ID", "7"), text("hardware.gpus[0].uuid", "v")),
					    NULL);
	struct ts_workload nowhere = work_of(FACTS(text("session.slurm.SLURM_JOB_ID", "7")), NULL);

	(void)state;
	assert_int_equal(a.session.len, TS_ID_HEX);
	assert_true(ts_span_eq(a.session, again.session));
	assert_false(ts_span_eq(a.session, job.session));
	assert_false(ts_span_eq(a.session, device.session));
	assert_int_equal(nowhere.session.len, 0);
}

static size_t compare(struct ts_facts a, struct ts_facts b, struct ts_workload_difference **ret)
{
	struct ts_ignore none = {.n = 0};
	struct ts_error err;
	size_t n = 99;

	assert_int_equal(ts_workload_compare(&a, &b, none, &arena, ret, &n, &err), TS_OK);
	return n;
}

static void expect_row(const struct ts_workload_difference *row, enum ts_workload_part part, const char *path, const char *a,
		       const char *b)
{
	assert_int_equal(row->part, part);
	assert_true(ts_span_is(row->path, path));
	assert_true(ts_span_is(row->a, a));
	assert_true(ts_span_is(row->b, b));
}

static void differences_are_named(void **state)
{
	struct ts_workload_difference *rows;

	(void)state;
	assert_int_equal(compare(FACTS(real("config.lr", 0.1), integer("config.width", 64), text("libraries.torch", "2.3.1"),
				       text("hardware.gpu", "H100")),
				 FACTS(real("config.lr", 0.2), integer("config.depth", 4), text("libraries.torch", "2.4.0"),
				       text("hardware.gpu", "A100")),
				 &rows),
			 4);
	expect_row(&rows[0], TS_WORKLOAD_CONFIG, "config.depth", "", "4");
	expect_row(&rows[1], TS_WORKLOAD_CONFIG, "config.lr", "0.1", "0.2");
	expect_row(&rows[2], TS_WORKLOAD_CONFIG, "config.width", "64", "");
	expect_row(&rows[3], TS_WORKLOAD_HARDWARE, "hardware.gpu", "H100", "A100");
	assert_int_equal(compare(FACTS(real("config.lr", 2.0)), FACTS(integer("config.lr", 2)), &rows), 0);
}

/* A declared name replaces the config; all other facts are still compared. */
static void a_name_is_the_work(void **state)
{
	struct ts_workload_difference *rows;

	(void)state;
	assert_int_equal(compare(FACTS(text("work.workload", "llama"), real("config.lr", 0.1)),
				 FACTS(text("work.workload", "llama"), real("config.lr", 0.2)), &rows),
			 0);
	assert_int_equal(compare(FACTS(text("work.workload", "llama"), text("hardware.gpu", "H100"), real("config.lr", 0.1)),
				 FACTS(text("hardware.gpu", "A100"), real("config.lr", 0.1)), &rows),
			 2);
	expect_row(&rows[0], TS_WORKLOAD_CONFIG, "work.workload", "llama", "");
	expect_row(&rows[1], TS_WORKLOAD_HARDWARE, "hardware.gpu", "H100", "A100");
}

/* Of several sources the highest one counts, as elsewhere. */
static void the_pusher_counts(void **state)
{
	struct ts_fact said = real("config.lr", 0.2);
	struct ts_workload a, b;

	(void)state;
	said.source = TS_SOURCE_PUSHER;
	a = work_of(FACTS(real("config.lr", 0.1), said), NULL);
	b = work_of(FACTS(real("config.lr", 0.2)), NULL);
	assert_true(same(a, b, TS_WORKLOAD_CONFIG));
}

static void words_go_both_ways(void **state)
{
	enum ts_workload_part part;

	(void)state;
	for (size_t i = 0; i < TS_WORKLOAD_PARTS; i++) {
		assert_true(ts_workload_part_parse(ts_span_str(ts_workload_part_word((enum ts_workload_part)i)), &part));
		assert_int_equal(part, i);
	}
	assert_false(ts_workload_part_parse(ts_span_str("seeds"), &part));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_digests_of_rows),
		cmocka_unit_test(says_nothing_is_zeros),
		cmocka_unit_test(what_does_not_count),
		cmocka_unit_test(hardware_is_what_was_there),
		cmocka_unit_test(processors_are_devices_too),
		cmocka_unit_test(majors_of_libraries),
		cmocka_unit_test(sessions),
		cmocka_unit_test(differences_are_named),
		cmocka_unit_test(a_name_is_the_work),
		cmocka_unit_test(the_pusher_counts),
		cmocka_unit_test(words_go_both_ways),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
