/* The contract's own promises: nothing recursive, nothing that protobuf-c cannot bound, one row a method. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <tscope/v1/tscope.pb-c.h>

enum { DEEPEST = 8 };

static void walk(const ProtobufCMessageDescriptor *m, int depth)
{
	if (depth > DEEPEST)
		fail_msg("%s contains itself, or is nested %d deep", m->name, depth);
	for (unsigned i = 0; i < m->n_fields; i++)
		if (m->fields[i].type == PROTOBUF_C_TYPE_MESSAGE)
			walk(m->fields[i].descriptor, depth + 1);
}

static void nothing_is_recursive(void **state)
{
	const ProtobufCServiceDescriptor *s = &tscope__v1__tscope__descriptor;

	(void)state;
	assert_true(s->n_methods > 0);
	for (unsigned i = 0; i < s->n_methods; i++) {
		walk(s->methods[i].input, 0);
		walk(s->methods[i].output, 0);
	}
}

static void check_fields(const ProtobufCMessageDescriptor *m)
{
	for (unsigned i = 0; i < m->n_fields; i++) {
		const ProtobufCFieldDescriptor *f = &m->fields[i];

		/* The type string would lose what follows a NUL byte before it could be refused. */
		if (f->type == PROTOBUF_C_TYPE_STRING)
			fail_msg("%s.%s is a string in the generated code", m->name, f->name);
		/* A map compiles to a repeated message whose name ends so. */
		if (f->type == PROTOBUF_C_TYPE_MESSAGE) {
			const ProtobufCMessageDescriptor *of = f->descriptor;

			assert_null(strstr(of->short_name, "Entry__"));
			check_fields(of);
		}
		if (f->type == PROTOBUF_C_TYPE_ENUM) {
			const ProtobufCEnumDescriptor *e = f->descriptor;

			assert_int_equal(e->values[0].value, 0);
			if (!strstr(e->values[0].name, "_UNSPECIFIED"))
				fail_msg("the 0 of %s is %s", e->name, e->values[0].name);
		}
	}
}

static void fields_can_be_checked(void **state)
{
	const ProtobufCServiceDescriptor *s = &tscope__v1__tscope__descriptor;

	(void)state;
	for (unsigned i = 0; i < s->n_methods; i++) {
		check_fields(s->methods[i].input);
		check_fields(s->methods[i].output);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_recursive),
		cmocka_unit_test(fields_can_be_checked),
	};

	return cmocka_run_group_tests_name("descriptors", tests, NULL, NULL);
}
