# Writes OUTPUT: a C++ table of the FILES ('|' between them) below ROOT, as byte arrays.
string(REPLACE "|" ";" FILES "${FILES}")
set(arrays "")
set(rows "")
set(index 0)
foreach(file IN LISTS FILES)
  file(READ "${ROOT}/${file}" hex HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${hex}")
  string(APPEND arrays "const char file${index}[] = {${bytes}'\\0'};\n")
  string(APPEND rows "    {\"${file}\", {file${index}, sizeof file${index} - 1}},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE "${OUTPUT}.new" "#include \"base/embedded.h\"\n\nnamespace lockstep {\nnamespace {\n${arrays}
const EmbeddedFile kFiles[] = {\n${rows}};\n}  // namespace\n
std::span<const EmbeddedFile> embeddedFiles() { return {kFiles, ${index}}; }\n}  // namespace lockstep\n")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
