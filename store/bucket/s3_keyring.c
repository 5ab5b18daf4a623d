#include "store/bucket/s3_keyring.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json_reader.h"
#include "base/key_value.h"
#include "base/system.h"
#include "base/text.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { FILE_MOST = 64 << 10, ANSWER_MOST = 64 << 10, URL_ROOM = 512, LINE_ROOM = 1024 };
static const int64_t BEFORE_NS = 300 * INT64_C(1000000000); /* so long before they expire new keys are asked for */
static const int64_t ASK_NS = 15 * INT64_C(1000000000);
static const char metadata[] = "http://169.254.169.254";

struct ts_s3_keyring {
	const char *file;
	struct ts_http *http;
	pthread_mutex_t reading; /* of whoever reads keys, from the file or the machine's metadata; taken before the other one */
	pthread_mutex_t lock;	 /* of the rest, and never held while anybody is asked */
	struct ts_s3_keys keys;
	bool known;
	struct timespec changed; /* the file, when it was read */
	int64_t until_ns;	 /* when the keys expire; 0: never */
};

/* ---- texts ---- */

static enum ts_status set(char *out, size_t room, struct ts_span value, const char *name, struct ts_error *err)
{
	if (value.len >= room)
		return ts_error_set(err, TS_INVALID, "%s has at most %zu bytes", name, room - 1);
	for (size_t i = 0; i < value.len; i++)
		if (value.data[i] <= ' ' || value.data[i] >= 127)
			return ts_error_set(err, TS_INVALID, "%s has a byte that no key has", name);
	if (value.len)
		memcpy(out, value.data, value.len);
	out[value.len] = 0;
	return TS_OK;
}

static enum ts_status check_both(const struct ts_s3_keys *keys, const char *id, const char *secret, struct ts_error *err)
{
	if (!keys->id[0] || !keys->secret[0])
		return ts_error_set(err, TS_INVALID, "it does not say %s", keys->id[0] ? secret : id);
	return TS_OK;
}

static enum ts_status set_line(struct ts_s3_keys *keys, struct ts_span line, struct ts_error *err)
{
	struct ts_span key, value;

	if (!ts_key_value(line, &key, &value))
		return ts_error_set(err, TS_INVALID, "a line has neither the form 'key = value' nor '[section]'");
	if (ts_span_is(key, "aws_access_key_id"))
		return set(keys->id, sizeof keys->id, value, "aws_access_key_id", err);
	if (ts_span_is(key, "aws_secret_access_key"))
		return set(keys->secret, sizeof keys->secret, value, "aws_secret_access_key", err);
	if (ts_span_is(key, "aws_session_token"))
		return set(keys->token, sizeof keys->token, value, "aws_session_token", err);
	return TS_OK; /* such as region, which others read */
}

enum ts_status ts_s3_keys_parse(struct ts_span text, struct ts_s3_keys *ret, struct ts_error *err)
{
	struct ts_s3_keys keys = {.id = ""};
	bool ours = true;

	while (text.len) {
		struct ts_span line = ts_trim(ts_span_next_line(&text));

		if (line.len == 0 || line.data[0] == '#' || line.data[0] == ';')
			continue;
		if (line.data[0] == '[')
			ours = ts_span_is(line, "[default]");
		else if (ours && set_line(&keys, line, err))
			return err->status;
	}
	if (check_both(&keys, "aws_access_key_id", "aws_secret_access_key", err))
		return err->status;
	*ret = keys;
	return TS_OK;
}

/* ---- an instance ---- */

struct told {
	struct ts_s3_keys keys;
	int64_t until_ns;
};

static enum ts_status take_field(struct told *told, struct ts_span name, struct ts_span value, struct ts_error *err)
{
	if (ts_span_is(name, "AccessKeyId"))
		return set(told->keys.id, sizeof told->keys.id, value, "AccessKeyId", err);
	if (ts_span_is(name, "SecretAccessKey"))
		return set(told->keys.secret, sizeof told->keys.secret, value, "SecretAccessKey", err);
	if (ts_span_is(name, "Token"))
		return set(told->keys.token, sizeof told->keys.token, value, "Token", err);
	if (ts_span_is(name, "Expiration") && !ts_time_parse(value, &told->until_ns))
		return ts_error_set(err, TS_INVALID, "Expiration is no time");
	return TS_OK;
}

static enum ts_status read_object(struct ts_json_reader *r, struct told *told, struct ts_error *err)
{
	struct ts_json_token token;
	char name[32];
	size_t len;

