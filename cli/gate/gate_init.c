/* gate_init.c - see gate_init.h. What is written stands in deploy/ci; here is where it goes, and what is left to do. */
#include "cli/gate/gate_init.h"

#include "base/file.h"
#include "cli/core/verb.h"
#include "cli/gate/ci_templates.h"
#include "cli/view/view.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { FILES_MOST = 6, TEMPLATE_MAX = 1 << 20 };

#define SCRIPTS "ci/tscope/"
#define JOB {"job.sh", SCRIPTS "job.sh", "trains a commit in a job"}
#define GATE {"gate.sh", SCRIPTS "gate.sh", "trains, pushes, gates and runs pairs"}
#define SAME {"same.sh", SCRIPTS "same.sh", "trains the first steps of both and compares them"}
#define GITHUB {"github.sh", SCRIPTS "github.sh", "comments and artifacts of GitHub"}
#define GITLAB {"gitlab.sh", SCRIPTS "gitlab.sh", "comments and artifacts of GitLab"}

static const struct set {
	const char *name;
	struct file {
		const char *name, *path, *what;
	} files[FILES_MOST]; /* up to the first without a name */
	const char *next[FILES_MOST];
} sets[] = {
	{"github",
	 {{"github-actions.yml", ".github/workflows/tscope-gate.yml", "the jobs of pull requests and of main"},
	  {"github-actions-forks.yml", ".github/workflows/tscope-gate-forks.yml", "the job that gates the runs of forks"},
	  JOB,
	  GATE,
	  GITHUB},
	 {"In .github/workflows/tscope-gate.yml, set TSCOPE_TRAIN to the line that trains and writes the run "
	  "directory \"$RUN_DIR\", and runs-on to a machine that can train. That machine needs tscope, git and gh.",
	  "Set the secrets that a job reaches the server with: gh secret set TSCOPE_SERVER (such as ssh://runs@host), gh secret set "
	  "TSCOPE_SSH_KEY (its private key), gh secret set TSCOPE_KNOWN_HOSTS (what ssh-keyscan host prints).",
	  "Try the training line on that machine: TSCOPE_TRAIN='...' ci/tscope/gate.sh candidate. Without TSCOPE_SERVER it "
	  "has nothing to compare with, says so, and ends with exit 0.",
	  "Commit the files and push them to main. The job `baseline` then makes each push a baseline; the gate judges from the third "
	  "on."}},
	{"gitlab",
	 {{"gitlab-ci.yml", SCRIPTS "gitlab-ci.yml", "the jobs of merge requests and of main"}, JOB, GATE, GITLAB},
	 {"Include the jobs: add to .gitlab-ci.yml the line include: {local: ci/tscope/gitlab-ci.yml}",
	  "In ci/tscope/gitlab-ci.yml, set TSCOPE_TRAIN to the line that trains and writes the run directory \"$$RUN_DIR\", and "
	  "tags to a machine that can train. That machine needs tscope, git, curl and python3.",
	  "Add masked variables to the project: TSCOPE_SERVER (such as ssh://runs@host), TSCOPE_SSH_KEY (its private key), "
	  "TSCOPE_KNOWN_HOSTS (what ssh-keyscan host prints), and TSCOPE_GITLAB_TOKEN for the comment (an access token of "
	  "the project with scope api and role Reporter).",
	  "Try the training line on that machine: TSCOPE_TRAIN='...' ci/tscope/gate.sh candidate. Without TSCOPE_SERVER it "
	  "has nothing to compare with, says so, and ends with exit 0.",
	  "Commit the files and push them to main. The job `tscope-baseline` then makes each push a baseline; the gate judges from the "
	  "third on."}},
	{"github-same",
	 {{"github-same.yml", ".github/workflows/tscope-same.yml", "the job of pull requests"}, JOB, SAME, GITHUB},
	 {"In .github/workflows/tscope-same.yml, set TSCOPE_TRAIN to the line that trains \"$STEPS\" steps and writes "
	  "the run directory \"$RUN_DIR\", and runs-on to a machine that can train. That machine needs tscope, git, gh and python3.",
	  "If the training does not repeat itself bit for bit, set TSCOPE_TOLERANCE there. No secrets and no server are needed.",
	  "Commit the files. A pull request that changes the numbers then fails, unless a commit of it says why in a line "
	  "\"Numbers-change: reason\"."}},
	{"gitlab-same",
	 {{"gitlab-same.yml", SCRIPTS "gitlab-same.yml", "the job of merge requests"}, JOB, SAME, GITLAB},
	 {"Include the job: add to .gitlab-ci.yml the line include: {local: ci/tscope/gitlab-same.yml}",
	  "In ci/tscope/gitlab-same.yml, set TSCOPE_TRAIN to the line that trains \"$$STEPS\" steps and writes the run directory "
	  "\"$$RUN_DIR\", and tags to a machine that can train. That machine needs tscope, git, curl and python3.",
	  "If the training does not repeat itself bit for bit, set TSCOPE_TOLERANCE there. For the comment, add the masked variable "
	  "TSCOPE_GITLAB_TOKEN (an access token of the project with scope api and role Reporter).",
	  "Commit the files. A merge request that changes the numbers then fails, unless a commit of it says why in a line "
	  "\"Numbers-change: reason\"."}},
};

