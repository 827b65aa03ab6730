# make install: the command, both libraries, the header, cleave.pc and the man page. cleave.pc finds its prefix from where
# it lies, so that --prefix and DESTDIR may be chosen after the build.
set(CMAKE_INSTALL_LIBDIR lib CACHE PATH "where libraries go, below the prefix")
include(GNUInstallDirs)

configure_file(cmake/cleave.pc.in cleave.pc @ONLY)
install(TARGETS cleave_static cleave_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
                                            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
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
