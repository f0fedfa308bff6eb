# SPDX-License-Identifier: Apache-2.0
# `cpack --config build/release/CPackConfig.cmake` makes a Debian package and an archive of what `cmake --install` installs. The programs must
# have been built before. A Debian package needs dpkg-dev, which finds the libraries that it depends on.
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_CONTACT "The developers of Denoir")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "studio for generated video: SkyReels-V2 and Wan 2.1 / 2.2 in one process")
set(CPACK_PACKAGE_DESCRIPTION "Denoir makes video with diffusion models on an NVIDIA card or on the processor.
A person writes a prompt, watches the latents clear up step by step, lays shots
on a timeline and compares runs frame by frame and layer by layer. A small
demo model is in the package.")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)

set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION video)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
if(DENOIR_STUDIO)
    # Qt opens these as plugins, so no library depends on them. On Debian 13 the plugin for SVG pictures is a package of its own; a package is
    # for the system that it is built on, which packaging/common.sh recognises in the same way.
    set(CPACK_DEBIAN_PACKAGE_DEPENDS libqt6sql6-sqlite)
    cmake_host_system_information(RESULT system QUERY DISTRIB_INFO)
    if("${system_ID}${system_VERSION_ID}" MATCHES "^debian(13)?$")
        string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", qt6-svg-plugins")
    endif()
    set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "qt6-translations-l10n, fonts-dejavu-core")
endif()
include(CPack)
