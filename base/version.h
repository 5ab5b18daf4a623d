/* version.h - what this build is called. */
#ifndef TSCOPE_BASE_VERSION_H
#define TSCOPE_BASE_VERSION_H

#include "base/span.h"

/* "0.2.0" of a release; "0.2.0~dev+1a2b3c4d" of a commit on the way to it; "0.2.0~dev" where the sources came without git. Debian's
 * order: each is greater than the release before, and less than the release that it leads to. Below 64 bytes, never NULL. */
const char *ts_version(void);
/* Below 0 where a is older than b, above 0 where it is newer, 0 where that cannot be told: two commits on the way to one version, or a
 * text that is no version. */
int ts_version_order(struct ts_span a, struct ts_span b);

#endif
