/* error.h - one status and one sentence for everything that can go wrong.
 *
 * Every fallible function returns `enum ts_status` and takes `struct ts_error *err` as its last
 * parameter. On TS_OK *err is untouched; on failure *err holds the status returned and a text that
 * a person can act on, and every ret_ parameter is untouched.
 *
 *	if (ts_file_read_all(path, limit, &buf, err))
 *		return ts_error_prefix(err, "%s", path);
 *
 * Context is added on the way up with ts_error_prefix(); the cause is never overwritten.
 * Nothing here allocates: running out of memory is reported without needing memory.
 * Text longer than the buffer is cut at a UTF-8 boundary. err is never NULL.
 * Threads: a ts_error belongs to one thread at a time.
 */
#ifndef TSCOPE_BASE_ERROR_H
#define TSCOPE_BASE_ERROR_H

enum ts_status {
	TS_OK = 0,
	TS_INVALID = 1,	    /* an argument or an input does not have the required form */
	TS_DAMAGED = 2,	    /* bytes that we or a peer wrote are not what they should be */
	TS_NOT_FOUND = 3,   /* no such name, id, file, column */
	TS_AMBIGUOUS = 4,   /* several things have this name; the text lists them */
	TS_CONFLICT = 5,    /* a compare-and-set found another value */
	TS_TOO_LARGE = 6,   /* over a limit of base/limits.h; the text names the limit */
	TS_NO_MEMORY = 7,   /* the allocator failed or an arena reached its ceiling */
	TS_IO = 8,	    /* the operating system refused a read, a write, a socket */
	TS_FULL = 9,	    /* the disk is full */
	TS_UNAVAILABLE = 10, /* the server cannot be reached or is going away */
	TS_DEADLINE = 11,   /* the time limit has passed */
	TS_CANCELLED = 12,  /* the caller went away or asked to stop */
	TS_DENIED = 13,	    /* the caller lacks the permission */
	TS_UNSUPPORTED = 14, /* a kind, version or method that this build does not know */
	TS_INTERNAL = 15,   /* a bug of ours; the text says where */
};

enum { TS_ERROR_TEXT = 1024 };

struct ts_error {
	enum ts_status status;
	char text[TS_ERROR_TEXT]; /* UTF-8, one sentence, no newline, no final full stop */
};

/* Sets err and returns status, so that callers write `return ts_error_set(...)`. */
enum ts_status ts_error_set(struct ts_error *err, enum ts_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts "context: " before the text of err; returns err->status. */
enum ts_status ts_error_prefix(struct ts_error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Sets err from an errno value: TS_FULL for ENOSPC and EDQUOT, TS_NOT_FOUND for ENOENT, TS_DENIED for
 * EACCES and EPERM, TS_NO_MEMORY for ENOMEM, else TS_IO; the text is "what: strerror". */
enum ts_status ts_error_errno(struct ts_error *err, int errnum, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The short lower-case word of a status, as JSON and logs show it: "ok", "invalid", "not_found", ... */
const char *ts_status_word(enum ts_status status);

#endif
