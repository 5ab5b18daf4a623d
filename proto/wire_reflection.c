/* wire_reflection.c - packs and unpacks the messages of grpc.reflection.v1 (reflection.h). */
#include "proto/reflection.h"
#include "proto/wire_message.h"

#include <grpc/reflection/v1/reflection.pb-c.h>

typedef Grpc__Reflection__V1__ServerReflectionRequest Request;
typedef Grpc__Reflection__V1__ServerReflectionResponse Response;

enum { NOT_FOUND = 5, UNIMPLEMENTED = 12 }; /* codes of gRPC */

/* What is asked for, by the package of its symbols. */
static const struct {
	const char *package, *file, *service;
} packages[] = {
	{"tscope.v1.", "tscope.proto", "tscope.v1.Tscope"},
	{"grpc.health.v1.", "health.proto", "grpc.health.v1.Health"},
	{"grpc.reflection.v1.", "reflection.proto", "grpc.reflection.v1.ServerReflection"},
};
enum { PACKAGES = sizeof packages / sizeof packages[0] };

enum ts_status ts_wire_unpack_reflection_request(struct ts_span in, struct ts_arena *arena, struct ts_reflection_request *ret,
						 struct ts_error *err)
{
	struct ts_wire_reader r = {.arena = arena, .err = err};
	const Request *m = ts_wire_parse(&r, in, &grpc__reflection__v1__server_reflection_request__descriptor);
	struct ts_reflection_request out = {.whole = in};

	if (m && m->message_request_case == GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_BY_FILENAME) {
		out.kind = TS_REFLECT_FILE;
		out.what = ts_wire_text(&r, m->file_by_filename, TS_WIRE_SPEC_MAX, "file_by_filename");
	} else if (m &&
		   m->message_request_case == GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_SYMBOL) {
		out.kind = TS_REFLECT_SYMBOL;
		out.what = ts_wire_text(&r, m->file_containing_symbol, TS_WIRE_SPEC_MAX, "file_containing_symbol");
	} else if (m && m->message_request_case == GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_LIST_SERVICES) {
		out.kind = TS_REFLECT_SERVICES;
	}
	if (r.status)
		return r.status;
	*ret = out;
	return TS_OK;
}

/* The FileDescriptorProto in a set of one: behind the tag and the length of field 1. */
static struct ts_span descriptor_of(struct ts_span set)
{
	size_t at = 1;

	while (at < set.len && set.data[at] & 0x80)
		at++;
	return ts_span_of(set.data + at + 1, set.len - at - 1);
}

static bool ends_with(struct ts_span text, const char *end)
{
	size_t n = strlen(end);

	return text.len >= n && memcmp(text.data + text.len - n, end, n) == 0;
}

/* The index of the package that is asked for, or PACKAGES. Files are known with and without their folder. */
static size_t find(const struct ts_reflection_request *request)
{
	for (size_t i = 0; i < PACKAGES; i++) {
		size_t n = strlen(packages[i].package);

		if (request->kind == TS_REFLECT_FILE ? ends_with(request->what, packages[i].file)
						     : request->what.len > n && memcmp(request->what.data, packages[i].package, n) == 0)
			return i;
	}
	return PACKAGES;
}

static struct ts_span set_of(const char *file)
{
	for (size_t i = 0; i < ts_proto_files_n; i++)
		if (strncmp(ts_proto_files[i].name, file, strlen(file)) == 0)
			return ts_proto_files[i].set;
	return ts_span_of(NULL, 0);
}

static enum ts_status write_reply(Response *m, const struct ts_reflection_request *request, struct ts_buf *out, struct ts_error *err)
{
	struct ts_arena arena;
	struct ts_wire_reader r = {.arena = &arena, .err = err};
	enum ts_status status;

	ts_arena_init(&arena, TS_CALL_ARENA);
	m->original_request = ts_wire_parse(&r, request->whole, &grpc__reflection__v1__server_reflection_request__descriptor);
	status = r.status ? r.status : ts_wire_write(&m->base, out, err);
	ts_arena_finish(&arena);
	return status;
}

static enum ts_status pack_error(const struct ts_reflection_request *request, int code, const char *text, struct ts_buf *out,
				 struct ts_error *err)
{
	Response m = GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__INIT;
	Grpc__Reflection__V1__ErrorResponse error = GRPC__REFLECTION__V1__ERROR_RESPONSE__INIT;

	error.error_code = code;
	error.error_message = ts_wire_span(ts_span_str(text));
	m.message_response_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_ERROR_RESPONSE;
	m.error_response = &error;
	return write_reply(&m, request, out, err);
}

static enum ts_status pack_file(const struct ts_reflection_request *request, size_t package, struct ts_buf *out, struct ts_error *err)
{
	Response m = GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__INIT;
	Grpc__Reflection__V1__FileDescriptorResponse files = GRPC__REFLECTION__V1__FILE_DESCRIPTOR_RESPONSE__INIT;
	ProtobufCBinaryData one = ts_wire_span(descriptor_of(set_of(packages[package].file)));

	files.n_file_descriptor_proto = 1;
	files.file_descriptor_proto = &one;
	m.message_response_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_FILE_DESCRIPTOR_RESPONSE;
	m.file_descriptor_response = &files;
	return write_reply(&m, request, out, err);
}

static enum ts_status pack_services(const struct ts_reflection_request *request, struct ts_buf *out, struct ts_error *err)
{
	Response m = GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__INIT;
	Grpc__Reflection__V1__ListServiceResponse list = GRPC__REFLECTION__V1__LIST_SERVICE_RESPONSE__INIT;
	Grpc__Reflection__V1__ServiceResponse services[PACKAGES], *pointers[PACKAGES];

	for (size_t i = 0; i < PACKAGES; i++) {
		services[i] = (Grpc__Reflection__V1__ServiceResponse)GRPC__REFLECTION__V1__SERVICE_RESPONSE__INIT;
		services[i].name = ts_wire_span(ts_span_str(packages[i].service));
		pointers[i] = &services[i];
	}
	list.n_service = PACKAGES;
	list.service = pointers;
	m.message_response_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_LIST_SERVICES_RESPONSE;
	m.list_services_response = &list;
	return write_reply(&m, request, out, err);
}

enum ts_status ts_wire_pack_reflection_reply(const struct ts_reflection_request *request, struct ts_buf *out, struct ts_error *err)
{
	size_t package = find(request);

	if (request->kind == TS_REFLECT_SERVICES)
		return pack_services(request, out, err);
	if (request->kind == TS_REFLECT_NOTHING)
		return pack_error(request, UNIMPLEMENTED, "this server has no extensions", out, err);
	if (package == PACKAGES)
		return pack_error(request, NOT_FOUND, "this server has no such file or symbol", out, err);
	return pack_file(request, package, out, err);
}
