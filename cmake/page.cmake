# The files embedded in HTML reports: their style and scripts (src/cli/report/page.html, page.css,
# charts.js, report.js) and Chart.js, of version 3 or 4, as Debian packages it (libjs-chart.js).
# They are part of the program. Without Chart.js, charts are plainer.
option(CLEAVE_CHARTJS "put Chart.js into HTML reports where it is found" ON)
find_file(CHARTJS_FILE NAMES chart.umd.min.js chart.umd.js chart.min.js
          PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist /usr/local/share/javascript/chart.js
          NO_CMAKE_FIND_ROOT_PATH)
set(CHARTJS "")
set(CHARTJS_VERSION "")
if(CLEAVE_CHARTJS AND CHARTJS_FILE)
  file(READ "${CHARTJS_FILE}" library)
  string(FIND "${library}" "</script" ending) # would end the element that contains it
  string(SUBSTRING "${library}" 0 300 beginning)
  if(ending LESS 0 AND beginning MATCHES "Chart\\.js v([34]\\.[0-9.]*[0-9])")
    set(CHARTJS ${CHARTJS_FILE})
    set(CHARTJS_VERSION ${CMAKE_MATCH_1})
  endif()
endif()
if(NOT CHARTJS)
  message(STATUS "No Chart.js 3 or 4: HTML reports draw plainer charts (on Debian: libjs-chart.js)")
endif()

set(PAGE_SOURCES "")
function(embed symbol file)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.c)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DFILE=${file} -DSYMBOL=${symbol} -DOUTPUT=${output} -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${file} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    VERBATIM)
  set(PAGE_SOURCES ${PAGE_SOURCES} ${output} PARENT_SCOPE)
endfunction()
embed(cli_page_css ${PROJECT_SOURCE_DIR}/src/cli/report/page.css)
embed(cli_page_html ${PROJECT_SOURCE_DIR}/src/cli/report/page.html)
embed(cli_charts_js ${PROJECT_SOURCE_DIR}/src/cli/report/charts.js)
embed(cli_report_js ${PROJECT_SOURCE_DIR}/src/cli/report/report.js)
embed(cli_chart_js "${CHARTJS}")
add_library(cleave_page OBJECT ${PAGE_SOURCES})
target_include_directories(cleave_page PRIVATE src)
set_source_files_properties(src/cli/report/report_page.c PROPERTIES COMPILE_DEFINITIONS "CHARTJS_VERSION=\"${CHARTJS_VERSION}\"")
