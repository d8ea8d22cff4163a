# Compiles sources together, `together` at a time, if PUCKER_UNITY is on: headers are read, and inline functions
# compiled, once for all of them. Sources named like NAME*.cpp for a NAME of `ARGN` open a namespace of the project's as a
# whole, and are compiled with each other only.
function(pucker_compile_together target together)
  get_target_property(rest ${target} SOURCES)
  foreach(name IN LISTS ARGN)
    set(own ${rest})
    list(FILTER own INCLUDE REGEX "/${name}[^/]*\\.cpp$")
    list(REMOVE_ITEM rest ${own})
    set_source_files_properties(${own} PROPERTIES UNITY_GROUP ${name})
  endforeach()
  set(count 0)
  foreach(source IN LISTS rest)
    math(EXPR group "${count} / ${together}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    math(EXPR count "${count} + 1")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${PUCKER_UNITY} UNITY_BUILD_MODE GROUP)
endfunction()

# The settings every target of the project shares. They are set on the target, never globally, so that a project
# which includes pucker keeps its own.
function(pucker_target_settings target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON
                                             CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  if(MSVC)
    target_compile_options(${target} PRIVATE /utf-8 /bigobj /fp:precise)
    target_compile_definitions(${target} PRIVATE NOMINMAX _USE_MATH_DEFINES)
    return()
  endif()
  # Contracting a*b+c into one rounding would make results differ between processors.
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -ffp-contract=off)
  if(EMSCRIPTEN)
    # What is 64 bits wide elsewhere, as sizes and Eigen's indices, has 32 there.
    target_compile_options(${target} PRIVATE -Wno-shorten-64-to-32 -include ${PROJECT_SOURCE_DIR}/cpp/wasm/cpp20.h)
  endif()
  if(PUCKER_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
