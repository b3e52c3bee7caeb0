"""Uploads of a sensible size: viser would gather any file in memory before the desk could look at it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import viser
from viser._messages import FileTransferPart, FileTransferPartAck, FileTransferStartUpload

from talo_physics.datafile import MAX_BYTES

Refuse = Callable[[str], None]
"""Who is told of a file that is turned away, by its name."""


def limit_uploads(server: viser.ViserServer, refuse: Refuse) -> None:
    """Turn files away that are too large, before they come; and those of which more comes than was said."""
    inner, under_way = server._websock_server, server.gui._current_file_upload_states
    (start,), (part,) = (inner._incoming_handlers[kind] for kind in (FileTransferStartUpload, FileTransferPart))

    def checked_start(client_id: Any, message: Any) -> None:
        if message.size_bytes <= MAX_BYTES:
            start(client_id, message)
            return
        size = message.size_bytes  # all of it, so that the page waits for nothing more
        inner.queue_message(FileTransferPartAck(message.source_component_uuid, message.transfer_uuid, size, size))
        refuse(message.filename)

    def checked_part(client_id: Any, message: Any) -> None:
        state = under_way.get(message.transfer_uuid)
        if state and state["transferred_bytes"] + len(message.content) > state["total_bytes"]:
            under_way.pop(message.transfer_uuid)
        else:
            part(client_id, message)

    inner._incoming_handlers[FileTransferStartUpload] = [checked_start]
    inner._incoming_handlers[FileTransferPart] = [checked_part]
