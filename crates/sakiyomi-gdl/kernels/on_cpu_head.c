/* What tests put before a kernel to run it on this processor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define __global__
#define __device__
#define __forceinline__ inline
#define __noinline__
#define __restrict__
#define __launch_bounds__(n)
#define __popc(x) __builtin_popcount(x)
#define __ffs(x) __builtin_ffs(x)
#define __ldg(x) (*(x))
typedef struct { unsigned int x, y, z, w; } uint4;
static struct { unsigned int x; } threadIdx, blockIdx, blockDim, gridDim;
static void atomicAdd(unsigned long long *to, unsigned long long n) { *to += n; }
