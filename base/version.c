/* version.c - see version.h. The text is written by each build (cmake/write_version.cmake). */
#include "base/version.h"

#include "base/version_text.h"

const char *ts_version(void)
{
	return TS_VERSION_TEXT;
}
