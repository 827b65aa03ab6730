# Which machines the kernels of learn/linear, and the loop of read/libsvm, are compiled for. The vector forms are chosen at run time, so only their files may use such
# instructions. No file contracts a * b + c by itself: where that changes no bit they say so themselves.
include(CheckCCompilerFlag)
set(KERNELS ${CMAKE_CURRENT_SOURCE_DIR}/src/learn/linear/kernel)
set(AVX2_FLAGS -mavx2 -mfma)
set(AVX512_FLAGS ${AVX2_FLAGS} -mavx512f -mavx512bw -mavx512vl -mavx512dq)
# gcc remarks that vectors wider than the machine's registers would be passed otherwise elsewhere; none is passed.
check_c_compiler_flag(-Wno-psabi CLEAVE_HAS_PSABI)
set(common -ffp-contract=off $<$<BOOL:${CLEAVE_HAS_PSABI}>:-Wno-psabi>)
set_source_files_properties(${KERNELS}_plain.c PROPERTIES COMPILE_OPTIONS "${common}")

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
  string(REPLACE ";" " " flags "${AVX512_FLAGS}")
  check_c_compiler_flag("${flags}" CLEAVE_HAS_AVX512)
endif()
if(CLEAVE_HAS_AVX512)
  set_source_files_properties(${KERNELS}.c PROPERTIES COMPILE_DEFINITIONS CLEAVE_X86_KERNELS)
  set_source_files_properties(${KERNELS}_avx2.c PROPERTIES COMPILE_OPTIONS "${common};${AVX2_FLAGS}")
  set_source_files_properties(${KERNELS}_avx512.c PROPERTIES COMPILE_OPTIONS "${common};${AVX512_FLAGS}")
  set(LIBSVM ${CMAKE_CURRENT_SOURCE_DIR}/src/read/libsvm)
  set_source_files_properties(${LIBSVM}.c PROPERTIES COMPILE_DEFINITIONS CLEAVE_X86_KERNELS)
  set_source_files_properties(${LIBSVM}_avx2.c PROPERTIES COMPILE_OPTIONS "-mavx2;-mbmi;-mbmi2;-ffp-contract=off")
endif()
