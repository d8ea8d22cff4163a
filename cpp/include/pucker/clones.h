/// Functions whose loops go over several numbers at once, on processors that can.
#pragma once

/// A function that is compiled twice, the second time for AVX2, of which the processor chooses when the program starts.
/// Its lanes do not mix and nothing is contracted, so that both give the same bits. Elsewhere it is as any other:
/// sanitizers cannot have functions that are chosen before they have begun.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define PUCKER_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define PUCKER_CLONES
#endif
