#include "base/alloc.h"
#include "base/cursor.h"
#include "base/limits.h"
#include "base/object.h"
#include "run/head.h"
#include "run/test_roundtrip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ts_fact text_fact(const char *path, enum ts_fact_source source, const char *text)
{
	return (struct ts_fact){
		.path = ts_span_str(path), .type = TS_FACT_TEXT, .source = source, .text = ts_span_str(text)};
}

static struct ts_fact long_fact(const char *path, enum ts_fact_source source, uint8_t fill)
{
	struct ts_fact fact = {.path = ts_span_str(path), .type = TS_FACT_LONG, .source = source, .text_len = 2000};

	memset(fact.text_id.bytes, fill, sizeof fact.text_id.bytes);
	return fact;
}

static void digest(struct ts_head *head)
{
	struct ts_error err;

	assert_int_equal(ts_head_digest_groups(head, &err), TS_OK);
}

enum { FACTS = 7, RANKS = 3 };

struct sample {
	struct ts_fact facts[FACTS];
	struct ts_rank_ref ranks[RANKS];
	struct ts_head head;
};

static void make_sample(struct sample *s)
{
	static const int32_t numbers[RANKS] = {-1, 0, 5};

	s->facts[0] = long_fact("code.patch", TS_SOURCE_HOST, 9);
	s->facts[1] = (struct ts_fact){
		.path = ts_span_str("config.lr"), .type = TS_FACT_FLOAT, .source = TS_SOURCE_RUN_JSON, .real = 3e-4};
	s->facts[2] = s->facts[1];
	s->facts[2].source = TS_SOURCE_PUSHER;
	s->facts[2].real = 1e-4;
	s->facts[3] = (struct ts_fact){.path = ts_span_str("config.n"),
				       .type = TS_FACT_NUMBER,
				       .source = TS_SOURCE_RUN_JSON,
				       .text = ts_span_str("18446744073709551616")};
	s->facts[4] = (struct ts_fact){
		.path = ts_span_str("seeds.torch"), .type = TS_FACT_INT, .source = TS_SOURCE_RUN_JSON, .integer = -1};
	s->facts[5] = text_fact("session.name", TS_SOURCE_RUN_JSON, "exp1");
	s->facts[6] = (struct ts_fact){.path = ts_span_str("session.tty"),
				       .type = TS_FACT_BOOL,
				       .source = TS_SOURCE_RUN_JSON,
				       .boolean = true};
	for (int i = 0; i < RANKS; i++) {
		s->ranks[i].rank = numbers[i];
		memset(s->ranks[i].index.bytes, i + 1, TS_ID_BYTES);
	}
	s->head = (struct ts_head){.facts = {.items = s->facts, .n = FACTS}, .ranks = s->ranks, .n_ranks = RANKS};
	digest(&s->head);
}

static void encode(const struct ts_head *head, struct ts_buf *out)
{
	struct ts_error err;

	ts_buf_reset(out);
	if (ts_head_encode(head, out, &err))
		fail_msg("%s", err.text);
}

static void test_round_trip(void **unused)
{
	struct ts_buf buf = TS_BUF_INIT(TS_OBJECT_MAX);
	struct ts_arena arena;
	struct ts_object frame;
	struct ts_head back;
	struct ts_error err;
	struct sample s;

	(void)unused;
	ts_arena_init(&arena, 0);
	make_sample(&s);
	encode(&s.head, &buf);
	assert_int_equal(ts_head_decode(ts_buf_view(&buf), &arena, &back, &err), TS_OK);
	assert_int_equal(back.n_ranks, RANKS);
	assert_memory_equal(back.ranks, s.ranks, sizeof s.ranks);
	assert_int_equal(back.facts.n, FACTS);
	for (size_t i = 0; i < FACTS; i++)
		assert_true(ts_fact_same(&back.facts.items[i], &s.facts[i]));
	assert_int_equal(ts_object_parse(ts_buf_view(&buf), &frame, &err), TS_OK);
	assert_int_equal(frame.nrefs, RANKS + 1); /* the objects that it needs to be complete: the indexes and the long text */
	ts_arena_finish(&arena);
	ts_buf_finish(&buf);
}

