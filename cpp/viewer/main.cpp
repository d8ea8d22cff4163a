#include <exception>
#include <iostream>
#include <sstream>

#include "headless.h"
#include "options.h"
#include "window.h"

namespace {

/// What went wrong as one sentence: lines of a compiler's log are joined.
std::string one_sentence(const std::string& text) {
  std::istringstream words(text);
  std::string sentence;
  for (std::string word; words >> word;) sentence += (sentence.empty() ? "" : " ") + word;
  return sentence;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const auto options = pucker::viewer::read_options(count, arguments);
    if (!options) return 0;
    if (options->headless) {
      pucker::viewer::run_headless(*options);
    } else {
      pucker::viewer::run_window(*options);
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "pucker-view: " << one_sentence(error.what()) << "\n";
    return 2;
  }
}
