#include "launch/witness.h"

int64_t ts_witness_oom_kills(void)
{
	return -1;
}

bool ts_witness_name(pid_t pid, char ret_name[TS_WITNESS_NAME])
{
	(void)pid;
	(void)ret_name;
	return false;
}

bool ts_witness_oom_line(pid_t pid, char ret_line[TS_WITNESS_LINE])
{
	(void)pid;
	(void)ret_line;
	return false;
}
