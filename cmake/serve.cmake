# src/serve, the server of `cleave serve`: part of the command, not of the library. It requires
# epoll (Linux); without it the verb reports that it is not supported.
option(CLEAVE_SERVE "build the server of `cleave serve` where there is epoll" ON)
include(CheckIncludeFile)
check_include_file(sys/epoll.h CLEAVE_HAS_EPOLL)
if(NOT CLEAVE_SERVE OR NOT CLEAVE_HAS_EPOLL)
  message(STATUS "No server: `cleave serve` is left out")
  return()
endif()

file(GLOB SERVE_SOURCES CONFIGURE_DEPENDS src/serve/*.c)
add_library(cleave_serve OBJECT ${SERVE_SOURCES})
target_include_directories(cleave_serve PRIVATE include src)
target_link_libraries(cleave_serve PRIVATE cleave_flags cleave_banned cleave_needs)
target_compile_definitions(cleave_front PRIVATE HAVE_SERVE)
list(APPEND FRONT $<TARGET_OBJECTS:cleave_serve>)
