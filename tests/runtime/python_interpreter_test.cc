// What a run must be allowed to read for an interpreter to start, over installations as people have them.
#include "lib/runtime/python_interpreter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace conclave {
namespace {

using Paths = std::vector<std::string>;

class ReadableForTest : public testing::Test {
 protected:
  std::string At(const std::string& path) const { return folder_ / path; }

  void File(const std::string& path, const std::string& text = "") {
    std::filesystem::create_directories(std::filesystem::path(At(path)).parent_path());
    folder_.Write(path, text);
  }

  void Link(const std::string& path, const std::string& target) {
    std::filesystem::create_directories(std::filesystem::path(At(path)).parent_path());
    std::filesystem::create_symlink(target, At(path));
  }

  // In any order.
  void ExpectNeeds(const std::string& interpreter, const std::vector<std::string>& parts) {
    Paths expected;
    for (const std::string& part : parts) expected.push_back(At(part));
    Paths found = ReadableFor(At(interpreter));
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected);
  }

  // As `./configure --prefix` makes it, pyenv and conda do.
  void Installation(const std::string& prefix) {
    File(prefix + "/bin/python3.11");
    Link(prefix + "/bin/python3", "python3.11");
    File(prefix + "/lib/python3.11/os.py");
    File(prefix + "/secret.txt");
  }

  TemporaryFolder folder_;
};

TEST_F(ReadableForTest, TheSystemsOwnNeedsNothing) {
  EXPECT_EQ(ReadableFor("/usr/bin/python3"), Paths());
  EXPECT_EQ(ReadableFor("/bin/python3"), Paths());
}

TEST_F(ReadableForTest, WhatIsNoInterpreterNeedsNothing) {
  for (const char* path : {"", "python3", "./python3", "/nonexistent/bin/python3", "/", "/tmp", "/home"}) {
    EXPECT_EQ(ReadableFor(path), Paths()) << path;
  }
}

TEST_F(ReadableForTest, AnInstallationByItsPartsAlone) {
  Installation("pyenv/versions/3.11");
  ExpectNeeds("pyenv/versions/3.11/bin/python3", {"pyenv/versions/3.11/bin", "pyenv/versions/3.11/lib"});
}

TEST_F(ReadableForTest, AVirtualEnvironmentNeedsItsBaseToo) {
  Installation("base");
  File("env/pyvenv.cfg", "include-system-site-packages = false\nhome = " + At("base/bin") + "\nversion = 3.11.2\n");
  File("env/lib/python3.11/site-packages/pandas/__init__.py");
  File("env/.env", "KEY=secret");
  Link("env/bin/python3", At("base/bin/python3"));
  ExpectNeeds("env/bin/python3", {"env/pyvenv.cfg", "env/bin", "env/lib", "base/bin", "base/lib"});
}

TEST_F(ReadableForTest, AnEnvironmentOfCopiesFindsItsBaseByTheSettings) {
  Installation("base");
  File("env/pyvenv.cfg", "home=" + At("base/bin"));
  File("env/bin/python3");
  ExpectNeeds("env/bin/python3", {"env/pyvenv.cfg", "env/bin", "base/bin", "base/lib"});
}

TEST_F(ReadableForTest, AnEnvironmentOverTheSystemNeedsOnlyItself) {
  File("env/pyvenv.cfg", "home = /usr/bin\n");
  Link("env/bin/python3", "/usr/bin/python3");
  ExpectNeeds("env/bin/python3", {"env/pyvenv.cfg", "env/bin"});
}

TEST_F(ReadableForTest, LinksAreFollowedStepByStep) {
  Installation("store/cpython-3.11");
  Link("local/bin/python3", "../../middle/python");
  Link("middle/python", At("store/cpython-3.11/bin/python3"));
  File("middle/secret.txt");
  ExpectNeeds("local/bin/python3", {"local/bin", "middle/python", "store/cpython-3.11/bin", "store/cpython-3.11/lib"});
}

TEST_F(ReadableForTest, LoopsEnd) {
  Link("a/bin/python3", At("b/bin/python3"));
  Link("b/bin/python3", At("a/bin/python3"));
  ExpectNeeds("a/bin/python3", {"a/bin", "b/bin"});
  File("c/pyvenv.cfg", "home = " + At("c/bin") + "\nhome");
  File("c/bin/python3");
  ExpectNeeds("c/bin/python3", {"c/pyvenv.cfg", "c/bin"});
}

}  // namespace
}  // namespace conclave
