# cmake -DIN=file -DOUT=file.cc -DNAME=kName -P EmbedFile.cmake: writes a source that defines conclave::kName and
# conclave::kNameSize, the bytes of IN.
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUT} "// Generated.
#include <cstddef>
namespace conclave {
extern const unsigned char ${NAME}[];
extern const std::size_t ${NAME}Size;
const unsigned char ${NAME}[] = {
${bytes}
};
const std::size_t ${NAME}Size = sizeof ${NAME};
}  // namespace conclave
")
