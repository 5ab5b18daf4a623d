# ts_room(NAME SOURCES... LINK ...): a static library with our flags. ts_test(NAME SOURCES... LINK ...): one cmocka
# program, registered with ctest under its own name, run from the source tree's root. With PARTS a b it is registered as NAME_a
# and NAME_b, which get their part as an argument.
include(CMakeParseArguments)

function(ts_room name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ts_flags ${ARG_LINK})
endfunction()

function(ts_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ts_flags ${ARG_LINK})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
endfunction()

function(ts_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINK;LABELS;PARTS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ts_flags PkgConfig::CMOCKA ${ARG_LINK})
  set(tests ${name})
  list(TRANSFORM ARG_PARTS PREPEND ${name}_ OUTPUT_VARIABLE parts)
  if(ARG_PARTS)
    set(tests ${parts})
  endif()
  foreach(test ${tests})
    string(REGEX REPLACE "^${name}_?" "" part ${test})
    add_test(NAME ${test} COMMAND ${name} ${part} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${test} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}" ENVIRONMENT
      "TS_BUILD=${CMAKE_BINARY_DIR};ASAN_OPTIONS=exitcode=99:detect_leaks=1;LSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/lsan.supp:print_suppressions=0;TSAN_OPTIONS=ignore_noninstrumented_modules=1:exitcode=99")
  endforeach()
endfunction()

# ts_fuzz(NAME SOURCES... LINK ...): SOURCES hold LLVMFuzzerTestOneInput. With TS_FUZZ a libFuzzer program, part of the target
# fuzz_targets; else one that replays tests/fuzz/corpus/NAME, registered with ctest as NAME_corpus.
if(TS_FUZZ)
  add_custom_target(fuzz_targets)
endif()
function(ts_fuzz name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  list(APPEND ARG_SOURCES ${CMAKE_SOURCE_DIR}/tests/fuzz/fuzz_files.c)
  if(TS_FUZZ)
    add_executable(${name} ${ARG_SOURCES})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/targets)
    add_dependencies(fuzz_targets ${name})
  else()
    add_executable(${name} ${ARG_SOURCES} ${CMAKE_SOURCE_DIR}/tests/fuzz/replay_main.c)
    add_test(NAME ${name}_corpus COMMAND ${name} tests/fuzz/corpus/${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${name}_corpus PROPERTIES TIMEOUT 300 LABELS fuzz ENVIRONMENT
      "ASAN_OPTIONS=exitcode=99:detect_leaks=1;LSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/lsan.supp:print_suppressions=0")
  endif()
  target_link_libraries(${name} PRIVATE ts_flags ${ARG_LINK})
endfunction()
