#include "store/codec.h"

#include "base/alloc.h"
#include "base/limits.h"

#include <pthread.h>
#include <zstd.h>

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t own_scratch;
static bool key_made;

static void free_scratch(void *context)
{
	struct ts_scratch *s = context;

	ZSTD_freeCCtx(s->compress);
	ZSTD_freeDCtx(s->decompress);
	ts_free(s->words);
	ts_free(s->planes);
	ts_free(s->out);
	ts_free(s);
}

static void make_key(void)
{
	key_made = pthread_key_create(&own_scratch, free_scratch) == 0;
}

enum ts_status ts_scratch_get(struct ts_scratch **ret_scratch, struct ts_error *err)
{
	struct ts_scratch *s;

	(void)pthread_once(&key_once, make_key);
	if (!key_made)
		return ts_error_set(err, TS_NO_MEMORY, "no thread-local slot for codecs");
	s = pthread_getspecific(own_scratch);
	if (!s) {
		s = ts_alloc_array(1, sizeof *s);
		if (!s)
			return ts_error_set(err, TS_NO_MEMORY, "out of memory for a codec");
		s->compress = ZSTD_createCCtx();
		s->decompress = ZSTD_createDCtx();
		if (!s->compress || !s->decompress || pthread_setspecific(own_scratch, s) != 0) {
			free_scratch(s);
			return ts_error_set(err, TS_NO_MEMORY, "out of memory for a codec");
		}
	}
	*ret_scratch = s;
	return TS_OK;
}

static bool fit(void **block, size_t *cap, size_t need)
{
	void *fresh;

	if (need <= *cap)
		return true;
	fresh = ts_alloc(need);
	if (!fresh)
		return false;
	ts_free(*block);
	*block = fresh;
	*cap = need;
	return true;
}

enum ts_status ts_scratch_fit(struct ts_scratch *s, size_t words, size_t planes, size_t out, struct ts_error *err)
{
	void *w = s->words;
	void *p = s->planes;
	void *o = s->out;
	bool ok = fit(&w, &s->words_cap, words) && fit(&p, &s->planes_cap, planes) && fit(&o, &s->out_cap, out);

	s->words = w;
	s->planes = p;
	s->out = o;
	if (!ok)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a codec");
	return TS_OK;
}

static void *trimmed(void *block, size_t *cap)
{
	if (*cap <= 2 * (size_t)TS_OBJECT_MAX)
		return block;
	ts_free(block);
	*cap = 0;
	return NULL;
}

void ts_scratch_trim(struct ts_scratch *s)
{
	s->words = trimmed(s->words, &s->words_cap);
	s->planes = trimmed(s->planes, &s->planes_cap);
	s->out = trimmed(s->out, &s->out_cap);
}

size_t ts_zstd_encode(struct ts_scratch *s, struct ts_span in, uint8_t *out, size_t cap)
{
	size_t n;

	if (cap == 0)
		return 0;
	n = ZSTD_compressCCtx(s->compress, out, cap - 1, in.data, in.len, TS_ZSTD_LEVEL);
	return ZSTD_isError(n) ? 0 : n;
}

enum ts_status ts_zstd_decode(struct ts_scratch *s, struct ts_span in, uint8_t *out, size_t len, struct ts_error *err)
{
	size_t n = ZSTD_decompressDCtx(s->decompress, out, len, in.data, in.len);

	if (ZSTD_isError(n))
		return ts_error_set(err, TS_DAMAGED, "zstd: %s", ZSTD_getErrorName(n));
	if (n != len)
		return ts_error_set(err, TS_DAMAGED, "zstd: %zu bytes came out, not %zu", n, len);
	return TS_OK;
}

enum ts_status ts_zstd_put(struct ts_scratch *s, struct ts_span in, struct ts_buf *out, struct ts_error *err)
{
	size_t n;

	if (ts_scratch_fit(s, 0, 0, in.len, err))
		return err->status;
	n = ts_zstd_encode(s, in, s->out, in.len);
	ts_buf_u32(out, (uint32_t)n);
	ts_buf_span(out, n ? ts_span_of(s->out, n) : in);
	return TS_OK;
}

enum ts_status ts_zstd_get(struct ts_scratch *s, struct ts_cursor *c, uint8_t *out, size_t len, struct ts_error *err)
{
	size_t n = ts_cursor_u32(c);
	struct ts_span in = ts_cursor_bytes(c, n ? n : len);

	if (!c->failed && n)
		return ts_zstd_decode(s, in, out, len, err);
	if (!c->failed && len)
		memcpy(out, in.data, len);
	return TS_OK;
}
