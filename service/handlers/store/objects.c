/* objects.c - have/want: which objects are missing, those that are sent, those that are asked for. */
#include "base/alloc.h"
#include "base/cursor.h"
#include "run/block.h"
#include "service/handlers/core/block_scores.h"
#include "service/handlers/core/methods.h"
#include "service/handlers/store/reach.h"

TS_REPLIER(has_reply, ts_has_reply);
TS_REPLIER(put_reply, ts_put_stats);
TS_REPLIER(objects_reply, ts_put_request);

/* Unpacks a question, and allocates room for the result. */
static enum ts_status unpack_question(struct ts_call *call, struct ts_span in, struct ts_has_request *ret,
				      bool **ret_present, struct ts_error *err)
{
	if (ts_wire_unpack_has_request(in, call->arena, ret, err))
		return err->status;
	*ret_present = ts_arena_array(call->arena, ret->n, sizeof **ret_present);
	return *ret_present ? TS_OK : ts_arena_error(call->arena, err);
}

static enum ts_status reply_missing(struct ts_call *call, const struct ts_has_request *request, const bool *present,
				    struct ts_error *err)
{
	struct ts_has_reply reply = {ts_arena_array(call->arena, request->n, sizeof *reply.missing), 0};

	if (!reply.missing)
		return ts_arena_error(call->arena, err);
	for (size_t i = 0; i < request->n; i++)
		if (!present[i])
			reply.missing[reply.n++] = request->ids[i];
	return reply_has_reply(call, &reply, err);
}

enum ts_status ts_handle_has_objects(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	struct ts_has_request request;
	bool *present;

	(void)state;
	if (unpack_question(call, in, &request, &present, err))
		return err->status;
	if (request.n && call->engine->ops->has_many(call->engine, request.ids, request.n, present, err))
		return err->status;
	return reply_missing(call, &request, present, err);
}

/* Answers at once if no lease must be written. */
bool ts_quick_has_objects(struct ts_call *call, struct ts_span in)
{
	struct ts_has_request request;
	struct ts_error ignored;
	bool *present;
	bool leased;

	if (unpack_question(call, in, &request, &present, &ignored))
		return false;
	if (call->engine->ops->look_many(call->engine, request.ids, request.n, present, &leased, &ignored) || !leased)
		return false;
	return reply_missing(call, &request, present, &ignored) == TS_OK;
}

enum ts_status ts_put_open(struct ts_call *call, void **ret_state, struct ts_error *err)
{
	struct ts_put_stats *total = ts_alloc_array(1, sizeof *total);

	(void)call;
	if (!total)
		return ts_error_set(err, TS_NO_MEMORY, "no memory for an upload");
	*ret_state = total;
	return TS_OK;
}

static bool same_sealed(const struct ts_sealed *a, const struct ts_sealed *b)
{
	return ts_id_eq(&a->id, &b->id) && a->codec == b->codec && a->kind == b->kind && a->nrefs == b->nrefs &&
	       a->raw_len == b->raw_len && a->checksum == b->checksum && ts_span_eq(a->bytes, b->bytes);
}

/* Takes out objects that stand in the message already, so that nobody has the same one hashed 16,384 times. Ids are not yet verified,
 * and may be chosen to meet in one slot: then a copy stays, which limit_unsealed counts again. */
static enum ts_status drop_copies(struct ts_call *call, struct ts_put_request *io, struct ts_error *err)
{
	enum { SLOTS = 4096 };
	size_t *slots = io->n > 1 ? ts_arena_array(call->arena, SLOTS, sizeof *slots) : NULL; /* a place among those kept, plus 1 */
	size_t kept = 0;

	if (io->n > 1 && !slots)
		return ts_arena_error(call->arena, err);
	for (size_t i = 0; i < io->n; i++) {
		size_t *slot = slots ? &slots[ts_load_le(io->objects[i].id.bytes, 4) % SLOTS] : NULL;

		if (slot && *slot && same_sealed(&io->objects[*slot - 1], &io->objects[i]))
			continue;
		io->objects[kept++] = io->objects[i];
		if (slot)
			*slot = kept;
	}
	io->n = kept;
	return TS_OK;
}

/* A few hundred bytes can unseal to two megabytes: what a message costs is known and refused before anything is unsealed. To find
 * out what compressed a text takes many times longer than to copy it. */
static enum ts_status limit_unsealed(const struct ts_put_request *request, struct ts_error *err)
{
	uint64_t total = 0, text = 0;

