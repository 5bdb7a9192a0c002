# How this project declares its targets: one language level, one set of warnings, one place to build into.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}/lockstep")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(LOCKSTEP_CCACHE ccache)
if(LOCKSTEP_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${LOCKSTEP_CCACHE})
endif()
find_program(LOCKSTEP_MOLD mold)
if(LOCKSTEP_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

add_library(lockstep_options INTERFACE)
target_compile_options(lockstep_options INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wno-sign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms of GCC 12: -Wrestrict within std::string (bug 105329), -Wuninitialized within the AVX-512 intrinsics
  # (bug 105593).
  target_compile_options(lockstep_options INTERFACE -Wno-restrict -Wno-uninitialized -Wno-maybe-uninitialized)
endif()
if(LOCKSTEP_WERROR)
  target_compile_options(lockstep_options INTERFACE -Werror)
endif()
if(LOCKSTEP_SANITIZE)
  add_compile_options(-fsanitize=${LOCKSTEP_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${LOCKSTEP_SANITIZE})
endif()

# lockstep_core_library(NAME [DEPENDS component ...] [LINK library ...])
# One folder of core/ as the static library lockstep_NAME. What a folder may include is exactly what it names here.
function(lockstep_core_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp *.h)
  if(NOT sources MATCHES "\\.cpp")
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp "")
    list(APPEND sources ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp)
  endif()
  add_library(lockstep_${name} STATIC ${sources})
  target_include_directories(lockstep_${name} PUBLIC ${CMAKE_SOURCE_DIR}/core)
  list(TRANSFORM ARG_DEPENDS PREPEND lockstep_)
  target_link_libraries(lockstep_${name} PUBLIC ${ARG_DEPENDS} ${ARG_LINK} PRIVATE lockstep_options)
endfunction()

# lockstep_embed(TARGET FOLDER): every JSON file below FOLDER (relative to resources/) becomes part of the library and
# is found by its path with lockstep::embeddedFile().
function(lockstep_embed target)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/resources
       ${CMAKE_SOURCE_DIR}/resources/*.json)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/embedded_files.cpp)
  list(TRANSFORM files PREPEND ${CMAKE_SOURCE_DIR}/resources/ OUTPUT_VARIABLE paths)
  list(JOIN files "|" joined)
  add_custom_command(
    OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_SOURCE_DIR}/resources "-DFILES=${joined}" -DOUTPUT=${generated}
            -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${paths} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${generated})
endfunction()
