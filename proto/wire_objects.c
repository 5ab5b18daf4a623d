/* wire_objects.c - messages about the store: has, put, verify, gc, server info. Sealed objects: wire_sealed.c. */
#include "proto/wire_message.h"

static ProtobufCMessage *build_info_reply(const struct ts_info_reply *in, struct ts_arena *arena)
{
	Tscope__V1__ServerInfoReply *m = ts_wire_new(arena, WIRE_DESCRIPTOR(server_info_reply));

	if (!m)
		return NULL;
	m->version = ts_wire_span(in->version);
	m->format_version = in->format_version;
	m->store = ts_wire_span(in->store);
	m->started_ns = in->started_ns;
	m->read_only = in->read_only;
	m->objects = in->stats.objects;
	m->stored_bytes = in->stats.stored_bytes;
	m->file_bytes = in->stats.file_bytes;
	m->refs = in->stats.refs;
	return &m->base;
}

static void read_info_reply(struct ts_wire_reader *r, const Tscope__V1__ServerInfoReply *m, struct ts_info_reply *out)
{
	out->version = ts_wire_text(r, m->version, TS_NAME_MAX, "version");
	out->format_version = m->format_version;
	out->store = ts_wire_text(r, m->store, TS_WIRE_TEXT_MAX, "store");
	out->started_ns = m->started_ns;
	out->read_only = m->read_only;
	out->stats.objects = m->objects;
	out->stats.stored_bytes = m->stored_bytes;
	out->stats.file_bytes = m->file_bytes;
	out->stats.refs = m->refs;
}

WIRE_PACK(info_reply, ts_info_reply);
WIRE_UNPACK(info_reply, ts_info_reply, server_info_reply);

static ProtobufCMessage *build_has_request(const struct ts_has_request *in, struct ts_arena *arena)
{
	Tscope__V1__HasObjectsRequest *m = ts_wire_new(arena, WIRE_DESCRIPTOR(has_objects_request));

	if (!m)
		return NULL;
	m->ids = ts_wire_id_list(in->ids, in->n);
	return &m->base;
}

static void read_has_request(struct ts_wire_reader *r, const Tscope__V1__HasObjectsRequest *m,
			     struct ts_has_request *out)
{
	out->ids = ts_wire_ids(r, m->ids, TS_IDS_MAX, "ids", &out->n);
}

WIRE_PACK(has_request, ts_has_request);
WIRE_UNPACK(has_request, ts_has_request, has_objects_request);

static ProtobufCMessage *build_has_reply(const struct ts_has_reply *in, struct ts_arena *arena)
{
	Tscope__V1__HasObjectsReply *m = ts_wire_new(arena, WIRE_DESCRIPTOR(has_objects_reply));

	if (!m)
		return NULL;
	m->missing = ts_wire_id_list(in->missing, in->n);
	return &m->base;
}

static void read_has_reply(struct ts_wire_reader *r, const Tscope__V1__HasObjectsReply *m, struct ts_has_reply *out)
{
	out->missing = ts_wire_ids(r, m->missing, TS_IDS_MAX, "missing", &out->n);
}

WIRE_PACK(has_reply, ts_has_reply);
WIRE_UNPACK(has_reply, ts_has_reply, has_objects_reply);

static ProtobufCMessage *build_objects_request(const struct ts_has_request *in, struct ts_arena *arena)
{
	Tscope__V1__GetObjectsRequest *m = ts_wire_new(arena, WIRE_DESCRIPTOR(get_objects_request));

	if (!m)
		return NULL;
	m->ids = ts_wire_id_list(in->ids, in->n);
	return &m->base;
}

static void read_objects_request(struct ts_wire_reader *r, const Tscope__V1__GetObjectsRequest *m,
				 struct ts_has_request *out)
{
	out->ids = ts_wire_ids(r, m->ids, TS_IDS_MAX, "ids", &out->n);
}

WIRE_PACK(objects_request, ts_has_request);
WIRE_UNPACK(objects_request, ts_has_request, get_objects_request);

