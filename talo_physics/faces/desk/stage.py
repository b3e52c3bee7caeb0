"""What the page shows in three dimensions, sent to viser in as few messages as there are kinds of things."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import viser

from talo_physics.faces.desk.arrays import UNIT_CUBE, Bytes, Lines, Mesh, Picture, mesh_of, poses_of, squares
from talo_physics.faces.desk.table import Ghost
from talo_physics.faces.view.camera import NAMED, View
from talo_physics.faces.view.ground import RIM, ground_of
from talo_physics.faces.view.labels import GOAL, Mark, coordinates, staff, staff_levels, staff_marks
from talo_physics.faces.view.palette import FALLEN, HELD, PAWNS, PROPOSED, STAFF, TABLE, Colour
from talo_physics.faces.view.scene import Scene, scene_of
from talo_physics.faces.view.shapes import Array, box_shell
from talo_physics.geometry.board import SIZE
from talo_physics.tower.pawn import Surface
from talo_physics.tower.tower import Tower

if TYPE_CHECKING:
    from talo_physics.physics.explanation import Explanation, Joint

FROM: View = NAMED["corner"]
FOV_DEG = 32.0
NEARER = 0.9
"""The board's corners may come near the frame: they are not what is looked at."""
SKY, SUN = 1.5, 0.9
WARM: Colour = (255, 242, 220)
EARTH: Colour = (150, 140, 125)
"""Light from all around, what the table throws back, and light from one side; shadows would take too long."""
MATERIAL: Literal["toon5"] = "toon5"
"""On flat faces it looks like any other, and is drawn in half the time."""
LINE_PX, OUTLINE_PX, JOINT_PX = 1.6, 3.5, 7.0
"""How thick lines are. In pixels: computers without a graphics card draw them in half the time."""
SEEN_THROUGH = 0.2
"""Of blocks while something inside them is to be seen."""
JOINT_OVER = 0.2
TABLE_SIDE = 400.0
FORCE: Colour = (20, 60, 170)
FREE: Colour = (40, 150, 80)
HOLDING: Colour = HELD
LONGEST_ARROW, SHORTEST_ARROW = 1.3, 0.45
MOST_LABELLED = 16
"""Loads that are labelled; more would hide each other."""


@dataclass(frozen=True)
class Marks:
    """What is to be seen beside the pieces."""

    ghost: Ghost | None = None
    why: Explanation | None = None
    forces: bool = False
    joint: bool = False
    holding: tuple[Surface, ...] = ()
    reach: tuple[Surface, ...] = ()
    reach_of: str = ""

    @property
    def inside(self) -> bool:
        """Whether something is to be seen inside the blocks."""
        return bool(self.why and self.forces and self.why.loads)


