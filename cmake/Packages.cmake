# Debian packages by CPack: `tscope`, the client, and `tscoped`, the server. `./dev package` makes them of the release build, whose
# programs need no library but libc, so they install on a bare system. deploy/files says what is in them.

file(STRINGS ${CMAKE_SOURCE_DIR}/deploy/files rows REGEX "^[^#]")
foreach(row ${rows})
  string(REGEX MATCHALL "[^ ]+" cells ${row})
  list(GET cells 0 package)
  list(GET cells 1 mode)
  list(GET cells 2 from)
  list(GET cells 3 place)
  if(from MATCHES "^BUILD/(.*)")
    install(TARGETS ${CMAKE_MATCH_1} RUNTIME DESTINATION bin COMPONENT ${package} EXCLUDE_FROM_ALL)
  elseif(from MATCHES "[*]")
    file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${from})
    install(FILES ${files} DESTINATION ${place} COMPONENT ${package} EXCLUDE_FROM_ALL)
  else()
    cmake_path(GET place PARENT_PATH folder)
    cmake_path(GET place FILENAME name)
    install(FILES ${CMAKE_SOURCE_DIR}/${from} DESTINATION ${folder} RENAME ${name} COMPONENT ${package} EXCLUDE_FROM_ALL)
  endif()
endforeach()
# A configuration that dpkg keeps when it was edited (deploy/deb/conffiles).
install(FILES deploy/tscoped.conf DESTINATION /etc/tscope COMPONENT tscoped EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tscope)
set(CPACK_PACKAGE_CONTACT "tscope maintainers <maintainers@tscope.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/package)
set(CPACK_COMPONENTS_ALL tscope tscoped)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_TSCOPE_PACKAGE_NAME tscope)
set(CPACK_DEBIAN_TSCOPE_PACKAGE_SUGGESTS openssh-client)
# The libraries are loaded where a store lies in a database, or its packs in a bucket.
set(CPACK_DEBIAN_TSCOPED_PACKAGE_SUGGESTS "tscope, libpq5, libcurl4")
set(CPACK_DEBIAN_TSCOPED_PACKAGE_NAME tscoped)
set(CPACK_COMPONENT_TSCOPE_DESCRIPTION "git for training runs: the command line
Pushes runs of a training to a server or a local store, finds the step at which two
of them part and why, and tests whether one is really slower.")
set(CPACK_COMPONENT_TSCOPED_DESCRIPTION "git for training runs: the server
Keeps the runs of a team in a content-addressed store and answers the questions of
tscope about them.")
set(CPACK_DEBIAN_TSCOPED_PACKAGE_CONTROL_EXTRA
  ${CMAKE_SOURCE_DIR}/deploy/deb/conffiles
  ${CMAKE_SOURCE_DIR}/deploy/deb/postinst
  ${CMAKE_SOURCE_DIR}/deploy/deb/prerm
  ${CMAKE_SOURCE_DIR}/deploy/deb/postrm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
