/* lmdb_lock.c - lock.mdb, by which alone LMDB keeps two writers apart and knows who reads. LMDB has it in memory, with mutexes in it:
 * a file that is cut would end the process by SIGBUS, and one that is overwritten would be believed. */
#include "store/lmdb_internal.h"

#include "base/cursor.h"

#include <stdio.h>
#include <stdlib.h>

enum { PATH_ROOM = 4096 + 32, TRIES = 20 };

/* What LMDB writes there once, when it makes the file: four bytes that say what it is, and four of its format. */
static uint64_t head_of(const struct ts_lmdb_env *env)
{
	return ts_load_le(env->lock.at, 8);
}

void ts_lock_find(struct ts_lmdb_env *env)
{
	char path[PATH_ROOM], *real;

	(void)snprintf(path, sizeof path, "%.4095s/lock.mdb", env->path);
	real = realpath(path, NULL);
	if (real && ts_disk_mapped(real, &env->lock.at, &env->lock.bytes) && ts_map_guard(&env->lock))
		env->lock_head = head_of(env);
	else
		env->lock.at = NULL;
	free(real);
}

void ts_lock_forget(struct ts_lmdb_env *env)
{
	if (env->lock.at)
		ts_map_unguard(&env->lock);
	env->lock.at = NULL;
}

bool ts_lock_is_whole(const struct ts_lmdb_env *env)
{
	return !env->lock.at || head_of(env) == env->lock_head;
}

/* What was committed last. Of page 1, which is of no tree, who asks is told of the damage. */
static struct ts_lmdb_view last_view(struct ts_lmdb_env *env)
{
	struct ts_lmdb_view view = {.number = TS_NO_PAGE};
	struct ts_meta meta;
	struct stat st;
	bool both;

	for (int tries = 0; tries < TRIES; tries++) {
		const uint8_t *file = fstat(env->data_fd, &st) == 0 && st.st_size ? ts_map_get(env, (uint64_t)st.st_size) : NULL;

		if (file && ts_metas_find(file, (uint64_t)st.st_size, &meta, &both) && ts_view_find(env, meta.txn, &view) == 0)
			return view;
		ts_pause();
	}
	for (int db = 0; db < TS_DBS; db++)
		view.roots[db] = (struct ts_root){.page = 1, .depth = 1};
	return view;
}

void ts_lock_lost(struct ts_lmdb_env *env)
{
	struct ts_lmdb_view view;

	ts_env_condemn(env, TS_HARM_GONE,
		       "lock.mdb was cut or overwritten while the store was open, so nothing is acknowledged any more, and what was "
		       "stored can still be read; end this process and begin again");
	view = last_view(env);
	pthread_mutex_lock(&env->look);
	if (!atomic_load(&env->cold)) {
		env->seen = view;
		atomic_store(&env->cold, true);
	}
	pthread_mutex_unlock(&env->look);
}

void ts_lock_check(struct ts_lmdb_env *env)
{
	if (!atomic_load(&env->cold) && env->mdb && !ts_lock_is_whole(env))
		ts_lock_lost(env);
}
