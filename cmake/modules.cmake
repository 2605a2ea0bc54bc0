# ydl_module(NAME SOURCES file... [PROTOS file...] [USES module...] [LIBS target...])
#
# One folder of src/ = one static library = one namespace. USES names the modules whose headers it may
# include; tools/check_layers.py reads these calls and fails `make check` on an include that is not named here
# or that points the wrong way. PROTOS are .proto files below the folder; src/hrpc/proto/x.proto is imported as
# "hrpc/proto/x.proto" and included as "hrpc/proto/x.pb.h".
function(ydl_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PROTOS;USES;LIBS" ${ARGN})
  add_library(ydl_${name} STATIC ${ARG_SOURCES})
  target_include_directories(ydl_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  set(used "")
  foreach(module IN LISTS ARG_USES)
    list(APPEND used ydl_${module})
  endforeach()
  target_link_libraries(ydl_${name} PUBLIC ${used} ${ARG_LIBS} PRIVATE ydl_options)
  if(ARG_PROTOS)
    ydl_generate_protos(${name} "${ARG_PROTOS}" "${ARG_USES}")
  endif()
endfunction()

# What protoc writes is compiled apart from the module, without our warnings.
function(ydl_generate_protos name protos used_modules)
  set(generated "")
  foreach(proto IN LISTS protos)
    string(REGEX REPLACE "\\.proto$" ".pb" stem ${PROJECT_BINARY_DIR}/gen/${name}/${proto})
    add_custom_command(
      OUTPUT ${stem}.cc ${stem}.h
      COMMAND protobuf::protoc --proto_path=${PROJECT_SOURCE_DIR}/src --cpp_out=${PROJECT_BINARY_DIR}/gen
              ${CMAKE_CURRENT_SOURCE_DIR}/${proto}
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${proto}
      VERBATIM)
    list(APPEND generated ${stem}.cc ${stem}.h)
  endforeach()
  add_library(ydl_${name}_proto STATIC ${generated})
  target_include_directories(ydl_${name}_proto SYSTEM PUBLIC ${PROJECT_BINARY_DIR}/gen)
  target_compile_options(ydl_${name}_proto PRIVATE -ffunction-sections -fdata-sections)
  target_link_libraries(ydl_${name}_proto PUBLIC ydl_protobuf)
  target_link_libraries(ydl_${name} PUBLIC ydl_${name}_proto)
  foreach(module IN LISTS used_modules)
    if(TARGET ydl_${module}_proto)
      target_link_libraries(ydl_${name}_proto PUBLIC ydl_${module}_proto)
    endif()
  endforeach()
endfunction()

# What `make test-quick` builds: the programs of the labels that it runs, and what those need.
add_custom_target(quick)

# ydl_unit_tests(NAME SOURCES file... USES module...): one GoogleTest program, label "unit".
function(ydl_unit_tests name)
  cmake_parse_arguments(ARG "" "LABEL" "SOURCES;USES;LIBS" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL unit)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  set(used "")
  foreach(module IN LISTS ARG_USES)
    list(APPEND used ydl_${module})
  endforeach()
  target_link_libraries(${name} PRIVATE ${used} ${ARG_LIBS} ydl_options GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  add_dependencies(quick ${name})
  if(ARG_LABEL STREQUAL "unit")
    # One process for all cases: starting one for each costs more than running them.
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS unit)
  else()
    gtest_discover_tests(${name} PROPERTIES LABELS ${ARG_LABEL} DISCOVERY_TIMEOUT 60)
  endif()
endfunction()

# ydl_fuzz_target(NAME SOURCE file CORPUS folder USES module...): a libFuzzer program in the fuzz preset; in every
# other preset a program that replays the corpus, label "fuzz".
function(ydl_fuzz_target name)
  cmake_parse_arguments(ARG "" "SOURCE;CORPUS" "USES" ${ARGN})
  set(used "")
  foreach(module IN LISTS ARG_USES)
    list(APPEND used ydl_${module})
  endforeach()
  if(YDL_FUZZ)
    add_executable(${name} ${ARG_SOURCE})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  else()
    add_executable(${name} ${ARG_SOURCE} ${PROJECT_SOURCE_DIR}/tests/fuzz/replay_main.cpp)
    add_test(NAME ${name} COMMAND ${name} ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_CORPUS})
    set_tests_properties(${name} PROPERTIES LABELS fuzz)
  endif()
  target_link_libraries(${name} PRIVATE ${used} ydl_options)
endfunction()
