# cmake -DFILE=page.css -DSYMBOL=cli_page_css -DOUTPUT=page_css.c -P embed.cmake Writes the bytes of
# a file as a C array, SYMBOL and SYMBOL_size. If FILE is empty, the size is 0.
set(bytes "")
if(FILE)
  file(READ "${FILE}" bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
endif()
file(WRITE "${OUTPUT}" "/* Made by cmake/embed.cmake of ${FILE}. */
#include \"cli/report/page_parts.h\"

const unsigned char ${SYMBOL}[] = {
${bytes}0};
const size_t ${SYMBOL}_size = sizeof ${SYMBOL} - 1;
")
