/* text_facts.h - the answer of facts as text. */
#ifndef TSCOPE_CLI_TEXT_TEXT_FACTS_H
#define TSCOPE_CLI_TEXT_TEXT_FACTS_H

#include "cli/core/listing.h"

enum ts_status ts_render_facts_text(struct ts_cli *cli, const struct ts_fact_listing *list, struct ts_error *err);

#endif
