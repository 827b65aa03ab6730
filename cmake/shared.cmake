# libcleave.so, with the versions of its symbols.
add_library(cleave_shared SHARED $<TARGET_OBJECTS:cleave_objects>)
set_target_properties(cleave_shared PROPERTIES OUTPUT_NAME cleave VERSION ${PROJECT_VERSION} SOVERSION 0
                                               EXPORT_NAME cleave)
target_link_libraries(cleave_shared PRIVATE cleave_needs)
target_include_directories(cleave_shared INTERFACE $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
                                                   $<INSTALL_INTERFACE:include>)
add_library(cleave::cleave ALIAS cleave_shared)
if(NOT CLEAVE_SANITIZE AND NOT CLEAVE_COVERAGE AND NOT APPLE)
  target_link_options(cleave_shared PRIVATE -Wl,-z,defs) # all symbols must be defined in the library
endif()

# Versions, from the public headers. Functions of <cleave.h> have the version of the binary
# interface. Functions of <cleave/expert.h> have the version of the release: a program that uses
# them runs only with the release with which it was built; with others, the loader reports an error.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS include/cleave.h include/cleave/expert.h
             include/cleave/active.h)
function(cleave_functions header result)
  file(READ ${CMAKE_CURRENT_SOURCE_DIR}/include/${header} text)
  string(REGEX MATCHALL "CLEAVE_API [^;(]*cleave_[a-z_0-9]+\\(" functions "${text}")
  string(REGEX REPLACE "CLEAVE_API [^;(]*(cleave_[a-z_0-9]+)\\(" "\\1" functions "${functions}")
  list(JOIN functions "; " functions)
  set(${result} "${functions}" PARENT_SCOPE)
endfunction()
cleave_functions(cleave.h core)
cleave_functions(cleave/expert.h expert)
cleave_functions(cleave/active.h active)
set(map ${CMAKE_CURRENT_BINARY_DIR}/cleave.map)
file(CONFIGURE OUTPUT ${map} CONTENT "CLEAVE_0 {\n  global: ${core};\n  local: *;\n};\n\
CLEAVE_EXPERT_${PROJECT_VERSION} {\n  global: ${expert}; ${active};\n};\n")
if(NOT APPLE)
  target_link_options(cleave_shared PRIVATE LINKER:--version-script=${map})
  set_property(TARGET cleave_shared APPEND PROPERTY LINK_DEPENDS ${map})
endif()
