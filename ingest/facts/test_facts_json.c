#include "ingest/facts/facts_json.h"

#include "base/digest.h"
#include "ingest/facts/redact.h"
#include "run/test_objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

struct fixture {
	struct ts_arena arena;
	struct ts_facts facts;
	struct ts_buf text;
	struct ts_error err;
};

static void init(struct fixture *f)
{
	*f = (struct fixture){.text = TS_BUF_INIT(1 << 20)};
	ts_arena_init(&f->arena, 0);
}

static void finish(struct fixture *f)
{
	ts_arena_finish(&f->arena);
	ts_buf_finish(&f->text);
}

/* Prints "path=value;" for each fact. The number of the source stands in front unless the source is run.json. */
static const char *show(struct fixture *f)
{
	ts_buf_reset(&f->text);
	(void)ts_facts_sort(&f->facts);
	for (size_t i = 0; i < f->facts.n; i++) {
		const struct ts_fact *fact = &f->facts.items[i];

		if (fact->source != TS_SOURCE_RUN_JSON)
			ts_buf_printf(&f->text, "%d:", fact->source);
		ts_buf_span(&f->text, fact->path);
		ts_buf_char(&f->text, fact->type == TS_FACT_TEXT ? '~' : '=');
		ts_fact_print(fact, &f->text);
		ts_buf_char(&f->text, ';');
	}
	ts_buf_char(&f->text, '\0');
	return (const char *)f->text.data;
}

static void run_json(const char *json, const char *expected)
{
	struct fixture f;

	init(&f);
	if (ts_facts_from_run_json(ts_span_str(json), &f.arena, &f.facts, NULL, &f.err))
		fail_msg("%s", f.err.text);
	assert_string_equal(show(&f), expected);
	finish(&f);
}

static void known_keys_of_run_json(void **state)
{
	(void)state;
	run_json("{\"name\":\"run\",\"config\":{\"lr\":1e-3},\"rank\":1,\"world_size\":2,\"started\":1.5,\"wall_time\":2.5,"
		 "\"n_steps\":3,\"flops_per_step\":4.0,\"peak_flops\":5.0}",
		 "config.lr=0.001;parallelism.rank=1;parallelism.world_size=2;session.n_steps=3;session.name~run;"
		 "session.started=1.5;session.wall_time=2.5;work.flops_per_step=4.0;work.peak_flops=5.0;");
	run_json("{\"environment\":{\"python\":\"3.11\",\"platform\":\"L\",\"machine\":\"x\",\"processor\":\"\",\"cpu_count\":2,"
		 "\"torch\":null,\"cuda_available\":true,\"cuda\":\"12\",\"gpu\":\"H\",\"gpu_count\":1,"
		 "\"cudnn_deterministic\":false,\"cudnn_benchmark\":true,\"env\":{\"PYTHONHASHSEED\":\"0\"}}}",
		 "determinism.cudnn_benchmark=true;determinism.cudnn_deterministic=false;determinism.env.PYTHONHASHSEED~0;"
		 "hardware.cpu_count=2;hardware.cuda_available=true;hardware.gpu~H;hardware.gpu_count=1;hardware.machine~x;"
		 "hardware.platform~L;hardware.processor~;libraries.cuda~12;libraries.python~3.11;libraries.torch=null;");
}

static void unknown_keys_are_kept(void **state)
{
	(void)state;
	run_json("{\"mine\":{\"a\":[1,{\"b\":2}]},\"environment\":{\"x\":1,\"env\":\"none\"},\"other\":{\"c\":1}}",
		 "determinism.env~none;other.environment.x=1;other.mine.a[0]=1;other.mine.a[1].b=2;other.other.c=1;");
	run_json("{\"config\":\"text\"}", "other.config~text;");
	run_json("{\"config\":{},\"environment\":{}}", "");
	run_json("{\"config\":{\"e\":{},\"l\":[],\"d.ot\":{\"b[0]\":1}}}",
		 "config.d\\.ot.b\\[0\\]=1;config.e={};config.l=[];");
	run_json("{\"config\":{\"big\":123456789012345678901234567890,\"i\":-9223372036854775808,\"f\":NaN}}",
		 "config.big=123456789012345678901234567890;config.f=NaN;config.i=-9223372036854775808;");
}

