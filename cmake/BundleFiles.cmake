# cmake -DOUT=file "-DIN=a;b;..." -P BundleFiles.cmake: writes the files of IN one after the other, each after a line with its
# name (without folder and ending) and its size in bytes.
set(bundle "")
foreach(file IN LISTS IN)
  cmake_path(GET file STEM name)
  file(READ "${file}" text)
  string(LENGTH "${text}" size)
  string(APPEND bundle "${name} ${size}\n${text}")
endforeach()
file(WRITE "${OUT}" "${bundle}")
