/* port.h - a port of TCP on this machine that nobody listens at now, for the processes of one training to meet at.
 */
#ifndef TSCOPE_LAUNCH_PORT_H
#define TSCOPE_LAUNCH_PORT_H

/* 0: there is none. */
int ts_port_free(void);

#endif
