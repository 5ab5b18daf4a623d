/* about.h - what a run's facts say of what is to come: how many steps there will be, and how much memory a device has. Pure. */
#ifndef TSCOPE_CLI_WATCH_ABOUT_H
#define TSCOPE_CLI_WATCH_ABOUT_H

#include "run/fact.h"

/* 0: no fact says it. */
int64_t ts_about_total(const struct ts_facts *facts);
/* Of the smallest device, bytes; 0: no fact says it. */
double ts_about_capacity(const struct ts_facts *facts);

#endif
