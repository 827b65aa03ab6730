# What our code is compiled and linked with, as three interface targets:
#   cleave_flags    warnings, feature-test macros, sanitizers
#   cleave_needs    the libraries libcleave stands on
#   cleave_banned   src/base/banned.h before every file, in sanitizer builds: the plain build shows missing includes
#                   (banned.h includes much), this one shows functions nobody should call
add_library(cleave_flags INTERFACE)
target_compile_options(cleave_flags INTERFACE -Wall -Wextra -Wpedantic $<$<BOOL:${CLEAVE_WERROR}>:-Werror>)
target_compile_definitions(cleave_flags INTERFACE _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE)

if(CLEAVE_SANITIZE)
  set(CMAKE_C_FLAGS_RELEASE "-O1 -g")
  add_compile_options(-fsanitize=${CLEAVE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
                      -U_FORTIFY_SOURCE)
  add_link_options(-fsanitize=${CLEAVE_SANITIZE})
endif()
if(CLEAVE_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "libFuzzer comes with clang: use the preset 'fuzz', or -DCMAKE_C_COMPILER=clang-14")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

add_library(cleave_needs INTERFACE)
set(CLEAVE_PKG_PRIVATE "-lz")
target_link_libraries(cleave_needs INTERFACE ZLIB::ZLIB)
if(ZSTD_LIBRARY AND ZSTD_INCLUDE)
  target_compile_definitions(cleave_needs INTERFACE HAVE_ZSTD)
  target_include_directories(cleave_needs SYSTEM INTERFACE ${ZSTD_INCLUDE})
  target_link_libraries(cleave_needs INTERFACE ${ZSTD_LIBRARY})
  string(APPEND CLEAVE_PKG_PRIVATE " -lzstd")
endif()
if(CLEAVE_LAPACK AND OPENBLAS_LIBRARY)
  target_compile_definitions(cleave_needs INTERFACE HAVE_LAPACK="OpenBLAS")
  target_link_libraries(cleave_needs INTERFACE ${OPENBLAS_LIBRARY})
  string(APPEND CLEAVE_PKG_PRIVATE " -lopenblas")
elseif(CLEAVE_LAPACK AND LAPACK_LIBRARY AND BLAS_LIBRARY)
  target_compile_definitions(cleave_needs INTERFACE HAVE_LAPACK="LAPACK")
  target_link_libraries(cleave_needs INTERFACE ${LAPACK_LIBRARY} ${BLAS_LIBRARY})
  string(APPEND CLEAVE_PKG_PRIVATE " -llapack -lblas")
endif()
target_link_libraries(cleave_needs INTERFACE Threads::Threads m)
string(APPEND CLEAVE_PKG_PRIVATE " -lpthread -lm")

add_library(cleave_banned INTERFACE)
if(CLEAVE_SANITIZE)
  target_compile_options(cleave_banned INTERFACE -include ${CMAKE_CURRENT_SOURCE_DIR}/src/base/banned.h)
endif()