	if (ts_json_next(r, &token, err))
		return err->status;
	if (token.type != TS_JSON_OBJECT)
		return ts_error_set(err, TS_INVALID, "it is no object of JSON");
	for (;;) {
		if (ts_json_next(r, &token, err))
			return err->status;
		if (token.type != TS_JSON_KEY)
			return TS_OK;
		len = token.text.len < sizeof name ? token.text.len : sizeof name;
		memcpy(name, token.text.data, len);
		if (ts_json_next(r, &token, err))
			return err->status;
		if (token.type == TS_JSON_OBJECT || token.type == TS_JSON_ARRAY) {
			if (ts_json_skip(r, NULL, err))
				return err->status;
		} else if (token.type == TS_JSON_STRING && take_field(told, ts_span_of(name, len), token.text, err)) {
			return err->status;
		}
	}
}

enum ts_status ts_s3_keys_from_json(struct ts_span text, struct ts_s3_keys *ret, int64_t *ret_until_ns, struct ts_error *err)
{
	struct ts_buf scratch = TS_BUF_INIT(ANSWER_MOST);
	struct ts_json_reader r;
	struct told told = {.until_ns = 0};
	enum ts_status status;

	ts_json_reader_init(&r, text, &scratch);
	status = read_object(&r, &told, err);
	ts_buf_finish(&scratch);
	if (status || check_both(&told.keys, "AccessKeyId", "SecretAccessKey", err))
		return err->status;
	*ret = told.keys;
	*ret_until_ns = told.until_ns;
	return TS_OK;
}

static enum ts_status ask_instance(struct ts_s3_keyring *ring, const char *method, const char *path, const char *header,
				   struct ts_buf *out, struct ts_error *err)
{
	const char *at = getenv("AWS_EC2_METADATA_SERVICE_ENDPOINT");
	char url[URL_ROOM];
	struct ts_http_request request = {
		.method = method, .url = url, .headers = &header, .n_headers = 1, .most = ANSWER_MOST, .limit_ns = ASK_NS};
	struct ts_http_answer answer;

	(void)snprintf(url, sizeof url, "%s%s", at ? at : metadata, path);
	if (ts_http_ask(ring->http, &request, &answer, err))
		return err->status;
	if (answer.status != 200) {
		ts_buf_finish(&answer.body);
		return ts_error_set(err, TS_UNAVAILABLE, "it answers %d", answer.status);
	}
	ts_buf_span(out, ts_trim(ts_buf_view(&answer.body)));
	ts_buf_char(out, 0);
	ts_buf_finish(&answer.body);
	return ts_buf_check(out, err);
}

static enum ts_status read_instance(struct ts_s3_keyring *ring, struct ts_s3_keys *ret, int64_t *ret_until_ns, struct ts_error *err)
{
	struct ts_buf token = TS_BUF_INIT(LINE_ROOM / 2), role = TS_BUF_INIT(URL_ROOM / 4), keys = TS_BUF_INIT(ANSWER_MOST);
	char header[LINE_ROOM], path[URL_ROOM];
	enum ts_status status;

	status = ask_instance(ring, "PUT", "/latest/api/token", "x-aws-ec2-metadata-token-ttl-seconds: 21600", &token, err);
	if (!status) {
		(void)snprintf(header, sizeof header, "x-aws-ec2-metadata-token: %s", (const char *)token.data);
		status = ask_instance(ring, "GET", "/latest/meta-data/iam/security-credentials/", header, &role, err);
	}
	if (!status) {
		(void)snprintf(path, sizeof path, "/latest/meta-data/iam/security-credentials/%s", (const char *)role.data);
		status = ask_instance(ring, "GET", path, header, &keys, err);
	}
	if (!status)
		status = ts_s3_keys_from_json(ts_span_of(keys.data, keys.len - 1), ret, ret_until_ns, err);
	ts_buf_finish(&token);
	ts_buf_finish(&role);
	ts_buf_finish(&keys);
	return status ? ts_error_prefix(
				err,
				"there are no keys for the bucket: name a file by credentials=, or set AWS_ACCESS_KEY_ID and "
				"AWS_SECRET_ACCESS_KEY, or run where a role is given to the machine, whose metadata service was asked")
		      : TS_OK;
}

/* ---- a file, the environment ---- */

static enum ts_status read_file(const struct ts_s3_keyring *ring, struct ts_s3_keys *ret, struct timespec *ret_changed,
				struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(FILE_MOST);
	enum ts_status status;
	struct stat st;

	if (stat(ring->file, &st) != 0)
		return ts_error_set(err, TS_NOT_FOUND, "the keys of the bucket should be in %s, which cannot be read", ring->file);
	if (st.st_mode & 077)
		return ts_error_set(err, TS_DENIED, "%s holds keys that others may read: chmod 600 %s", ring->file, ring->file);
	(void)ts_system_changed(&st, ret_changed);
	status = ts_file_read(ring->file, &text, err);
	if (!status && ts_s3_keys_parse(ts_buf_view(&text), ret, err))
		status = ts_error_prefix(err, "%s", ring->file);
	ts_buf_finish(&text);
	return status;
}