class Stage:
    """Draws scenes and marks; only what has changed is sent."""

    def __init__(self, server: viser.ViserServer) -> None:
        self.server, self.api = server, server.scene
        self.picture: Picture | None = None
        self._time_s: float | None = None
        self._marks = Marks()
        self._ground: tuple[object, ...] = ()
        self._pawns: list[viser.MeshHandle] = []
        self._kept: dict[str, list[viser.SceneNodeHandle]] = {}
        self._blocks: viser.BatchedMeshHandle | None = None
        self._strokes: dict[str, viser.LineSegmentsHandle] = {}
        self.api.configure_default_lights(enabled=False)
        self.api.add_light_hemisphere("/sky", sky_color=WARM, ground_color=EARTH, intensity=SKY)
        self.api.add_light_directional("/sun", intensity=SUN, position=(-4.0, -12.0, 14.0))

    # ---- the pieces

    def show(self, scene: Scene, time_s: float | None) -> None:
        """Draw a scene at a moment of its motion; None is before anything moves."""
        if self.picture is None or self.picture.scene is not scene:
            self._show_ground(scene)
            self._show_pieces(Picture(scene))
        if time_s != self._time_s:
            self._move(time_s)

    def _show_pieces(self, picture: Picture) -> None:
        self.picture, self._time_s = picture, None
        blocks, _ = picture.split(picture.at(None))
        with self.server.atomic():
            self._clear("pieces")
            self._blocks = self._add_blocks(picture, blocks)
            self._keep("pieces", self._blocks)
            drawn = (
                self._lines("pieces", "/lines", picture.lines(blocks), LINE_PX),
                self._lines("pieces", "/outlines", picture.outlines(blocks), OUTLINE_PX),
            )
            self._strokes = {handle.name: handle for handle in drawn if handle}
            self._pawns = [
                self._mesh(f"/pawns/{number}", mesh_of(piece.shell), piece.colour, matrix=piece.matrix)
                for number, piece in enumerate(picture.pawns)
            ]
            self._keep("pieces", *self._pawns)

    def _add_blocks(self, picture: Picture, blocks: Sequence[Array]) -> viser.BatchedMeshHandle | None:
        if not blocks:
            return None
        poses = poses_of(blocks)
        return self.api.add_batched_meshes_simple(
            "/blocks",
            UNIT_CUBE.vertices,
            UNIT_CUBE.faces,
            poses.wxyzs,
            poses.positions,
            batched_scales=picture.sides,
            batched_colors=picture.colours,
            lod="off",
            flat_shading=True,
            material=MATERIAL,
            opacity=SEEN_THROUGH if self._marks.inside else None,
        )

    def _move(self, time_s: float | None) -> None:
        picture = self.picture
        assert picture is not None
        self._time_s = time_s
        blocks, pawns = picture.split(picture.at(time_s))
        with self.server.atomic():
            if self._blocks is not None:
                poses = poses_of(blocks)
                self._blocks.batched_positions = poses.positions.astype(np.float32)
                self._blocks.batched_wxyzs = poses.wxyzs.astype(np.float32)
            for name, lines in (("/lines", picture.lines(blocks)), ("/outlines", picture.outlines(blocks))):
                if name in self._strokes:
                    self._strokes[name].points = lines.points.astype(np.float32)
            for handle, place in zip(self._pawns, pawns, strict=True):
                handle.visible = place is not None
                if place is not None:
                    poses = poses_of([place])
                    handle.position, handle.wxyz = poses.positions[0], poses.wxyzs[0]

    # ---- the board

    def _show_ground(self, scene: Scene) -> None:
        levels = staff_levels(scene)
        if self._ground == (scene.board, levels):
            return
        self._ground = (scene.board, levels)
        with self.server.atomic():
            self._clear("ground")
            self._flat("/board", ground_of(scene.board).texels, SIZE + 2 * RIM, 0.0)
            self._flat("/table", np.full((2, 2, 3), TABLE, dtype=np.uint8), TABLE_SIDE, -0.03)
            along_x, along_y = coordinates(FROM, scene.board.fields is not None)
            self._write("ground", "/marks", [*along_x, *along_y, *staff_marks(FROM, levels)], 0.42)
            for parity, colour in enumerate(STAFF):
                shell = tuple(face for solid in staff(FROM, levels)[parity::2] for face in solid.faces)
                self._keep("ground", self._mesh(f"/staff/{parity}", mesh_of(shell), colour))

    def _flat(self, name: str, image: Bytes, side: float, level: float) -> None:
        """A picture that lies on the table; nothing is drawn faster."""
        # Viser's pictures have their first row at low y: half a turn about x puts it at the far edge.
        place, turn = (SIZE / 2, SIZE / 2, level), (0.0, 1.0, 0.0, 0.0)
        made = self.api.add_image(
            name, image, side, side, format="png", position=place, wxyz=turn, cast_shadow=False, receive_shadow=False
        )
        self._keep("ground", made)

    def aim_camera(self, scene: Scene, grows: bool) -> None:
        """Where a page that opens looks from; at a tower that grows, so that level 10 will be seen too."""
        beside = [mark.at for mark in staff_marks(FROM, GOAL if grows else staff_levels(scene))]
        corners = np.vstack([scene.corners, *beside])
        centre = (corners.min(axis=0) + corners.max(axis=0)) / 2
        radius = float(np.linalg.norm(corners - centre, axis=1).max()) + 1.0
        away = NEARER * radius / np.sin(np.radians(FOV_DEG / 2))
        camera = self.server.initial_camera
        camera.fov = float(np.radians(FOV_DEG))
        camera.look_at = centre
        camera.position = centre - away * FROM.axes[2]

    # ---- marks

    def mark(self, marks: Marks) -> None:
        """Draw what is to be seen beside the pieces."""
        before, self._marks = self._marks, marks
        if marks == before:
            return
        with self.server.atomic():
            if self._blocks is not None and marks.inside != before.inside:
                self._blocks.opacity = SEEN_THROUGH if marks.inside else None
            if marks.ghost != before.ghost:
                self._show_ghost(marks.ghost)
            if (marks.why, marks.forces, marks.joint) != (before.why, before.forces, before.joint):
                self._show_forces(marks)
            if (marks.holding, marks.reach, marks.reach_of) != (before.holding, before.reach, before.reach_of):
                self._clear("surfaces")
                self._show_surfaces("/holding", marks.holding, HOLDING)
                self._show_surfaces("/reach", marks.reach, PAWNS.get(marks.reach_of, FREE))

    def _show_ghost(self, ghost: Ghost | None) -> None:
        self._clear("ghost")
        if ghost is None or self.picture is None:
            return
        scene = scene_of(Tower((ghost.block,)), self.picture.scene.board, self.picture.scene.profile)
        (piece,) = scene.pieces
        colour = FALLEN if ghost.breaches else PROPOSED
        matrix = piece.matrix.copy()
        matrix[2, 3] += ghost.block.z - (np.vstack(piece.faces)[:, 2].min())  # alone it is set down on the board
        grown = tuple(face * 1.01 for face in piece.shell)  # so that it is seen where its space is taken
        self._keep("ghost", self._mesh("/ghost", mesh_of(grown), colour, opacity=0.45, matrix=matrix))
        half = np.abs(np.vstack(piece.shell)).max(axis=0) * 1.012
        edges = np.concatenate([np.stack([face, np.roll(face, -1, axis=0)], axis=1) for face in box_shell(half)])
        points = edges @ matrix[:3, :3].T + matrix[:3, 3]
        colours = np.broadcast_to(np.array(colour, dtype=np.uint8), points.shape)
        self._lines("ghost", "/ghost-edges", Lines(points, colours), OUTLINE_PX)

    def _show_forces(self, marks: Marks) -> None:
        self._clear("forces")
        why = marks.why
        if why is None:
            return
        if marks.forces and why.loads:
            most = max(load.grams for load in why.loads)
            ends = np.array([load.at for load in why.loads])
            lengths = SHORTEST_ARROW + (LONGEST_ARROW - SHORTEST_ARROW) * np.array([x.grams / most for x in why.loads])
            starts = ends + lengths[:, None] * (0.0, 0.0, 1.0)
            arrows = self.api.add_arrows(
                "/forces",
                np.stack([starts, ends], axis=1),
                FORCE,
                shaft_radius=0.05,
                head_radius=0.13,
                head_length=0.24,
            )
            self._keep("forces", arrows)
            if len(why.loads) <= MOST_LABELLED:
                labels = [
                    Mark(f"{load.grams:g} g", tuple(start)) for load, start in zip(why.loads, starts, strict=True)
                ]
                self._write("forces", "/grams", labels, 0.3)
        joint = why.tips or why.weakest
        if marks.joint and joint is not None:
            self._show_joint(joint, "tips here" if why.tips else f"weakest: {joint.spare_mm:g} mm to spare")

    def _show_joint(self, joint: Joint, words: str) -> None:
        ends = np.array([joint.ends[0], joint.ends[-1]])
        along = ends[1] - ends[0]
        length = float(np.linalg.norm(along))
        # A little longer than the edge, so that it sticks out between the blocks; a corner gets an upright stroke.
        along = JOINT_OVER * along / length if length > JOINT_OVER else np.array([0.0, 0.0, JOINT_OVER])
        ends += np.array([-along, along])
        colours = np.broadcast_to(np.array(FALLEN, dtype=np.uint8), (1, 2, 3))
        self._lines("forces", "/joint", Lines(ends[None], colours), JOINT_PX)
        x, y, z = ends[np.argmin(ends[:, 1])]  # the end that is nearer to whoever looks
        self._write("forces", "/joint-words", [Mark(words, (x, y, z - 0.3))], 0.3)

    def _show_surfaces(self, name: str, surfaces: tuple[Surface, ...], colour: Colour) -> None:
        mesh = squares(surfaces)
        if mesh:
            self._keep("surfaces", self._mesh(name, mesh, colour, opacity=0.85))

    # ---- viser

    def _mesh(
        self, name: str, mesh: Mesh, colour: Colour, opacity: float | None = None, matrix: Array | None = None
    ) -> viser.MeshHandle:
        pose = poses_of([np.eye(4) if matrix is None else matrix])
        return self.api.add_mesh_simple(
            name,
            mesh.vertices,
            mesh.faces,
            color=colour,
            opacity=opacity,
            flat_shading=True,
            material=MATERIAL,
            side="double",
            position=pose.positions[0],
            wxyz=pose.wxyzs[0],
        )

    def _lines(self, group: str, name: str, lines: Lines, thickness_px: float) -> viser.LineSegmentsHandle | None:
        if not len(lines.points):
            return None
        made = self.api.add_line_segments(
            name, lines.points.astype(np.float32), lines.colours, thickness=thickness_px, thickness_units="screen"
        )
        self._keep(group, made)
        return made

    def _write(self, group: str, name: str, marks: Iterable[Mark], height: float) -> None:
        for number, mark in enumerate(marks):
            label = self.api.add_label(
                f"{name}/{number}",
                mark.text,
                position=mark.at,
                font_size_mode="scene",
                font_scene_height=height,
                depth_test=False,
                anchor="center-center",
            )
            self._keep(group, label)

    def _keep(self, group: str, *handles: viser.SceneNodeHandle | None) -> None:
        kept = self._kept.setdefault(group, [])
        for handle in handles:
            if handle is not None:
                # A node of the same name has taken the place of the old one.
                kept[:] = [other for other in kept if other.name != handle.name]
                kept.append(handle)

    def _clear(self, group: str) -> None:
        for handle in self._kept.pop(group, []):
            handle.remove()
