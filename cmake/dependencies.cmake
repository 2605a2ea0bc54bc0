# The libraries ydl stands on, all from Debian 12. Each is linked statically in the release preset.
find_package(Boost 1.81 REQUIRED)
find_package(GTest REQUIRED)
find_package(Threads REQUIRED)
include(GoogleTest)

# Asio, Beast, JSON and fmt are compiled once, here, and not in every file that uses them.
add_library(ydl_boost STATIC src/third_party/asio.cpp src/third_party/beast.cpp src/third_party/json.cpp
                             src/third_party/url.cpp src/third_party/fmt.cpp)
target_compile_definitions(ydl_boost PUBLIC
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED
  BOOST_ASIO_DISABLE_BOOST_DATE_TIME BOOST_JSON_NO_LIB BOOST_URL_NO_LIB BOOST_ERROR_CODE_HEADER_ONLY)
target_compile_options(ydl_boost PRIVATE -ffunction-sections -fdata-sections)
target_include_directories(ydl_boost SYSTEM PUBLIC ${Boost_INCLUDE_DIRS})
target_link_libraries(ydl_boost PUBLIC Threads::Threads)

find_package(yaml-cpp REQUIRED)  # for its version
find_library(YDL_YAML_CPP NAMES libyaml-cpp.a REQUIRED)
add_library(ydl_yaml INTERFACE)
target_link_libraries(ydl_yaml INTERFACE ${YDL_YAML_CPP})

find_library(YDL_CARES NAMES libcares.a REQUIRED)
add_library(ydl_cares INTERFACE)
target_compile_definitions(ydl_cares INTERFACE CARES_STATICLIB)
target_link_libraries(ydl_cares INTERFACE ${YDL_CARES})

find_library(YDL_ZSTD NAMES libzstd.a REQUIRED)
add_library(ydl_zstd INTERFACE)
target_link_libraries(ydl_zstd INTERFACE ${YDL_ZSTD} Threads::Threads)

find_library(YDL_EXPAT NAMES libexpat.a REQUIRED)
add_library(ydl_expat INTERFACE)
target_compile_definitions(ydl_expat INTERFACE XML_STATIC XML_DTD)
target_link_libraries(ydl_expat INTERFACE ${YDL_EXPAT})

# The lite runtime: half the size, and nothing here needs reflection.
find_package(Protobuf 3.21 REQUIRED)
find_library(YDL_PROTOBUF_LITE NAMES libprotobuf-lite.a REQUIRED)
add_library(ydl_protobuf INTERFACE)
target_link_libraries(ydl_protobuf INTERFACE ${YDL_PROTOBUF_LITE} Threads::Threads)

find_library(YDL_CRYPTO NAMES libcrypto.a REQUIRED)
add_library(ydl_crypto INTERFACE)
target_link_libraries(ydl_crypto INTERFACE ${YDL_CRYPTO} ${CMAKE_DL_LIBS})
find_library(YDL_SSL NAMES libssl.a REQUIRED)
add_library(ydl_ssl INTERFACE)
target_link_libraries(ydl_ssl INTERFACE ${YDL_SSL} ydl_crypto)

# MIT krb5 in static libraries, which Debian does not have. Where it was built before, this costs a few milliseconds.
execute_process(COMMAND ${PROJECT_SOURCE_DIR}/tools/setup/krb5.sh OUTPUT_VARIABLE YDL_KRB5 OUTPUT_STRIP_TRAILING_WHITESPACE
                RESULT_VARIABLE krb5_failed)
if(krb5_failed)
  message(FATAL_ERROR "tools/setup/krb5.sh could not provide MIT krb5; its message is above.")
endif()
get_filename_component(YDL_KRB5_VERSION ${YDL_KRB5} NAME)
string(REGEX REPLACE "-.*" "" YDL_KRB5_VERSION ${YDL_KRB5_VERSION})
add_library(ydl_krb5_host STATIC src/third_party/krb5_host.cpp)
target_compile_options(ydl_krb5_host PRIVATE -ffunction-sections -fdata-sections)
target_link_libraries(ydl_krb5_host PUBLIC ydl_cares)
add_library(ydl_krb5 INTERFACE)
target_include_directories(ydl_krb5 SYSTEM INTERFACE ${YDL_KRB5}/include)
target_link_libraries(ydl_krb5 INTERFACE
  ${YDL_KRB5}/lib/libgssapi_krb5.a ${YDL_KRB5}/lib/libkrb5.a ${YDL_KRB5}/lib/libk5crypto.a ${YDL_KRB5}/lib/libcom_err.a
  ${YDL_KRB5}/lib/libkrb5support.a ydl_krb5_host resolv)