	for (size_t i = 0; i < request->n; i++) {
		const struct ts_sealed *sealed = &request->objects[i];

		total += sealed->raw_len;
		text += sealed->codec > TS_SEALED_CODECS_FIRST ? sealed->raw_len : 0;
	}
	if (text > TS_UNSEALED_TEXT_MAX)
		return ts_error_set(err, TS_TOO_LARGE,
				    "the objects of this message unseal to %" PRIu64
				    " bytes of text, and the limit of a message is %d; "
				    "send them in several messages",
				    text, TS_UNSEALED_TEXT_MAX);
	if (total > TS_UNSEALED_MAX)
		return ts_error_set(err, TS_TOO_LARGE,
				    "the %zu objects of this message unseal to %" PRIu64 " bytes, and the limit of a message is %d; "
				    "send them in several messages",
				    request->n, total, TS_UNSEALED_MAX);
	return TS_OK;
}

/* Every object is unsealed, hashed and checked before it is stored: no claim of a client about an object is trusted. */
static enum ts_status verify_all(const struct ts_call *call, const struct ts_put_request *request, struct ts_error *err)
{
	struct ts_arena scratch;
	struct ts_span object;
	enum ts_status status = TS_OK;

	ts_arena_init(&scratch, TS_CALL_ARENA);
	for (size_t i = 0; !status && i < request->n; i++) {
		status = ts_call_check(call, err);
		if (status)
			break;
		status = ts_sealed_verify(&request->objects[i], &scratch, &object, err);
		if (!status && ts_block_check(object, err))
			status = ts_object_error(&request->objects[i].id, err);
		if (status)
			ts_error_prefix(err, "object %zu of %zu", i + 1, request->n);
		else
			ts_block_scores_note(&request->objects[i].id, object);
		ts_arena_reset(&scratch);
	}
	ts_arena_finish(&scratch);
	return status;
}

enum ts_status ts_handle_put_objects(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	struct ts_put_stats *total = state;
	struct ts_put_stats added;
	struct ts_put_request request;
	size_t given;

	if (ts_call_check(call, err) || ts_wire_unpack_put_request(in, call->arena, &request, err))
		return err->status;
	if (request.n == 0)
		return TS_OK;
	given = request.n;
	if (drop_copies(call, &request, err) || limit_unsealed(&request, err) || verify_all(call, &request, err) ||
	    call->engine->ops->put_many(call->engine, request.objects, request.n, &added, err))
		return err->status;
	total->objects += given;
	total->new_objects += added.new_objects;
	total->new_bytes += added.new_bytes;
	return TS_OK;
}

enum ts_status ts_put_close(struct ts_call *call, void *state, struct ts_error *err)
{
	return reply_put_reply(call, state, err);
}

void ts_put_drop(void *state)
{
	ts_free(state);
}

/* What the caller cannot open is sealed again, as every version opens it. *io_bytes counts what lies in the arena then. */
static enum ts_status seal_for(const struct ts_objects_request *request, struct ts_arena *arena, struct ts_sealed *io, size_t *io_bytes,
			       struct ts_error *err)
{
	uint32_t opens = request->codecs ? request->codecs : TS_SEALED_CODECS_FIRST;
	struct ts_sealed sealed = *io;
	struct ts_span object;

	if (sealed.codec <= opens)
		return TS_OK;
	if (ts_unseal(&sealed, arena, &object, err))
		return err->status;
	*io_bytes += object.len;
	return ts_seal(&sealed.id, object, arena, io, err);
}

/* Fills out with objects from ids[from] on until they are about TS_BATCH_BYTES, but with at least one. */
static enum ts_status next_batch(struct ts_call *call, const struct ts_objects_request *request, size_t from,
				 struct ts_arena *arena, struct ts_put_request *out, struct ts_error *err)
{
	size_t bytes = 0;

	for (out->n = 0; from + out->n < request->n && bytes < TS_BATCH_BYTES; out->n++) {
		struct ts_sealed *sealed = &out->objects[out->n];

		if (call->engine->ops->get(call->engine, &request->ids[from + out->n], arena, sealed, err) ||
		    seal_for(request, arena, sealed, &bytes, err))
			return err->status;
		/* The fields around the data take up to 80 bytes. */
		bytes += sealed->bytes.len + 80;
	}
	return TS_OK;
}

enum ts_status ts_handle_get_objects(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	struct ts_objects_request request;
	struct ts_put_request batch;
	struct ts_arena scratch;
	enum ts_status status = TS_OK;

	(void)state;
	if (ts_wire_unpack_objects_request(in, call->arena, &request, err) || ts_reach_check(call, &request, err))
		return err->status;
	batch.objects = ts_arena_array(call->arena, request.n, sizeof *batch.objects);
	if (!batch.objects)
		return ts_arena_error(call->arena, err);
	ts_arena_init(&scratch, TS_CALL_ARENA);
	for (size_t done = 0; !status && done < request.n; done += batch.n) {
		status = ts_call_check(call, err);
		if (!status)
			status = next_batch(call, &request, done, &scratch, &batch, err);
		if (!status)
			status = reply_objects_reply(call, &batch, err);
		ts_arena_reset(&scratch);
	}
	ts_arena_finish(&scratch);
	return status;
}
