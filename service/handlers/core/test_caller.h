/* test_caller.h - a channel on which each call is made as one user of a policy, for tests of who may do what. */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_TEST_CALLER_H
#define TSCOPE_SERVICE_HANDLERS_CORE_TEST_CALLER_H

#include "service/handlers/core/test_runs.h"

struct test_caller {
	struct ts_channel base; /* must be first: the channel is cast to this */
	struct test_store *s;
	struct ts_peer peer;
	struct ts_identity who;
	struct ts_span reply;
};

/* Makes the user that connected to a unix socket. Grants that come later count when it is made again. */
void test_caller_make(struct test_caller *caller, struct test_store *s, const struct ts_auth_policy *policy, uint32_t uid,
		      const char *name);
enum ts_status test_caller_drive(struct test_caller *caller, const struct ts_handler *h, struct ts_span request, struct ts_error *err);

/* Sends an object of the store again, with all that it refers to, as this caller. */
void test_caller_sends(const struct test_caller *caller, const struct ts_id *id);

#endif
