/* sender.c - see sender.h. */
#include "cli/core/sender.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "cli/core/ask.h"
#include "proto/capability.h"

enum {
	WINDOW_BYTES = 4 << 20,
	WINDOW_OBJECTS = 2048,	  /* the ids of one question, 64 KiB */
	SCRATCH_MAX = 64 << 20,
};

enum ts_status ts_sender_init(struct ts_sender *s, struct ts_channel *channel, bool dry_run, struct ts_error *err)
{
	*s = (struct ts_sender){
		.channel = channel,
		.dry_run = dry_run,
		.window = TS_BUF_INIT(WINDOW_BYTES + TS_OBJECT_MAX),
		.message = TS_BUF_INIT(TS_MESSAGE_MAX),
		.ids = ts_alloc_array(WINDOW_OBJECTS, sizeof *s->ids),
		.ends = ts_alloc_array(WINDOW_OBJECTS, sizeof *s->ends),
	};
	ts_arena_init(&s->scratch, SCRATCH_MAX);
	if (s->ids && s->ends)
		return TS_OK;
	ts_sender_finish(s);
	return ts_error_set(err, TS_NO_MEMORY, "out of memory for a sender");
}

void ts_sender_finish(struct ts_sender *s)
{
	if (s->upload)
		s->channel->ops->upload_cancel(s->upload);
	s->upload = NULL;
	ts_sealer_destroy(s->sealer);
	s->sealer = NULL;
	ts_buf_finish(&s->window);
	ts_buf_finish(&s->message);
	ts_free(s->ids);
	ts_free(s->ends);
	s->ids = NULL;
	s->ends = NULL;
	ts_arena_finish(&s->scratch);
}

static enum ts_status send_batch(struct ts_sender *s, struct ts_error *err)
{
	struct ts_put_request request = {.objects = s->batch, .n = s->n_batch};
	enum ts_status status = TS_OK;

	if (s->n_batch == 0)
		return TS_OK;
	if (!s->upload)
		status = s->channel->ops->upload_open(s->channel, "PutObjects", &s->upload, err);
	ts_buf_reset(&s->message);
	if (!status)
		status = ts_wire_pack_put_request(&request, &s->message, err);
	if (!status)
		status = s->channel->ops->upload_send(s->upload, ts_buf_view(&s->message), err);
	if (status)
		return status;
	s->sent_objects += s->n_batch;
	s->sent_bytes += s->batch_bytes;
	s->n_batch = 0;
	s->batch_bytes = 0;
	return TS_OK;
}

static struct ts_span object_at(const struct ts_sender *s, size_t i)
{
	size_t begin = i ? s->ends[i - 1] : 0;

	return ts_span_of(s->window.data + begin, s->ends[i] - begin);
}

/* Has the sealer made when the first object comes that it helps. */
static enum ts_status want_sealer(struct ts_sender *s, struct ts_span object, struct ts_error *err)
{
	bool opens;

	if (s->asked || !ts_sealer_helps(object))
		return TS_OK;
	s->asked = true;
	if (ts_ask_capability(s->channel, TS_CAPABILITY_SEALED_TEXT, &s->scratch, &opens, err))
		return err->status;
	return opens ? ts_sealer_create(&s->sealer, err) : TS_OK;
}

static enum ts_status seal_one(struct ts_sender *s, size_t i, struct ts_error *err)
{
	struct ts_sealed *sealed = &s->batch[s->n_batch];
	struct ts_span object = object_at(s, i);
	enum ts_status status = want_sealer(s, object, err);

	if (!status)
		status = s->sealer ? ts_sealer_seal(s->sealer, &s->ids[i], object, &s->scratch, sealed, err)
				   : ts_seal(&s->ids[i], object, &s->scratch, sealed, err);
	if (status)
		return status;
	s->n_batch++;
	s->batch_bytes += sealed->bytes.len;
	return s->batch_bytes >= TS_BATCH_BYTES ? send_batch(s, err) : TS_OK;
}

static enum ts_status pass_one(struct ts_sender *s, size_t i, struct ts_error *err)
{
	enum ts_status status = s->dry_run ? TS_OK : want_sealer(s, object_at(s, i), err);

	if (!status && s->sealer)
		ts_sealer_pass(s->sealer, object_at(s, i));
	return status;
}

/* Missing ids come back in the order of the question, so one walk over both finds them. A reply in another order, or
 * with ids that were not asked for, leaves ids over and is refused. */
static enum ts_status seal_missing(struct ts_sender *s, const struct ts_has_reply *missing, struct ts_error *err)
{
	size_t m = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (m == missing->n || !ts_id_eq(&s->ids[i], &missing->missing[m])) {
			if (pass_one(s, i, err))
				return err->status;
			continue;
		}
		m++;
		if (s->dry_run)
			s->sent_objects++;
		else if (seal_one(s, i, err))
			return err->status;
	}
	if (m < missing->n)
		return ts_error_set(err, TS_DAMAGED, "the server's list of missing objects is not in the order of the question");
	return send_batch(s, err);
}

static enum ts_status flush(struct ts_sender *s, struct ts_error *err)
{
	struct ts_has_request request = {.ids = s->ids, .n = s->n};
	struct ts_has_reply missing;
	enum ts_status status;

	if (s->n == 0)
		return TS_OK;
	ts_arena_reset(&s->scratch);
	s->batch = ts_arena_array(&s->scratch, s->n, sizeof *s->batch);
	if (!s->batch)
		return ts_arena_error(&s->scratch, err);
	status = ts_ask_has(s->channel, &request, &s->scratch, &missing, err);
	if (!status)
		status = seal_missing(s, &missing, err);
	s->objects += s->n;
	s->n = 0;
	ts_buf_reset(&s->window);
	return status;
}

static enum ts_status take(struct ts_sender *s, const struct ts_id *id, struct ts_span object, struct ts_error *err)
{
	s->ids[s->n] = *id;
	/* Ranks have the same steps, so the same block of keys comes once per rank. Such an object is sent only once. */
	for (size_t i = s->n > 64 ? s->n - 64 : 0; i < s->n; i++)
		if (ts_id_eq(&s->ids[i], &s->ids[s->n]))
			return TS_OK;
	ts_buf_span(&s->window, object);
	if (ts_buf_check(&s->window, err))
		return err->status;
	s->ends[s->n++] = s->window.len;
	return s->n == WINDOW_OBJECTS || s->window.len >= WINDOW_BYTES ? flush(s, err) : TS_OK;
}

enum ts_status ts_sender_take(void *sender, const struct ts_id *id, struct ts_span object, struct ts_error *err)
{
	struct ts_sender *s = sender;
	enum ts_status status = take(s, id, object, err);

	if (status)
		s->failed = *err;
	return status;
}

enum ts_status ts_sender_end(struct ts_sender *s, struct ts_error *err)
{
	struct ts_span reply = {NULL, 0};
	struct ts_upload *upload;
	enum ts_status status = flush(s, err);

	if (status || !s->upload)
		return status;
	upload = s->upload;
	s->upload = NULL; /* finish frees the upload, whatever it returns */
	ts_arena_reset(&s->scratch);
	status = s->channel->ops->upload_finish(upload, &s->scratch, &reply, err);
	return status ? status : ts_wire_unpack_put_reply(reply, &s->scratch, &s->stored, err);
}
