#!/usr/bin/env python3
"""large.py BUILD [EVENTS]: a made trace of so many million events (5) is analyzed, in memory that is in proportion to them."""
import os
import resource
import subprocess
import sys
import tempfile

TSCOPE, MILLIONS = os.path.join(os.path.abspath(sys.argv[1]), "tscope"), float(sys.argv[2]) if len(sys.argv) > 2 else 5
LAUNCHES = int(MILLIONS * 1e6 / 3)


def write(path):
    with open(path, "w", encoding="utf-8") as f:
        f.write('{"traceEvents": [')
        for i in range(LAUNCHES):
            at = 10 * i
            f.write(f'{"," if i else ""}{{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":{at},"dur":9}},'
                    f'{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{at + 1},"dur":2,"args":{{"correlation":{i}}}}},'
                    f'{{"ph":"X","cat":"kernel","name":"sgemm","pid":0,"tid":7,"ts":{at + 4},"dur":5,"args":{{"device":0,"stream":7,"correlation":{i}}}}}\n')
        f.write("]}")


with tempfile.TemporaryDirectory() as folder:
    trace = os.path.join(folder, "large.json")
    write(trace)
    done = subprocess.run([TSCOPE, "analyze", trace], capture_output=True, text=True, check=False)
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
print(f"{3 * LAUNCHES} events: {used / 1e9:.2f} GB, {used / 3 / LAUNCHES:.0f} bytes each; exit code {done.returncode} {done.stderr.strip()}")
sys.exit(done.returncode or used > 800 * 3 * LAUNCHES)
