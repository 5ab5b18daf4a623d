/* main.c - tscope, the command line. */
#include "cli/command.h"

int main(int argc, char **argv)
{
	return ts_command(argc, argv);
}
