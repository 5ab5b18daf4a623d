/* bundle_fetch.c - reads packs of a bundle from the bucket; what is wrong is read once more, since it may have been altered on its
 * way. */
#include "store/cluster/bundle_internal.h"

enum { TRIES = 2 };

enum ts_status ts_bundles_know(struct ts_bundles *b, struct ts_read under, struct ts_error *err)
{
	enum ts_status status = TS_OK;

	pthread_mutex_lock(&b->lock);
	if (!b->known)
		status = ts_about_get(under, b->uid, &b->known, err);
	pthread_mutex_unlock(&b->lock);
	return status;
}

bool ts_place_is_right(const struct ts_place *place, const uint8_t *bytes)
{
	struct ts_id is;

	ts_digest(ts_span_of(bytes, place->len), &is);
	return ts_id_eq(&is, &place->digest);
}

static enum ts_status lost(struct ts_bundles *b, const struct ts_place *place, const char *what, struct ts_error *err)
{
	char name[TS_BUNDLE_NAME];

	return ts_error_set(err, TS_DAMAGED, "%s: the bundle %s %s", ts_bucket_where(b->as.bucket),
			    ts_bundle_name(b->uid, &place->bundle, name), what);
}

enum ts_status ts_bundles_fetch(struct ts_bundles *b, const struct ts_place *places, size_t n, uint8_t *out, struct ts_error *err)
{
	size_t len = (size_t)(places[n - 1].offset + places[n - 1].len - places[0].offset);
	char name[TS_BUNDLE_NAME];
	bool right = false;

	(void)ts_bundle_name(b->uid, &places[0].bundle, name);
	for (int i = 0; i < TRIES && !right; i++) {
		enum ts_status status = ts_bucket_get(b->as.bucket, name, places[0].offset, len, out, err);

		if (status == TS_NOT_FOUND)
			return lost(b, &places[0], "is not there", err);
		if (status && status != TS_DAMAGED)
			return status;
		right = !status && ts_place_is_right(&places[0], out);
	}
	return right ? TS_OK : lost(b, &places[0], "is cut or altered", err);
}
