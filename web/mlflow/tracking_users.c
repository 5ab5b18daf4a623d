/* tracking_users.c - see tracking_users.h. */
#include "web/mlflow/tracking_users.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/digest.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>

enum { FOLDER_DIGITS = 16 };

struct user {
	struct user *next;
	struct ts_tracking *door;
	size_t hands; /* that have it now */
	bool closes; /* its door is being closed */
	int64_t used_ns;
	char token[]; /* and behind it the folder */
};

struct ts_tracking_users {
	struct ts_tracking_wanted wanted;
	pthread_mutex_t lock;
	struct user *first;
	size_t n, most;
	int64_t idle_ns;
};

enum ts_status ts_tracking_users_open(const struct ts_tracking_wanted *wanted, size_t most, int64_t idle_s,
				      struct ts_tracking_users **ret, struct ts_error *err)
{
	struct ts_tracking_users *users;

	if (ts_digest_init(err))
		return err->status;
	if (mkdir(wanted->folder, 0700) != 0 && errno != EEXIST)
		return ts_error_errno(err, errno, "%s", wanted->folder);
	users = ts_alloc(sizeof *users);
	if (!users)
		return ts_error_set(err, TS_NO_MEMORY, "there is no memory for MLflow's clients");
	*users = (struct ts_tracking_users){.wanted = *wanted, .most = most, .idle_ns = idle_s * INT64_C(1000000000)};
	pthread_mutex_init(&users->lock, NULL);
	*ret = users;
	return TS_OK;
}

void ts_tracking_users_close(struct ts_tracking_users *users)
{
	while (users->first) {
		struct user *user = users->first;

		users->first = user->next;
		ts_tracking_close(user->door);
		ts_free(user);
	}
	pthread_mutex_destroy(&users->lock);
	ts_free(users);
}

/* Of those that nobody has used for long the one that has pushed all of its runs, else the oldest; NULL: none. */
static struct user *find_idle(const struct ts_tracking_users *users)
{
	int64_t before_ns = ts_now_mono_ns() - users->idle_ns;
	struct user *found = NULL;
	bool found_waits = false;

	for (struct user *user = users->first; user; user = user->next) {
		bool waits;

		if (user->hands || user->closes || user->used_ns > before_ns)
			continue;
		waits = ts_tracking_waits(user->door);
		if (!found || (found_waits && !waits) || (found_waits == waits && user->used_ns < found->used_ns)) {
			found = user;
			found_waits = waits;
		}
	}
	return found;
}

/* The lock is held, but not while the door closes, which may take as long as a push: until then it is in the list, so that nobody opens
 * the same folder. */
static bool close_idle(struct ts_tracking_users *users)
{
	struct user *user = find_idle(users), **at = &users->first;

	if (!user)
		return false;
	user->closes = true;
	pthread_mutex_unlock(&users->lock);
	ts_tracking_close(user->door);
	pthread_mutex_lock(&users->lock);
	while (*at != user)
		at = &(*at)->next;
	*at = user->next;
	users->n--;
	ts_free(user);
	return true;
}

static enum ts_status open_door(struct ts_tracking_users *users, struct ts_span token, struct user **ret, struct ts_error *err)
{
	struct ts_tracking_wanted wanted = users->wanted;
	size_t n = token.len + 1 + strlen(wanted.folder) + 1 + FOLDER_DIGITS + 1;
	char digits[TS_ID_HEX + 1], *folder;
	struct user *user;
	struct ts_id id;

	user = ts_alloc(sizeof *user + n);
	if (!user)
		return ts_error_set(err, TS_NO_MEMORY, "there is no memory for one more of MLflow's clients");
	*user = (struct user){.hands = 0};
	ts_digest(token, &id);
	folder = user->token + token.len + 1;
	memcpy(user->token, token.data, token.len);
	user->token[token.len] = '\0';
	(void)snprintf(folder, n - token.len - 1, "%s/%.*s", wanted.folder, FOLDER_DIGITS, ts_id_hex(&id, digits));
	wanted.folder = folder;
	wanted.token = user->token;
	if (ts_tracking_open(&wanted, &user->door, err)) {
		ts_free(user);
		return err->status;
	}
	user->next = users->first;
	users->first = user;
	users->n++;
	*ret = user;
	return TS_OK;
}

static struct user *find_user(const struct ts_tracking_users *users, struct ts_span token)
{
	struct user *user = users->first;

	while (user && !ts_span_is(token, user->token))
		user = user->next;
	return user;
}

enum ts_status ts_tracking_users_door(struct ts_tracking_users *users, struct ts_span token, struct ts_tracking **ret,
				      struct ts_error *err)
{
	enum ts_status status = TS_OK;
	struct user *user;

	pthread_mutex_lock(&users->lock);
	while (!(user = find_user(users, token)) && users->n >= users->most && close_idle(users))
		;
	if (user && user->closes)
		status = ts_error_set(err, TS_UNAVAILABLE, "the runs of this token are being pushed, since it was not used; try again");
	else if (!user && users->n >= users->most)
		status = ts_error_set(err, TS_FULL, "MLflow's clients log here with %zu tokens already", users->most);
	else if (!user)
		status = open_door(users, token, &user, err);
	if (!status) {
		user->hands++;
		*ret = user->door;
	}
	pthread_mutex_unlock(&users->lock);
	return status;
}

void ts_tracking_users_give(struct ts_tracking_users *users, struct ts_tracking *door)
{
	struct user *user;

	pthread_mutex_lock(&users->lock);
	for (user = users->first; user && user->door != door;)
		user = user->next;
	if (user) {
		user->hands--;
		user->used_ns = ts_now_mono_ns();
	}
	pthread_mutex_unlock(&users->lock);
}
