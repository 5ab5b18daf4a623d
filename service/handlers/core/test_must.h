/* test_must.h - ends a cmocka test with the error's text if a call that must succeed fails. */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_TEST_MUST_H
#define TSCOPE_SERVICE_HANDLERS_CORE_TEST_MUST_H

#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static inline void must(enum ts_status status, const struct ts_error *err)
{
	if (status)
		fail_msg("%s: %s", ts_status_word(status), err->text);
}

#endif
