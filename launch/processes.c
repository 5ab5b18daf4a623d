#include "launch/processes.h"

#include "base/clock.h"

#include <errno.h>
#include <unistd.h>

enum { GRACE_MS = 50 };

bool ts_word_send(int fd, struct ts_word word)
{
	ssize_t n;

	do
		n = write(fd, &word, sizeof word);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof word;
}

bool ts_word_read(int fd, struct ts_word *ret_word)
{
	size_t have = 0;

	while (have < sizeof *ret_word) {
		ssize_t n = read(fd, (uint8_t *)ret_word + have, sizeof *ret_word - have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		have += (size_t)n;
	}
	return true;
}

void ts_processes_heard(struct ts_processes *job, const struct ts_word *word)
{
	struct ts_launched *l = &job->launched;
	struct ts_ended *end = word->rank >= 0 && (size_t)word->rank < l->n ? &l->ends[word->rank] : NULL;

	if (!end)
		return;
	if (word->kind == TS_WORD_BEGUN) {
		end->begun = true;
		end->pid = word->value;
	} else if (word->kind == TS_WORD_CANNOT) {
		end->over = true;
		end->cannot = word->value;
	} else if (word->kind == TS_WORD_ENDED) {
		ts_ended_by(end, word->value);
		end->asked = word->asked != 0;
	}
	l->n_over += word->kind == TS_WORD_CANNOT || word->kind == TS_WORD_ENDED;
	if (end->over && !ts_ended_well(end) && l->first == l->n)
		l->first = (size_t)word->rank;
}

void ts_processes_drain(struct ts_processes *job)
{
	while (ts_outputs_open(job->outputs, job->n_outputs)) {
		ts_outputs_wait(job->outputs, job->n_outputs, job->polls);
		if (poll(job->polls, (nfds_t)(2 * job->n_outputs), GRACE_MS) <= 0)
			break;
		(void)ts_outputs_serve(job->outputs, job->n_outputs, job->polls);
	}
	job->launched.left = ts_outputs_open(job->outputs, job->n_outputs);
	for (int i = 0; i < 2 && !job->read_ends; i++)
		if (job->from[i] >= 0)
			ts_output_read_end(STDOUT_FILENO + i, job->from[i], &job->launched.tails[0]);
	job->read_ends = true;
}

void ts_processes_close(struct ts_processes *job)
{
	for (size_t i = 0; i < job->launched.n; i++)
		ts_tail_close(&job->launched.tails[i]);
}