static void the_last_of_equal_keys_wins(void **state)
{
	(void)state;
	run_json("{\"config\":{\"a\":1,\"a\":{\"b\":2}}}", "config.a.b=2;");
	run_json("{\"config\":{\"a\":{\"b\":2},\"a\":1}}", "config.a=1;");
	run_json("{\"config\":{\"a\":[1,2,3],\"a\":[4]}}", "config.a[0]=4;");
	run_json("{\"config\":{\"a\":1},\"config\":{\"b\":2}}", "config.b=2;");
	run_json("{\"config\":{\"a\":1},\"name\":\"x\",\"config\":7}", "other.config=7;session.name~x;");
	run_json("{\"name\":{\"a\":1},\"name\":\"x\"}", "session.name~x;");
}

static void facts_json(const char *json, const char *expected);

/* This holds even if another object of the document had the same key in between. */
static void the_last_of_equal_keys_wins_in_facts_json(void **state)
{
	(void)state;
	facts_json("{\"code\":{\"a\":1},\"sources\":[{\"code\":{\"z\":1}}],\"code\":{\"b\":2}}", "2:code.b=2;2:code.z=1;");
	facts_json("{\"sources\":[{\"code\":{\"a\":1}},{\"code\":{\"b\":1}}],\"sources\":[{\"code\":{\"c\":2}}]}", "2:code.c=2;");
	facts_json("{\"paths\":{\"code.a\":1,\"code.b\":2},\"paths\":{\"code.b\":3}}", "2:code.b=3;");
	facts_json("{\"paths\":{\"code.a\":{\"b\":1},\"code.c\":2,\"code.a\":3}}", "2:code.a=3;2:code.c=2;");
}

static void facts_json(const char *json, const char *expected)
{
	struct fixture f;

	init(&f);
	if (ts_facts_from_json(ts_span_str(json), TS_SOURCE_FACTS_JSON, &f.arena, &f.facts, NULL, &f.err))
		fail_msg("%s", f.err.text);
	assert_string_equal(show(&f), expected);
	finish(&f);
}

static void groups_of_facts_json(void **state)
{
	(void)state;
	facts_json("{\"format\":1,\"code\":{\"commit\":\"c\"},\"seeds\":{\"torch\":7},\"other\":{\"x\":[]}}",
		   "2:code.commit~c;2:other.x=[];2:seeds.torch=7;");
	/* "source" applies to the whole object, wherever it stands. */
	facts_json("{\"code\":{\"a\":1},\"source\":\"host\",\"data\":{\"b\":2}}", "3:code.a=1;3:data.b=2;");
	facts_json("{\"code\":{\"a\":1},\"sources\":[{\"source\":\"pusher\",\"code\":{\"a\":2}},{\"code\":{\"b\":3},\"source\":"
		   "\"host\"}],\"data\":{\"c\":4}}",
		   "2:code.a=1;4:code.a=2;3:code.b=3;2:data.c=4;");
	facts_json("{\"paths\":{\"config.a[0].b\":1,\"config.a[1].b\":2,\"code.l\":[],\"config.p\\\\.q\":\"t\"}}",
		   "2:code.l=[];2:config.a[0].b=1;2:config.a[1].b=2;2:config.p\\.q~t;");
}

static void refused(const char *json, enum ts_status status, const char *text)
{
	struct fixture f;

	init(&f);
	assert_int_equal(ts_facts_from_json(ts_span_str(json), TS_SOURCE_FACTS_JSON, &f.arena, &f.facts, NULL, &f.err), status);
	if (!strstr(f.err.text, text))
		fail_msg("'%s' is not in '%s'", text, f.err.text);
	assert_int_equal(f.facts.n, 0);
	finish(&f);
}

static void what_facts_json_refuses(void **state)
{
	(void)state;
	refused("{\"code\":{\"a\":1},\"colour\":{}}", TS_INVALID, "byte 16: 'colour' is not a group");
	refused("{\"code\":1}", TS_INVALID, "byte 8: 'code' must be an object");
	refused("{\"format\":2}", TS_UNSUPPORTED, "format 2");
	refused("{\"source\":\"somebody\"}", TS_INVALID, "byte 10: 'source' must be");
	refused("{\"paths\":{\"colour.a\":1}}", TS_INVALID, "'colour.a' is not the path");
	refused("{\"paths\":{\"code.a[01]\":1}}", TS_INVALID, "is not the path");
	refused("[]", TS_INVALID, "byte 0: expected an object");
	refused("{\"code\":{\"a\":1}", TS_INVALID, "byte 15");
	refused("{\"code\":{\"a\":1}}}", TS_INVALID, "byte 16");
}

