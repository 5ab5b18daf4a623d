/* standard_error.h - lines of the recorder on standard error, which may be a pipe that nobody reads, or a file on a disk that does not
 * answer.
 *
 * Promise. A thread that lives as long as there are lines writes them, whole and in order. The caller asks nothing of standard error,
 * not even what it is, and waits for a millisecond at most, in which a line is written as a rule. Of lines that nothing takes 64 are
 * kept, and further ones dropped. The end of the program waits for them, for a second at most; one that ends by _exit or a signal
 * does not. No signal comes of it where nobody reads any more. A child of fork begins without what waited here.
 *
 * Threads: safe.
 */
#ifndef TSCOPE_RECORD_STANDARD_ERROR_H
#define TSCOPE_RECORD_STANDARD_ERROR_H

#include <stddef.h>

/* Copies the text, which ends with its newline. Without memory or a thread it is dropped. */
void ts_standard_error_put(const char *text, size_t length);

#endif
