/* SPDX-License-Identifier: MIT
 * Memory accesses of device scope: relaxed 64-bit words, and a fence. */
#ifndef XL_PRELUDE_DEVICE
#define XL_PRELUDE_DEVICE

#include "prelude.cl"

/* NVIDIA's OpenCL has no atomics of device scope, but its PTX has. */
#if defined(__NV_CL_C_VERSION)
ulong xl_relaxed_load(const __global ulong *from)
{
    ulong word;
    __asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
    return word;
}

void xl_relaxed_store(__global ulong *to, ulong word)
{
    __asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(to), "l"(word) : "memory");
}

/* Two words at once. They may be torn from each other, so each must be interpretable alone. */
ulong2 xl_relaxed_load2(const __global ulong *from)
{
    ulong2 words;
    __asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                   : "=l"(words.x), "=l"(words.y)
                   : "l"(from)
                   : "memory");
    return words;
}

void xl_relaxed_store2(__global ulong *to, ulong2 words)
{
    __asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};"
                   :
                   : "l"(to), "l"(words.x), "l"(words.y)
                   : "memory");
}

void xl_device_fence(void)
{
    __asm volatile("fence.acq_rel.gpu;" : : : "memory");
}
#else
ulong xl_relaxed_load(const __global ulong *from)
{
    return atomic_load_explicit((volatile __global atomic_ulong *)from, memory_order_relaxed,
                                memory_scope_device);
}

void xl_relaxed_store(__global ulong *to, ulong word)
{
    atomic_store_explicit((volatile __global atomic_ulong *)to, word, memory_order_relaxed,
                          memory_scope_device);
}

ulong2 xl_relaxed_load2(const __global ulong *from)
{
    return (ulong2)(xl_relaxed_load(from), xl_relaxed_load(from + 1));
}

void xl_relaxed_store2(__global ulong *to, ulong2 words)
{
    xl_relaxed_store(to, words.x);
    xl_relaxed_store(to + 1, words.y);
}

void xl_device_fence(void)
{
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
}
#endif

#endif