static void by_hand(const char *arg, const char *expected)
{
	struct fixture f;
	struct ts_fact fact;

	init(&f);
	if (ts_fact_from_arg(ts_span_str(arg), TS_SOURCE_PUSHER, &f.arena, &fact, &f.err)) {
		assert_int_equal(f.err.status, TS_INVALID);
		if (!strstr(f.err.text, expected))
			fail_msg("'%s' is not in '%s'", expected, f.err.text);
	} else {
		assert_int_equal(ts_facts_add(&f.facts, &fact, &f.arena, &f.err), TS_OK);
		assert_string_equal(show(&f), expected);
	}
	finish(&f);
}

static void facts_by_hand(void **state)
{
	(void)state;
	by_hand("config.lr=0.1", "4:config.lr=0.1;");
	by_hand("config.n=3", "4:config.n=3;");
	by_hand("config.on=true", "4:config.on=true;");
	by_hand("config.none=null", "4:config.none=null;");
	by_hand("config.t=3 apples", "4:config.t~3 apples;");
	by_hand("config.t=\"3\"", "4:config.t~3;");
	by_hand("config.t=", "4:config.t~;");
	by_hand("config.t={}", "4:config.t~{};");
	by_hand("config.t=a=b", "4:config.t~a=b;");
	by_hand("config.a\\.b=1", "4:config.a\\.b=1;");
	by_hand("config.api_key=abc", "4:config.api_key~<redacted>;");
	by_hand("config", "it must have the form group.key=value");
	by_hand("config=1", "there is no key after the group");
	by_hand("colour.a=1", "no such group");
	by_hand("config.a[0]=1", "an element of a list");
	by_hand("config.a]=1", "it must have the form");
}

static void to_json(const char *json, const char *expected)
{
	struct fixture f;
	struct ts_buf out = TS_BUF_INIT(1 << 20);

	init(&f);
	if (ts_facts_from_json(ts_span_str(json), TS_SOURCE_FACTS_JSON, &f.arena, &f.facts, NULL, &f.err))
		fail_msg("%s", f.err.text);
	(void)ts_facts_sort(&f.facts);
	ts_facts_to_json(&f.facts, &out);
	ts_buf_char(&out, '\0');
	assert_int_equal(out.failed, TS_OK);
	assert_string_equal((char *)out.data, expected);
	ts_buf_finish(&out);
	finish(&f);
}

static void facts_back_to_json(void **state)
{
	(void)state;
	to_json("{}", "{}\n");
	to_json("{\"config\":{\"l\":[0,1,2,3,4,5,6,7,8,9,10],\"a.b\":{\"c-d\":1,\"c\":{\"e\":NaN}}},\"code\":{\"x\":[{}]}}",
		"{\n  \"code\": {\n    \"x\": [\n      {}\n    ]\n  },\n  \"config\": {\n    \"a.b\": {\n      \"c-d\": 1,\n"
		"      \"c\": {\n        \"e\": NaN\n      }\n    },\n    \"l\": [\n      0,\n      1,\n      2,\n      3,\n      4,\n"
		"      5,\n      6,\n      7,\n      8,\n      9,\n      10\n    ]\n  }\n}\n");
	/* What the pusher says is the effective value. */
	to_json("{\"code\":{\"a\":1},\"sources\":[{\"source\":\"pusher\",\"code\":{\"a\":2}}]}",
		"{\n  \"code\": {\n    \"a\": 2\n  }\n}\n");
	/* These facts cannot be nested in JSON: a value with something below it, and a list with a gap, which stays a list. */
	to_json("{\"paths\":{\"code.a\":1,\"code.a.b\":2,\"code.l[1]\":3}}",
		"{\n  \"code\": {\n    \"a\": 1\n  },\n  \"paths\": {\n    \"code.a.b\": 2,\n    \"code.l[1]\": 3\n  }\n}\n");
	to_json("{\"paths\":{\"code.l[0]\":1,\"code.l[1][1]\":2,\"code.l.x\":3,\"code.m[0]\":4,\"code.m[1][1]\":5}}",
		"{\n  \"code\": {\n    \"l\": {\n      \"x\": 3\n    }\n  },\n  \"paths\": {\n    \"code.l[0]\": 1,\n"
		"    \"code.l[1][1]\": 2,\n    \"code.m[0]\": 4,\n    \"code.m[1][1]\": 5\n  }\n}\n");
	/* A name may end in the character that ends an index. */
	to_json("{\"code\":{\"a]\":1,\"a]b\":2}}", "{\n  \"code\": {\n    \"a]\": 1,\n    \"a]b\": 2\n  }\n}\n");
}

