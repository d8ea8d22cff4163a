/// Lines "name=value" as the viewer takes them, for every method.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "pucker/errors.h"
#include "pucker/method_type.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pucker;
  for (const MethodType* kind : methods()) {
    const std::unique_ptr<AnyParams> params = kind->params();
    std::string_view text(reinterpret_cast<const char*>(data), size);
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      const std::size_t equals = std::min(line.find('='), line.size());
      try {
        set_param(*params, line.substr(0, equals), std::string(line.substr(std::min(equals + 1, line.size()))), "line");
        params->validate();
      } catch (const InvalidArgument&) {
      }
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }
  return 0;
}
