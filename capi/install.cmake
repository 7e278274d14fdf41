# What a host is compiled against, besides the library: headers, conclave.pc, a CMake package, and the Python package.
include(CMakePackageConfigHelpers)

# From the folder `from` to the folder or file `to` of the installed tree, which may be moved as a whole.
function(relative_path_in_installation result from to)
  cmake_path(RELATIVE_PATH to BASE_DIRECTORY ${from} OUTPUT_VARIABLE path)
  set(${result} ${path} PARENT_SCOPE)
endfunction()

install(TARGETS conclave_shared EXPORT ConclaveTargets DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES conclave.h conclave.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# What descriptors and results are, for hosts that make them as protocol buffers.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/conclave/v1 DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/conclave
  FILES_MATCHING PATTERN "*.proto")

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Conclave)
install(EXPORT ConclaveTargets FILE ConclaveConfig.cmake NAMESPACE Conclave:: DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/ConclaveConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ConclaveConfigVersion.cmake DESTINATION ${package_folder})

relative_path_in_installation(CONCLAVE_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(conclave.pc.in ${CMAKE_CURRENT_BINARY_DIR}/conclave.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/conclave.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The Python package finds the library beside itself, where a link to the installed one lies.
set(python_folder ${CMAKE_INSTALL_DATADIR}/conclave/python)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/bindings/python/src/conclave DESTINATION ${python_folder}
  FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
relative_path_in_installation(library ${CMAKE_INSTALL_FULL_DATADIR}/conclave/python/conclave
  ${CMAKE_INSTALL_FULL_LIBDIR}/libconclave.so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
file(CREATE_LINK ${library} ${CMAKE_CURRENT_BINARY_DIR}/libconclave.so SYMBOLIC)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/libconclave.so DESTINATION ${python_folder}/conclave)