/* For random trees, the facts that are written are read back unchanged. */
static void put_value(struct ts_buf *out, uint64_t *random, int depth)
{
	static const char *const leaves[] = {"1", "-2.5", "true", "null", "\"t\\u0000x\"", "{}", "[]", "1e300", "NaN",
					     "99999999999999999999", "\"\xc3\xa4\""};
	static const char *const names[] = {"a", "b.c", "b", "[0]", "b-c", "", "\\\\", "long name"};
	uint64_t r = test_random(random);
	size_t n = 1 + (r >> 8) % 12;

	if (depth == 0 || r % 4 == 0) {
		ts_buf_str(out, leaves[(r >> 8) % (sizeof leaves / sizeof leaves[0])]);
	} else if (r % 4 == 1) {
		ts_buf_char(out, '[');
		for (size_t i = 0; i < n; i++) {
			ts_buf_str(out, i ? "," : "");
			put_value(out, random, depth - 1);
		}
		ts_buf_char(out, ']');
	} else {
		n = n > 8 ? 8 : n;
		ts_buf_char(out, '{');
		for (size_t i = 0; i < n; i++) {
			ts_buf_printf(out, "%s\"%s\":", i ? "," : "", names[i]);
			put_value(out, random, depth - 1);
		}
		ts_buf_char(out, '}');
	}
}

static void writing_and_reading_agree(void **state)
{
	uint64_t random = 5;

	(void)state;
	for (int i = 0; i < 300; i++) {
		struct ts_buf json = TS_BUF_INIT(1 << 24), again = TS_BUF_INIT(1 << 24);
		struct fixture f, g;

		init(&f);
		init(&g);
		ts_buf_str(&json, "{\"config\":{\"k\":");
		put_value(&json, &random, 4);
		ts_buf_str(&json, "}}");
		if (ts_facts_from_json(ts_buf_view(&json), TS_SOURCE_HOST, &f.arena, &f.facts, NULL, &f.err))
			fail_msg("%s", f.err.text);
		(void)ts_facts_sort(&f.facts);
		ts_facts_to_json(&f.facts, &again);
		assert_int_equal(again.failed, TS_OK);
		if (ts_facts_from_json(ts_buf_view(&again), TS_SOURCE_HOST, &g.arena, &g.facts, NULL, &g.err))
			fail_msg("%s: %.*s", g.err.text, TS_SPAN_ARG(ts_buf_view(&again)));
		assert_string_equal(show(&f), show(&g));
		ts_buf_finish(&json);
		ts_buf_finish(&again);
		finish(&f);
		finish(&g);
	}
}

static void secret_keys(void **state)
{
	static const char *const secret[] = {"password", "DB_PASSWORD", "userPasswd", "client_secret", "secret", "token",
					     "hf_token", "accessToken", "GITHUB_TOKEN", "api_key", "apiKey", "API-KEY", "apikey",
					     "aws_access_key_id", "credential", "credentials", "private_key", "auth", "basic.auth",
					     "passphrase"};
	static const char *const plain[] = {"tokens", "tokenizer", "n_token", "max_tokens", "pad_token", "pad_token_id",
					    "eos_token", "num_tokens", "token_type_ids", "author", "authority", "key", "keys",
					    "monkey", "secretary", "compass", "lr", "", "_", "bypass"};

	(void)state;
	for (size_t i = 0; i < sizeof secret / sizeof secret[0]; i++)
		if (!ts_secret_key(ts_span_str(secret[i])))
			fail_msg("%s is secret", secret[i]);
	for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
		if (ts_secret_key(ts_span_str(plain[i])))
			fail_msg("%s is no secret", plain[i]);
	/* A key may have any number of words. */
	assert_true(ts_secret_key(ts_span_str("one_two_three_four_five_six_seven_eight_nine_ten_eleven_twelve_13_14_15_16_password")));
	assert_true(
		ts_secret_key(ts_span_str("one_two_three_four_five_six_seven_eight_nine_ten_eleven_twelve_13_14_15_16_17_18_api_key")));
	assert_true(ts_secret_key(ts_span_str("oneTwoThreeFourFiveSixSevenEightNineTenElevenTwelve_13_14_15_16_17_18_19_hubToken")));
	assert_true(
		ts_secret_key(ts_span_str("password_one_two_three_four_five_six_seven_eight_nine_ten_eleven_twelve_13_14_15_16_17")));
	assert_false(
		ts_secret_key(ts_span_str("one_two_three_four_five_six_seven_eight_nine_ten_eleven_twelve_13_14_15_16_17_pad_token")));
	assert_true(ts_secret_path(ts_span_str("config.db.password.value[0]")));
	assert_false(ts_secret_path(ts_span_str("config.db.name")));
}