static ProtobufCMessage *build_put_reply(const struct ts_put_stats *in, struct ts_arena *arena)
{
	Tscope__V1__PutObjectsReply *m = ts_wire_new(arena, WIRE_DESCRIPTOR(put_objects_reply));

	if (!m)
		return NULL;
	m->objects = in->objects;
	m->new_objects = in->new_objects;
	m->new_bytes = in->new_bytes;
	return &m->base;
}

static void read_put_reply(struct ts_wire_reader *r, const Tscope__V1__PutObjectsReply *m, struct ts_put_stats *out)
{
	(void)r;
	out->objects = m->objects;
	out->new_objects = m->new_objects;
	out->new_bytes = m->new_bytes;
}

WIRE_PACK(put_reply, ts_put_stats);
WIRE_UNPACK(put_reply, ts_put_stats, put_objects_reply);

static ProtobufCMessage *build_verify_event(const struct ts_verify_event *in, struct ts_arena *arena)
{
	Tscope__V1__VerifyEvent *m = ts_wire_new(arena, WIRE_DESCRIPTOR(verify_event));

	if (!m)
		return NULL;
	m->final = in->final;
	m->done = in->done;
	m->total = in->total;
	m->objects = in->report.objects;
	m->bytes = in->report.bytes;
	m->damaged = in->report.damaged;
	m->missing = in->report.missing;
	m->ids = ts_wire_id_list(in->report.ids, in->report.n_ids);
	return &m->base;
}

static void read_verify_event(struct ts_wire_reader *r, const Tscope__V1__VerifyEvent *m, struct ts_verify_event *out)
{
	out->final = m->final;
	out->done = m->done;
	out->total = m->total;
	out->report.objects = m->objects;
	out->report.bytes = m->bytes;
	out->report.damaged = m->damaged;
	out->report.missing = m->missing;
	out->report.ids = ts_wire_ids(r, m->ids, TS_WIRE_REPORTED_MAX, "ids", &out->report.n_ids);
}

WIRE_PACK(verify_event, ts_verify_event);
WIRE_UNPACK(verify_event, ts_verify_event, verify_event);

static ProtobufCMessage *build_gc_request(const struct ts_gc_request *in, struct ts_arena *arena)
{
	Tscope__V1__CollectGarbageRequest *m = ts_wire_new(arena, WIRE_DESCRIPTOR(collect_garbage_request));

	if (!m)
		return NULL;
	m->dry_run = in->dry_run;
	if (in->has_lease) {
		m->lease_choice_case = TSCOPE__V1__COLLECT_GARBAGE_REQUEST__LEASE_CHOICE_LEASE_S;
		m->lease_s = in->lease_s;
	}
	return &m->base;
}

static void read_gc_request(struct ts_wire_reader *r, const Tscope__V1__CollectGarbageRequest *m,
			    struct ts_gc_request *out)
{
	out->dry_run = m->dry_run;
	out->has_lease = m->lease_choice_case == TSCOPE__V1__COLLECT_GARBAGE_REQUEST__LEASE_CHOICE_LEASE_S;
	if (out->has_lease)
		out->lease_s = ts_wire_uint(r, m->lease_s, INT64_MAX / 1000000000, "lease_s");
}

WIRE_PACK(gc_request, ts_gc_request);
WIRE_UNPACK(gc_request, ts_gc_request, collect_garbage_request);

static ProtobufCMessage *build_gc_reply(const struct ts_sweep_report *in, struct ts_arena *arena)
{
	Tscope__V1__CollectGarbageReply *m = ts_wire_new(arena, WIRE_DESCRIPTOR(collect_garbage_reply));

	if (!m)
		return NULL;
	m->kept = in->kept;
	m->freed = in->freed;
	m->freed_bytes = in->freed_bytes;
	m->leased = in->leased;
	return &m->base;
}

static void read_gc_reply(struct ts_wire_reader *r, const Tscope__V1__CollectGarbageReply *m,
			  struct ts_sweep_report *out)
{
	(void)r;
	out->kept = m->kept;
	out->freed = m->freed;
	out->freed_bytes = m->freed_bytes;
	out->leased = m->leased;
}

WIRE_PACK(gc_reply, ts_sweep_report);
WIRE_UNPACK(gc_reply, ts_sweep_report, collect_garbage_reply);
