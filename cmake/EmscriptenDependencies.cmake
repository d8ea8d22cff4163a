# Eigen, nlohmann's JSON and maxflow for emscripten: headers of this machine alone, as the system's libraries are for its own
# processor. Links keep the system's other headers out of sight.
set(system_headers ${PROJECT_BINARY_DIR}/system_headers)
file(MAKE_DIRECTORY ${system_headers})

function(system_library target folder marker)
  find_path(PUCKER_FOUND_${folder} ${marker} PATHS /usr/include /usr/include/${folder} REQUIRED NO_DEFAULT_PATH
            NO_CMAKE_FIND_ROOT_PATH)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  if(PUCKER_FOUND_${folder} STREQUAL /usr/include)
    file(CREATE_LINK /usr/include/${folder} ${system_headers}/${folder} SYMBOLIC)
    target_include_directories(${target} INTERFACE ${system_headers})
  else()
    target_include_directories(${target} INTERFACE ${PUCKER_FOUND_${folder}})
  endif()
endfunction()

system_library(Eigen3::Eigen eigen3 Eigen/Core)
system_library(nlohmann_json::nlohmann_json nlohmann nlohmann/json.hpp)
system_library(maxflow maxflow-3.0 maxflow.h)
# Its graphs of doubles are compiled with the sources that use them.
target_compile_definitions(maxflow INTERFACE MAXFLOW_INCLUDE_TEMPLATE_IMPLEMENTATION)
