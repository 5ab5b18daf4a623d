/* version.h - what this build is called. */
#ifndef TSCOPE_BASE_VERSION_H
#define TSCOPE_BASE_VERSION_H

/* "0.2.0" of a release; "0.2.0~dev+1a2b3c4d" of a commit on the way to it; "0.2.0~dev" where the sources came without git. Debian's
 * order: each is greater than the release before, and less than the release that it leads to. Below 64 bytes, never NULL. */
const char *ts_version(void);

#endif
