#include "launch/tree.h"

void ts_tree_begin(struct ts_tree *tree, pid_t launcher)
{
	*tree = (struct ts_tree){.launcher = launcher};
}

void ts_tree_trains(struct ts_tree *tree, pid_t pid)
{
	(void)tree;
	(void)pid;
}

void ts_tree_look(struct ts_tree *tree, struct ts_tree_takes *ret_takes)
{
	(void)tree;
	*ret_takes = (struct ts_tree_takes){-1, -1, -1, -1, -1, -1, -1, -1};
}
