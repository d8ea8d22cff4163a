/// How wide wrinkles are where a garment is thin: a sleeve folds more finely than a coat.
#pragma once

#include <vector>

#include "pucker/dynamic/params.h"
#include "pucker/mesh/topology.h"
#include "pucker/types.h"

namespace pucker {

/// Of a flat wrinkle in each triangle, in flat widths of the parameters, (m,), in [0, 1]: at most `params.thickness`
/// times how thick the garment is there in its rest pose `rest` (n, 3), averaged over neighbouring vertices. 0, so that
/// there are no wrinkles, where that would be less than a fifth, and on a connected part that fits into a ball a flat
/// width across: buckles, buttons, pouches. Empty if wrinkles are as wide everywhere: for `params.thickness` = 0 and
/// with `params.verbatim`. Throws InvalidArgument for a rest pose of another shape, and as Params::least_width does.
std::vector<double> wrinkle_widths(const Mesh& mesh, const ConstArray3& rest, const Params& params);

}  // namespace pucker
