# cmake -DOUT=FILE.c -DFILES=a;b -P Embed.cmake: writes the bytes of the files as the table of cli/gate/ci_templates.h, by the names of
# the files without their folder.
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
file(WRITE ${OUT} "/* Made by cmake/Embed.cmake. */\n#include \"cli/gate/ci_templates.h\"\n\n${arrays}\n"
  "const struct ts_ci_template ts_ci_templates[] = {\n${rows}};\nconst size_t ts_ci_templates_n = ${n};\n")
