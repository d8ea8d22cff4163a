/// What differs over a garment, from a picture in its texture coordinates or one number a vertex.
#pragma once

#include <string>
#include <vector>

#include "pucker/mesh/texture.h"
#include "pucker/mesh/topology.h"
#include "pucker/named_arrays.h"

namespace pucker {

/// Whether a file of factors holds the numbers themselves, an .npy, or else is a picture.
bool holds_numbers(const std::string& path);

/// What a quantity is multiplied with at each vertex, (n,); `what` names it, such as "wavelengths", in messages.
///
/// An .npy holds the numbers themselves. A picture, (rows, columns) from top to bottom and white as 1, is read at the
/// texture coordinates of the vertex, bilinearly between the middles of its pixels, and repeats; a vertex with several
/// stored ones has their mean, one without a triangle 1.
///
/// Throws what `read` throws, and InvalidArgument, naming the file, for numbers of another count, a picture without
/// pixels or texture coordinates, coordinates that do not fit the mesh or are not finite, and factors that are not
/// finite and above 0, naming the vertex.
std::vector<double> vertex_factors(const std::string& path, const char* what, const Mesh& mesh,
                                   const TextureCoordinates& texture, const ReadArray& read);

}  // namespace pucker