static bool same_group(const struct sample *a, const struct sample *b, enum ts_group group)
{
	return ts_id_eq(&a->head.groups[group], &b->head.groups[group]);
}

static void test_group_digests_see_effective_values_only(void **unused)
{
	static const struct ts_id zero;
	struct sample a, b;

	(void)unused;
	make_sample(&a);
	make_sample(&b);
	b.facts[1].real = 5; /* the pusher's value overrides this one */
	b.facts[0].source = TS_SOURCE_FACTS_JSON;
	b.facts[5].source = TS_SOURCE_FACTS_JSON;
	digest(&b.head);
	for (int i = 0; i < TS_GROUPS; i++)
		assert_true(same_group(&a, &b, (enum ts_group)i));
	b.facts[2].real = 5;
	digest(&b.head);
	assert_false(same_group(&a, &b, TS_GROUP_CONFIG));
	assert_true(same_group(&a, &b, TS_GROUP_SEEDS));
	b.facts[0].text_id.bytes[0]++;
	digest(&b.head);
	assert_false(same_group(&a, &b, TS_GROUP_CODE));
	assert_true(ts_id_eq(&a.head.groups[TS_GROUP_WORK], &zero));
	assert_false(ts_id_eq(&a.head.groups[TS_GROUP_SESSION], &zero));
}

static void assert_refused(const struct ts_head *head, const char *why)
{
	struct ts_buf buf = TS_BUF_INIT(TS_OBJECT_MAX);
	struct ts_arena arena;
	struct ts_head back;
	struct ts_error err = {.text = ""};
	enum ts_status status;

	ts_arena_init(&arena, 0);
	encode(head, &buf);
	status = ts_head_decode(ts_buf_view(&buf), &arena, &back, &err);
	if (status != TS_DAMAGED || !strstr(err.text, why))
		fail_msg("%d '%s' where '%s' is due", (int)status, err.text, why);
	ts_arena_finish(&arena);
	ts_buf_finish(&buf);
}

static void test_decoder_refuses_what_is_not_canonical(void **unused)
{
	struct sample s;

	(void)unused;
	make_sample(&s);
	s.facts[4].integer = 7; /* the digests were computed for -1 */
	assert_refused(&s.head, "digest of group seeds");
	make_sample(&s);
	s.facts[1].source = TS_SOURCE_PUSHER; /* the same path and source stand twice */
	digest(&s.head);
	assert_refused(&s.head, "fact config.lr is not in order");
	make_sample(&s);
	s.facts[4].path = ts_span_str("config.a");
	digest(&s.head);
	assert_refused(&s.head, "fact config.a is not in order");
}

static void test_encoder_refuses_what_no_head_can_hold(void **unused)
{
	static char text[TS_FACT_INLINE_MAX + 1];
	struct ts_buf buf = TS_BUF_INIT(TS_OBJECT_MAX);
	struct ts_error err;
	struct sample s;

	(void)unused;
	make_sample(&s);
	s.ranks[1].rank = -1;
	assert_int_equal(ts_head_encode(&s.head, &buf, &err), TS_INVALID);
	make_sample(&s);
	s.facts[5].text = ts_span_of(text, sizeof text);
	assert_int_equal(ts_head_encode(&s.head, &buf, &err), TS_TOO_LARGE);
	make_sample(&s);
	s.facts[4].type = TS_FACT_ABSENT;
	assert_int_equal(ts_head_encode(&s.head, &buf, &err), TS_INVALID);
	make_sample(&s);
	s.facts[4].path = ts_span_str("nonsense.x");
	assert_int_equal(ts_head_encode(&s.head, &buf, &err), TS_INVALID);
	make_sample(&s);
	s.facts[3].text = ts_span_str("12"); /* that text should be stored as an INT */
	assert_int_equal(ts_head_encode(&s.head, &buf, &err), TS_INVALID);
	assert_int_equal(buf.len, 0);
	ts_buf_finish(&buf);
}

