# The examples, built as their README says and run over the example data.
find_package(Threads REQUIRED)
set(examples ${PROJECT_SOURCE_DIR}/examples)
set(weather ${examples}/data/seattle-weather.csv)
set(library_environment "CONCLAVE_LIBEXEC=${PROJECT_BINARY_DIR}/libexec/conclave")

add_executable(example_c_ask ${examples}/c/ask.c)
add_executable(example_c_own_model ${examples}/c/own_model.c)
add_executable(example_cpp_ask ${examples}/cpp/ask.cc)
foreach(program IN ITEMS example_c_ask example_c_own_model example_cpp_ask)
  target_link_libraries(${program} PRIVATE conclave_shared Threads::Threads)
  target_compile_options(${program} PRIVATE -Wall -Wextra -Werror)
endforeach()
target_compile_features(example_cpp_ask PRIVATE cxx_std_17)

add_test(NAME examples.c_ask COMMAND example_c_ask ${weather} "How many days had snow?")
add_test(NAME examples.cpp_ask COMMAND example_cpp_ask ${weather} "How many days had snow?")
add_test(NAME examples.python_ask COMMAND /usr/bin/python3 ${examples}/python/ask.py ${weather} "How many days had snow?")
add_test(NAME examples.c_own_model COMMAND example_c_own_model ${weather} "How many days had snow?"
  "${CMAKE_CURRENT_LIST_DIR}/scripted_model.py")
set_tests_properties(examples.c_ask examples.cpp_ask examples.python_ask examples.c_own_model PROPERTIES
  LABELS examples TIMEOUT 120 ENVIRONMENT
  "${library_environment};PYTHONPATH=${PROJECT_SOURCE_DIR}/bindings/python/src;PYTHONDONTWRITEBYTECODE=1;CONCLAVE_LIBRARY=$<TARGET_FILE:conclave_shared>")
set_tests_properties(examples.c_ask examples.cpp_ask examples.python_ask PROPERTIES PASS_REGULAR_EXPRESSION ": 26\\.")
set_tests_properties(examples.c_own_model PROPERTIES PASS_REGULAR_EXPRESSION "command-python: 26")
