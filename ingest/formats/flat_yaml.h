/* flat_yaml.h - reads the plain `key: value` pairs at the top level of a small YAML file, by libyaml.
 *
 *	ts_flat_yaml_read(text, &arena, &yaml, &err)
 *	for (pair = yaml.first; pair; pair = pair->next) ... pair->key, pair->kind, pair->value
 *	yaml.bad_line	from this line on the text is not YAML, or not a mapping; 0: all of it was read
 *
 * Lists, mappings, blocks (|, >), references, values with a tag and the value of a key that is not a text are TS_YAML_OTHER:
 * the reader reports that they exist, but not their content. Everything lies in the arena. A text of more than TS_YAML_MAX
 * bytes is TS_TOO_LARGE, since libyaml compares each %TAG with all before it. Nesting is limited to 64 levels for the same
 * reason. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_FORMATS_FLAT_YAML_H
#define TSCOPE_INGEST_FORMATS_FLAT_YAML_H

#include "base/arena.h"

enum { TS_YAML_MAX = 64 << 10 };

enum ts_yaml_kind { TS_YAML_TEXT, TS_YAML_NULL, TS_YAML_OTHER };

struct ts_yaml_pair {
	struct ts_yaml_pair *next;
	struct ts_span key; /* empty when the key is not a text: then the kind is OTHER */
	enum ts_yaml_kind kind;
	struct ts_span value; /* of TEXT */
	bool quoted;	      /* the value is a text even if it looks like a number */
	uint64_t line;	      /* of the key, from 1 */
};

struct ts_flat_yaml {
	struct ts_yaml_pair *first;
	uint64_t bad_line;
};

/* Returns TS_OK also if the text is not YAML: bad_line then says from which line on, and the pairs before that line are there. */
enum ts_status ts_flat_yaml_read(struct ts_span text, struct ts_arena *arena, struct ts_flat_yaml *ret_yaml,
				 struct ts_error *err);

#endif
