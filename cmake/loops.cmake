# Files of loops that are compiled for several instruction sets; one is chosen at run time. The
# order of a sum and its rounding must not change (no -fassociative-math, no contraction). "finite"
# and "no signed zeros" allow a maximum to become one instruction.
set(loops src/learn/kernel/loops)
set(loops_options -O3 -ffp-contract=off -ffinite-math-only -fno-signed-zeros -fno-trapping-math -fno-math-errno)
set_source_files_properties(${loops}_plain.c ${loops}_avx2.c ${loops}_avx512.c PROPERTIES COMPILE_OPTIONS "${loops_options}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(${loops}_plain.c ${loops}_avx2.c ${loops}_avx512.c PROPERTIES COMPILE_DEFINITIONS KERNEL_LOOPS_X86)
  set_source_files_properties(${loops}_avx2.c PROPERTIES COMPILE_OPTIONS "${loops_options};-mavx2;-mpopcnt")
  set_source_files_properties(
    ${loops}_avx512.c
    PROPERTIES
      COMPILE_OPTIONS
      "${loops_options};-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mavx512vpopcntdq;-mpopcnt;-mprefer-vector-width=512")
endif()

# Derivatives of losses, vectorized over rows.
set_source_files_properties(src/learn/tree/losses.c PROPERTIES COMPILE_OPTIONS "${loops_options}")

# The layers of a network: products are fused multiply-adds by intrinsics (plain: fmaf), everything else rounds each operation.
set(layers src/learn/network/layer_loops)
set_source_files_properties(${layers}_plain.c ${layers}_avx2.c ${layers}_avx512.c PROPERTIES COMPILE_OPTIONS "${loops_options}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(${layers}_plain.c ${layers}_avx2.c ${layers}_avx512.c PROPERTIES COMPILE_DEFINITIONS KERNEL_LOOPS_X86)
  set_source_files_properties(${layers}_avx2.c PROPERTIES COMPILE_OPTIONS "${loops_options};-mavx2;-mfma")
  set_source_files_properties(${layers}_avx512.c PROPERTIES COMPILE_OPTIONS "${loops_options};-mavx512f;-mfma;-mprefer-vector-width=512")
endif()

# Steps of a factorization: vectors of 16 floats, with every operation rounded.
set(ratings src/learn/factor/rating_loops)
set_source_files_properties(${ratings}_plain.c ${ratings}_avx2.c ${ratings}_avx512.c PROPERTIES COMPILE_OPTIONS "${loops_options}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(${ratings}_plain.c ${ratings}_avx2.c ${ratings}_avx512.c PROPERTIES COMPILE_DEFINITIONS KERNEL_LOOPS_X86)
  set_source_files_properties(${ratings}_avx2.c PROPERTIES COMPILE_OPTIONS "${loops_options};-mavx2")
  set_source_files_properties(${ratings}_avx512.c PROPERTIES COMPILE_OPTIONS "${loops_options};-mavx512f;-mprefer-vector-width=512")
endif()
