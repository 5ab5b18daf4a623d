/* flat_yaml.h - the plain `key: value` pairs at the top of a small YAML file, as libyaml reads it.
 *
 *	ts_flat_yaml_read(text, &arena, &yaml, &err)
 *	for (pair = yaml.first; pair; pair = pair->next) ... pair->key, pair->kind, pair->value
 *	yaml.bad_line	the line from which on the text is no YAML, or no mapping; 0: it was read to its end
 *
 * Lists, mappings, blocks (|, >), references, values with a tag and whatever stands behind a key that is no text are
 * TS_YAML_OTHER: that they are there is told, what they hold is not. Everything lies in the arena. A text of more than TS_YAML_MAX
 * bytes is TS_TOO_LARGE: libyaml compares each %TAG with all before it. Nesting is followed 64 levels deep for the same reason.
 * Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_FORMATS_FLAT_YAML_H
#define TSCOPE_INGEST_FORMATS_FLAT_YAML_H

#include "base/arena.h"

enum { TS_YAML_MAX = 64 << 10 };

enum ts_yaml_kind { TS_YAML_TEXT, TS_YAML_NULL, TS_YAML_OTHER };

struct ts_yaml_pair {
	struct ts_yaml_pair *next;
	struct ts_span key; /* empty when it is no text: then OTHER */
	enum ts_yaml_kind kind;
	struct ts_span value; /* of TEXT */
	uint64_t line;	      /* of the key, from 1 */
};

struct ts_flat_yaml {
	struct ts_yaml_pair *first;
	uint64_t bad_line;
};

/* TS_OK also where the text is no YAML: bad_line says from where on, and the pairs before it are there. */
enum ts_status ts_flat_yaml_read(struct ts_span text, struct ts_arena *arena, struct ts_flat_yaml *ret_yaml,
				 struct ts_error *err);

#endif
