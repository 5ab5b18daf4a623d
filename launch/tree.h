/* tree.h - what the processes of a training take: those below the launcher that are not tscope itself, by /proc (tree_linux.c), or
 * nothing (tree_posix.c).
 *
 *	ts_tree_begin(&tree, launcher)
 *	ts_tree_look(&tree, &takes)	now and then: over the time since the look before
 *
 * A worker is a process that loads data for the one that started it: one that PyTorch names so, or that its parent, which is no shell,
 * forked of itself; but none that is said to train. Which processes there are is looked up anew every
 * TS_TREE_FIND_S seconds; of those that end between two looks what they took is not known. Threads: one at a time.
 */
#ifndef TSCOPE_LAUNCH_TREE_H
#define TSCOPE_LAUNCH_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { TS_TREE_MAX = 512, TS_TREE_FIND_S = 10 };

struct ts_tree_process {
	pid_t pid;
	bool worker, trains, seen;
	double cpu_s; /* at the last look; below 0: there was none */
};

struct ts_tree {
	pid_t launcher, own;
	uint64_t device, file; /* of the program tscope itself */
	int64_t found_ns, last_ns;
	long ticks, page;
	size_t n;
	struct ts_tree_process items[TS_TREE_MAX];
};

/* Below 0: not known. */
struct ts_tree_takes {
	double processes, cores, memory, ready, busiest, workers, worker_cores, blocked; /* as the columns (run/machine.h) */
};

void ts_tree_begin(struct ts_tree *tree, pid_t launcher);
/* This process is recorded: it trains, and is no worker. */
void ts_tree_trains(struct ts_tree *tree, pid_t pid);
void ts_tree_look(struct ts_tree *tree, struct ts_tree_takes *ret_takes);

#endif
