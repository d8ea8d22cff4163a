/// Functions compiled for AVX2 as well, with the same results.
#pragma once

/// Compiles a function twice, the second time for AVX2; the version is chosen at load time. Both are bitwise identical:
/// no FMA, no arithmetic across SIMD lanes. With other compilers and under sanitizers, whose runtime is not up yet when
/// versions are chosen, it does nothing.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define PUCKER_TARGET_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define PUCKER_TARGET_CLONES
#endif
