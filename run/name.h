/* name.h - which characters the name of a run, a tag, a branch or a project may have, and how names are matched.
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

/* Whether every character of a name shows something; else where the first one stands that does not, and what it is. A name that an
 * older version let in may have such, and is found by it; a new one may not. */
bool ts_name_is_visible(struct ts_span name, size_t *ret_at, uint32_t *ret_point);

/* Whether the pattern matches the name (without its project), as a line of .gitignore matches a path: * and ? match anything but '/',
 * [a-z] and [!a-z] one byte. A pattern without '/' is compared with the last component, so exp* matches runs30/exp23; another one with
 * the whole name, of which ** stands for any number of components. What ends in '/' matches all that is below. */
bool ts_name_glob(struct ts_span pattern, struct ts_span name);
/* Whether the word may be such a pattern. */
bool ts_name_is_glob(struct ts_span word);
/* Whether the name ends with these components, and has more: sweep/a ends with a, and not with weep/a or sweep/a. */
bool ts_name_ends(struct ts_span name, struct ts_span components);

#endif
