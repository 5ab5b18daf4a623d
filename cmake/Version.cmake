# The text of base/version.h, which each build writes where it differs.
find_package(Git QUIET)

add_custom_target(ts_version_text BYPRODUCTS ${CMAKE_BINARY_DIR}/version/base/version_text.h
  COMMAND ${CMAKE_COMMAND} -DVERSION=${PROJECT_VERSION}${TS_STAGE} -DGIT=${GIT_EXECUTABLE} -DSOURCE=${CMAKE_SOURCE_DIR}
    -DINTO=${CMAKE_BINARY_DIR}/version/base/version_text.h -P ${CMAKE_SOURCE_DIR}/cmake/write_version.cmake)
