/* address_list.h - the servers of one store as people write them: "tls:a:7443,tls:b:7443,tls:c:7443". */
#ifndef TSCOPE_SERVICE_RPC_ADDRESS_LIST_H
#define TSCOPE_SERVICE_RPC_ADDRESS_LIST_H

#include "service/rpc/address.h"
#include "service/rpc/route.h"

enum { TS_ADDRESS_TEXT = 400 };

struct ts_address_list {
	size_t n;
	char text[TS_ROUTE_SERVERS][TS_ADDRESS_TEXT];
	const char *at[TS_ROUTE_SERVERS]; /* those texts; the list is not copied */
};

/* Cuts the text at its commas. TS_INVALID: a part is no address, or there are more than TS_ROUTE_SERVERS. */
enum ts_status ts_address_list_parse(const char *text, struct ts_address_list *ret_list, struct ts_error *err);

#endif
