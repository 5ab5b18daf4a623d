#include "store/cluster/pack_cache.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/cursor.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/map.h"
#include "base/order.h"
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A name: two digits, '/', the digest; "lock" and the folder's own name beside them. */
enum { PATH_ROOM = 512, FOLDERS = 256 };
static const int64_t TOUCH_NS = 3600 * INT64_C(1000000000); /* a file that is read says so at most so often */

struct entry {
	struct ts_id digest;
	uint64_t bytes;	    /* 0: it is gone */
	int64_t used_ns;    /* in the order of uses, */
	int64_t touched_ns; /* and as the file says it */
};

struct ts_pack_cache {
	char path[PATH_ROOM / 2];
	int lock_fd;
	pthread_mutex_t lock;
	struct entry *entries;
	size_t n, cap;
	struct ts_map places; /* of entries, by digest */
	uint64_t most;
	struct ts_pack_cache_stats stats;
	uint64_t made; /* of names that are being written */
};

static void path_of(const struct ts_pack_cache *cache, const struct ts_id *digest, char out[PATH_ROOM])
{
	char hex[TS_ID_HEX + 1];

	(void)ts_id_hex(digest, hex);
	(void)snprintf(out, PATH_ROOM, "%s/%.2s/%s", cache->path, hex, hex);
}

/* ---- what is there ---- */

static uint64_t hash_of(const struct ts_id *digest)
{
	return ts_load_be(digest->bytes, 8);
}

static struct entry *find(struct ts_pack_cache *cache, const struct ts_id *digest)
{
	uint32_t number;

	TS_MAP_FIND(cache->places, hash_of(digest), i, ts_id_eq(&cache->entries[i].digest, digest), number);
	return number == TS_MAP_NONE ? NULL : &cache->entries[number];
}

static void add(struct ts_pack_cache *cache, const struct entry *entry)
{
	struct entry *there = find(cache, &entry->digest);

	if (there) {
		cache->stats.bytes += entry->bytes - there->bytes;
		*there = *entry;
		return;
	}
	if (!TS_GROW(cache->entries, cache->cap, cache->n + 1, 64) ||
	    !ts_map_add(&cache->places, hash_of(&entry->digest), (uint32_t)cache->n))
		return; /* the file lies there until the next start */
	cache->entries[cache->n++] = *entry;
	cache->stats.bytes += entry->bytes;
}

static void drop(struct ts_pack_cache *cache, struct entry *entry)
{
	char path[PATH_ROOM];

	if (!entry->bytes)
		return;
	path_of(cache, &entry->digest, path);
	(void)unlink(path);
	cache->stats.bytes -= entry->bytes;
	entry->bytes = 0;
}

TS_ORDER(by_use, struct entry, TS_UP(used_ns))

/* Those that are gone leave the array, too. */
static void index_anew(struct ts_pack_cache *cache)
{
	size_t n = 0;

	ts_map_reset(&cache->places);
	for (size_t i = 0; i < cache->n; i++)
		if (cache->entries[i].bytes && ts_map_add(&cache->places, hash_of(&cache->entries[i].digest), (uint32_t)n))
			cache->entries[n++] = cache->entries[i];
	cache->n = n;
}

/* Down to nine tenths, so that it is rare. */
static void make_room(struct ts_pack_cache *cache)
{
	if (cache->stats.bytes <= cache->most)
		return;
	TS_SORT(cache->entries, cache->n, by_use);
	for (size_t i = 0; i < cache->n && cache->stats.bytes > cache->most / 10 * 9; i++)
		drop(cache, &cache->entries[i]);
	index_anew(cache);
}

/* ---- opening ---- */

static void take_file(struct ts_pack_cache *cache, const char *folder, const char *name)
{
	struct entry entry;
	char path[PATH_ROOM];
	struct timespec changed;
	struct stat st;

	(void)snprintf(path, sizeof path, "%s/%s", folder, name);
	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return;
	if (!ts_id_parse(ts_span_str(name), &entry.digest) || st.st_size <= 0) {
		(void)unlink(path); /* what was being written when a process ended */
		return;
	}
	entry.bytes = (uint64_t)st.st_size;
	(void)ts_system_changed(&st, &changed);
	entry.used_ns = entry.touched_ns = changed.tv_sec * INT64_C(1000000000) + changed.tv_nsec;
	add(cache, &entry);
}