/* The digest of a group whose facts do not fit in the buffer is that of all their bytes, built here from docs/format.md. */
static void expect_digest_of_many(const struct ts_head *head)
{
	struct ts_buf bytes = TS_BUF_INIT(2 * TS_OBJECT_MAX);
	struct ts_id id;

	for (size_t i = 0; i < head->facts.n; i++) {
		const struct ts_fact *fact = &head->facts.items[i];

		ts_buf_u8(&bytes, (uint8_t)fact->type);
		ts_buf_u16(&bytes, (uint16_t)fact->path.len);
		ts_buf_span(&bytes, fact->path);
		ts_buf_u32(&bytes, (uint32_t)fact->text.len);
		ts_buf_span(&bytes, fact->text);
	}
	ts_digest(ts_buf_view(&bytes), &id);
	assert_true(ts_id_eq(&id, &head->groups[TS_GROUP_CONFIG]));
	ts_buf_finish(&bytes);
}


/* Each rank takes 36 bytes. */
static void test_a_head_that_is_too_large_says_what_is(void **unused)
{
	enum { ALL = 1819, MANY = 2100 };
	static struct ts_rank_ref ranks[ALL + 1];
	static struct ts_fact facts[MANY];
	static char paths[MANY][32];
	static char text[1000];
	struct ts_head head = {.ranks = ranks, .n_ranks = ALL};
	struct ts_buf buf = TS_BUF_INIT(2 * TS_OBJECT_MAX);
	struct ts_error err;

	(void)unused;
	for (int i = 0; i <= ALL; i++)
		ranks[i].rank = i;
	encode(&head, &buf);
	head.n_ranks++;
	assert_int_equal(ts_head_encode(&head, &buf, &err), TS_TOO_LARGE);
	assert_string_equal(err.text, "a run has at most 1819 ranks, and these are 1820");
	memset(text, 'x', sizeof text);
	for (int i = 0; i < MANY; i++) {
		(void)snprintf(paths[i], sizeof paths[i], "config.%04d", i);
		facts[i] = (struct ts_fact){.path = ts_span_str(paths[i]),
					    .type = TS_FACT_TEXT,
					    .source = TS_SOURCE_HOST,
					    .text = ts_span_of(text, sizeof text)};
	}
	head = (struct ts_head){.facts = {.items = facts, .n = MANY}};
	digest(&head);
	assert_int_equal(ts_head_encode(&head, &buf, &err), TS_TOO_LARGE);
	/* Each of the 2100 facts takes 4 + 11 + 4 + 1000 bytes, and the group's digest is added. */
	assert_string_equal(err.text, "the facts of a run have room in 2097126 bytes, these take 2139932 (config 2139932)");
	/* 2000 facts take 2000 * 1019 + 32 = 2038032 bytes, which leaves 59094 bytes: 1641 ranks and 18 bytes. */
	head = (struct ts_head){.facts = {.items = facts, .n = 2000}, .ranks = ranks, .n_ranks = 1641};
	digest(&head);
	ts_buf_reset(&buf);
	encode(&head, &buf);
	assert_int_equal(buf.len, TS_HEAD_MAX - 18);
	assert_int_equal(ts_head_check_room(&head.facts, 1641, &err), TS_OK);
	head.n_ranks++;
	assert_int_equal(ts_head_encode(&head, &buf, &err), TS_TOO_LARGE);
	assert_string_equal(err.text,
			    "1642 ranks, and at most 1641 fit in this run: its head has 2097152 bytes, of which each rank takes 36 and "
			    "the facts 2038032 (config 2038032)");
	expect_digest_of_many(&head);
	ts_buf_finish(&buf);
}

