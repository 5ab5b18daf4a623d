/* message_lines.h - the lines of a descriptor, one after another, of which none takes more memory than it may.
 *
 *	struct ts_message_lines lines;
 *	ts_message_lines_init(&lines, STDIN_FILENO, 1 << 20);
 *	while (ts_message_lines_next(&lines, &line, &whole, err) == TS_OK && line.data) ...
 *	ts_message_lines_finish(&lines);
 *
 * Threads: one thread at a time.
 */
#ifndef TSCOPE_CLI_SERVE_MESSAGE_LINES_H
#define TSCOPE_CLI_SERVE_MESSAGE_LINES_H

#include "base/buf.h"

struct ts_message_lines {
	int fd;
	size_t most;	   /* bytes of a line, without its end */
	struct ts_buf buf; /* what was read and not yet given */
	size_t at;	   /* where the next line begins in it */
	size_t seen;	   /* up to here there is no end of a line */
	bool end;
	bool passing; /* the line that was given goes on, and is passed over */
};

void ts_message_lines_init(struct ts_message_lines *lines, int fd, size_t most);
/* The next line without its end; data is NULL at the end of the input. The last line may lack its end. *ret_whole is false for a line
 * that is longer than it may be: then the line is its beginning, and the rest is passed over. It is valid until the next call. */
enum ts_status ts_message_lines_next(struct ts_message_lines *lines, struct ts_span *ret_line, bool *ret_whole, struct ts_error *err);
void ts_message_lines_finish(struct ts_message_lines *lines);

#endif
