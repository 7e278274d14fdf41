# How targets of this project are built: conclave_library, conclave_guest, conclave_test.
#
# Flags come from two interface targets rather than from global variables, because guest programs are never built with
# sanitizers (limits on address space would kill them) while guest code is also compiled into tests that are.

set(CONCLAVE_SANITIZE "" CACHE STRING "Sanitizers for host code and tests: address, thread, or empty")
option(CONCLAVE_FUZZ "Build fuzz targets with libFuzzer (clang only)" OFF)
if(CONCLAVE_FUZZ AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "CONCLAVE_FUZZ needs clang; the compiler is ${CMAKE_CXX_COMPILER_ID}. Use the asan preset.")
endif()

add_library(conclave_flags INTERFACE)
target_compile_features(conclave_flags INTERFACE cxx_std_20)
target_compile_options(conclave_flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers -Werror -fvisibility=hidden
  -ffunction-sections -fdata-sections
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor> $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 sees overlapping copies in std::string::insert and replace where there are none (GCC bug 105651).
  target_compile_options(conclave_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
target_include_directories(conclave_flags INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)

add_library(conclave_sanitizers INTERFACE)
if(CONCLAVE_SANITIZE STREQUAL "address")
  target_compile_options(conclave_sanitizers INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(conclave_sanitizers INTERFACE -fsanitize=address,undefined)
elseif(CONCLAVE_SANITIZE STREQUAL "thread")
  target_compile_options(conclave_sanitizers INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(conclave_sanitizers INTERFACE -fsanitize=thread)
elseif(CONCLAVE_SANITIZE)
  message(FATAL_ERROR "CONCLAVE_SANITIZE is '${CONCLAVE_SANITIZE}'; use address, thread, or nothing")
endif()

if(CONCLAVE_FUZZ)
  # The code under test reports what it covers; without that a fuzzer only guesses.
  target_compile_options(conclave_sanitizers INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Host code waits for guests, and a host carries the whole library: in the builds that are made to be installed it is compiled
# for size. g++ 12 then takes an empty std::optional for an uninitialized value; the other builds still warn.
set(CONCLAVE_INSTALLED_BUILD_TYPES Ci Release RelWithDebInfo MinSizeRel)
list(JOIN CONCLAVE_INSTALLED_BUILD_TYPES "," installed_build_types)
add_library(conclave_compact INTERFACE)
target_compile_options(conclave_compact INTERFACE $<$<CONFIG:${installed_build_types}>:-Os>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(conclave_compact INTERFACE $<$<CONFIG:${installed_build_types}>:-Wno-maybe-uninitialized>)
endif()

set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

# conclave_library(NAME [FAST] SOURCES ... [DEPENDS ...]): a static library of host or shared code, target conclave_NAME.
# FAST: what guests run over all of the data; built for speed, not for size.
function(conclave_library name)
  cmake_parse_arguments(arg "FAST" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(conclave_${name} STATIC ${arg_SOURCES})
  target_link_libraries(conclave_${name} PUBLIC conclave_flags ${arg_DEPENDS} PRIVATE conclave_sanitizers)
  if(NOT arg_FAST)
    target_link_libraries(conclave_${name} PRIVATE conclave_compact)
  endif()
endfunction()

# conclave_guest(NAME MAIN main.cc SOURCES ... [DEPENDS ...]): guest code, twice: program conclave-NAME, built without
# sanitizers, and library conclave_guest_NAME, built like host code, for tests.
function(conclave_guest name)
  cmake_parse_arguments(arg "" "MAIN" "SOURCES;DEPENDS" ${ARGN})
  conclave_library(guest_${name} FAST SOURCES ${arg_SOURCES} DEPENDS ${arg_DEPENDS})
  if(CONCLAVE_SANITIZE)
    # Dependencies that are our own are compiled with sanitizers there, so their sources are compiled again here.
    set(own_sources ${arg_SOURCES})
    set(foreign)
    foreach(dependency IN LISTS arg_DEPENDS)
      conclave_collect_sources(${dependency} own_sources foreign)
    endforeach()
    add_executable(conclave-${name} ${arg_MAIN} ${own_sources})
    target_link_libraries(conclave-${name} PRIVATE conclave_flags ${foreign})
  else()
    add_executable(conclave-${name} ${arg_MAIN})
    target_link_libraries(conclave-${name} PRIVATE conclave_guest_${name})
  endif()
  set_target_properties(conclave-${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/libexec/conclave)
  install(TARGETS conclave-${name} DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/conclave)
endfunction()

# Appends the sources of our own static library `target` and of those below it to the list named `sources_name`, and what is not
# ours to the list named `foreign_name`. (A parameter called like the list that a caller passes would hide that list.)
function(conclave_collect_sources target sources_name foreign_name)
  set(result_sources ${${sources_name}})
  set(result_foreign ${${foreign_name}})
  if(target MATCHES "^conclave_" AND TARGET ${target})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      get_target_property(files ${target} SOURCES)
      get_target_property(folder ${target} SOURCE_DIR)
      foreach(file IN LISTS files)
        cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${folder})
        list(APPEND result_sources ${file})
      endforeach()
      get_target_property(below ${target} INTERFACE_LINK_LIBRARIES)
      foreach(dependency IN LISTS below)
        if(NOT dependency MATCHES "^\\$<LINK_ONLY:conclave_(sanitizers|compact)>|^conclave_flags$")
          conclave_collect_sources(${dependency} result_sources result_foreign)
        endif()
      endforeach()
    endif()
  else()
    list(APPEND result_foreign ${target})
  endif()
  list(REMOVE_DUPLICATES result_sources)
  list(REMOVE_DUPLICATES result_foreign)
  set(${sources_name} ${result_sources} PARENT_SCOPE)
  set(${foreign_name} ${result_foreign} PARENT_SCOPE)
endfunction()

# conclave_test(NAME SOURCES ... [DEPENDS ...] [LABELS ...]): one test program for one folder; every TEST is a ctest test
# that may take five minutes, which only a hang does.
function(conclave_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;LABELS" ${ARGN})
  add_executable(${name}_test ${arg_SOURCES})
  target_link_libraries(${name}_test PRIVATE conclave_flags conclave_sanitizers ${arg_DEPENDS} GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name}_test PRIVATE
    CONCLAVE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" CONCLAVE_LIBEXEC_DIR="${PROJECT_BINARY_DIR}/libexec/conclave"
    CONCLAVE_BIN_DIR="${PROJECT_BINARY_DIR}/bin")
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  gtest_discover_tests(${name}_test DISCOVERY_MODE PRE_TEST TEST_PREFIX ${name}.
    PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 300)
endfunction()
