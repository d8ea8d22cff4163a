/// How widely cloth buckles when it is squeezed: E. Cerda and L. Mahadevan, "Geometry and physics of wrinkling",
/// Physical Review Letters 90 (2003).
#pragma once

namespace pucker {

/// Bending stiffness of a sheet, E t³ / 12(1 − ν²), in N m: of Young's modulus E > 0 in N/m², thickness t > 0 in m and
/// Poisson's ratio ν ∈ [0, 1). Woven cloth bends more easily than such a sheet of its thickness: measure it if you can.
/// Throws InvalidArgument for other values.
double bending_stiffness(double young, double thickness, double poisson);

/// Wavelength of the wrinkles, in m: λ = 2√π (B/T)^¼ √L (their equation 3), with bending stiffness B in N m, tension T
/// along the wrinkles in N/m and their length L in m. All must be positive and finite, else InvalidArgument is thrown.
double buckling_wavelength(double bending, double tension, double length);

}  // namespace pucker
