# Versions of the symbols of libcleave.so, from the public headers. Functions of <cleave.h> have the version of the
# binary interface. Functions of <cleave/expert.h> have the version of the release: a program that uses them runs with
# the release it was built with, or is refused by the loader.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS include/cleave.h include/cleave/expert.h)
function(cleave_functions header result)
  file(READ ${CMAKE_CURRENT_SOURCE_DIR}/include/${header} text)
  string(REGEX MATCHALL "CLEAVE_API [^;(]*cleave_[a-z_0-9]+\\(" functions "${text}")
  string(REGEX REPLACE "CLEAVE_API [^;(]*(cleave_[a-z_0-9]+)\\(" "\\1" functions "${functions}")
  list(JOIN functions "; " functions)
  set(${result} "${functions}" PARENT_SCOPE)
endfunction()
cleave_functions(cleave.h core)
cleave_functions(cleave/expert.h expert)
set(map ${CMAKE_CURRENT_BINARY_DIR}/cleave.map)
file(CONFIGURE OUTPUT ${map} CONTENT "CLEAVE_0 {\n  global: ${core};\n  local: *;\n};\n\
CLEAVE_EXPERT_${PROJECT_VERSION} {\n  global: ${expert};\n};\n")
if(NOT APPLE)
  target_link_options(cleave_shared PRIVATE LINKER:--version-script=${map})
  set_property(TARGET cleave_shared APPEND PROPERTY LINK_DEPENDS ${map})
endif()
