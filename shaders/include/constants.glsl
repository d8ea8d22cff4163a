// Numbers shared by all stages; those of the core are checked against it.

// Pieces of one path segment. Their distance from the curve falls with the square: eight leave a sixtieth of its bend.
const int SAMPLES_PER_SEGMENT = 8;

// Bits of an entry of the reach that hold its triangle; the other ten count the path segments.
const int REACH_TRIANGLE_BITS = 22;

// Most pieces of an edge: the level that every implementation offers.
const int MAX_LEVEL = 64;

// Cross-section profiles, in the order of the core's enumeration.
const int PROFILE_QUARTIC = 0;
const int PROFILE_SINUSOIDAL = 1;
const int PROFILE_ARCS = 2;
const int PROFILE_BSPLINE = 3;

// What of the wrinkles is drawn: bit 0 their normals, bit 1 their displacement.
const int MODE_NORMALS = 1;
const int MODE_DISPLACEMENT = 2;

// What a fragment writes: the shaded colour, or a quantity that tests and bakes read back.
const int OUTPUT_SHADED = 0;
const int OUTPUT_NORMAL = 1;
const int OUTPUT_POSITION = 2;
