"""`pucker.io.export` under a shorter name."""

import sys

from pucker.io import export

# So that `import pucker.export` gives the module itself, and not a second one.
sys.modules[__name__] = export
