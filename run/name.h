/* name.h - which characters the name of a run, a tag, a branch or a project may have.
 *
 * A component of a name begins with a letter or a digit and goes on with these and with . _ + -; letters are those of ASCII and
 * every character beyond ASCII that prints: neither a space, a control character nor one that changes the direction of text. The
 * bytes of a name are kept as they are: two forms of Unicode of one word are two names.
 */
#ifndef TSCOPE_RUN_NAME_H
#define TSCOPE_RUN_NAME_H

#include "base/span.h"

#include <stdbool.h>

/* The bytes (1 to 4) of the character that rest begins with, if a component may have it, as its first character if first is set; else
 * 0. */
size_t ts_name_char(struct ts_span rest, bool first);

#endif
