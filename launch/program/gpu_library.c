#include "launch/program/gpu_library.h"

#include <dlfcn.h>
#include <math.h>

void *ts_gpu_load(const char *const *names)
{
	void *library = NULL;

	for (; *names && !library; names++)
		library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
	return library;
}

double ts_gpu_within(double value, double least, double most)
{
	return value >= least && value <= most ? value : (double)NAN;
}

double ts_gpu_rise(double now, double *io_last, double whole)
{
	double by = now - *io_last;

	*io_last = now;
	return by >= 0 && whole > 0 ? by / whole : (double)NAN;
}
