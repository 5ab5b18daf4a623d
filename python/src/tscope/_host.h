/* _host.h - the facts of the host, of the code that `tscope facts` runs (ingest/host/host.h). */
#ifndef TSCOPE_PYTHON_SRC_TSCOPE__HOST_H
#define TSCOPE_PYTHON_SRC_TSCOPE__HOST_H

/* host_facts(directory: str, command: str, patch: bool) -> (facts.json, why the text of the patch is left out, or None). */
PyObject *tscope_host_facts(PyObject *module, PyObject *args);
/* is_secret(name: str) -> bool: whether the key names a secret (ingest/facts/redact.h). */
PyObject *tscope_is_secret(PyObject *module, PyObject *args);
/* see_opens(call): has call(path, mode, flags) called where Python opens a file, by an audit hook; None: no more. The hook itself is
 * of C and stays for the life of the process: one of Python is called for every event that is audited, such as sys._getframe. */
PyObject *tscope_see_opens(PyObject *module, PyObject *call);

#endif
