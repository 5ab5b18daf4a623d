// The recorder's header is C++11 too, and its functions are C's.
#include "record/tscope.h"

int main()
{
	tscope_options options = tscope_options();
	tscope_run *run = nullptr;

	options.directory = "";
	if (tscope_open(&options, &run, nullptr) != TSCOPE_INVALID || run != nullptr)
		return 1;
	tscope_step_begin(run, TSCOPE_NEXT);
	tscope_mark(run, tscope_declare(run, TSCOPE_PHASE, "forward"));
	tscope_close(run);
	return 0;
}
