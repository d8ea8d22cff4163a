// Numbers of the dynamic method; those of the core are checked against it.

// Pieces of one path segment. Their distance from the curve falls with the square: eight leave a sixtieth of its bend.
const int SAMPLES_PER_SEGMENT = 8;

// Bits of an entry of the overlaps that hold its triangle; the other ten count the path segments.
const int OVERLAP_TRIANGLE_BITS = 22;

// Cross-section profiles, in the order of the core's enumeration.
const int PROFILE_QUARTIC = 0;
const int PROFILE_SINUSOIDAL = 1;
const int PROFILE_ARCS = 2;
const int PROFILE_BSPLINE = 3;
const int PROFILE_WAVE = 4;
const int PROFILE_CREASE = 5;
