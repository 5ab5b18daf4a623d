/* flat_yaml.h - the `key: value` lines of a YAML file whose top level is a mapping of plain values, as PyYAML writes one.
 *
 *	struct ts_flat_yaml y = ts_flat_yaml_of(text);
 *	while (ts_flat_yaml_next(&y, &value, &pair)) ... pair.key, pair.kind, pair.value
 *	y.bad	lines that were none of this, y.bad_line the first
 *
 * Scalars are plain, 'quoted' or "quoted", folded over lines that begin with a space. Lists, mappings, blocks (|, >), anchors
 * and tags are TS_YAML_OTHER, and what belongs to them is passed over, as comments are. Source: YAML 1.1. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_FLAT_YAML_H
#define TSCOPE_INGEST_FLAT_YAML_H

#include "base/buf.h"

enum ts_yaml_kind { TS_YAML_TEXT, TS_YAML_NULL, TS_YAML_OTHER };

struct ts_yaml_pair {
	struct ts_span key; /* in the text */
	enum ts_yaml_kind kind;
	struct ts_span value; /* of TEXT: in the buffer, until the next call */
	uint64_t line;	      /* from 1 */
};

struct ts_flat_yaml {
	struct ts_span text;
	size_t at;
	uint64_t line; /* of what comes next, from 1 */
	uint64_t bad, bad_line;
};

struct ts_flat_yaml ts_flat_yaml_of(struct ts_span text);
/* false at the end. A buffer that failed is the caller's to see. */
bool ts_flat_yaml_next(struct ts_flat_yaml *y, struct ts_buf *value, struct ts_yaml_pair *ret_pair);

#endif
