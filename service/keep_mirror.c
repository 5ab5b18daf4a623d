/* keep_mirror.c - see keep_mirror.h. */
#include "service/keep_mirror.h"

#include "base/clock.h"
#include "base/digest.h"
#include "base/limits.h"
#include "proto/wire.h"
#include "service/keep_mirror_part.h"
#include "service/named_store.h"
#include "service/rpc/address.h"
#include "service/rpc/routed.h"
#include "service/rpc/token_file.h"
#include "store/cluster/cluster.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { ASKED_MOST = 64 << 20 };

/* Where the store that is copied is: one of both is set. */
struct source {
	struct ts_engine *engine;
	struct ts_channel *channel;
};

/* ---- where from ---- */

/* A folder may have a colon in its name, but then it is there. Of several servers, the first one tells. */
static bool is_server(const char *from)
{
	size_t len = strcspn(from, ",");
	struct ts_address address;
	struct ts_error ignored;
	char path[PATH_MAX], first[PATH_MAX];

	if (ts_cluster_file(from) || !strchr(from, ':') || realpath(from, path) || len >= sizeof first)
		return false;
	memcpy(first, from, len);
	first[len] = 0;
	return ts_address_parse(first, &address, &ignored) == TS_OK;
}

static enum ts_status open_channel(const struct ts_mirror_options *options, struct ts_arena *arena, struct ts_channel **ret,
				   struct ts_error *err)
{
	struct ts_client_login login;

	if (ts_token_file_login(options->token_file, options->ca, arena, &login, err))
		return err->status;
	return ts_routed_open(options->from, &login, ret, err);
}

static enum ts_status open_source(const struct ts_mirror_options *options, struct ts_arena *arena, struct source *ret,
				  struct ts_error *err)
{
	if (is_server(options->from))
		return open_channel(options, arena, &ret->channel, err);
	if (options->token_file || options->ca)
		return ts_error_set(err, TS_INVALID, "--token-file and --ca are for a server, and %s is a store", options->from);
	return ts_named_store_open(options->from, true, &ret->engine, err);
}

static void close_source(struct source *s)
{
	if (s->channel)
		s->channel->ops->destroy(s->channel);
	ts_engine_destroy(s->engine);
}

/* ---- all of it ---- */

static enum ts_status take(void *ctx, struct ts_span chunk, struct ts_error *err)
{
	return ts_mirror_take(ctx, chunk, err);
}

static enum ts_status take_message(void *ctx, struct ts_span message, struct ts_error *err)
{
	struct ts_follow_part part;
	struct ts_arena arena;
	enum ts_status status;

	ts_arena_init(&arena, TS_CALL_ARENA);
	status = ts_wire_unpack_follow_part(message, &arena, &part, err);
	if (!status)
		status = ts_mirror_take(ctx, part.items, err);
	ts_arena_finish(&arena);
	return status;
}

static enum ts_status ask_server(struct ts_channel *from, struct ts_span holds, struct ts_mirror *mirror, struct ts_error *err)
{
	struct ts_buf request = TS_BUF_INIT(TS_MESSAGE_MAX);
	enum ts_status status = ts_wire_pack_follow_request(&(struct ts_follow_request){holds}, &request, err);

	if (!status)
		status = from->ops->download(from, "Follow", ts_buf_view(&request), take_message, mirror, err);
	ts_buf_finish(&request);
	if (status == TS_DENIED)
		ts_error_prefix(err, "a mirror of all that a server has needs the role admin there; one of a --project needs read");
	return status;
}

static enum ts_status mirror_all(const struct source *from, struct ts_engine *to, struct ts_mirror_report *report, struct ts_error *err)
{
	static const uint8_t none[TS_MOMENT];
	struct ts_buf asked = TS_BUF_INIT(from->channel ? TS_FOLLOW_MAX : ASKED_MOST);
	struct ts_mirror mirror;
	enum ts_status status;

	ts_mirror_begin(&mirror, to);
	status = ts_mirror_ask(to, none, &asked, err);
	if (!status)
		status = from->channel ? ask_server(from->channel, ts_buf_view(&asked), &mirror, err)
				       : from->engine->ops->mirror(from->engine, ts_buf_view(&asked), take, &mirror, err);
	if (!status && !mirror.ended)
		status = ts_error_set(err, TS_UNAVAILABLE, "the other store ended in the middle of an answer: run this again");
	report->records = mirror.records;
	report->bytes = mirror.bytes;
	ts_mirror_finish(&mirror);
	ts_buf_finish(&asked);
	return status;
}

/* Which store the other one is: zeros of a server that does not say it. A part is no reason to ask for what needs the role admin. */
static enum ts_status id_of(const struct source *from, bool part, struct ts_engine *to, uint8_t ret[TS_MIRROR_SOURCE],
			    struct ts_error *err)
{
	static const uint8_t none[TS_MOMENT];
	struct ts_mirror probe;
	enum ts_status status;

