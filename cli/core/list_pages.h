/* list_pages.h - asks for the pages of a list, one after the other, and joins them. */
#ifndef TSCOPE_CLI_CORE_LIST_PAGES_H
#define TSCOPE_CLI_CORE_LIST_PAGES_H

#include "cli/core/listing.h"

/* Appends at most `limit` rows to the list, and sets its next_token where there are more. page: the text of a token, as --page has it,
 * behind which the list goes on; NULL: from the beginning. The request's page size and token are overwritten. */
enum ts_status ts_list_pages(struct ts_cli *cli, struct ts_list_request *request, const char *page, uint64_t limit,
			     struct ts_listing *list, struct ts_error *err);

#endif