static enum ts_status take_folder(struct ts_pack_cache *cache, int number, struct ts_error *err)
{
	struct ts_arena arena;
	char folder[PATH_ROOM / 2 + 8], **names;
	enum ts_status status;
	size_t n;

	(void)snprintf(folder, sizeof folder, "%s/%02x", cache->path, (unsigned)number);
	if (ts_make_dirs(folder, 0700, err))
		return err->status;
	ts_arena_init(&arena, 0);
	status = ts_list_dir(folder, &arena, &names, &n, err);
	for (size_t i = 0; !status && i < n; i++)
		take_file(cache, folder, names[i]);
	ts_arena_finish(&arena);
	return status;
}

/* A folder that is not empty and has no lock of ours is somebody's. */
static enum ts_status check_folder(const char *path, struct ts_error *err)
{
	struct ts_arena arena;
	enum ts_status status;
	bool ours = false;
	char **names;
	size_t n = 0;

	ts_arena_init(&arena, 0);
	status = ts_list_dir(path, &arena, &names, &n, err);
	for (size_t i = 0; !status && i < n; i++)
		ours = ours || strcmp(names[i], "tscope-cache") == 0;
	ts_arena_finish(&arena);
	if (!status && n && !ours)
		return ts_error_set(err, TS_INVALID, "%s holds something else: give the cache a folder of its own", path);
	return status;
}

static enum ts_status lock_folder(struct ts_pack_cache *cache, struct ts_error *err)
{
	char path[PATH_ROOM];

	(void)snprintf(path, sizeof path, "%s/tscope-cache", cache->path);
	cache->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (cache->lock_fd < 0)
		return ts_error_errno(err, errno, "%s", path);
	if (flock(cache->lock_fd, LOCK_EX | LOCK_NB) != 0)
		return ts_error_set(err, TS_CONFLICT, "%s is the cache of another server: give each one a folder of its own",
				    cache->path);
	return TS_OK;
}

static enum ts_status open_folder(struct ts_pack_cache *cache, struct ts_error *err)
{
	if (ts_make_dirs(cache->path, 0700, err) || check_folder(cache->path, err) || lock_folder(cache, err))
		return err->status;
	for (int i = 0; i < FOLDERS; i++)
		if (take_folder(cache, i, err))
			return err->status;
	make_room(cache);
	return TS_OK;
}

enum ts_status ts_pack_cache_open(const char *path, uint64_t most_bytes, struct ts_pack_cache **ret, struct ts_error *err)
{
	struct ts_pack_cache *cache = ts_alloc_array(1, sizeof *cache);

	if (!cache)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a cache");
	cache->lock_fd = -1;
	cache->most = most_bytes;
	pthread_mutex_init(&cache->lock, NULL);
	if (strlen(path) >= sizeof cache->path)
		(void)ts_error_set(err, TS_INVALID, "the path of the cache has at most %zu bytes", sizeof cache->path - 1);
	else
		memcpy(cache->path, path, strlen(path) + 1);
	if (!cache->path[0] || open_folder(cache, err)) {
		ts_pack_cache_close(cache);
		return err->status;
	}
	*ret = cache;
	return TS_OK;
}

void ts_pack_cache_close(struct ts_pack_cache *cache)
{
	if (!cache)
		return;
	if (cache->lock_fd >= 0)
		(void)close(cache->lock_fd);
	pthread_mutex_destroy(&cache->lock);
	ts_map_finish(&cache->places);
	ts_free(cache->entries);
	ts_free(cache);
}

/* ---- use ---- */

static bool read_file(const char *path, size_t len, uint8_t *out)
{
	struct ts_error ignored;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	uint8_t more;
	size_t got = 0, rest = 0;
	bool whole;

	if (fd < 0)
		return false;
	whole = ts_read_full(fd, out, len, &got, &ignored) == TS_OK && got == len &&
		ts_read_full(fd, &more, 1, &rest, &ignored) == TS_OK && rest == 0;
	(void)close(fd);
	return whole;
}

