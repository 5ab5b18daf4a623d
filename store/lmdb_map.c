/* lmdb_map.c - the data file in memory for our own reads, and what is found there, or in lock.mdb, when the file has become shorter
 * or its disk fails: zeros, in place of the signal that would end the process. */
#include "store/lmdb_internal.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RANGES = 256, LEAST = 64 << 20 };

/* Of all maps of the process, for the handler, which takes no lock. */
static struct {
	atomic_uintptr_t at;
	atomic_size_t bytes;
	atomic_int prot; /* of the zeros */
} ranges[RANGES];
static struct sigaction before;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int zeros = -1;

/* How zeros may be used at an address; PROT_NONE: it is of none of the maps. */
static int prot_at(uintptr_t address)
{
	for (int i = 0; i < RANGES; i++) {
		uintptr_t at = atomic_load(&ranges[i].at);

		if (at && address >= at && address - at < atomic_load(&ranges[i].bytes))
			return atomic_load(&ranges[i].prot);
	}
	return PROT_NONE;
}

static void lay_zeros(int signal, siginfo_t *info, void *context)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), address = (uintptr_t)info->si_addr & ~(page - 1);
	int prot = prot_at(address);

	if (prot != PROT_NONE && mmap((void *)address, page, prot, MAP_PRIVATE | MAP_FIXED, zeros, 0) != MAP_FAILED)
		return;
	if (before.sa_flags & SA_SIGINFO)
		before.sa_sigaction(signal, info, context);
	else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
		before.sa_handler(signal);
	else
		(void)sigaction(signal, &before, NULL); /* the read is tried again, and now ends the process */
}

static void listen(void)
{
	struct sigaction action = {.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};

	zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	action.sa_sigaction = lay_zeros;
	sigemptyset(&action.sa_mask);
	(void)sigaction(SIGBUS, &action, &before);
}

static bool enlist(const struct ts_lmdb_map *map, int prot)
{
	for (int i = 0; i < RANGES; i++) {
		uintptr_t none = 0;

		if (!atomic_compare_exchange_strong(&ranges[i].at, &none, (uintptr_t)map->at))
			continue;
		atomic_store(&ranges[i].prot, prot);
		atomic_store(&ranges[i].bytes, map->bytes);
		return true;
	}
	return false;
}

static void unlist(const struct ts_lmdb_map *map)
{
	for (int i = 0; i < RANGES; i++)
		if (atomic_load(&ranges[i].at) == (uintptr_t)map->at) {
			atomic_store(&ranges[i].bytes, 0);
			atomic_store(&ranges[i].at, 0);
		}
}

static struct ts_lmdb_map *make_map(struct ts_lmdb_env *env, uint64_t bytes)
{
	struct ts_lmdb_map *map = ts_alloc_array(1, sizeof *map);
	uint64_t room = env->maps ? 2 * env->maps->bytes : LEAST;
	void *at;

	while (room < bytes)
		room *= 2;
	if (!map)
		return NULL;
	/* Room to grow, unless the process may not have it. */
	at = mmap(NULL, (size_t)room, PROT_READ, MAP_SHARED, env->data_fd, 0);
	if (at == MAP_FAILED) {
		room = bytes;
		at = mmap(NULL, (size_t)room, PROT_READ, MAP_SHARED, env->data_fd, 0);
	}
	if (at == MAP_FAILED) {
		ts_free(map);
		return NULL;
	}
	*map = (struct ts_lmdb_map){.at = at, .bytes = (size_t)room, .older = env->maps};
	if (enlist(map, PROT_READ))
		return map;
	(void)munmap(at, (size_t)room);
	ts_free(map);
	return NULL;
}

const uint8_t *ts_map_get(struct ts_lmdb_env *env, uint64_t bytes)
{
	struct ts_lmdb_map *map;
	const uint8_t *at;

	(void)pthread_once(&once, listen);
	pthread_mutex_lock(&env->look);
	map = env->maps && env->maps->bytes >= bytes ? env->maps : make_map(env, bytes);
	if (map)
		env->maps = map;
	at = map ? map->at : NULL;
	pthread_mutex_unlock(&env->look);
	return at;
}

int ts_map_file(int fd, size_t bytes, struct ts_lmdb_map *ret)
{
	void *at;

	(void)pthread_once(&once, listen);
	at = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return errno;
	*ret = (struct ts_lmdb_map){.at = at, .bytes = bytes};
	if (enlist(ret, PROT_READ))
		return 0;
	(void)munmap(at, bytes);
	*ret = (struct ts_lmdb_map){.at = NULL};
	return EMFILE;
}

void ts_map_unfile(struct ts_lmdb_map *map)
{
	union {
		const void *in;
		void *out;
	} at = {.in = map->at};

	if (!map->at)
		return;
	unlist(map);
	(void)munmap(at.out, map->bytes);
	map->at = NULL;
}

bool ts_map_guard(const struct ts_lmdb_map *map)
{
	(void)pthread_once(&once, listen);
	return enlist(map, PROT_READ | PROT_WRITE);
}

void ts_map_unguard(const struct ts_lmdb_map *map)
{
	unlist(map);
}

void ts_map_drop(struct ts_lmdb_env *env)
{
	while (env->maps) {
		struct ts_lmdb_map *map = env->maps;
		union {
			const void *in;
			void *out;
		} at = {.in = map->at};

		env->maps = map->older;
		unlist(map);
		(void)munmap(at.out, map->bytes);
		ts_free(map);
	}
}
