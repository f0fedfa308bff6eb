# SPDX-License-Identifier: Apache-2.0
# The studio's Qt: 6.4 is what Debian 12 and Ubuntu 24.04 have; Debian 13 has 6.8.
find_package(Qt6 6.4 REQUIRED COMPONENTS Core Gui Sql Network Widgets OpenGLWidgets Multimedia Svg DBus Concurrent Test LinguistTools)

# Under ThreadSanitizer the tests run with a QtCore built for it: a packaged one hides its locks, and every queued signal would look like a race.
set(DENOIR_QT_CORE "" CACHE PATH "Folder with libQt6Core.so.6 for the tests to use (packaging/instrument_qt); empty: the installed one")
set(DENOIR_QT_ENVIRONMENT "QT_LOGGING_RULES=qt.qpa.*=false")
if(DENOIR_SANITIZE MATCHES address)
    list(APPEND DENOIR_QT_ENVIRONMENT "LSAN_OPTIONS=suppressions='${PROJECT_SOURCE_DIR}/tests/lsan.supp':print_suppressions=0")
endif()
if(DENOIR_QT_CORE)
    # This QtCore does not know where plugins were installed. It starts processes by a fork that the sanitizer takes for one without exec.
    list(APPEND DENOIR_QT_ENVIRONMENT "LD_LIBRARY_PATH=${DENOIR_QT_CORE}" "QT_PLUGIN_PATH=${QT6_INSTALL_PREFIX}/${QT6_INSTALL_PLUGINS}"
        "TSAN_OPTIONS=die_after_fork=0 suppressions='${PROJECT_SOURCE_DIR}/tests/tsan.supp'")
endif()

# denoir_qt_library(ui_timeline SOURCES a.cpp HEADERS a.h LIBS …): as denoir_library, with moc for the listed headers.
function(denoir_qt_library name)
    cmake_parse_arguments(ARG "" "" "SOURCES;HEADERS;LIBS;PRIVATE" ${ARGN})
    denoir_library(${name} SOURCES ${ARG_SOURCES} ${ARG_HEADERS} LIBS ${ARG_LIBS} PRIVATE ${ARG_PRIVATE})
    set_target_properties(denoir_${name} PROPERTIES AUTOMOC ON)
endfunction()

# denoir_add_qt_test(app_crash_100_test COMMAND app_crash_test DISPLAY ON …) adds a run of a QTest program. It has no display; with DISPLAY ON it has a
# virtual one if xvfb-run is installed. Further words are those of denoir_add_test.
find_program(DENOIR_XVFB_RUN xvfb-run)
function(denoir_add_qt_test name)
    cmake_parse_arguments(ARG "" "COMMAND;DISPLAY;TIMEOUT;LABELS;RUN_SERIAL" "ENVIRONMENT;FIXTURES_REQUIRED" ${ARGN})
    set(command $<TARGET_FILE:${ARG_COMMAND}>)
    set(environment QT_QPA_PLATFORM=offscreen)
    if(ARG_DISPLAY)
        if(DENOIR_XVFB_RUN)
            list(PREPEND command ${DENOIR_XVFB_RUN} -a -s "-screen 0 1600x1000x24")
            set(environment QT_QPA_PLATFORM=xcb)
        endif()
        # The display driver leaks memory of its own, and is unloaded before a suppression could name it.
        list(APPEND environment ASAN_OPTIONS=detect_leaks=0)
    endif()
    # Only the test's own limit shall count, since Qt's limit for each function does not know the pace. XDG_CONFIG_HOME is set because Qt's dialogs remember
    # folders in the user's configuration.
    denoir_add_test(${name} COMMAND ${command} TIMEOUT ${ARG_TIMEOUT} LABELS ${ARG_LABELS} RUN_SERIAL ${ARG_RUN_SERIAL}
        ENVIRONMENT ${environment} QTEST_FUNCTION_TIMEOUT=86400000 XDG_CONFIG_HOME=${PROJECT_BINARY_DIR}/tests/config/${name} ${DENOIR_QT_ENVIRONMENT} ${ARG_ENVIRONMENT}
        FIXTURES_REQUIRED tiny_model ${ARG_FIXTURES_REQUIRED})
endfunction()

# denoir_qt_test(app_settings_test SOURCES settings_test.cpp LIBS denoir_app DEFINES A="b" …) adds a QTest program, with moc for its sources. Further words
# are those of denoir_add_qt_test.
function(denoir_qt_test name)
    cmake_parse_arguments(ARG "" "DISPLAY;TIMEOUT;LABELS;RUN_SERIAL" "SOURCES;LIBS;DEFINES;ENVIRONMENT;FIXTURES_REQUIRED" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    set_target_properties(${name} PROPERTIES AUTOMOC ON RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    target_compile_definitions(${name} PRIVATE DENOIR_TINY_MODEL="${PROJECT_BINARY_DIR}/tests/tiny-model"
        DENOIR_FIXTURES="${PROJECT_SOURCE_DIR}/tests/fixtures" ${ARG_DEFINES})
    target_link_libraries(${name} PRIVATE ${ARG_LIBS} Qt6::Test)
    target_compile_options(${name} PRIVATE ${denoir_test_options})
    if(ARG_LIBS MATCHES denoir_ui)
        denoir_precompile(${name} REUSE_FROM denoir_widgets_test_headers)
    else()
        denoir_precompile(${name} REUSE_FROM denoir_qt_test_headers)
    endif()
    denoir_add_qt_test(${name} COMMAND ${name} DISPLAY ${ARG_DISPLAY} TIMEOUT ${ARG_TIMEOUT} LABELS ${ARG_LABELS} RUN_SERIAL ${ARG_RUN_SERIAL}
        ENVIRONMENT ${ARG_ENVIRONMENT} FIXTURES_REQUIRED ${ARG_FIXTURES_REQUIRED})
endfunction()
