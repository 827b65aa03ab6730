# cleave-mpi: src/mpi, and the flags and output code of the command without its main. Omitted, with
# a message, if CMake finds no MPI.
option(CLEAVE_MPI "build cleave-mpi where there is an MPI" ON)
if(CLEAVE_MPI)
  find_package(MPI QUIET COMPONENTS C)
endif()
if(NOT CLEAVE_MPI OR NOT MPI_C_FOUND)
  message(STATUS "No MPI: cleave-mpi is left out (on Debian: libopenmpi-dev openmpi-bin)")
  return()
endif()

file(GLOB MPI_SOURCES CONFIGURE_DEPENDS src/mpi/*.c)
add_executable(cleave-mpi ${MPI_SOURCES} ${FRONT})
target_include_directories(cleave-mpi PRIVATE include src)
target_include_directories(cleave-mpi SYSTEM PRIVATE ${MPI_C_INCLUDE_DIRS})
target_link_libraries(cleave-mpi PRIVATE cleave_flags cleave_banned cleave_static ${MPI_C_LIBRARIES})
