/* tensor.h - a tensor without dimensions, as TensorFlow serializes it, to one number. */
#ifndef TSCOPE_INGEST_TENSORBOARD_TENSOR_H
#define TSCOPE_INGEST_TENSORBOARD_TENSOR_H

#include "ingest/formats/pb.h"
#include "run/index.h"

enum ts_tensor_kind {
	TS_TENSOR_NUMBER,
	TS_TENSOR_OTHER,  /* text, or with dimensions, or of a type that is no number: no scalar */
	TS_TENSOR_BROKEN, /* what it says does not fit together */
};

struct ts_tensor {
	double value;
	enum ts_precision precision; /* F32 of what a float32 holds, bf16 and half too; integers are doubles */
};

/* message: a TensorProto. An integer beyond 2^53 is the nearest double. */
enum ts_tensor_kind ts_tensor_scalar(struct ts_span message, struct ts_tensor *ret_tensor);

#endif
