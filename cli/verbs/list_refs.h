/* list_refs.h - the part that the verbs list and tag share: it joins pages of refs and renders them. */
#ifndef TSCOPE_CLI_VERBS_LIST_REFS_H
#define TSCOPE_CLI_VERBS_LIST_REFS_H

#include "cli/core/listing.h"

/* Asks for pages until there are limit rows, then renders. request lacks columns and page_size. columns: what was typed; NULL: nothing,
 * so the usual ones are shown. */
enum ts_status ts_list_refs(struct ts_cli *cli, struct ts_list_request *request, const char *columns, uint64_t limit,
			    struct ts_error *err);

#endif