	memset(ret, 0, TS_MIRROR_SOURCE);
	if (from->engine) {
		status = ts_store_id(from->engine, ret, err);
		return status == TS_UNSUPPORTED ? TS_OK : status;
	}
	if (part)
		return TS_OK;
	ts_mirror_begin(&probe, to);
	status = ask_server(from->channel, ts_span_of(none, TS_MOMENT), &probe, err);
	memcpy(ret, probe.moment, TS_MIRROR_SOURCE);
	ts_mirror_finish(&probe);
	return status;
}

/* ---- what the mirror says of itself ---- */

/* A folder by its whole path, so that the same one is known from anywhere. */
static const char *name_of(const char *from, struct ts_arena *arena)
{
	const char *cluster = ts_cluster_file(from), *file = cluster ? cluster : from;
	char path[PATH_MAX];

	if (is_server(from) || !realpath(file, path))
		return from;
	return ts_arena_printf(arena, "%s%s", cluster ? "cluster:" : "", path);
}

static const char *part_of(const struct ts_mirror_options *options, struct ts_arena *arena)
{
	if (options->branch)
		return ts_arena_printf(arena, "the branch %s", options->branch);
	if (options->filter)
		return ts_arena_printf(arena, "the runs%s%s with %s", options->project ? " of the project " : "",
				       options->project ? options->project : "", options->filter);
	return options->project ? ts_arena_printf(arena, "the project %s", options->project) : "";
}

static enum ts_status mirror_part(const struct ts_mirror_options *options, const struct source *from, struct ts_engine *to,
				  struct ts_mirror_report *report, struct ts_error *err)
{
	struct ts_channel *channel = from->channel;
	enum ts_status status = TS_OK;

	if (!channel)
		status = ts_channel_local(from->engine, options->from, &channel, err);
	if (!status)
		status = ts_mirror_part(options, channel, to, report, err);
	if (!from->channel && channel)
		channel->ops->destroy(channel);
	return status;
}

static enum ts_status run(const struct ts_mirror_options *options, const struct source *from, struct ts_engine *to,
			  struct ts_arena *arena, struct ts_mirror_report *report, struct ts_error *err)
{
	const char *of = name_of(options->from, arena), *part = part_of(options, arena);
	int64_t began_ns = ts_now_real_ns();
	struct ts_mirrored mirrored;
	enum ts_status status;

	if (!of || !part)
		return ts_arena_error(arena, err);
	mirrored = (struct ts_mirrored){.of = ts_span_str(of), .part = ts_span_str(part)};
	if ((from->engine && from->engine->ops->sound(from->engine, err)) || id_of(from, part[0], to, mirrored.source, err) ||
	    ts_mirrored_begin(to, &mirrored, err))
		return err->status;
	status = part[0] ? mirror_part(options, from, to, report, err) : mirror_all(from, to, report, err);
	return status ? status : ts_mirrored_hold(to, began_ns, err);
}

enum ts_status ts_mirror_run(const struct ts_mirror_options *options, struct ts_mirror_report *ret_report, struct ts_error *err)
{
	struct source from = {.engine = NULL};
	struct ts_arena arena;
	struct ts_engine *to;
	enum ts_status status;

	*ret_report = (struct ts_mirror_report){.names = 0};
	if (strcmp(options->from, options->to) == 0)
		return ts_error_set(err, TS_CONFLICT, "both are one store");
	if (options->branch && (options->project || options->filter))
		return ts_error_set(err, TS_INVALID, "--branch names a branch with its project, and goes with no other choice");
	ts_arena_init(&arena, TS_CALL_ARENA);
	status = ts_digest_init(err) ? err->status : open_source(options, &arena, &from, err);
	if (!status)
		status = ts_named_store_open(options->to, false, &to, err);
	if (!status) {
		status = run(options, &from, to, &arena, ret_report, err);
		ts_engine_destroy(to);
	}
	close_source(&from);
	ts_arena_finish(&arena);
	return status;
}

enum ts_status ts_mirror_end(const char *store, struct ts_error *err)
{
	struct ts_mirrored mirrored;
	struct ts_engine *engine;
	struct ts_arena arena;
	enum ts_status status;

	/* A store that is not there is not made. */
	if (ts_digest_init(err) || ts_named_store_open(store, true, &engine, err))
		return err->status;
	ts_arena_init(&arena, TS_CALL_ARENA);
	status = ts_mirrored_get(engine, &arena, &mirrored, err);
	if (!status && !mirrored.of.len)
		status = ts_error_set(err, TS_NOT_FOUND, "%s is no mirror of another store", store);
	ts_arena_finish(&arena);
	ts_engine_destroy(engine);
	if (status || ts_named_store_open(store, false, &engine, err))
		return err->status;
	status = ts_mirrored_end(engine, err);
	ts_engine_destroy(engine);
	return status;
}
