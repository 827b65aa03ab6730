# The instruction sets for which the kernels of learn/linear, and the loops of learn/neighbor/scan,
# learn/neighbor/rtree, read/libsvm and text/marks, are compiled. The vector forms are chosen at run
# time, so only their files may use such instructions. No file contracts a * b + c automatically;
# where a contraction is exact, the code requests it.
include(CheckCCompilerFlag)
set(KERNELS ${CMAKE_CURRENT_SOURCE_DIR}/src/learn/linear/kernel)
set(AVX2_FLAGS -mavx2 -mfma)
set(AVX512_FLAGS ${AVX2_FLAGS} -mavx512f -mavx512bw -mavx512vl -mavx512dq)
# gcc warns that vectors wider than the registers are passed differently on other machines; none is
# passed.
check_c_compiler_flag(-Wno-psabi CLEAVE_HAS_PSABI)
set(common -ffp-contract=off $<$<BOOL:${CLEAVE_HAS_PSABI}>:-Wno-psabi>)
set_source_files_properties(${KERNELS}_plain.c PROPERTIES COMPILE_OPTIONS "${common}")
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/learn/neighbor/distance.c PROPERTIES COMPILE_OPTIONS "-O3;-ffp-contract=off")
# The loops of the adaptive learner: contiguous arrays, which SSE2 suits; square roots without errno.
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/learn/linear/adaptive.c PROPERTIES COMPILE_OPTIONS "-O3;-ffp-contract=off;-fno-math-errno")
# The loops of the VA-file (learn/neighbor), and the functions of its bounds: a product and a sum
# are rounded separately everywhere.
set(VAFILE ${CMAKE_CURRENT_SOURCE_DIR}/src/learn/neighbor/vafile)
set(VNNI_FLAGS ${AVX512_FLAGS} -mavx512vnni)
set_source_files_properties(${VAFILE}.c ${VAFILE}_build.c ${VAFILE}_choose.c ${VAFILE}_map.c ${VAFILE}_plain.c
                            PROPERTIES COMPILE_OPTIONS "${common};-O3")
set(NARROW ${CMAKE_CURRENT_SOURCE_DIR}/src/learn/neighbor/narrow)
set_source_files_properties(${NARROW}.c ${NARROW}_plain.c PROPERTIES COMPILE_OPTIONS "-O3")
set(IVF ${CMAKE_CURRENT_SOURCE_DIR}/src/learn/neighbor/ivf)
set_source_files_properties(${IVF}.c ${IVF}_build.c ${IVF}_code.c PROPERTIES COMPILE_OPTIONS "${common};-O3;-fno-math-errno")

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
  string(REPLACE ";" " " flags "${VNNI_FLAGS}")
  check_c_compiler_flag("${flags}" CLEAVE_HAS_AVX512)
endif()
if(CLEAVE_HAS_AVX512)
  set_source_files_properties(${KERNELS}.c PROPERTIES COMPILE_DEFINITIONS CLEAVE_X86_KERNELS)
  set_source_files_properties(${KERNELS}_avx2.c PROPERTIES COMPILE_OPTIONS "${common};${AVX2_FLAGS}")
  set_source_files_properties(${KERNELS}_avx512.c PROPERTIES COMPILE_OPTIONS "${common};${AVX512_FLAGS}")
  set(SCAN ${CMAKE_CURRENT_SOURCE_DIR}/src/learn/neighbor/scan)
  set_source_files_properties(${SCAN}.c PROPERTIES COMPILE_DEFINITIONS CLEAVE_X86_KERNELS)
  set_source_files_properties(${SCAN}_avx2.c PROPERTIES COMPILE_OPTIONS "-O2;${AVX2_FLAGS}")
  set_source_files_properties(${SCAN}_avx512.c PROPERTIES COMPILE_OPTIONS "-O2;${AVX512_FLAGS}")
  set_source_files_properties(${NARROW}.c PROPERTIES COMPILE_DEFINITIONS CLEAVE_X86_KERNELS)
  set_source_files_properties(${NARROW}_avx2.c PROPERTIES COMPILE_OPTIONS "-O3;${AVX2_FLAGS};-mf16c")
  set_source_files_properties(${VAFILE}_kernel.c PROPERTIES COMPILE_DEFINITIONS CLEAVE_X86_KERNELS)
  set_source_files_properties(${VAFILE}_avx2.c PROPERTIES COMPILE_OPTIONS "${common};-O3;${AVX2_FLAGS}")
  set_source_files_properties(${VAFILE}_avx512.c PROPERTIES COMPILE_OPTIONS "${common};-O3;${AVX512_FLAGS}")
  set_source_files_properties(${VAFILE}_vnni.c PROPERTIES COMPILE_OPTIONS "${common};-O3;${VNNI_FLAGS}")
  set(LIBSVM ${CMAKE_CURRENT_SOURCE_DIR}/src/read/libsvm)
  set_source_files_properties(${LIBSVM}.c PROPERTIES COMPILE_DEFINITIONS CLEAVE_X86_KERNELS)
  set_source_files_properties(${LIBSVM}_avx2.c PROPERTIES COMPILE_OPTIONS "-mavx2;-mbmi;-mbmi2;-ffp-contract=off")
  set(MARKS ${CMAKE_CURRENT_SOURCE_DIR}/src/text/marks)
  set_source_files_properties(${MARKS}.c PROPERTIES COMPILE_DEFINITIONS CLEAVE_X86_KERNELS)
  set_source_files_properties(${MARKS}_avx2.c PROPERTIES COMPILE_OPTIONS -mavx2)
  set(RTREE ${CMAKE_CURRENT_SOURCE_DIR}/src/learn/neighbor/rtree)
  set_source_files_properties(${RTREE}_plain.c PROPERTIES COMPILE_DEFINITIONS CLEAVE_X86_KERNELS)
  set_source_files_properties(${RTREE}_avx2.c PROPERTIES COMPILE_OPTIONS "-mavx2;-ffp-contract=off")
  set_source_files_properties(${RTREE}_avx512.c PROPERTIES COMPILE_OPTIONS "-ffp-contract=off;${AVX512_FLAGS}")
endif()
