/* sigbus.h - what a program says when a file that is mapped into memory cannot be read: its end was cut off, or its disk fails. The
 * kernel tells by SIGBUS, which would end the program without a word.
 *
 * ts_sigbus_catch once, at the start of a program: then `say` is called and the program ends with exit_code. It runs in a signal
 * handler: no heap, no locks; buffers that were filled before, and write(2). Other reasons of SIGBUS end the program as always.
 */
#ifndef TSCOPE_BASE_SIGBUS_H
#define TSCOPE_BASE_SIGBUS_H

void ts_sigbus_catch(void (*say)(void), int exit_code);

#endif