static enum ts_status find(const char *name, const struct set **ret_set, struct ts_error *err)
{
	for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
		if (strcmp(sets[i].name, name) == 0) {
			*ret_set = &sets[i];
			return TS_OK;
		}
	return ts_error_set(err, TS_INVALID, "--init: there is no '%s'; it takes one of " TS_GATE_INIT_NAMES, name);
}

static struct ts_span text_of(const char *name)
{
	for (size_t i = 0; i < ts_ci_templates_n; i++)
		if (strcmp(ts_ci_templates[i].name, name) == 0)
			return ts_ci_templates[i].text;
	return (struct ts_span){NULL, 0};
}

/* What became of a file. */
enum done { DONE_WRITTEN, DONE_BEFORE, DONE_KEPT };

static const char *const done_words[] = {[DONE_WRITTEN] = "written", [DONE_BEFORE] = "the same", [DONE_KEPT] = "kept"};

/* Says how the file that is there compares with the template. */
static enum ts_status compare(const char *path, struct ts_span text, enum done *ret_done, struct ts_error *err)
{
	struct ts_buf there = TS_BUF_INIT(TEMPLATE_MAX);
	enum ts_status status = ts_file_read(path, &there, err);

	if (!status)
		*ret_done = ts_span_eq(ts_buf_view(&there), text) ? DONE_BEFORE : DONE_KEPT;
	ts_buf_finish(&there);
	return status;
}

static enum ts_status write_new(struct ts_cli *cli, const struct file *file, enum done *ret_done, struct ts_error *err)
{
	int length = (int)(strrchr(file->path, '/') - file->path);
	const char *folder = ts_arena_printf(&cli->arena, "%.*s", length, file->path);
	struct ts_span text = text_of(file->name);
	bool script = strstr(file->name, ".sh") != NULL;
	enum ts_status status;
	int fd;

	if (!folder)
		return ts_arena_error(&cli->arena, err);
	if (ts_make_dirs(folder, 0755, err))
		return err->status;
	fd = open(file->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, script ? 0755 : 0644);
	if (fd < 0 && errno == EEXIST)
		return compare(file->path, text, ret_done, err);
	if (fd < 0)
		return ts_error_errno(err, errno, "%s", file->path);
	status = ts_write_full(fd, text.data, text.len, err);
	if (close(fd) && !status)
		status = ts_error_errno(err, errno, "close");
	if (status) {
		(void)unlink(file->path);
		return ts_error_prefix(err, "%s", file->path);
	}
	*ret_done = DONE_WRITTEN;
	return TS_OK;
}

static enum ts_status write_all(struct ts_cli *cli, const struct set *set, struct ts_view *view, bool *ret_kept, struct ts_error *err)
{
	for (const struct file *file = set->files; file < set->files + FILES_MOST && file->name; file++) {
		enum done done = DONE_WRITTEN;

		if (write_new(cli, file, &done, err))
			return err->status;
		*ret_kept |= done == DONE_KEPT;
		ts_view_row(view, NULL);
		ts_view_set(view, "done", TS_STYLE_PLAIN, done_words[done]);
		ts_view_set(view, "path", TS_STYLE_PLAIN, file->path);
		ts_view_set(view, "what", TS_STYLE_PLAIN, file->what);
	}
	return TS_OK;
}

/* No other option has a meaning beside --init. */
static enum ts_status check(const struct ts_cli *cli, struct ts_error *err)
{
	if (cli->args.n_words)
		return ts_error_set(err, TS_INVALID, "--init takes no candidate: it writes the files of a repository");
	if (cli->json)
		return ts_error_set(err, TS_INVALID, "--init and --json cannot be combined");
	for (size_t i = 0; i < cli->args.n; i++) {
		const char *name = cli->args.items[i].option->name;

		for (const struct ts_option *own = cli->verb->options; own->name; own++)
			if (own == cli->args.items[i].option && strcmp(name, "init") != 0)
				return ts_error_set(err, TS_INVALID, "--init and --%s cannot be combined", name);
	}
	if (ts_file_kind(".git") == TS_FILE_NONE)
		return ts_error_set(err, TS_INVALID, "--init writes the files of a repository: run it at its root, where .git is");
	return TS_OK;
}

enum ts_status ts_gate_init(struct ts_cli *cli, const char *name, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {{.key = "done"}, {.key = "path"}, {.key = "what", .least = 20}};
	const struct set *set = NULL;
	struct ts_view view;
	bool kept = false;

	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	if (find(name, &set, err) || check(cli, err) || write_all(cli, set, &view, &kept, err) ||
	    ts_view_print(&view, &cli->term, 0, &cli->out, err))
		return err->status;
	if (kept)
		ts_buf_str(&cli->out,
			   "\nWhat was kept was there before and differs from the template. Remove it to have it written anew.\n");
	ts_buf_str(&cli->out, "\nWhat is left to do:\n");
	for (size_t i = 0; i < FILES_MOST && set->next[i]; i++) {
		const char *step = ts_arena_printf(&cli->arena, "%zu. %s", i + 1, set->next[i]);

		if (!step)
			return ts_arena_error(&cli->arena, err);
		ts_wrap(&cli->out, step, cli->term.width ? cli->term.width : 100, 2);
	}
	return ts_buf_check(&cli->out, err);
}
