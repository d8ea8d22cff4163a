#include "pucker/crowd.h"

#include <functional>
#include <map>

#include "dynamic.h"
#include "method.h"

namespace pucker::bindings {

namespace {

using Positions = InputArray<double>;

std::vector<std::shared_ptr<State>> advance_all(Crowd& crowd, const std::vector<std::reference_wrapper<Method>>& runs,
                                                const py::sequence& positions, const ArrayLike& times) {
  const std::size_t count = runs.size();
  require(positions.size() == count, "there must be positions for each of ", count, " runs, got ", positions.size());
  const bool common = PyFloat_Check(times.ptr()) != 0 || PyLong_Check(times.ptr()) != 0;
  const auto own = common ? std::vector<double>(count, py::cast<double>(times))
                          : input_list<double>(times, py::ssize_t(count), "times");
  std::vector<Positions> arrays;
  std::vector<CrowdStep> steps;
  arrays.reserve(count);
  steps.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    arrays.push_back(input<double>(positions[i], "positions"));
    require_shape(arrays.back(), {py::ssize_t(runs[i].get().mesh()->vertex_count()), 3}, "positions");
    steps.push_back({&runs[i].get(), {arrays.back().data(), arrays.back().shape(0), 3}, own[i]});
  }
  std::vector<std::shared_ptr<State>> states;
  states.reserve(count);
  const Changing call(crowd, "Crowd");
  std::map<const Method*, Changing> inside;  // one that is named twice is refused by the crowd
  for (Method& run : runs) inside.try_emplace(&run, run, "run");
  const Unlocked unlocked;
  crowd.advance(steps);
  for (const Method& run : runs) states.push_back(shared_state(run));
  return states;
}

}  // namespace

void register_crowd(py::module_& m) {
  py::class_<Crowd>(m, "Crowd",
                    R"(Many characters that are advanced at once, on the threads that all calls share.

Characters share nothing, so each gets the same bits as by itself, on any number of threads. One thread of Python at a
time may use a crowd, in the process that made it.

Args:
    threads: How many characters are advanced at the same time; 0: as many as `pucker.threads` or PUCKER_THREADS says, one a
        core if nobody has said.

Raises:
    ValueError: For more than 1024 threads.)")
      .def(py::init<std::size_t>(), py::arg("threads") = 0)
      .def_property_readonly("threads", &Crowd::thread_count, "How many characters are advanced at the same time.")
      .def("advance", &advance_all, py::arg("runs"), py::arg("positions"), py::arg("times"),
           R"(One frame of every character: `advance` of each, over all threads.

Args:
    runs: The characters' runs, of any method, each named once.
    positions: For each of them the positions (n, 3) of its next frame.
    times: Seconds; one for all or one for each.

Returns:
    A list of states, in the order of `runs`.

Raises:
    ValueError: For lists of different lengths, a frame that `advance` would refuse, or a run named twice;
        nothing has changed then.
    pucker.Error: While another call is under way in the crowd or in one of the runs, and in a process forked from the
        one that made the crowd.)");
}

}  // namespace pucker::bindings
