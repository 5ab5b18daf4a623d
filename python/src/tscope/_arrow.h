/* _arrow.h - columns that lie in memory as a stream of Arrow's C interface, which pandas, polars, pyarrow and DuckDB take without a
 * copy. */
#ifndef TSCOPE_PYTHON_SRC_TSCOPE__ARROW_H
#define TSCOPE_PYTHON_SRC_TSCOPE__ARROW_H

#include "_recorder.h"

/* arrow_stream(rows, columns): a capsule "arrow_array_stream" of one batch. A column is (name, format, nulls, addresses, owner): the
 * format as Arrow writes it, the addresses of its buffers, 0 for one that is not there, and what keeps them alive. */
PyObject *tscope_arrow_stream(PyObject *module, PyObject *args);

#endif
