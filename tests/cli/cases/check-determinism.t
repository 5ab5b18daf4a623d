# A run on a GPU with everything as nobody has changed it, the same with all switches that the catalog has, and a record that says nothing.
$ for r in plain careful silent; do mkdir $r; echo '{"step":0,"timestamp":100,"scalars":{"loss":2.5}}' >$r/steps.jsonl; done
$ facts() { echo '{"format":1,"libraries":{"torch":"2.11.0+cu130","python":"3.12.1"},"hardware":{"cuda_available":true},"session":{"device":"cuda:0","environment":"HOME 0123456789abcdef","generators":{"torch":"39c606d8b124c0b8"}},"parallelism":{"world_size":1},"seeds":{"torch":1'$3'},"determinism":{"num_threads":8,"cudnn_benchmark":true,"cudnn_deterministic":false,"flash_sdp":true,"mem_efficient_sdp":true,"cudnn_sdp":false,"matmul_allow_tf32":true,"deterministic_warn_only":false,"use_deterministic_algorithms":'$1$2'}}'; }; facts false >plain/facts.json; facts true ',"env":{"CUBLAS_WORKSPACE_CONFIG":":4096:8","PYTHONHASHSEED":"0"}' ',"python":1' | sed 's/"cudnn_benchmark":true/"cudnn_benchmark":false/' >careful/facts.json
$ for i in mm.default index_add_.default avg_pool3d_backward.default; do echo '{"step":0,"name":"aten.'$i'","out":"0123456789abcdef"}'; done | tee plain/digests.jsonl >careful/digests.jsonl
$ tscope check-determinism ./plain
| 5 things are known to make two runs differ, and not prevented: deterministic algorithms and what follows.
|
| KNOWN TO BREAK IT
|   deterministic algorithms (recorded: false)
|     kernels of torch may add numbers in any order (atomics), such as those of scatter, index and convolution
|     prevented by: torch.use_deterministic_algorithms(True)
|     cost: operations are often slower; one that has no such form raises an error
|     source: https://docs.pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html
|   cuDNN benchmark (recorded: true)
|     kernels of convolutions are chosen by their measured speed in each run
|     prevented by: torch.backends.cudnn.benchmark = False
|     cost: possibly slower convolutions
|     source: https://docs.pytorch.org/docs/stable/notes/randomness.html#cuda-convolution-benchmarking
|   cuDNN deterministic (recorded: false)
|     the chosen kernel of a convolution may itself add numbers in any order
|     prevented by: torch.backends.cudnn.deterministic = True
|     cost: possibly slower convolutions
|     source: https://docs.pytorch.org/docs/stable/notes/randomness.html#cuda-convolution-determinism
|   aten.index_add_.default
|     torch.index_add is on torch's list of operations that do not repeat
|     prevented by: torch.use_deterministic_algorithms(True)
|     cost: deterministic operations tend to be slower
|     source: https://docs.pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html
|   aten.avg_pool3d_backward.default
|     torch.nn.AvgPool3d is on torch's list of operations that do not repeat
|     prevented by: torch.use_deterministic_algorithms(True)
|     cost: it has no deterministic form, and raises an error then
|     source: https://docs.pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html
|
| UNPROVED
|   cuBLAS workspace
|     cuBLAS may choose between algorithms where streams share its workspace
|     prevented by: CUBLAS_WORKSPACE_CONFIG=:4096:8, before CUDA is first used
|     cost: about 24 MiB of the device's memory; :16:8 takes less, and may be slower
|     source: https://docs.nvidia.com/cuda/cublas/index.html#results-reproducibility
|   memory-efficient attention (recorded: true)
|     where torch chooses it, its backward pass adds in any order
|     prevented by: torch.use_deterministic_algorithms(True), or torch.backends.cuda.enable_mem_efficient_sdp(False)
|     source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html
|   flash attention of torch (recorded: true)
|     where torch chooses it, its backward pass adds to the gradient of the queries in any order
|     prevented by: torch.use_deterministic_algorithms(True), or torch.backends.cuda.enable_flash_sdp(False)
|     source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html
|   hash seed of Python
|     each process goes through a set of texts in another order, and with it through features or files that come from one
|     prevented by: PYTHONHASHSEED=0
|     source: https://docs.python.org/3/using/cmdline.html#envvar-PYTHONHASHSEED
|   generator of Python
|     without a seed it gives other numbers in each run; whether it has one is not recorded
|     prevented by: random.seed(N), and run.facts({"seeds": {"python": N}}), which records it
|     source: https://docs.pytorch.org/docs/stable/notes/randomness.html#python
|   workers of a loader
|     each worker has generators of its own; torch seeds its own, Python's and NumPy's of them by that of the loader, and no others
|     prevented by: num_workers=0, or DataLoader(..., worker_init_fn=F, generator=torch.Generator().manual_seed(N)), where F seeds what it uses
|     source: https://docs.pytorch.org/docs/stable/notes/randomness.html#dataloader
|
| CONTROLLED
|   cuDNN attention, max-autotune, generator of torch, order of a loader's batches, number of threads, operations
|
| CANNOT ACT HERE
|   flash-attn, Transformer Engine, NCCL algorithm, backend of collectives, autotuning of compiled code, XLA on GPUs, TensorFlow, generator of NumPy
|
| ACTS ON ANOTHER MACHINE, NOT BETWEEN RUNS HERE
|   threads of a sum (recorded: 8)
|     sums are split over as many threads as there are here
|     prevented by: torch.set_num_threads(N), the same N everywhere
|     source: https://www.intel.com/content/www/us/en/docs/onemkl/developer-guide-linux/2025-1/set-env-var-for-cond-numerical-reproducibility.html
|   instructions of the processor
|     oneMKL chooses code by the processor; another one may add in another order
|     prevented by: MKL_CBWR=AVX2 or another that all of them have, and ATEN_CPU_CAPABILITY for torch's own kernels
|     cost: newer instructions are not used
|     source: https://www.intel.com/content/www/us/en/docs/onemkl/developer-guide-linux/2025-1/set-env-var-for-cond-numerical-reproducibility.html
|   TF32 (recorded: true)
|     matrix products round their inputs to 10 bits of mantissa on devices that have TF32, and on no other
|     prevented by: torch.backends.cuda.matmul.allow_tf32 = False
|     cost: matrix products of float32 are slower
|     source: https://docs.pytorch.org/docs/stable/notes/numerical_accuracy.html
|
| MAY ACT ON ANOTHER MACHINE
|   TF32 of convolutions
|     convolutions round their inputs to 10 bits of mantissa on devices that have TF32, and on no other
|     prevented by: torch.backends.cudnn.allow_tf32 = False
|     cost: convolutions of float32 are slower
|     source: https://docs.pytorch.org/docs/stable/notes/numerical_accuracy.html
|   reduced precision of sums
|     partial sums of a split matrix product are kept in bf16, and how it is split depends on the device
|     prevented by: torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
|     source: https://docs.pytorch.org/docs/stable/notes/numerical_accuracy.html
[1]
$ tscope check-determinism ./careful
| Nothing that was recorded is known to make two runs differ; 1 thing is unproved.
|
| UNPROVED
|   workers of a loader
|     each worker has generators of its own; torch seeds its own, Python's and NumPy's of them by that of the loader, and no others
|     prevented by: num_workers=0, or DataLoader(..., worker_init_fn=F, generator=torch.Generator().manual_seed(N)), where F seeds what it uses
|     source: https://docs.pytorch.org/docs/stable/notes/randomness.html#dataloader
|
| CONTROLLED
|   deterministic algorithms, cuDNN benchmark, cuDNN deterministic, cuBLAS workspace, memory-efficient attention, flash attention of torch, cuDNN attention, max-autotune, hash seed of Python, generator of Python, generator of torch, order of a loader's batches, number of threads, aten.index_add_.default, aten.avg_pool3d_backward.default, operations
|
| CANNOT ACT HERE
|   flash-attn, Transformer Engine, NCCL algorithm, backend of collectives, autotuning of compiled code, XLA on GPUs, TensorFlow, generator of NumPy
|
| ACTS ON ANOTHER MACHINE, NOT BETWEEN RUNS HERE
|   threads of a sum (recorded: 8)
|     sums are split over as many threads as there are here
|     prevented by: torch.set_num_threads(N), the same N everywhere
|     source: https://www.intel.com/content/www/us/en/docs/onemkl/developer-guide-linux/2025-1/set-env-var-for-cond-numerical-reproducibility.html
|   instructions of the processor
|     oneMKL chooses code by the processor; another one may add in another order
|     prevented by: MKL_CBWR=AVX2 or another that all of them have, and ATEN_CPU_CAPABILITY for torch's own kernels
|     cost: newer instructions are not used
|     source: https://www.intel.com/content/www/us/en/docs/onemkl/developer-guide-linux/2025-1/set-env-var-for-cond-numerical-reproducibility.html
|   TF32 (recorded: true)
|     matrix products round their inputs to 10 bits of mantissa on devices that have TF32, and on no other
|     prevented by: torch.backends.cuda.matmul.allow_tf32 = False
|     cost: matrix products of float32 are slower
|     source: https://docs.pytorch.org/docs/stable/notes/numerical_accuracy.html
|
| MAY ACT ON ANOTHER MACHINE
|   TF32 of convolutions
|     convolutions round their inputs to 10 bits of mantissa on devices that have TF32, and on no other
|     prevented by: torch.backends.cudnn.allow_tf32 = False
|     cost: convolutions of float32 are slower
|     source: https://docs.pytorch.org/docs/stable/notes/numerical_accuracy.html
|   reduced precision of sums
|     partial sums of a split matrix product are kept in bf16, and how it is split depends on the device
|     prevented by: torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
|     source: https://docs.pytorch.org/docs/stable/notes/numerical_accuracy.html
[3]
$ COLUMNS=60 tscope check-determinism ./silent
| Nothing that was recorded is known to make two runs differ;
| 24 things are unproved.
|
| UNPROVED
|   deterministic algorithms
|     kernels of torch may add numbers in any order (atomics),
|     such as those of scatter, index and convolution
|     prevented by: torch.use_deterministic_algorithms(True)
|     cost: operations are often slower; one that has no such
|     form raises an error
|     source:
|     https://docs.pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html
|   cuDNN benchmark
|     kernels of convolutions are chosen by their measured
|     speed in each run
|     prevented by: torch.backends.cudnn.benchmark = False
|     cost: possibly slower convolutions
|     source:
|     https://docs.pytorch.org/docs/stable/notes/randomness.html#cuda-convolution-benchmarking
|   cuDNN deterministic
|     the chosen kernel of a convolution may itself add
|     numbers in any order
|     prevented by: torch.backends.cudnn.deterministic = True
|     cost: possibly slower convolutions
|     source:
|     https://docs.pytorch.org/docs/stable/notes/randomness.html#cuda-convolution-determinism
|   cuBLAS workspace
|     cuBLAS may choose between algorithms where streams share
|     its workspace
|     prevented by: CUBLAS_WORKSPACE_CONFIG=:4096:8, before
|     CUDA is first used
|     cost: about 24 MiB of the device's memory; :16:8 takes
|     less, and may be slower
|     source:
|     https://docs.nvidia.com/cuda/cublas/index.html#results-reproducibility
|   memory-efficient attention
|     where torch chooses it, its backward pass adds in any
|     order
|     prevented by: torch.use_deterministic_algorithms(True),
|     or torch.backends.cuda.enable_mem_efficient_sdp(False)
|     source:
|     https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html
|   flash attention of torch
|     where torch chooses it, its backward pass adds to the
|     gradient of the queries in any order
|     prevented by: torch.use_deterministic_algorithms(True),
|     or torch.backends.cuda.enable_flash_sdp(False)
|     source:
|     https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html
|   cuDNN attention
|     where torch chooses it, cuDNN may choose an algorithm
|     that does not repeat
|     prevented by:
|     torch.backends.cuda.enable_cudnn_sdp(False)
|     source:
|     https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html
|   flash-attn
|     its backward pass adds to the gradient of the queries in
|     any order, unless it is called with deterministic=True
|     prevented by: deterministic=True where it is called;
|     FLASH_ATTENTION_DETERMINISTIC=1 with transformers
|     cost: the backward pass is slightly slower and takes
|     more memory; the forward pass always repeats
|     source: https://github.com/Dao-AILab/flash-attention
|   Transformer Engine
|     it may choose algorithms that do not repeat
|     prevented by: NVTE_ALLOW_NONDETERMINISTIC_ALGO=0
|     source:
|     https://docs.nvidia.com/megatron-core/developer-guide/nightly/user-guide/deterministic-training.html
|   NCCL algorithm
|     NCCL chooses the algorithm of a sum over ranks, and with
|     it its order, for each size and topology
|     prevented by: NCCL_ALGO=Ring
|     source:
|     https://docs.nvidia.com/megatron-core/developer-guide/nightly/user-guide/deterministic-training.html
|   backend of collectives
|     the order in which another backend sums over ranks is
|     not in the catalog
|     prevented by:
|     torch.distributed.init_process_group("nccl"), or "gloo"
|     source:
|     https://docs.nvidia.com/megatron-core/developer-guide/nightly/user-guide/deterministic-training.html
|   autotuning of compiled code
|     torch.compile chose kernels by their measured speed, and
|     sums differ between them
|     prevented by: torch.use_deterministic_algorithms(True),
|     which has Inductor choose without measuring
|     cost: kernels that the measurement would have found are
|     not used
|     source:
|     https://docs.pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html
|   max-autotune
|     torch.compile chooses the kernels of matrix products by
|     their measured speed in each run
|     prevented by: TORCHINDUCTOR_MAX_AUTOTUNE=0
|     cost: kernels that the measurement would have found are
|     not used
|     source:
|     https://docs.pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html
|   XLA on GPUs
|     XLA may compile a scatter to atomic additions, and
|     chooses kernels by their measured speed
|     prevented by:
|     XLA_FLAGS=--xla_gpu_exclude_nondeterministic_ops=true
|     source: https://github.com/openxla/xla/pull/12520
|   TensorFlow
|     operations run in parallel, and some kernels add in any
|     order
|     prevented by:
|     tf.config.experimental.enable_op_determinism()
|     cost: operations are slower
|     source:
|     https://www.tensorflow.org/api_docs/python/tf/config/experimental/enable_op_determinism
|   hash seed of Python
|     each process goes through a set of texts in another
|     order, and with it through features or files that come
|     from one
|     prevented by: PYTHONHASHSEED=0
|     source:
|     https://docs.python.org/3/using/cmdline.html#envvar-PYTHONHASHSEED
|   generator of Python
|     without a seed it gives other numbers in each run;
|     whether it has one is not recorded
|     prevented by: random.seed(N), and run.facts({"seeds":
|     {"python": N}}), which records it
|     source:
|     https://docs.pytorch.org/docs/stable/notes/randomness.html#python
|   generator of NumPy
|     without a seed it gives other numbers in each run;
|     whether it has one is not recorded
|     prevented by: numpy.random.seed(N), and
|     run.facts({"seeds": {"numpy": N}}), which records it
|     source:
|     https://docs.pytorch.org/docs/stable/notes/randomness.html#random-number-generators-in-other-libraries
|   generator of torch
|     its seed is not recorded
|     prevented by: torch.manual_seed(N)
|     source:
|     https://docs.pytorch.org/docs/stable/notes/randomness.html#pytorch-random-number-generator
|   workers of a loader
|     each worker has generators of its own; torch seeds its
|     own, Python's and NumPy's of them by that of the loader,
|     and no others
|     prevented by: num_workers=0, or DataLoader(...,
|     worker_init_fn=F,
|     generator=torch.Generator().manual_seed(N)), where F
|     seeds what it uses
|     source:
|     https://docs.pytorch.org/docs/stable/notes/randomness.html#dataloader
|   order of a loader's batches
|     batches come in the order in which workers happen to
|     have them
|     prevented by: DataLoader(..., in_order=True), which is
|     its default
|     source:
|     https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
|   number of threads
|     OpenMP may use another number of threads for each sum,
|     and splits it otherwise
|     prevented by: OMP_DYNAMIC=false
|     source:
|     https://gcc.gnu.org/onlinedocs/libgomp/OMP_005fDYNAMIC.html
|   operations
|     which operations ran is not recorded, so none of them is
|     known
|     prevented by: TSCOPE_OPERATIONS=0-1:aten in the
|     environment of a short run
|     source:
|     https://docs.pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html
|   catalog
|     no framework that the catalog knows is among the
|     recorded libraries
|
| MAY ACT ON ANOTHER MACHINE
|   threads of a sum
|     sums are split over as many threads as there are here
|     prevented by: torch.set_num_threads(N), the same N
|     everywhere
|     source:
|     https://www.intel.com/content/www/us/en/docs/onemkl/developer-guide-linux/2025-1/set-env-var-for-cond-numerical-reproducibility.html
|   instructions of the processor
|     oneMKL chooses code by the processor; another one may
|     add in another order
|     prevented by: MKL_CBWR=AVX2 or another that all of them
|     have, and ATEN_CPU_CAPABILITY for torch's own kernels
|     cost: newer instructions are not used
|     source:
|     https://www.intel.com/content/www/us/en/docs/onemkl/developer-guide-linux/2025-1/set-env-var-for-cond-numerical-reproducibility.html
|   TF32
|     matrix products round their inputs to 10 bits of
|     mantissa on devices that have TF32, and on no other
|     prevented by: torch.backends.cuda.matmul.allow_tf32 =
|     False
|     cost: matrix products of float32 are slower
|     source:
|     https://docs.pytorch.org/docs/stable/notes/numerical_accuracy.html
|   TF32 of convolutions
|     convolutions round their inputs to 10 bits of mantissa
|     on devices that have TF32, and on no other
|     prevented by: torch.backends.cudnn.allow_tf32 = False
|     cost: convolutions of float32 are slower
|     source:
|     https://docs.pytorch.org/docs/stable/notes/numerical_accuracy.html
|   reduced precision of sums
|     partial sums of a split matrix product are kept in bf16,
|     and how it is split depends on the device
|     prevented by:
|     torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction
|     = False
|     source:
|     https://docs.pytorch.org/docs/stable/notes/numerical_accuracy.html
|   topology of NCCL
|     rings follow the machine's topology: ranks that are
|     placed otherwise are summed in another order
|     prevented by: the same hosts and ranks, or
|     NCCL_TOPO_FILE
|     source:
|     https://docs.nvidia.com/megatron-core/developer-guide/nightly/user-guide/deterministic-training.html
[3]
$ tscope check-determinism ./nothing
! tscope: ./nothing: no such file or directory
[2]
