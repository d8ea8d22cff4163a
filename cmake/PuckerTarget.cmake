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
  if(PUCKER_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
