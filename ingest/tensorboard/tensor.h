/* tensor.h - reads one number from a tensor of one element, as TensorFlow serializes it. */
#ifndef TSCOPE_INGEST_TENSORBOARD_TENSOR_H
#define TSCOPE_INGEST_TENSORBOARD_TENSOR_H

#include "base/pb.h"
#include "run/index.h"

enum ts_tensor_kind {
	TS_TENSOR_NUMBER,
	TS_TENSOR_OTHER,  /* not one number: it is text, has more elements, or has another type */
	TS_TENSOR_BROKEN, /* its parts contradict each other */
};

struct ts_tensor {
	double value;
	enum ts_precision precision; /* F32 for float32, bf16 and half; integers are doubles */
};

/* Reads message, a TensorProto. An integer beyond 2^53 becomes the nearest double. */
enum ts_tensor_kind ts_tensor_scalar(struct ts_span message, struct ts_tensor *ret_tensor);

#endif
