/* shape_peer.c - the tables of what another tool would print, which has only JSON: the command reads the file itself. */
#include "analysis/peers/peer_page.h"
#include "proto/shape/shape_rows.h"

enum { MANY_LINES = 1 << 20, TEXT_MAX_BYTES = 4096 };

#define TYPE struct ts_peer_number
static bool is_known(const void *in)
{
	return ((const TYPE *)in)->known;
}

static bool is_wrong(const void *in)
{
	return ((const TYPE *)in)->why != NULL;
}

static const struct ts_shape_field number_rows[] = {
	{NULL, "what", STRING(what), ABOUT("with its unit: total_ms")},
	{NULL, "theirs", F64(theirs)},
	{NULL, "right", F64(right), WHEN(is_known), ABOUT("null: not known")},
	{NULL, "why", STRING(why), WHEN(is_wrong), ABOUT("one word of docs/peers.md; null: theirs is right as it is printed")},
};
static const struct ts_shape ts_shape_peer_number = {JSON_SHAPE("peer_number", number_rows)};
#undef TYPE

#define TYPE struct ts_peer_line
static bool has_right(const void *in)
{
	return ((const TYPE *)in)->right != NULL;
}

static const struct ts_shape_field line_rows[] = {
	{NULL, "text", STRING(text), ABOUT("as the tool prints it")},
	{NULL, "right", STRING(right), WHEN(has_right),
	 ABOUT("its wrong numbers as they should be, each with why; null: none is wrong")},
	{NULL, "numbers", MANY(numbers, n_numbers, ts_shape_peer_number, TS_PEER_NUMBERS)},
};
static const struct ts_shape ts_shape_peer_line = {JSON_SHAPE("peer_line", line_rows)};
#undef TYPE

#define TYPE struct ts_peer_answer
static const struct ts_shape_field answer_rows[] = {
	{NULL, "as", STRING(peer)},
	{NULL, "file", STRING(path)},
	{NULL, "lines", MANY(lines, n_lines, ts_shape_peer_line, MANY_LINES)},
};
const struct ts_shape ts_shape_peer = {JSON_SHAPE("peer", answer_rows)};
#undef TYPE
