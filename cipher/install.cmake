# SPDX-License-Identifier: MIT
#
# Libraries, headers, a pkg-config file, and a CMake package with the targets tqcipher::tqcipher and,
# if it was built, tqcipher::tqcipher_shared.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tqcipher)
set(targets tqcipher)
if(TQCIPHER_SHARED)
  list(APPEND targets tqcipher_shared)
endif()

install(TARGETS ${targets} EXPORT tqcipher
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tqcipher)
install(FILES ${TQCIPHER_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tqcipher)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT tqcipher NAMESPACE tqcipher:: FILE tqcipher-config.cmake DESTINATION ${package_dir})
write_basic_package_version_file(tqcipher-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tqcipher-config-version.cmake DESTINATION ${package_dir})

if(TQCIPHER_SHARED)
  set(TQCIPHER_CFLAGS -DTQ_CIPHER_SHARED)
endif()

# The prefix is where the file was found, so that all of it may be moved. That is not known if the
# file's folder is not below the prefix.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" /)
  string(REGEX REPLACE "/$" "" pc_prefix "\${pcfiledir}/${up}")
endif()
set(pc_libdir "${CMAKE_INSTALL_LIBDIR}")
set(pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
foreach(folder pc_libdir pc_includedir)
  if(NOT IS_ABSOLUTE "${${folder}}")
    string(PREPEND ${folder} "\${prefix}/")
  endif()
endforeach()
foreach(folder pc_prefix pc_libdir pc_includedir)
  string(REPLACE " " "\\ " ${folder} "${${folder}}") # as pkgconf has it in pcfiledir
endforeach()
configure_file(tqcipher.pc.in tqcipher.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tqcipher.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
