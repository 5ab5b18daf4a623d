/* wire_methods.c - the methods that tscope.proto promises, so that a test can hold the handlers' table to it. */
#include "proto/wire_message.h"

size_t ts_wire_methods(void)
{
	return tscope__v1__tscope__descriptor.n_methods;
}

const char *ts_wire_method(size_t i)
{
	return tscope__v1__tscope__descriptor.methods[i].name;
}
