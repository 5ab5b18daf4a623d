/* Signatures as the examples of Amazon's documentation have them ("Signature Calculations for the Authorization Header", with the keys
 * of an account that does not exist), and keys from files and from the metadata of an instance. */
#include "store/bucket/s3_keyring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char nothing[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
static const struct ts_s3_keys example = {.id = "AKIAIOSFODNN7EXAMPLE", .secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"};

static void signs(const struct ts_s3_request *request, const char *names, const char *signature)
{
	struct ts_buf out = TS_BUF_INIT(4096);
	char expected[512];

	ts_s3_sign(&example, "us-east-1", request, &out);
	(void)snprintf(
		expected, sizeof expected,
		"AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=%s, Signature=%s",
		names, signature);
	assert_int_equal(out.len, strlen(expected));
	assert_memory_equal(out.data, expected, out.len);
	ts_buf_finish(&out);
}

static void test_get_of_a_part(void **state)
{
	const struct ts_s3_header headers[] = {{"host", "examplebucket.s3.amazonaws.com"},
					       {"range", "bytes=0-9"},
					       {"x-amz-content-sha256", nothing},
					       {"x-amz-date", "20130524T000000Z"}};

	(void)state;
	signs(&(struct ts_s3_request){.method = "GET",
				      .path = "/test.txt",
				      .query = "",
				      .headers = headers,
				      .n_headers = 4,
				      .payload = nothing,
				      .date = "20130524T000000Z"},
	      "host;range;x-amz-content-sha256;x-amz-date", "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

static void test_put(void **state)
{
	static const char payload[] = "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072";
	const struct ts_s3_header headers[] = {{"date", "Fri, 24 May 2013 00:00:00 GMT"},
					       {"host", "examplebucket.s3.amazonaws.com"},
					       {"x-amz-content-sha256", payload},
					       {"x-amz-date", "20130524T000000Z"},
					       {"x-amz-storage-class", "REDUCED_REDUNDANCY"}};

	(void)state;
	signs(&(struct ts_s3_request){.method = "PUT",
				      .path = "/test%24file.text",
				      .query = "",
				      .headers = headers,
				      .n_headers = 5,
				      .payload = payload,
				      .date = "20130524T000000Z"},
	      "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
	      "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
}

static void test_question_about_the_bucket(void **state)
{
	const struct ts_s3_header headers[] = {
		{"host", "examplebucket.s3.amazonaws.com"}, {"x-amz-content-sha256", nothing}, {"x-amz-date", "20130524T000000Z"}};

	(void)state;
	signs(&(struct ts_s3_request){.method = "GET",
				      .path = "/",
				      .query = "lifecycle=",
				      .headers = headers,
				      .n_headers = 3,
				      .payload = nothing,
				      .date = "20130524T000000Z"},
	      "host;x-amz-content-sha256;x-amz-date", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
}

static void test_date(void **state)
{
	char out[TS_S3_DATE];

	(void)state;
	ts_s3_date(INT64_C(1369353600999999999), out);
	assert_string_equal(out, "20130524T000000Z");
}

/* ---- keys ---- */

static void test_file_of_keys(void **state)
{
	static const char text[] =
		"# keys\n[other]\naws_access_key_id = WRONG\n[default]\r\nregion = x\naws_access_key_id = AKID\n"
		"aws_secret_access_key=s/+e=cret\n aws_session_token = abc \n[last]\naws_secret_access_key = wrong\n";
	struct ts_s3_keys keys;
	struct ts_error err;

	(void)state;
	assert_int_equal(ts_s3_keys_parse(ts_span_str(text), &keys, &err), TS_OK);
	assert_string_equal(keys.id, "AKID");
	assert_string_equal(keys.secret, "s/+e=cret");
	assert_string_equal(keys.token, "abc");
}

static void test_file_that_has_none(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"", "it does not say aws_access_key_id"},
		{"aws_access_key_id = AKID\n", "it does not say aws_secret_access_key"},
		{"aws_access_key_id = AKID\nhushhush\n", "a line has neither the form 'key = value' nor '[section]'"},
		{"aws_access_key_id = A\x01KID\n", "aws_access_key_id has a byte that no key has"},
	};
	struct ts_s3_keys keys;
	struct ts_error err;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(ts_s3_keys_parse(ts_span_str(cases[i].text), &keys, &err), TS_INVALID);
		assert_string_equal(err.text, cases[i].says);
		assert_null(strstr(err.text, "hushhush"));
	}
}

static void test_instance(void **state)
{
	static const char text[] =
		"{\"Code\": \"Success\", \"More\": {\"Token\": \"no\"}, \"AccessKeyId\": \"ASIA\", \"SecretAccessKey\": "
		"\"s\", \"Token\": \"t\", \"Expiration\": \"1970-01-01T00:00:10Z\", \"N\": 1}";
	struct ts_s3_keys keys;
	struct ts_error err;
	int64_t until_ns;

	(void)state;
	assert_int_equal(ts_s3_keys_from_json(ts_span_str(text), &keys, &until_ns, &err), TS_OK);
	assert_string_equal(keys.id, "ASIA");
	assert_string_equal(keys.secret, "s");
	assert_string_equal(keys.token, "t");
	assert_true(until_ns == INT64_C(10000000000));
	assert_int_equal(ts_s3_keys_from_json(ts_span_str("[]"), &keys, &until_ns, &err), TS_INVALID);
	assert_int_equal(ts_s3_keys_from_json(ts_span_str("{\"AccessKeyId\": \"A\"}"), &keys, &until_ns, &err), TS_INVALID);
	assert_int_equal(ts_s3_keys_from_json(ts_span_str("{\"AccessKeyId\": "), &keys, &until_ns, &err), TS_INVALID);
}

/* libcurl leaves out of Host the port that a scheme has anyway. */
static void test_host(void **state)
{
	(void)state;
	assert_true(ts_span_is(ts_s3_host(ts_span_str("s3.example.org:443"), true), "s3.example.org"));
	assert_true(ts_span_is(ts_s3_host(ts_span_str("s3.example.org:80"), false), "s3.example.org"));
	assert_true(ts_span_is(ts_s3_host(ts_span_str("[::1]:443"), true), "[::1]"));
	assert_true(ts_span_is(ts_s3_host(ts_span_str("s3.example.org:80"), true), "s3.example.org:80"));
	assert_true(ts_span_is(ts_s3_host(ts_span_str("s3.example.org:8443"), true), "s3.example.org:8443"));
	assert_true(ts_span_is(ts_s3_host(ts_span_str("s3.example.org"), true), "s3.example.org"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_get_of_a_part),
		cmocka_unit_test(test_put),
		cmocka_unit_test(test_question_about_the_bucket),
		cmocka_unit_test(test_date),
		cmocka_unit_test(test_host),
		cmocka_unit_test(test_file_of_keys),
		cmocka_unit_test(test_file_that_has_none),
		cmocka_unit_test(test_instance),
	};
	struct ts_error err;

	return ts_digest_init(&err) ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