static void test_damage_everywhere(void **unused)
{
	struct ts_buf buf = TS_BUF_INIT(TS_OBJECT_MAX);
	struct sample s;

	(void)unused;
	make_sample(&s);
	encode(&s.head, &buf);
	assert_true(test_damage(ts_buf_view(&buf), buf.len * 8) > buf.len);
	ts_buf_finish(&buf);
}

/* A set bit with a digest of zeros would be a second way to encode that the group has no facts. */
static void test_a_group_without_facts_has_no_digest(void **unused)
{
	static const struct ts_id zero;
	struct ts_buf buf = TS_BUF_INIT(TS_OBJECT_MAX);
	struct ts_arena arena;
	struct ts_head head;
	struct ts_error err;

	(void)unused;
	ts_arena_init(&arena, 0);
	ts_object_begin(&buf, TS_KIND_HEAD, 1, TS_LAYOUT_BYTES, NULL, 0);
	ts_buf_u32(&buf, 0);
	ts_buf_u16(&buf, 1 << TS_GROUP_SEEDS);
	ts_buf_bytes(&buf, &zero, sizeof zero);
	ts_buf_u32(&buf, 0);
	assert_int_equal(ts_head_decode(ts_buf_view(&buf), &arena, &head, &err), TS_DAMAGED);
	ts_arena_finish(&arena);
	ts_buf_finish(&buf);
}

static void test_counts_are_checked_before_memory(void **unused)
{
	struct ts_buf buf = TS_BUF_INIT(TS_OBJECT_MAX);
	struct ts_arena arena;
	struct ts_head head;
	struct ts_error err;

	(void)unused;
	ts_arena_init(&arena, 0);
	ts_object_begin(&buf, TS_KIND_HEAD, 1, TS_LAYOUT_BYTES, NULL, 0);
	ts_buf_u32(&buf, UINT32_MAX);
	assert_int_equal(ts_head_decode(ts_buf_view(&buf), &arena, &head, &err), TS_DAMAGED);
	ts_store_u32(buf.data + 16, 0);
	ts_buf_u16(&buf, 0);
	ts_buf_u32(&buf, UINT32_MAX);
	assert_int_equal(ts_head_decode(ts_buf_view(&buf), &arena, &head, &err), TS_DAMAGED);
	assert_true(arena.used < 64);
	ts_arena_finish(&arena);
	ts_buf_finish(&buf);
}

static void test_every_allocation_may_fail(void **unused)
{
	struct ts_buf buf = TS_BUF_INIT(TS_OBJECT_MAX);
	enum ts_status status = TS_NO_MEMORY;
	struct sample s;

	(void)unused;
	make_sample(&s);
	for (size_t n = 1; status; n++) {
		struct ts_arena arena;
		struct ts_head back;
		struct ts_error err;

		ts_arena_init(&arena, 0);
		ts_buf_finish(&buf);
		ts_alloc_fail_at(n);
		status = ts_head_encode(&s.head, &buf, &err);
		if (!status)
			status = ts_head_decode(ts_buf_view(&buf), &arena, &back, &err);
		ts_alloc_fail_at(0);
		assert_true(status == TS_OK || status == TS_NO_MEMORY);
		assert_true(status == TS_OK || n < 100);
		ts_arena_finish(&arena);
	}
	ts_buf_finish(&buf);
}

static int set_up(void **unused)
{
	struct ts_error err;

	(void)unused;
	return ts_digest_init(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_group_digests_see_effective_values_only),
		cmocka_unit_test(test_decoder_refuses_what_is_not_canonical),
		cmocka_unit_test(test_encoder_refuses_what_no_head_can_hold),
		cmocka_unit_test(test_a_head_that_is_too_large_says_what_is),
		cmocka_unit_test(test_damage_everywhere),
		cmocka_unit_test(test_a_group_without_facts_has_no_digest),
		cmocka_unit_test(test_counts_are_checked_before_memory),
		cmocka_unit_test(test_every_allocation_may_fail),
	};

	return cmocka_run_group_tests_name("head", tests, set_up, NULL);
}
