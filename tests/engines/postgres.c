#include "tests/engines/postgres.h"

#include "store/test_store.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { READY_S = 60, PATH_ROOM = 512 };

static char dir[256], bin[256], file[PATH_ROOM], data[PATH_ROOM];
static pid_t server;		  /* 0: none runs */
static const struct passwd *user; /* as whom it runs; NULL: as this one */

/* The newest version of those that Debian installs. */
static bool find_programs(void)
{
	glob_t found = {.gl_pathc = 0};
	bool there = glob("/usr/lib/postgresql/*/bin/initdb", 0, NULL, &found) == 0;

	if (there) {
		(void)snprintf(bin, sizeof bin, "%s", found.gl_pathv[found.gl_pathc - 1]);
		*strrchr(bin, '/') = 0;
	}
	globfree(&found);
	return there;
}

static pid_t begin(char *argv[])
{
	char path[PATH_ROOM], log[PATH_ROOM];
	pid_t child;
	int fd;

	(void)snprintf(path, sizeof path, "%s/%s", bin, argv[0]);
	(void)snprintf(log, sizeof log, "%s/log", dir);
	child = fork();
	if (child)
		return child;
	(void)prctl(PR_SET_PDEATHSIG, SIGQUIT); /* nobody leaves it behind */
	fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0666);
	(void)dup2(fd, 1);
	(void)dup2(fd, 2);
	if (chdir(dir) != 0)
		_exit(126);
	if (user && (setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0))
		_exit(126);
	(void)prctl(PR_SET_PDEATHSIG, SIGQUIT); /* which a change of user forgets */
	argv[0] = path; /* they look for one another beside where they are */
	(void)execv(path, argv);
	_exit(127);
}

static int wait_for(pid_t child)
{
	int status = -1;

	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static int run(char *argv[])
{
	return wait_for(begin(argv));
}

static int ask(const char *database, const char *command)
{
	char name[32], text[256];
	char *argv[] = {(char[]){"psql"}, (char[]){"-X"}, (char[]){"-q"}, (char[]){"-U"}, (char[]){"tscope"}, (char[]){"-h"}, dir,
			(char[]){"-c"},	  text,		  name,		  NULL};

	(void)snprintf(name, sizeof name, "%s", database);
	(void)snprintf(text, sizeof text, "%s", command);
	return run(argv);
}

static bool is_ready(char *server_argv[])
{
	for (int i = 0; i < READY_S * 20; i++) {
		if (ask("postgres", "SELECT 1") == 0)
			return true;
		/* Beside what is left of one that was killed it does not start. */
		if (waitpid(server, NULL, WNOHANG) == server)
			server = begin(server_argv);
		(void)nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
	}
	return false;
}

static bool run_server(void)
{
	char *argv[] = {(char[]){"postgres"},
			(char[]){"-D"},
			data,
			(char[]){"-k"},
			dir,
			(char[]){"-c"},
			(char[]){"listen_addresses="},
			(char[]){"-c"},
			(char[]){"max_connections=40"},
			(char[]){"-c"},
			(char[]){"shared_buffers=32MB"},
			NULL};

	server = begin(argv);
	return is_ready(argv);
}

static bool fail(char *text, size_t size, const char *what)
{
	(void)snprintf(text, size, "%s; %s/log says why", what, dir);
	return false;
}

static void write_file(void)
{
	FILE *out;

	(void)snprintf(file, sizeof file, "%s/cluster.conf", dir);
	out = fopen(file, "w");
	if (!out || fprintf(out, "# a test's\npostgresql = host=%s dbname=tscope user=tscope\nconnections = 6\n", dir) < 0 ||
	    fclose(out) != 0)
		abort();
}

bool postgres_start(char *text, size_t size)
{
	char *initdb[] = {
		(char[]){"initdb"}, (char[]){"-D"},	     data,	     (char[]){"-U"},   (char[]){"tscope"},    (char[]){"-A"},
		(char[]){"trust"},  (char[]){"--no-locale"}, (char[]){"-E"}, (char[]){"UTF8"}, (char[]){"--no-sync"}, NULL};
	char *createdb[] = {(char[]){"createdb"}, (char[]){"-U"}, (char[]){"tscope"}, (char[]){"-h"}, dir, (char[]){"tscope"}, NULL};

	if (!find_programs()) {
		(void)snprintf(text, size, "its programs are not on this machine (Debian's package postgresql has them)");
		return false;
	}
	user = geteuid() == 0 ? getpwnam("postgres") : NULL;
	if (geteuid() == 0 && !user)
		user = getpwnam("nobody");
	test_make_dir(dir, sizeof dir);
	(void)snprintf(data, sizeof data, "%s/data", dir);
	if (user && (chown(dir, user->pw_uid, user->pw_gid) != 0 || chmod(dir, 0755) != 0))
		return fail(text, size, "its folder cannot be given to its user");
	if (run(initdb) != 0)
		return fail(text, size, "initdb fails");
	if (!run_server() || run(createdb) != 0)
		return fail(text, size, "it does not start");
	write_file();
	return true;
}

void postgres_stop(void)
{
	if (!server)
		return;
	(void)kill(server, SIGQUIT);
	(void)wait_for(server);
	server = 0;
	test_remove_dir(dir);
}

const char *postgres_file(void)
{
	return file;
}

void postgres_empty(void)
{
	if (ask("tscope", "DROP SCHEMA IF EXISTS tscope CASCADE") != 0)
		abort();
}

void postgres_cut(void)
{
	(void)ask("tscope", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tscoped'");
}

void postgres_crash(void)
{
	(void)kill(server, SIGKILL); /* its children notice, and end */
	(void)wait_for(server);
	if (!run_server())
		abort();
}
