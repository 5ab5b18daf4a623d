#include "store/bucket/s3_sign.h"

#include "base/clock.h"
#include "base/text.h"

enum { BLOCK = 64, TEXT_MOST = 64 << 10, DAY = 8 };

static const char scheme[] = "AWS4-HMAC-SHA256";

/* RFC 2104. A key is at most as long as a block: that of SHA-256 has 64 bytes, and "AWS4" with a longer secret is hashed first. */
static void hmac(struct ts_span key, struct ts_span text, struct ts_id *ret)
{
	struct ts_buf inner = TS_BUF_INIT(TEXT_MOST);
	uint8_t outer[BLOCK + TS_ID_BYTES], own[BLOCK] = {0};
	struct ts_id digest;

	if (key.len > BLOCK) {
		ts_digest(key, &digest);
		key = ts_id_span(&digest);
	}
	memcpy(own, key.data, key.len);
	for (int i = 0; i < BLOCK; i++) {
		ts_buf_u8(&inner, own[i] ^ 0x36);
		outer[i] = own[i] ^ 0x5c;
	}
	ts_buf_span(&inner, text);
	ts_digest(ts_buf_view(&inner), &digest);
	memcpy(outer + BLOCK, digest.bytes, TS_ID_BYTES);
	ts_digest(ts_span_of(outer, sizeof outer), ret);
	ts_buf_finish(&inner);
}

void ts_s3_date(int64_t real_ns, char out[TS_S3_DATE])
{
	char text[TS_TIME_TEXT];
	size_t n = 0;

	(void)ts_time_text(real_ns - real_ns % 1000000000, text);
	for (const char *at = text; *at && n < TS_S3_DATE - 1; at++)
		if (*at != '-' && *at != ':')
			out[n++] = *at;
	out[n] = 0;
}

struct ts_span ts_s3_host(struct ts_span host, bool secret)
{
	struct ts_span port = ts_span_str(secret ? ":443" : ":80");

	if (host.len > port.len && ts_span_eq(ts_span_from(host, host.len - port.len), port))
		host.len -= port.len;
	return host;
}

static void put_names(struct ts_buf *out, const struct ts_s3_request *request)
{
	for (size_t i = 0; i < request->n_headers; i++) {
		if (i)
			ts_buf_char(out, ';');
		ts_buf_str(out, request->headers[i].name);
	}
}

static void digest_request(const struct ts_s3_request *request, struct ts_id *ret)
{
	struct ts_buf text = TS_BUF_INIT(TEXT_MOST);

	ts_buf_printf(&text, "%s\n%s\n%s\n", request->method, request->path, request->query);
	for (size_t i = 0; i < request->n_headers; i++)
		ts_buf_printf(&text, "%s:%s\n", request->headers[i].name, request->headers[i].value);
	ts_buf_char(&text, '\n');
	put_names(&text, request);
	ts_buf_printf(&text, "\n%s", request->payload);
	ts_digest(ts_buf_view(&text), ret);
	ts_buf_finish(&text);
}

static void derive_key(const struct ts_s3_keys *keys, const char *region, const char *date, struct ts_id *ret)
{
	char first[4 + TS_S3_KEY_MAX + 1] = "AWS4";
	struct ts_id key;

	memcpy(first + 4, keys->secret, strlen(keys->secret) + 1);
	hmac(ts_span_str(first), ts_span_of(date, DAY), &key);
	hmac(ts_id_span(&key), ts_span_str(region), &key);
	hmac(ts_id_span(&key), ts_span_str("s3"), &key);
	hmac(ts_id_span(&key), ts_span_str("aws4_request"), ret);
}

void ts_s3_sign(const struct ts_s3_keys *keys, const char *region, const struct ts_s3_request *request, struct ts_buf *out)
{
	struct ts_buf text = TS_BUF_INIT(TEXT_MOST), scope = TS_BUF_INIT(256);
	struct ts_id digest, key, signature;
	char hex[TS_ID_HEX + 1];

	ts_buf_span(&scope, ts_span_of(request->date, DAY));
	ts_buf_printf(&scope, "/%s/s3/aws4_request", region);
	digest_request(request, &digest);
	ts_buf_printf(&text, "%s\n%s\n", scheme, request->date);
	ts_buf_span(&text, ts_buf_view(&scope));
	ts_buf_printf(&text, "\n%s", ts_id_hex(&digest, hex));
	derive_key(keys, region, request->date, &key);
	hmac(ts_id_span(&key), ts_buf_view(&text), &signature);
	ts_buf_printf(out, "%s Credential=%s/", scheme, keys->id);
	ts_buf_span(out, ts_buf_view(&scope));
	ts_buf_str(out, ", SignedHeaders=");
	put_names(out, request);
	ts_buf_printf(out, ", Signature=%s", ts_id_hex(&signature, hex));
	ts_buf_lacks(out, &text);
	ts_buf_lacks(out, &scope);
	ts_buf_finish(&text);
	ts_buf_finish(&scope);
}
