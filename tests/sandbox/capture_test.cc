#include "lib/sandbox/capture.h"

#include <algorithm>
#include <string>

#include "gtest/gtest.h"

namespace conclave {
namespace {

TEST(CaptureTest, WhateverThePiecesHeadAndTailAreThoseOfTheWhole) {
  std::string whole;
  for (int i = 0; i < 1000; ++i) whole.push_back(static_cast<char>('a' + i % 26));
  for (const size_t length : {0u, 1u, 4u, 5u, 9u, 10u, 11u, 25u, 1000u}) {
    for (const size_t piece : {1u, 2u, 3u, 7u, 64u, 1000u}) {
      for (const int64_t keep : {1, 2, 9, 10}) {
        const std::string text = whole.substr(0, length);
        Capture capture(keep);
        for (size_t at = 0; at < text.size(); at += piece) capture.Add(std::string_view(text).substr(at, piece));
        const v1::CapturedStream stream = capture.Stream();
        const size_t kept = std::min(length, static_cast<size_t>(keep));
        ASSERT_EQ(stream.head().size() + stream.tail().size(), kept) << length << " in pieces of " << piece;
        EXPECT_EQ(stream.head(), text.substr(0, stream.head().size()));
        EXPECT_EQ(stream.tail(), text.substr(text.size() - stream.tail().size()));
        EXPECT_EQ(stream.dropped(), static_cast<int64_t>(length - kept));
        EXPECT_EQ(capture.total(), static_cast<int64_t>(length));
      }
    }
  }
}

}  // namespace
}  // namespace conclave
