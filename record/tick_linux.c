/* tick_linux.c - the clock by the processor's time stamp counter, where the kernel's own clock is made of it.
 *
 * clock_gettime costs 20 to 25 ns, and a step asks six times; reading the counter and one multiplication cost less than half. It is
 * used only while the kernel says that CLOCK_MONOTONIC is this counter (so it is constant, and the same on all cores). Whoever asks
 * for the time when LOOK has passed measures it against the clock (half a microsecond), and so follows what NTP does to the clock.
 * Where nobody asked for a second, the clock itself is asked; where the two part by more than DOUBT, the counter is never asked again.
 */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "record/tick.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int64_t ask_clock(void)
{
	struct timespec t = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#if defined(__x86_64__)

#define LIMIT (UINT64_C(1) << 32) /* counts, some 1 to 2 s: so long a pair is good for */
#define BASE 20000000		  /* ns: the shortest time over which the rate is measured */
#define SPAN 2000000000		  /* ns: some such time it is measured over at most */
#define DOUBT 1000000		  /* ns */
#define LOOK 50000000		  /* ns from one measurement to the next */

struct pair {
	uint64_t count;
	int64_t ns;
};

/* What readers need, written by one at a time. An odd turn: it is being written; 0: the counter is not used. */
static struct {
	_Atomic uint32_t turn;
	_Atomic uint64_t count;
	_Atomic int64_t ns;
	_Atomic uint64_t rate; /* ns per count, times 2^32 */
} scale;

/* What measuring needs, under the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum { UNKNOWN, TRUSTED, REFUSED } counter;
static _Atomic int64_t next_look = INT64_MAX; /* ns; when to measure again */
static struct pair origin, middle;

static inline bool ask_counter(int64_t *ret_ns)
{
	uint32_t turn = atomic_load_explicit(&scale.turn, memory_order_acquire);
	uint64_t since = __builtin_ia32_rdtsc() - atomic_load_explicit(&scale.count, memory_order_acquire);
	int64_t ns = atomic_load_explicit(&scale.ns, memory_order_acquire);
	uint64_t rate = atomic_load_explicit(&scale.rate, memory_order_acquire);

	*ret_ns = ns + (int64_t)(since * rate >> 32);
	return turn != 0 && turn % 2 == 0 && since < LIMIT && atomic_load_explicit(&scale.turn, memory_order_relaxed) == turn;
}

int64_t ts_tick_ns(void)
{
	int64_t ns;

	if (!ask_counter(&ns))
		ns = ask_clock();
	if (ns >= atomic_load_explicit(&next_look, memory_order_relaxed))
		ts_tick_follow();
	return ns;
}

/* Of several tries the one that took the shortest time. */
static struct pair measure(void)
{
	struct pair best = {0};
	int64_t took = INT64_MAX;

	for (int i = 0; i < 5; i++) {
		int64_t before = ask_clock();
		uint64_t count = __builtin_ia32_rdtsc();
		int64_t after = ask_clock();

		if (after - before >= took)
			continue;
		took = after - before;
		best = (struct pair){count, before + took / 2};
	}
	return best;
}

static bool kernel_trusts_it(void)
{
	char name[16] = "";
	int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, name, sizeof name - 1);

	if (fd >= 0)
		(void)close(fd);
	return n > 0 && strcmp(name, "tsc\n") == 0;
}

static void publish(struct pair now, uint64_t rate)
{
	uint32_t turn = atomic_load_explicit(&scale.turn, memory_order_relaxed);

	atomic_store_explicit(&scale.turn, turn + 1, memory_order_relaxed);
	atomic_store_explicit(&scale.count, now.count, memory_order_release);
	atomic_store_explicit(&scale.ns, now.ns, memory_order_release);
	atomic_store_explicit(&scale.rate, rate, memory_order_release);
	atomic_store_explicit(&scale.turn, turn + 2, memory_order_release);
}

static void follow(void)
{
	struct pair now = measure();
	int64_t said, span = now.ns - origin.ns;
	uint64_t rate;

	if (ask_counter(&said) && (said - ask_clock() > DOUBT || ask_clock() - said > DOUBT))
		counter = REFUSED;
	if (span < BASE)
		return;
	/* A span beyond SPAN + a turn is one during which the machine slept or the process stood: it is measured anew. */
	rate = span > 2 * (int64_t)SPAN ? 0 : ((uint64_t)span << 32) / (now.count - origin.count);
	if (rate == 0 || rate >> 32) {
		atomic_store(&scale.turn, 0);
		origin = middle = now;
		return;
	}
	if (now.ns - middle.ns > SPAN / 2) {
		origin = middle;
		middle = now;
	}
	publish(now, rate);
}

void ts_tick_follow(void)
{
	if (pthread_mutex_trylock(&lock))
		return;
	if (counter == UNKNOWN) {
		counter = kernel_trusts_it() ? TRUSTED : REFUSED;
		origin = middle = measure();
	} else if (counter == TRUSTED) {
		follow();
	}
	if (counter == REFUSED)
		atomic_store(&scale.turn, 0);
	atomic_store_explicit(&next_look, counter == REFUSED ? INT64_MAX : ask_clock() + (scale.turn ? LOOK : BASE),
			      memory_order_relaxed);
	(void)pthread_mutex_unlock(&lock);
}

#else

int64_t ts_tick_ns(void)
{
	return ask_clock();
}

void ts_tick_follow(void)
{
}

#endif
