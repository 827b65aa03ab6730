# make install: the command, both libraries, the headers, the CMake package, cleave.pc and the man page. cleave.pc finds its prefix from where
# it lies, so that --prefix and DESTDIR may be chosen after the build.
set(CMAKE_INSTALL_LIBDIR lib CACHE PATH "where libraries go, below the prefix")
include(GNUInstallDirs)

configure_file(cmake/cleave.pc.in cleave.pc @ONLY)
install(TARGETS cleave_static cleave_shared cleave_needs EXPORT cleave-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# find_package(cleave) defines cleave::cleave (shared) and cleave::cleave_static.
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/cleave)
install(EXPORT cleave-targets NAMESPACE cleave:: DESTINATION ${package})
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/cleave-config.cmake "include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(ZLIB)
include(\${CMAKE_CURRENT_LIST_DIR}/cleave-targets.cmake)
")
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/cleave-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/cleave-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/cleave-config-version.cmake
        DESTINATION ${package})
install(FILES include/cleave.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES include/cleave/expert.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cleave)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/cleave.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET cleave)
  install(TARGETS cleave RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET cleave-mpi)
  install(TARGETS cleave-mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET cleave AND NOT CLEAVE_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  # The command writes its own man page, from the tables its help comes from.
  set(page ${CMAKE_CURRENT_BINARY_DIR}/cleave.1)
  add_custom_command(OUTPUT ${page} COMMAND cleave help --man > ${page} DEPENDS cleave VERBATIM)
  add_custom_target(cleave_man ALL DEPENDS ${page})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  # And its completion for bash.
  set(completion ${CMAKE_CURRENT_BINARY_DIR}/cleave.bash)
  add_custom_command(OUTPUT ${completion} COMMAND cleave help --completion > ${completion} DEPENDS cleave VERBATIM)
  add_custom_target(cleave_completion ALL DEPENDS ${completion})
  install(FILES ${completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME cleave)
endif()
