/* json_facts.h - the answer of facts as JSON. */
#ifndef TSCOPE_CLI_JSON_JSON_FACTS_H
#define TSCOPE_CLI_JSON_JSON_FACTS_H

#include "cli/core/listing.h"

void ts_render_facts_json(struct ts_cli *cli, const struct ts_fact_listing *list);

#endif
