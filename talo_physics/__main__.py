"""`python -m talo_physics`: the same as the command `talo`."""

from talo_physics.faces.cli import main

main(prog_name="talo")
