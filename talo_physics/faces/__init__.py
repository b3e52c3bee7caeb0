"""Faces: thin layers over the public API. The command line, and solids for other programs."""
