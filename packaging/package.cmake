# SPDX-License-Identifier: GPL-2.0-or-later
#
# cpack -G DEB: a package for Debian and its descendants, for the Wireshark it was built with.
# cmake --build BUILD --target dist: the sources as committed, as an archive that builds.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME wireshark-tq)
set(CPACK_PACKAGE_CONTACT "TQ for Wireshark maintainers <maintainers@tq-wireshark.invalid>"
    CACHE STRING "Who makes the packages: NAME <ADDRESS>")
set(CPACK_PACKAGE_HOMEPAGE_URL "" CACHE STRING "Where users of the packages find the project")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
# Wireshark's plugin folder is an absolute path.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)

# The plugin and tqassert: neither the personal copy nor the cipher library for other programs.
set(CPACK_COMPONENTS_ALL plugin)
set(CPACK_COMPONENT_PLUGIN_DESCRIPTION
"Deciphers the traffic of account and game servers, Conquer Online's first,
and shows it as messages with named fields, in Wireshark and in tshark.")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PLUGIN_PACKAGE_NAME ${CPACK_PACKAGE_NAME})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_ENHANCES "wireshark, tshark")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "wireshark | tshark")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS python3)

# Wireshark loads plugins of its own minor version only, so there is a package for each; all
# packages of Wireshark's have the version of libwireshark-data.
set(minor "${Wireshark_MAJOR_VERSION}.${Wireshark_MINOR_VERSION}")
math(EXPR next "${Wireshark_MINOR_VERSION} + 1")
set(next "${Wireshark_MAJOR_VERSION}.${next}")
set(CPACK_DEBIAN_PACKAGE_RELEASE "1+wireshark${minor}")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS
    "libwireshark-data (>= ${minor}~), libwireshark-data (<< ${next}~)")

# What Debian's policy wants in a package's folder of documentation.
file(READ "${PROJECT_SOURCE_DIR}/cipher/LICENSE" TQ_CIPHER_LICENSE)
string(REGEX REPLACE ".*Copyright \\(c\\) ([^\n]+).*" "\\1" TQ_COPYRIGHT "${TQ_CIPHER_LICENSE}")
string(REGEX REPLACE "^.*Permission" "Permission" TQ_CIPHER_LICENSE "${TQ_CIPHER_LICENSE}")
string(STRIP "${TQ_CIPHER_LICENSE}" TQ_CIPHER_LICENSE)
string(REPLACE "\n" "\n " TQ_CIPHER_LICENSE " ${TQ_CIPHER_LICENSE}")
string(REPLACE "\n \n" "\n .\n" TQ_CIPHER_LICENSE "${TQ_CIPHER_LICENSE}")
configure_file(packaging/copyright.in doc/copyright @ONLY)

string(TIMESTAMP TQ_PACKAGE_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(packaging/changelog.in doc/changelog @ONLY)

# tq_compress(FILE NAME): makes doc/NAME.gz.
function(tq_compress file name)
    file(ARCHIVE_CREATE OUTPUT "${PROJECT_BINARY_DIR}/doc/${name}.gz" PATHS "${file}"
         FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9)
endfunction()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS CHANGELOG.md cipher/LICENSE)
tq_compress("${PROJECT_SOURCE_DIR}/CHANGELOG.md" changelog)
tq_compress("${PROJECT_BINARY_DIR}/doc/changelog" changelog.Debian)

install(FILES "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_BINARY_DIR}/doc/copyright"
              "${PROJECT_BINARY_DIR}/doc/changelog.gz" "${PROJECT_BINARY_DIR}/doc/changelog.Debian.gz"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${CPACK_PACKAGE_NAME}" COMPONENT plugin)

# Needs Python, and is of use on machines without a window.
install(PROGRAMS "${PROJECT_SOURCE_DIR}/tools/tqassert"
        DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT plugin)

include(CPack)

find_program(GIT git)
if(GIT AND EXISTS "${PROJECT_SOURCE_DIR}/.git")
    set(archive "${PROJECT_NAME}-${PROJECT_VERSION}")
    add_custom_target(dist
        COMMAND "${GIT}" -C "${PROJECT_SOURCE_DIR}" archive "--prefix=${archive}/"
                "--output=${PROJECT_BINARY_DIR}/${archive}.tar.gz" HEAD
        COMMENT "Packing ${archive}.tar.gz"
        VERBATIM)
endif()