/* Notes a use; *ret_touch: the file shall say so. False if it is not there. */
static bool note_use(struct ts_pack_cache *cache, const struct ts_id *digest, bool *ret_touch)
{
	struct entry *entry;
	bool there;

	pthread_mutex_lock(&cache->lock);
	entry = find(cache, digest);
	there = entry && entry->bytes;
	*ret_touch = false;
	if (there) {
		entry->used_ns = ts_now_real_ns();
		*ret_touch = entry->used_ns - entry->touched_ns > TOUCH_NS;
		entry->touched_ns = *ret_touch ? entry->used_ns : entry->touched_ns;
	}
	cache->stats.hits += there;
	cache->stats.misses += !there;
	pthread_mutex_unlock(&cache->lock);
	return there;
}

bool ts_pack_cache_get(struct ts_pack_cache *cache, const struct ts_id *digest, size_t len, uint8_t *out)
{
	char path[PATH_ROOM];
	struct ts_id is;
	bool touch;

	if (!cache || !note_use(cache, digest, &touch))
		return false;
	path_of(cache, digest, path);
	if (read_file(path, len, out)) {
		ts_digest(ts_span_of(out, len), &is);
		if (ts_id_eq(&is, digest)) {
			if (touch)
				(void)utimensat(AT_FDCWD, path, NULL, 0);
			return true;
		}
	}
	pthread_mutex_lock(&cache->lock);
	cache->stats.damaged++;
	cache->stats.hits--;
	pthread_mutex_unlock(&cache->lock);
	ts_pack_cache_drop(cache, digest);
	return false;
}

bool ts_pack_cache_has(struct ts_pack_cache *cache, const struct ts_id *digest)
{
	struct entry *entry;
	bool there;

	if (!cache)
		return false;
	pthread_mutex_lock(&cache->lock);
	entry = find(cache, digest);
	there = entry && entry->bytes;
	pthread_mutex_unlock(&cache->lock);
	return there;
}

static bool write_file(const char *from, const char *to, struct ts_span bytes)
{
	struct ts_error ignored;
	int fd = open(from, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	bool done;

	if (fd < 0)
		return false;
	done = ts_write_full(fd, bytes.data, bytes.len, &ignored) == TS_OK;
	done = close(fd) == 0 && done && rename(from, to) == 0;
	if (!done)
		(void)unlink(from);
	return done;
}

void ts_pack_cache_put(struct ts_pack_cache *cache, const struct ts_id *digest, struct ts_span bytes)
{
	struct entry entry = {.digest = *digest, .bytes = bytes.len};
	char path[PATH_ROOM], new_path[PATH_ROOM];
	uint64_t number;

	if (!cache || bytes.len == 0 || bytes.len > cache->most / 2)
		return;
	pthread_mutex_lock(&cache->lock);
	number = cache->made++;
	pthread_mutex_unlock(&cache->lock);
	path_of(cache, digest, path);
	(void)snprintf(new_path, sizeof new_path, "%s/%02x/new-%" PRIu64, cache->path, digest->bytes[0], number);
	if (!write_file(new_path, path, bytes))
		return;
	entry.used_ns = entry.touched_ns = ts_now_real_ns();
	pthread_mutex_lock(&cache->lock);
	add(cache, &entry);
	make_room(cache);
	pthread_mutex_unlock(&cache->lock);
}

void ts_pack_cache_drop(struct ts_pack_cache *cache, const struct ts_id *digest)
{
	struct entry *entry;

	if (!cache)
		return;
	pthread_mutex_lock(&cache->lock);
	entry = find(cache, digest);
	if (entry)
		drop(cache, entry);
	pthread_mutex_unlock(&cache->lock);
}

void ts_pack_cache_stats(struct ts_pack_cache *cache, struct ts_pack_cache_stats *ret)
{
	pthread_mutex_lock(&cache->lock);
	*ret = cache->stats;
	pthread_mutex_unlock(&cache->lock);
}
