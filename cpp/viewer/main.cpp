#include <exception>
#include <iostream>
#include <sstream>

#include "files.h"
#include "headless.h"
#include "options.h"
#include "pucker/threads.h"
#include "window.h"

namespace {

/// Prints what went wrong as one sentence: lines of a compiler's log are joined.
void tell(const std::exception& error) {
  std::istringstream words(error.what());
  std::cerr << "pucker-view:";
  for (std::string word; words >> word;) std::cerr << " " << word;
  std::cerr << "\n";
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const auto options = pucker::viewer::read_options(count, arguments);
    if (!options) return 0;
    // A program, unlike the library, has what it runs on to itself: one thread a core unless the environment says.
    pucker::set_threads(pucker::crowd_threads());
    if (options->headless) {
      pucker::viewer::run_headless(*options);
    } else {
      pucker::viewer::run_window(*options);
    }
    return 0;
  } catch (const pucker::viewer::WriteError& error) {
    tell(error);
    return 1;
  } catch (const pucker::viewer::Interrupted& error) {
    tell(error);
    return 130;
  } catch (const std::exception& error) {
    tell(error);
    return 2;
  }
}
