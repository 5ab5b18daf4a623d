/* static.h - the files of web/static, as they were when the program was built. */
#ifndef TSCOPE_WEB_STATIC_H
#define TSCOPE_WEB_STATIC_H

#include "base/span.h"

struct ts_static_file {
	const char *name;
	struct ts_span text;
};

extern const struct ts_static_file ts_static_files[];
extern const size_t ts_static_files_n;

#endif
