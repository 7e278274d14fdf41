"""Channel: sends frames to the host (docs/guest-protocol.md). Everything it needs is bound before a program runs."""

import json
import os
import struct

RESULT_DESCRIPTOR = 3


def to_json(value, dumps=json.dumps):
    """Compact JSON as UTF-8. Lone surrogates, which no UTF-8 can hold, become U+FFFD."""
    text = dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode("utf-8")


class Channel:
    def __init__(self, descriptor=RESULT_DESCRIPTOR):
        self._descriptor = descriptor

    def send(self, name, members, write=os.write, pack=struct.pack):
        frame = {"frame": name}
        frame.update(members)
        self.send_raw(to_json(frame), write, pack)

    def send_raw(self, body, write=os.write, pack=struct.pack):
        """Sends the bytes of one JSON object as a frame."""
        left = memoryview(pack("<I", len(body)) + body)
        while left:
            left = left[write(self._descriptor, left) :]