static bool has_changed(const struct ts_s3_keyring *ring)
{
	struct timespec changed;
	struct stat st;

	if (!ring->file || stat(ring->file, &st) != 0)
		return false;
	(void)ts_system_changed(&st, &changed);
	return changed.tv_sec != ring->changed.tv_sec || changed.tv_nsec != ring->changed.tv_nsec;
}

/* False if it names none. */
static bool read_environment(struct ts_s3_keys *ret, enum ts_status *ret_status, struct ts_error *err)
{
	const char *id = getenv("AWS_ACCESS_KEY_ID"), *secret = getenv("AWS_SECRET_ACCESS_KEY"), *token = getenv("AWS_SESSION_TOKEN");

	if (!id || !secret || !id[0] || !secret[0])
		return false;
	*ret_status = set(ret->id, sizeof ret->id, ts_span_str(id), "AWS_ACCESS_KEY_ID", err);
	if (!*ret_status)
		*ret_status = set(ret->secret, sizeof ret->secret, ts_span_str(secret), "AWS_SECRET_ACCESS_KEY", err);
	if (!*ret_status)
		*ret_status = set(ret->token, sizeof ret->token, ts_span_str(token ? token : ""), "AWS_SESSION_TOKEN", err);
	return true;
}

static enum ts_status read_keys(struct ts_s3_keyring *ring, struct ts_s3_keys *ret, int64_t *ret_until_ns,
				struct timespec *ret_changed, struct ts_error *err)
{
	enum ts_status status;

	*ret = (struct ts_s3_keys){.id = ""};
	*ret_until_ns = 0;
	if (ring->file)
		return read_file(ring, ret, ret_changed, err);
	return read_environment(ret, &status, err) ? status : read_instance(ring, ret, ret_until_ns, err);
}

/* Gives the keys that are known. *ret_valid: they have not expired; *ret_fresh: nor will they soon, and the file is the same. */
static void look(struct ts_s3_keyring *ring, struct ts_s3_keys *ret, bool *ret_valid, bool *ret_fresh)
{
	int64_t now_ns = ts_now_real_ns();

	pthread_mutex_lock(&ring->lock);
	*ret = ring->keys;
	*ret_valid = ring->known && (!ring->until_ns || now_ns < ring->until_ns);
	*ret_fresh = ring->known && (!ring->until_ns || now_ns <= ring->until_ns - BEFORE_NS) && !has_changed(ring);
	pthread_mutex_unlock(&ring->lock);
}

/* The caller holds `reading`. */
static enum ts_status renew(struct ts_s3_keyring *ring, struct ts_s3_keys *ret, struct ts_error *err)
{
	struct timespec changed = {.tv_sec = 0};
	int64_t until_ns;

	if (read_keys(ring, ret, &until_ns, &changed, err))
		return err->status;
	pthread_mutex_lock(&ring->lock);
	ring->keys = *ret;
	ring->until_ns = until_ns;
	ring->changed = changed;
	ring->known = true;
	pthread_mutex_unlock(&ring->lock);
	return TS_OK;
}

/* One caller renews keys that expire soon; the others go on with them meanwhile, since a metadata service may be silent for seconds. */
enum ts_status ts_s3_keyring_get(struct ts_s3_keyring *ring, bool anew, struct ts_s3_keys *ret, struct ts_error *err)
{
	bool valid, fresh;
	struct ts_s3_keys keys;
	enum ts_status status;

	look(ring, &keys, &valid, &fresh);
	if (!anew && fresh) {
		*ret = keys;
		return TS_OK;
	}
	if (!anew && valid && pthread_mutex_trylock(&ring->reading) != 0) {
		*ret = keys;
		return TS_OK;
	}
	if (anew || !valid)
		pthread_mutex_lock(&ring->reading);
	look(ring, &keys, &valid, &fresh);
	status = !anew && fresh ? TS_OK : renew(ring, &keys, err);
	if (status && !anew && valid) {
		look(ring, &keys, &valid, &fresh);
		status = TS_OK; /* a file that is being replaced, or an instance that is silent: those before are valid still */
	}
	pthread_mutex_unlock(&ring->reading);
	if (!status)
		*ret = keys;
	return status;
}

enum ts_status ts_s3_keyring_open(const char *file, struct ts_http *http, struct ts_s3_keyring **ret, struct ts_error *err)
{
	struct ts_s3_keyring *ring = ts_alloc_array(1, sizeof *ring);

	if (!ring)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for keys");
	ring->file = file;
	ring->http = http;
	pthread_mutex_init(&ring->reading, NULL);
	pthread_mutex_init(&ring->lock, NULL);
	*ret = ring;
	return TS_OK;
}

void ts_s3_keyring_close(struct ts_s3_keyring *ring)
{
	if (!ring)
		return;
	pthread_mutex_destroy(&ring->reading);
	pthread_mutex_destroy(&ring->lock);
	ts_free(ring);
}
