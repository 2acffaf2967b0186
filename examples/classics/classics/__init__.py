"""Famous theorems as claims of `fltheory`: true ones, and false ones beside their mended forms."""
