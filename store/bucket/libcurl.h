/* libcurl.h - the client library for HTTP, loaded when a store keeps its packs in a bucket, as libpq is (store/cluster/libpq.h): no
 * program is linked with it.
 *
 * The declarations are those of libcurl.so.4, whose binary interface has been kept since 2006; numbers are those of its curl.h.
 * Threads: any may call; a handle belongs to one at a time. */
#ifndef TSCOPE_STORE_BUCKET_LIBCURL_H
#define TSCOPE_STORE_BUCKET_LIBCURL_H

#include "base/error.h"

#include <stddef.h>

struct curl_handle;  /* CURL */
struct curl_many;    /* CURLM */
struct curl_headers; /* struct curl_slist */

enum { CURL_GLOBAL = 3, CURL_FINE = 0, CURL_CUT_SHORT = 18, CURL_MESSAGE_DONE = 1, CURL_HTTP_1_1 = 2 };
enum curl_option {
	CURL_TIMEOUT_MS = 155,
	CURL_CONNECT_MS = 156,
	CURL_LOW_LIMIT = 19,
	CURL_LOW_SECONDS = 20,
	CURL_NO_BODY = 44,
	CURL_HTTP_VERSION = 84,
	CURL_NO_SIGNAL = 99,
	CURL_PROTOCOLS = 181,
	CURL_WRITE_TO = 10001,
	CURL_URL = 10002,
	CURL_BODY = 10015,
	CURL_HEADERS = 10023,
	CURL_HEADER_TO = 10029,
	CURL_METHOD = 10036,
	CURL_NO_PROXY = 10177,
	CURL_WRITE = 20011,
	CURL_HEADER = 20079,
	CURL_BODY_BYTES = 30120,
};
enum { CURL_INFO_STATUS = 0x200002, CURL_ONLY_HTTP = 3 }; /* http and https */

struct curl_message {
	int kind;
	struct curl_handle *handle;
	union {
		void *nothing;
		int result;
	} data;
};

struct ts_libcurl {
	int (*curl_global_init)(long flags);
	struct curl_handle *(*curl_easy_init)(void);
	void (*curl_easy_cleanup)(struct curl_handle *handle);
	int (*curl_easy_setopt)(struct curl_handle *handle, int option, ...);
	int (*curl_easy_getinfo)(struct curl_handle *handle, int info, ...);
	void (*curl_easy_reset)(struct curl_handle *handle);
	const char *(*curl_easy_strerror)(int code);
	struct curl_headers *(*curl_slist_append)(struct curl_headers *list, const char *line);
	void (*curl_slist_free_all)(struct curl_headers *list);
	struct curl_many *(*curl_multi_init)(void);
	int (*curl_multi_cleanup)(struct curl_many *many);
	int (*curl_multi_add_handle)(struct curl_many *many, struct curl_handle *handle);
	int (*curl_multi_remove_handle)(struct curl_many *many, struct curl_handle *handle);
	int (*curl_multi_perform)(struct curl_many *many, int *ret_running);
	int (*curl_multi_poll)(struct curl_many *many, void *extra, unsigned n_extra, int ms, int *ret_n);
	struct curl_message *(*curl_multi_info_read)(struct curl_many *many, int *ret_left);
};

/* Loads the library once; TS_UNSUPPORTED, with what to install, where it is not. */
enum ts_status ts_libcurl_load(const struct ts_libcurl **ret, struct ts_error *err);

#endif
