#include "store/bucket/libcurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct ts_libcurl libcurl;
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
	void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		library = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		missing = "libcurl.so.4";
		return;
	}
#define FIND(name) find(library, #name, &libcurl.name)
	FIND(curl_global_init);
	FIND(curl_easy_init);
	FIND(curl_easy_cleanup);
	FIND(curl_easy_setopt);
	FIND(curl_easy_getinfo);
	FIND(curl_easy_reset);
	FIND(curl_easy_strerror);
	FIND(curl_slist_append);
	FIND(curl_slist_free_all);
	FIND(curl_multi_init);
	FIND(curl_multi_cleanup);
	FIND(curl_multi_add_handle);
	FIND(curl_multi_remove_handle);
	FIND(curl_multi_perform);
	FIND(curl_multi_poll);
	FIND(curl_multi_info_read);
#undef FIND
	if (!missing && libcurl.curl_global_init(CURL_GLOBAL) != CURL_FINE)
		missing = "what it needs";
}

enum ts_status ts_libcurl_load(const struct ts_libcurl **ret, struct ts_error *err)
{
	(void)pthread_once(&once, load);
	if (missing)
		return ts_error_set(err, TS_UNSUPPORTED,
				    "packs in a bucket need the client library for HTTP, version 7.66 or newer, and %s is not there: "
				    "install Debian's package libcurl4",
				    missing);
	*ret = &libcurl;
	return TS_OK;
}
