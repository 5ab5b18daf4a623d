# cmake -DOUT=FILE.c -DHEADER=room/x.h -DTYPE=ts_x -DTABLE=ts_xs -DFILES=a;b -P Embed.cmake: writes the bytes of the files as the table
# `const struct TYPE TABLE[]`, of a name (the file's, without its folder) and a span, which the header declares with TABLE_n.
set(arrays "")
set(rows "")
set(n 0)
foreach(file ${FILES})
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  get_filename_component(name ${file} NAME)
  string(APPEND arrays "static const uint8_t template_${n}[] = {${bytes}};\n")
  string(APPEND rows "\t{\"${name}\", {template_${n}, sizeof template_${n}}},\n")
  math(EXPR n "${n} + 1")
endforeach()
file(WRITE ${OUT} "/* Made by cmake/Embed.cmake. */\n#include \"${HEADER}\"\n\n${arrays}\n"
  "const struct ${TYPE} ${TABLE}[] = {\n${rows}};\nconst size_t ${TABLE}_n = ${n};\n")
