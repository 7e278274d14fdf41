// Asks one question about one file.
//
//   ask FILE QUESTION
#include <iostream>

#include "conclave.hpp"

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: ask FILE QUESTION\n";
    return 2;
  }
  try {
    conclave::Engine engine;
    const conclave::Result result = engine.Ask(arguments[1], arguments[2]);
    std::cout << (result.delivered() ? result.sentence() : "No answer.") << "\n" << result.why() << "\n";
    for (const conclave::Result::Voice& voice : result.voices()) std::cout << voice.persona << ": " << voice.answer << "\n";
    return result.delivered() ? 0 : 3;
  } catch (const conclave::Error& error) {
    std::cerr << "ask: " << error.what() << "\n";
    return 1;
  }
}
