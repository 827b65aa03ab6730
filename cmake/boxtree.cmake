# The walk through a tree of boxes, compiled for machines of their own; which one runs is chosen at run time. No product and sum become one by themselves: keys
# of 64 bits are the same bits everywhere. After kernels.cmake, which knows what the compiler can.
set(BOXTREE ${CMAKE_CURRENT_SOURCE_DIR}/src/learn/neighbor/boxtree)
set(walk -ffp-contract=off)
if(NOT CLEAVE_SANITIZE) # under which -O3 takes a minute of compiling
  list(PREPEND walk -O3)
endif()
set_source_files_properties(${BOXTREE}_plain.c PROPERTIES COMPILE_OPTIONS "${walk}")
if(CLEAVE_HAS_AVX512)
  set_source_files_properties(${BOXTREE}.c PROPERTIES COMPILE_DEFINITIONS CLEAVE_X86_KERNELS)
  set_source_files_properties(${BOXTREE}_avx2.c PROPERTIES COMPILE_OPTIONS "${walk};${AVX2_FLAGS}")
  set_source_files_properties(${BOXTREE}_avx512.c PROPERTIES COMPILE_OPTIONS "${walk};${AVX512_FLAGS}")
endif()
