# The core for other projects: headers, static libraries, and what find_package(pucker) reads.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/pucker)

function(pucker_install target name)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS ${target} EXPORT pucker-${name}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development NAMELINK_COMPONENT development
          RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT development)
  install(EXPORT pucker-${name} NAMESPACE pucker:: DESTINATION ${package_dir} FILE pucker-${name}.cmake
          COMPONENT development)
endfunction()

target_include_directories(pucker_core INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
pucker_install(pucker_core core)
if(PUCKER_IO)
  pucker_install(pucker_io io)
  foreach(name c c_static)
    target_include_directories(pucker_${name} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    pucker_install(pucker_${name} ${name})
  endforeach()
  # What a linker of C must be told of besides the static libraries.
  set(runtime ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
  list(FILTER runtime INCLUDE REGEX "^(stdc\\+\\+|c\\+\\+|m)$")
  list(REMOVE_DUPLICATES runtime)
  set(private_libraries pucker_io pucker_core assimp ${libzip_LIBRARIES} ${maxflow_LIBRARIES} ${runtime})
  list(TRANSFORM private_libraries PREPEND -l)
  list(JOIN private_libraries " " private_libraries)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/pucker.pc.in pucker.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pucker.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT development)
endif()
install(DIRECTORY include/pucker DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/pucker-config.cmake.in pucker-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(pucker-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pucker-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/pucker-config-version.cmake
        DESTINATION ${package_dir} COMPONENT development)
