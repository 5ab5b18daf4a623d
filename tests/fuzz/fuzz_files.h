/* fuzz_files.h - for fuzz targets of what wants a path: a file of memory, and a folder of a few files. Everything aborts where it
 * cannot. Threads: one at a time. */
#ifndef TSCOPE_TESTS_FUZZ_FUZZ_FILES_H
#define TSCOPE_TESTS_FUZZ_FUZZ_FILES_H

#include "base/span.h"

/* An empty file without a name on any disk, to be closed; name is for people. */
int fuzz_file(const char *name);
void fuzz_write(int fd, const void *data, size_t n);
/* Its path; good until the next call. */
const char *fuzz_file_path(int fd);

/* The folder of this process, made at the first call and removed at its end, less what a crash leaves. */
const char *fuzz_folder(void);
/* Writes folder/name, making directories; data NULL removes it. Returns its path, good until the next call. */
const char *fuzz_folder_put(const char *name, struct ts_span bytes);
/* folder/name and all below it goes, if it is there. Returns its path, as above. */
const char *fuzz_folder_clear(const char *name);
/* The bytes of *rest up to the first 0, which goes too; data NULL at the end. So one input holds several texts. */
struct ts_span fuzz_part(struct ts_span *rest);

#endif
