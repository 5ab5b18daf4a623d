/* fact_tree.h - collects facts that a log sets, changes and removes one by one, and writes them as one JSON object for
 * facts_json.h.
 *
 * An example of a change is "config.model.layers is 4 now". A node is a path of keys below TS_KEY_ROOT. A value that is set at
 * a node replaces all that stood there and below. An object is taken apart, so that a later value below it changes only that
 * part. Ownership: names and values are copied. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_FACTS_FACT_TREE_H
#define TSCOPE_INGEST_FACTS_FACT_TREE_H

#include "base/json_writer.h"
#include "ingest/facts/keys.h"

enum { TS_FACT_TREE_NODES = 65536, TS_FACT_TREE_BYTES = 64 << 20, TS_FACT_TREE_DEPTH = 48 };

struct ts_fact_node;

struct ts_fact_tree {
	struct ts_keys keys;
	struct ts_fact_node *nodes; /* one per key */
	size_t cap;
	struct ts_arena arena;
	struct ts_buf scratch;
};

void ts_fact_tree_init(struct ts_fact_tree *t);
void ts_fact_tree_finish(struct ts_fact_tree *t);
void ts_fact_tree_reset(struct ts_fact_tree *t);

/* The node of that name below parent, made if needed. TS_TOO_LARGE: there are too many nodes or levels. */
enum ts_status ts_fact_tree_node(struct ts_fact_tree *t, uint32_t parent, struct ts_span name, uint32_t *ret_node,
				 struct ts_error *err);
/* The node of a path such as "other.wandb.project", whose names have no escapes. */
enum ts_status ts_fact_tree_path(struct ts_fact_tree *t, const char *path, uint32_t *ret_node, struct ts_error *err);
/* Sets the node to json, which is one JSON value. TS_INVALID: it is not. */
enum ts_status ts_fact_tree_set(struct ts_fact_tree *t, uint32_t node, struct ts_span json, struct ts_error *err);
/* Sets the node to a text, as a JSON string. */
enum ts_status ts_fact_tree_text(struct ts_fact_tree *t, uint32_t node, struct ts_span text, struct ts_error *err);
/* Removes all that stands at the node and below it. */
void ts_fact_tree_remove(struct ts_fact_tree *t, uint32_t node);
bool ts_fact_tree_has(const struct ts_fact_tree *t, uint32_t node);
/* Writes the whole tree as one JSON object. */
void ts_fact_tree_write(const struct ts_fact_tree *t, struct ts_json *j);

#endif