/* Each line is still valid for a shell: the mark stands in quotes, or within the quotes that were there. */
static void commands_keep_no_secrets(void **state)
{
	(void)state;
	by_hand("session.command=torchrun --nproc_per_node 8 train.py --lr=3e-4 --tokenizer gpt2 --pad_token '<pad>'",
		"4:session.command~torchrun --nproc_per_node 8 train.py --lr=3e-4 --tokenizer gpt2 --pad_token '<pad>';");
	by_hand("session.command=WANDB_API_KEY=abc  python t.py --hf-token abc --api-key=\"a b\" x",
		"4:session.command~WANDB_API_KEY='<redacted>'  python t.py --hf-token '<redacted>' --api-key='<redacted>' x;");
	by_hand("session.command=python t.py '--api-key=a b' \"model.secret=x y\" --auth --lr 1",
		"4:session.command~python t.py '--api-key=''<redacted>' \"model.secret=\"'<redacted>' --auth --lr 1;");
	by_hand("session.command=t.py --password \\\n  'a b' c", "4:session.command~t.py --password \\\n  '<redacted>' c;");
	by_hand("session.command=t.py s3://u:p@h/x 's3://u:p@h' \"a s3://u:p@h,s3://v:q@i\"",
		"4:session.command~t.py s3://'<redacted>'@h/x 's3://<redacted>@h' \"a s3://<redacted>@h,s3://<redacted>@i\";");
	by_hand("session.command=t.py --token 'not closed", "4:session.command~t.py --token '<redacted>';");
	by_hand("session.command=t.py --token", "4:session.command~t.py --token;");
	by_hand("session.command=t.py a\\ --token=x b", "4:session.command~t.py a\\ --token='<redacted>' b;");
	facts_json("{\"session\":{\"argv\":[\"t.py\",\"--api-key\",\"a\",\"--hf_token=b\",\"--auth\",\"--lr\",\"1\","
		   "\"u://a:b@c\"],\"name\":\"n\"}}",
		   "2:session.argv[0]~t.py;2:session.argv[1]~--api-key;2:session.argv[2]~<redacted>;"
		   "2:session.argv[3]~--hf_token=<redacted>;2:session.argv[4]~--auth;2:session.argv[5]~--lr;"
		   "2:session.argv[6]~1;2:session.argv[7]~u://<redacted>@c;2:session.name~n;");
}

static void code_with_a_secret_is_known(void **state)
{
	static const char *const secret[] = {"+API_KEY = \"abc\"", "+  'api_key': 'abc',", "+os.environ[\"HF_TOKEN\"] = f'x'",
					     "+export HF_TOKEN=abc", "+DB_PASSWORD=hunter2", "-password: \"x\"",
					     " url = 's3://u:p@h'", "+client(api_key='k')"};
	static const char *const plain[] = {"+token = tokens[i]", "+f(token=token)", "+pad_token = \"<pad>\"", "+api_key = \"\"",
					    "+api_key = os.environ['K']", "+HF_TOKEN=$HF_TOKEN", "+if token == 'x':",
					    "+lr = \"3e-4\"", "+HF_TOKEN=", "=", ":", ""};
	size_t line = 7;

	(void)state;
	for (size_t i = 0; i < sizeof secret / sizeof secret[0]; i++) {
		char text[256];

		(void)snprintf(text, sizeof text, "@@ -1 +1 @@\n-a\n%s\n+b", secret[i]);
		if (!ts_secret_code(ts_span_str(text), &line) || line != 3)
			fail_msg("%s has a secret", secret[i]);
	}
	line = 7;
	for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
		if (ts_secret_code(ts_span_str(plain[i]), &line))
			fail_msg("%s has no secret", plain[i]);
	assert_int_equal(line, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_keys_of_run_json), cmocka_unit_test(unknown_keys_are_kept),
		cmocka_unit_test(the_last_of_equal_keys_wins), cmocka_unit_test(groups_of_facts_json),
		cmocka_unit_test(what_facts_json_refuses), cmocka_unit_test(facts_by_hand),
		cmocka_unit_test(facts_back_to_json), cmocka_unit_test(writing_and_reading_agree),
		cmocka_unit_test(the_last_of_equal_keys_wins_in_facts_json), cmocka_unit_test(secret_keys),
		cmocka_unit_test(commands_keep_no_secrets),
		cmocka_unit_test(code_with_a_secret_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
