/* waiting.h - what a process waits in, in words, by /proc and by py-spy where it is installed (waiting_linux.c), or nothing but its
 * number (waiting_posix.c): "process 4711 (python3) is stopped".
 * Threads: one at a time.
 */
#ifndef TSCOPE_LAUNCH_WAITING_H
#define TSCOPE_LAUNCH_WAITING_H

#include <stdint.h>

enum { TS_WAITING_TEXT = 400 };

/* Asks at most some seconds, and changes nothing of the process. */
void ts_waiting_of(int64_t pid, char ret_text[TS_WAITING_TEXT]);

#endif
