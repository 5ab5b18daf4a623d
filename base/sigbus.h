/* sigbus.h - lets a program say what happened when a file that is mapped into memory cannot be read, because its end was cut
 * off or its disk fails. The kernel reports this with SIGBUS, which would end the program without a message.
 *
 * A program calls ts_sigbus_catch once, at its start. On such a SIGBUS `say` is called and the program ends with exit_code.
 * `say` runs in a signal handler: it must not use the heap or locks, only buffers that were filled before, and write(2).
 * SIGBUS for other reasons ends the program as usual.
 */
#ifndef TSCOPE_BASE_SIGBUS_H
#define TSCOPE_BASE_SIGBUS_H

void ts_sigbus_catch(void (*say)(void), int exit_code);

#endif
