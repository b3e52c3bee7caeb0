"""The controls of the page, thin over the desk: each calls one of its methods and shows what it says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import viser

from talo_physics.faces.desk import texts
from talo_physics.faces.desk.album import Album
from talo_physics.faces.desk.desk import Desk, Kind
from talo_physics.faces.desk.files import checked_name
from talo_physics.faces.desk.match import WORDS, Match
from talo_physics.faces.desk.stage import Marks
from talo_physics.faces.desk.table import FARTHEST_FIELD
from talo_physics.rules.build import TOP_LEVEL
from talo_physics.rules.take import HIGHEST_THROW

LOWEST = "lowest"
NOWHERE, NOBODY, NOTHING = "nowhere", "nobody", "nothing"
AXES = {"along x": "x", "along y": "y", "upright": "z"}


class Panel:
    """All controls. They belong to the server, so that every browser sees and works the same desk."""

    def __init__(self, server: viser.ViserServer, desk: Desk) -> None:
        self.desk, self.gui = desk, server.gui
        self.head = self.gui.add_html("")
        self._buttons()
        self.verdict = self.gui.add_html("")
        tabs = self.gui.add_tab_group()
        with tabs.add_tab("Build"):
            self._build()
        with tabs.add_tab("Replay"):
            self._replay()
        with tabs.add_tab("Show"):
            self._show()
        with tabs.add_tab("Why"):
            self.reasons = self.gui.add_html("")
        with tabs.add_tab("Files"):
            self._files()

    # ---- making the controls

    def _button(self, label: str, action: Callable[[], object], hint: str = "") -> viser.GuiButtonHandle:
        button = self.gui.add_button(label, hint=hint or None)

        def clicked(_: object) -> None:
            action()

        button.on_click(clicked)
        return button

    def _group(
        self, label: str, actions: Mapping[str, Callable[[], object]], hint: str = ""
    ) -> viser.GuiButtonGroupHandle:
        """Buttons beside each other."""

        def clicked(event: viser.GuiEvent[viser.GuiButtonGroupHandle]) -> None:
            if event.target.value in actions:
                actions[event.target.value]()

        group = self.gui.add_button_group(label, tuple(actions), hint=hint or None)
        group.on_click(clicked)
        return group

    def _on_change(self, handle: Any, action: Callable[[Any], object]) -> Any:
        """Call the action when somebody at a page changes the value; not when the desk does."""

        def changed(event: Any) -> None:
            if event.client_id is not None:
                action(event.target.value)

        handle.on_update(changed)
        return handle

    def _buttons(self) -> None:
        desk = self.desk
        if isinstance(desk, Match):
            self._match_buttons(desk)
            return
        if isinstance(desk, Album):
            self.leaf = self.gui.add_slider("Turn", 1, 2, 1, 1, visible=False, hint="The turns of the record")
            self._on_change(self.leaf, lambda value: desk.turn_to(int(value) - 1))
        self._button("Judge", desk.judge, "Simulate what is on the table, and rule on it")
        table = {"Take back": desk.take_back, "Keep": desk.keep, "Throw the die": desk.throw}
        self._group("Table", table, "Keep: what is in hand becomes part of the tower, once it is judged legal")

    def _match_buttons(self, match: Match) -> None:
        if match.own_die:
            shown = self.gui.add_slider("The die shows", 1, HIGHEST_THROW, 1, 1)
            self._button("Enter throw", lambda: match.enter_throw(int(shown.value)))
        else:
            self._button("Throw the die", match.throw)
        words = {"Rebuilt": lambda: match.rebuilt(True), "Not rebuilt": lambda: match.rebuilt(False)}
        self.rebuilt = self._group("Your word", words, "Whether you could rebuild what fell as it was")
        self._button("Play turn", match.play, "Play what is in hand as your turn")
        turn = {"Try": match.judge, "Take back": match.take_back, "Hint": match.hint}
        self._group(
            "Turn",
            turn,
            "Try: what the referee would say. Take back: the last step in hand, without any the last turn. "
            "Hint: a turn that would bring your pawn up",
        )
        if match.record.computers:
            self._button("Computer's turn", match.go_on, "Let the computer players go on")
        self.word = self._on_change(
            self.gui.add_dropdown("We say", (NOTHING, *WORDS), hint="Last word of a turn, such as after a collapse"),
            lambda value: match.say("" if value == NOTHING else value),
        )

    def _build(self) -> None:
        desk, gui = self.desk, self.gui
        choice = desk.choice
        low, high = -FARTHEST_FIELD, 9 + FARTHEST_FIELD
        on = self._on_change
        self.length = gui.add_dropdown("Length", [str(n) for n in range(1, 11)], initial_value=str(choice.length))
        on(self.length, lambda value: desk.choose(length=int(value)))
        self.axis = gui.add_dropdown("Direction", tuple(AXES))
        on(self.axis, lambda value: desk.choose(axis=AXES.get(value, value)))
        self.x = on(gui.add_slider("x", low, high, 1, choice.x), lambda value: desk.choose(x=int(value)))
        self.y = on(gui.add_slider("y", low, high, 1, choice.y), lambda value: desk.choose(y=int(value)))
        self.layer = gui.add_dropdown("Layer", (LOWEST, *(str(n) for n in range(TOP_LEVEL))), hint="Where it rests")
        on(self.layer, lambda value: desk.choose(layer=None if value == LOWEST else int(value)))
        self.together = gui.add_checkbox("At the same time", False, hint="Placed together with the last block in hand")
        on(self.together, lambda value: desk.choose(together=bool(value)))
        self.ghost = gui.add_html("")
        self._button("Place", desk.place, "Take the block in hand, where the ghost is")
        with gui.add_folder("Pawn", expand_by_default=False):
            self.pawn = gui.add_dropdown("Whose", (NOBODY,))
            on(self.pawn, lambda _: desk.tell())
            self.to = gui.add_dropdown("Where to", (NOWHERE,), hint="The surfaces that it can reach")
            self._button("Move pawn", self._walk)
        with gui.add_folder("A step in writing", expand_by_default=False):
            self.step = gui.add_text(
                "Step", "", hint="4x@2,4,1 + 1z@2,4,2 or red@3,4,1 -> red@5,4,2 or bump 4x@3,2,0 by 0.02,0,0"
            )
            self._button("Add step", lambda: desk.add(str(self.step.value)))

    def _walk(self) -> None:
        self.desk.walk(str(self.pawn.value), str(self.to.value))

    def _replay(self) -> None:
        gui = self.gui
        self.watched = gui.add_html("")
        self.play = self._button("Play", self._play_or_pause)
        self.time = gui.add_slider("Time", 0.0, 1.0, 0.01, 0.0, hint="Simulated seconds")
        self._on_change(self.time, lambda value: self._at_clock(lambda: self.desk.clock.seek(float(value))))
        self._group("Speed", {"Slower": self._slower, "Faster": self._faster})

    def _at_clock(self, action: Callable[[], object]) -> None:
        self.desk.do(lambda: (action(), None)[1])

    def _slower(self) -> None:
        self._at_clock(self.desk.clock.slower)

    def _faster(self) -> None:
        self._at_clock(self.desk.clock.faster)

    def _play_or_pause(self) -> None:
        clock = self.desk.clock
        self._at_clock(clock.pause if clock.playing else clock.play)

    def _show(self) -> None:
        gui, tell = self.gui, self.desk.tell
        self.show_ghost = gui.add_checkbox("The block to place", True)
        self.show_forces = gui.add_checkbox("Contact forces", False, hint="Who presses on whom, once it is judged")
        self.show_joint = gui.add_checkbox("Weakest joint", False, hint="Where it is nearest to tipping, or tips")
        self.show_holding = gui.add_checkbox(
            "Where a pawn would hold it", True, hint="Counterweight surfaces of a fall"
        )
        self.show_reach = gui.add_dropdown("Reach of", (NOBODY,), hint="The surfaces that a pawn can reach")
        for handle in (self.show_ghost, self.show_forces, self.show_joint, self.show_holding, self.show_reach):
            self._on_change(handle, lambda _: tell())
        gui.add_html(texts.key())

    def _files(self) -> None:
        desk, gui = self.desk, self.gui
        self.name = gui.add_text("Name", "table", hint="Letters, digits, spaces, - and _")
        kinds: tuple[Kind, ...] = ("scenario", "record")
        for kind in kinds:
            gui.add_button(f"Download {kind}").on_click(partial(self._download, kind))
        if desk.folder.path is not None:
            for kind in kinds:
                self._button(f"Save {kind}", partial(self._save, kind))
        if not isinstance(desk, Match):
            upload = gui.add_upload_button("Open a file from this computer", mime_type=".yaml,.yml,.talo")
            upload.on_upload(lambda event: desk.load(event.target.value.content, event.target.value.name))

    def _save(self, kind: Kind) -> None:
        self.desk.save(str(self.name.value), kind)

    def _download(self, kind: Kind, event: viser.GuiEvent[viser.GuiButtonHandle]) -> None:
        def send(text: str, ending: str) -> str:
            name, client = checked_name(str(self.name.value), ending), event.client
            if client is None:
                return ""
            client.send_file_download(name, text.encode(), save_immediately=True)
            return f"{name} is downloaded"

        self.desk.export(kind, send)

    # ---- showing what the desk says

    def refresh(self) -> None:
        """Show the desk as it is."""
        desk = self.desk
        self._say(self.head, texts.head(desk))
        self._say(self.verdict, texts.verdict(desk))
        self._say(self.reasons, texts.reasons(desk))
        self._say(self.ghost, texts.ghost(desk))
        self._refresh_pawns()
        self._refresh_clock()
        if isinstance(desk, Album):
            self._refresh_leaf(desk)
        if isinstance(desk, Match):
            self._refresh_words(desk)

    @staticmethod
    def _say(handle: viser.GuiHtmlHandle, content: str) -> None:
        if handle.content != content:
            handle.content = content

    def _refresh_pawns(self) -> None:
        colours = tuple(pawn.colour for pawn in self.desk.table.tower.pawns)
        turn = self.desk.table.scenario.turn
        ordered = tuple(sorted(colours, key=lambda colour: colour != turn))
        self._offer(self.pawn, ordered or (NOBODY,))
        self._offer(self.show_reach, (NOBODY, *ordered))
        self._offer(self.to, tuple(str(surface) for surface in self.desk.reach(str(self.pawn.value))) or (NOWHERE,))

    @staticmethod
    def _set(handle: Any, value: object) -> None:
        """Set a value; viser's own types call it read-only."""
        handle.value = value

    @staticmethod
    def _offer(dropdown: Any, options: tuple[str, ...]) -> None:
        if tuple(dropdown.options) != options:
            dropdown.options = options

    def _refresh_clock(self) -> None:
        clock = self.desk.clock
        seen = f"{clock.time_s:.2f} s of {clock.end_s:.2f} s, {clock.speed:g}x"
        self._say(self.watched, texts.replay(seen if clock.has_fall else ""))
        label = "Pause" if clock.playing else "Play"
        if self.play.label != label:
            self.play.label = label
        if (self.time.min, self.time.max) != (clock.begin_s, max(clock.end_s, clock.begin_s + 0.01)):
            self.time.min, self.time.max = clock.begin_s, max(clock.end_s, clock.begin_s + 0.01)
        self._set(self.time, round(clock.time_s, 3))

    def _refresh_leaf(self, album: Album) -> None:
        count = len(album.leaves)
        if self.leaf.visible != (count > 1):
            self.leaf.visible = count > 1
        if count > 1 and self.leaf.max != count:
            self.leaf.max = count
        if count > 1:
            self._set(self.leaf, album.page + 1)

    def _refresh_words(self, match: Match) -> None:
        if self.rebuilt.visible != bool(match.question):
            self.rebuilt.visible = bool(match.question)
        if not match.word:
            self._set(self.word, NOTHING)

    def say_trouble(self) -> None:
        """Show the head alone, where what is wrong is told."""
        self._say(self.head, texts.head(self.desk))

    def marks(self) -> Marks:
        """What is to be seen beside the pieces."""
        desk = self.desk
        if desk.clock.begun:  # what is marked is where things stood before
            return Marks()
        reach_of = str(self.show_reach.value)
        return Marks(
            ghost=desk.ghost if self.show_ghost.value and desk.choosing else None,
            why=desk.answer.why if desk.answer else None,
            forces=bool(self.show_forces.value),
            joint=bool(self.show_joint.value),
            holding=desk.counterweights if self.show_holding.value else (),
            reach=desk.reach(reach_of),
            reach_of=reach_of,
        )
