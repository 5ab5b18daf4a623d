/* json_parts.h - pieces of JSON that every answer shares.
 *
 * Keys carry units; what is not known is null; a run is shown by its id and the name it gives itself, never by how it was named on
 * the command line. docs/schemas has a JSON Schema for each answer.
 */
#ifndef TSCOPE_CLI_JSON_JSON_PARTS_H
#define TSCOPE_CLI_JSON_JSON_PARTS_H

#include "analysis/diverge/diff.h"
#include "base/json_writer.h"
#include "cli/core/context.h"
#include "proto/shape/shapes.h"
#include "proto/wire.h"

/* Writes the whole answer of a command by its table of fields. */
enum ts_status ts_json_answer(struct ts_cli *cli, const struct ts_shape *shape, const void *in, struct ts_error *err);

void ts_json_id(struct ts_json *j, const char *key, const struct ts_id *id);
void ts_json_text(struct ts_json *j, const char *key, struct ts_span text); /* empty is null */
void ts_json_time(struct ts_json *j, const char *key, int64_t real_ns);	    /* 0 is null */
void ts_json_spans(struct ts_json *j, const char *key, const struct ts_span *texts, size_t n);
void ts_json_word(struct ts_json *j, const char *key, const char *word);
void ts_json_count(struct ts_json *j, const char *key, uint64_t n);
/* Writes n, or null if it is not known. */
void ts_json_known_count(struct ts_json *j, const char *key, bool known, uint64_t n);
void ts_json_run(struct ts_json *j, const char *key, const struct ts_run_ref *run);
void ts_json_ranks(struct ts_json *j, const char *key, const int32_t *ranks, size_t n);

#endif
