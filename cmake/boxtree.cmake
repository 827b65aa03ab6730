# The search of a tree of boxes, compiled for several instruction sets; one is chosen at run time.
# Products and sums are not contracted, so that keys of 64 bits are bit-identical everywhere.
# Included after kernels.cmake, which tests the compiler.
set(BOXTREE ${CMAKE_CURRENT_SOURCE_DIR}/src/learn/neighbor/boxtree)
set(walk -ffp-contract=off)
if(NOT CLEAVE_SANITIZE) # with which -O3 takes a minute to compile
  list(PREPEND walk -O3)
endif()
set_source_files_properties(${BOXTREE}_plain.c PROPERTIES COMPILE_OPTIONS "${walk}")
if(CLEAVE_HAS_AVX512)
  set_source_files_properties(${BOXTREE}.c PROPERTIES COMPILE_DEFINITIONS CLEAVE_X86_KERNELS)
  set_source_files_properties(${BOXTREE}_avx2.c PROPERTIES COMPILE_OPTIONS "${walk};${AVX2_FLAGS}")
  set_source_files_properties(${BOXTREE}_avx512.c PROPERTIES COMPILE_OPTIONS "${walk};${AVX512_FLAGS}")
endif()
