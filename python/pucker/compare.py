"""`pucker.metrics.compare` under a shorter name."""

import sys

from pucker.metrics import compare

# So that `import pucker.compare` gives the module itself, and not a second one.
sys.modules[__name__] = compare
