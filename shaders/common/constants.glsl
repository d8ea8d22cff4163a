// Numbers shared by all stages; those of the core are checked against it.

// Most pieces of an edge: the level that every implementation offers.
const int MAX_LEVEL = 64;

// What of the detail is drawn: bit 0 its normals, bit 1 its displacement, bit 2 normals and the parallax of textures.
const int MODE_NORMALS = 1;
const int MODE_DISPLACEMENT = 2;
const int MODE_PARALLAX = 4;

// How light reaches what is drawn: bits of the constant `effects`.
const int EFFECT_SHADOWED = 1;
const int EFFECT_OCCLUDED = 2;
const int EFFECT_FABRIC = 4;
const int EFFECT_ROUND = 8;  // corners' normals stand for a round surface

// What the alpha of a material says: the constant `alpha_mode`.
const int ALPHA_OPAQUE = 0;
const int ALPHA_MASK = 1;
const int ALPHA_BLEND = 2;

// What a fragment writes: the shaded colour, or a quantity that tests and bakes read back.
const int OUTPUT_SHADED = 0;
const int OUTPUT_NORMAL = 1;
const int OUTPUT_POSITION = 2;
