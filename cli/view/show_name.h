/* show_name.h - foreign names that a hostile file may make long. Real names have some hundred bytes, hostile ones millions.
 *
 * Texts lie in the arena and are harmless to print. NULL means that the arena is full.
 */
#ifndef TSCOPE_CLI_VIEW_SHOW_NAME_H
#define TSCOPE_CLI_VIEW_SHOW_NAME_H

#include "base/arena.h"

enum { TS_NAME_SHOWN = 1000 /* bytes */ };

/* The first whole characters of a text that `most` bytes have. */
struct ts_span ts_name_cut(struct ts_span text, size_t most);
/* Whole characters of the name, as many as TS_NAME_SHOWN have, and "…" if there are more. */
const char *ts_show_name(struct ts_span name, struct ts_arena *arena);
/* The name of a kernel without its arguments, and without the words that most names have: void, at::native::, at::detail::, c10:: and
 * (anonymous namespace)::. They would take the room in which names differ. */
const char *ts_show_kernel(struct ts_span name, struct ts_arena *arena);

#endif
