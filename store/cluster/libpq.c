#include "store/cluster/libpq.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct ts_libpq libpq;
static const char *missing; /* what was not found; NULL: all is there */

static void find(void *library, const char *name, void *field)
{
	void *symbol = dlsym(library, name);

	if (!symbol && !missing)
		missing = name;
	memcpy(field, &symbol, sizeof symbol); /* POSIX lets a function's address be one of data */
}

static void load(void)
{
	void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		missing = "libpq.so.5";
		return;
	}
#define FIND(name) find(library, #name, &libpq.name)
	FIND(PQconninfoParse);
	FIND(PQconninfoFree);
	FIND(PQconnectdb);
	FIND(PQfinish);
	FIND(PQstatus);
	FIND(PQerrorMessage);
	FIND(PQsetNoticeProcessor);
	FIND(PQenterPipelineMode);
	FIND(PQsendPrepare);
	FIND(PQsendQueryPrepared);
	FIND(PQsendQueryParams);
	FIND(PQpipelineSync);
	FIND(PQgetResult);
	FIND(PQresultStatus);
	FIND(PQresultErrorField);
	FIND(PQresultErrorMessage);
	FIND(PQntuples);
	FIND(PQgetvalue);
	FIND(PQgetlength);
	FIND(PQresultMemorySize);
	FIND(PQclear);
#undef FIND
}

enum ts_status ts_libpq_load(const struct ts_libpq **ret, struct ts_error *err)
{
	(void)pthread_once(&once, load);
	if (missing)
		return ts_error_set(err, TS_UNSUPPORTED,
				    "a store in PostgreSQL needs its client library, version 14 or newer, and %s is not there: install "
				    "Debian's package libpq5",
				    missing);
	*ret = &libpq;
	return TS_OK;
}
