#include "ingest/snapshot/pickle_op.h"

#include <stddef.h>

#define IMPORTS "it would import a name"
#define CALLS "it would call something"
#define OLD "it belongs to protocols 0 and 1, in which no snapshot is written"
#define OUTSIDE "it stands for an object outside of the file"
#define SETS "a snapshot has no sets"
#define TAKES_BACK "plain data does not take values back"

static const struct ts_pickle_refusal refusals[] = {
	{'c', "GLOBAL", IMPORTS},
	{0x93, "STACK_GLOBAL", IMPORTS},
	{0x82, "EXT1", IMPORTS},
	{0x83, "EXT2", IMPORTS},
	{0x84, "EXT4", IMPORTS},
	{'R', "REDUCE", CALLS},
	{'i', "INST", CALLS},
	{'o', "OBJ", CALLS},
	{0x81, "NEWOBJ", CALLS},
	{0x92, "NEWOBJ_EX", CALLS},
	{'b', "BUILD", CALLS},
	{'P', "PERSID", OUTSIDE},
	{'Q', "BINPERSID", OUTSIDE},
	{0x97, "NEXT_BUFFER", OUTSIDE},
	{0x98, "READONLY_BUFFER", OUTSIDE},
	{0x8f, "EMPTY_SET", SETS},
	{0x90, "ADDITEMS", SETS},
	{0x91, "FROZENSET", SETS},
	{'0', "POP", TAKES_BACK},
	{'1', "POP_MARK", TAKES_BACK},
	{'2', "DUP", "plain data does not copy values"},
	{'I', "INT", OLD},
	{'L', "LONG", OLD},
	{'F', "FLOAT", OLD},
	{'S', "STRING", OLD},
	{'V', "UNICODE", OLD},
	{'l', "LIST", OLD},
	{'d', "DICT", OLD},
	{'g', "GET", OLD},
	{'p', "PUT", OLD},
};

const struct ts_pickle_refusal *ts_pickle_refused(uint8_t code)
{
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
		if (refusals[i].code == code)
			return &refusals[i];
	return NULL;
}
