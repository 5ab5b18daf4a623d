/* system.h - what each system does in its own way: system_linux.c, and system_posix.c for all others.
 *
 * A descriptor made here is not inherited by programs that this process starts. Functions that make one return what the call of
 * the system returns: -1 with errno on failure.
 * Threads: safe.
 */
#ifndef TSCOPE_BASE_SYSTEM_H
#define TSCOPE_BASE_SYSTEM_H

#include "base/buf.h"

#include <pthread.h>
#include <sys/stat.h>
#include <time.h>

/* How many cores this process may use; at least 1. */
int ts_system_cores(void);

/* How many bytes of memory this process may use: those of the machine, or of the control group that it runs in, or of one around
 * that. 0: the system does not say. */
uint64_t ts_system_memory(void);

int ts_system_pipe(int ret_ends[2]);
/* Makes a file of a template that ends in XXXXXX, which becomes its name; for reading and writing. */
int ts_system_temp(char *io_path);
/* Opens a folder, to be used with openat alone, so that it need not be readable. A symbolic link is not followed unless `follow`. */
int ts_system_open_folder(int at, const char *name, bool follow);
/* Writes a path that leads to an open folder wherever it lies by then. False where the system has none. */
enum { TS_SYSTEM_FD_PATH = 48 };
bool ts_system_fd_path(int fd, char ret_path[TS_SYSTEM_FD_PATH]);
/* A socket for a stream (AF_UNIX, AF_INET, ...) that does not block. */
int ts_system_stream_socket(int family);

/* A condition for waits with a limit, which is a time of ts_now_mono_ns turned into the clock of the condition. */
void ts_system_cond_init(pthread_cond_t *cond);
struct timespec ts_system_cond_limit(int64_t mono_ns);
/* A lock that lets a waiting writer go before new readers, where the system can. */
void ts_system_lock_init(pthread_rwlock_t *lock);

/* When a file or folder changed last. False: to the second; the system says the rest in a way of its own, or not at all. */
bool ts_system_changed(const struct stat *st, struct timespec *ret_changed);

/* When an open file was made, which no copy of it has in common. False: the system does not say. */
bool ts_system_born(int fd, struct timespec *ret_born);

/* Random bytes that nobody can guess. */
enum ts_status ts_system_random(void *out, size_t n, struct ts_error *err);

/* How long ago this machine was started, the time that it slept included; where the system does not say, what ts_now_mono_ns says. */
int64_t ts_system_uptime_ns(void);

/* Appends what tells one start of this machine from another. TS_NOT_FOUND where the system does not say. */
enum ts_status ts_system_boot_id(struct ts_buf *out, struct ts_error *err);

#endif
