# SPDX-License-Identifier: Apache-2.0
"""Pictures with codes, and baton-camera with such a picture as its camera."""

import ctypes
import importlib.machinery
import importlib.util
import os
import pathlib
import shutil
import subprocess

import zbar

from laptops import LIMIT, ROOT

CAMERA = ROOT / "Extensions/Camera/baton-camera"
SIZE = (640, 480)
# Code 39, widths of bars and spaces in turn.
CODE_39 = {"*": "nwnnwnwnn", "A": "wnnnnwnnw", "B": "nnwnnwnnw"}

# A program that differs from the installed one only in its camera: a file that is read again for each picture.
WITH_A_PICTURE = """#!/usr/bin/python3
import sys
sys.path.insert(0, {here!r})
sys.path.insert(1, {examples!r})
sys.dont_write_bytecode = True
import camera
program = camera.with_a_picture({picture!r})
{more}
sys.exit(program.main(sys.argv[1:]))
"""
# The driver says that another program has the camera.
BUSY = """
class Busy(program.Camera):
    def __init__(self, device):
        super().__init__(device)
        error = self.gst.ResourceError
        self.pipeline.message_full(self.gst.MessageType.ERROR, error.quark(), int(error.BUSY), "busy", None, "", "", 0)

    def picture(self):
        return b""
program.Camera = Busy
"""


def with_a_picture(picture: str):
    """Returns the program as a module."""
    loader = importlib.machinery.SourceFileLoader("baton_camera", str(CAMERA))
    program = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(program)
    program.installed_source = program.source
    program.cameras = lambda: [picture] if os.path.exists(picture) else []
    program.source = lambda device: f'multifilesrc location={device} loop=true caps="image/png,framerate=(fraction)10/1" ! pngdec'
    return program


class Scanner:
    """A program in the place of baton-camera, and a copy of the window's program that finds it there."""

    def __init__(self, root: pathlib.Path):
        self.picture, self.path = root / "camera.png", root / "installed/lib/baton/baton-camera"
        self.path.parent.mkdir(parents=True)
        self.show("-size", f"{SIZE[0]}x{SIZE[1]}", "xc:gray")
        self.put(self.with_picture())

    def window(self, program: pathlib.Path) -> pathlib.Path:
        """Copies the window's program."""
        copy = self.path.parents[2] / "bin" / program.name
        copy.parent.mkdir(exist_ok=True)
        shutil.copy2(program, copy)
        return copy

    def with_picture(self, more="") -> str:
        return WITH_A_PICTURE.format(here=str(pathlib.Path(__file__).parent), examples=str(ROOT / "Tests/Examples"), picture=str(self.picture), more=more)

    def put(self, text: str):
        """Replaces the program."""
        self.path.write_text(text, encoding="utf-8")
        self.path.chmod(0o755)

    def show(self, *words: str):
        """Holds a picture in front of the camera, which ImageMagick's convert makes with these arguments."""
        made = self.picture.with_suffix(".new.png")
        subprocess.run(["convert", *words, "-depth", "8", str(made)], check=True, timeout=LIMIT)
        os.replace(made, self.picture)

    def show_code(self, text: str, *words: str):
        """Holds a code in front of the camera."""
        file = self.picture.with_suffix(".pgm")
        file.write_bytes(code(text))
        self.show(str(file), *AS_SEEN, *words)

    def show_part(self, screen: pathlib.Path):
        """Holds the part of a screen with a code in front of the camera, not quite straight."""
        width, height, pixels = grey(screen)
        picture = zbar.Image(width, height, "Y800", pixels)
        zbar.ImageScanner().scan(picture)
        points = [point for symbol in picture for point in symbol.location]
        left, top = (min(axis) - 30 for axis in zip(*points))
        width, height = (max(axis) - min(axis) + 60 for axis in zip(*points))
        self.show(str(screen), "-crop", f"{width}x{height}+{left}+{top}", "+repage", *AS_SEEN, "-rotate", "3")

    def show_bars(self, text: str):
        """Holds a bar code in front of the camera."""
        widths = [3 if width == "w" else 1 for letter in text for width in CODE_39[letter] + "n"]
        row = b"".join((b"\0" if index % 10 % 2 == 0 else b"\xff") * (3 * width) for index, width in enumerate(widths))
        line = b"\xff" * 40 + row + b"\xff" * 40
        file = self.picture.with_suffix(".pgm")
        file.write_bytes(b"P5\n%d 200\n255\n" % len(line) + line * 200)
        self.show(str(file), "-gravity", "center", "-background", "white", "-extent", f"{SIZE[0]}x{SIZE[1]}")


def grey(picture: pathlib.Path) -> tuple:
    """Returns the width, the height and the grey pixels of a picture."""
    made = subprocess.run(["convert", str(picture), "-depth", "8", "pgm:-"], capture_output=True, timeout=LIMIT, check=True).stdout
    kind, size, _, pixels = made.split(b"\n", 3)
    assert kind == b"P5", kind
    return *map(int, size.split()), pixels


# On a grey background, neither sharp nor bright.
AS_SEEN = ("-filter", "triangle", "-resize", "440x440", "-gravity", "center", "-background", "gray", "-extent", f"{SIZE[0]}x{SIZE[1]}", "-blur", "0x0.6",
           "-brightness-contrast", "-10x-20")


class QRCode(ctypes.Structure):
    _fields_ = [("version", ctypes.c_int), ("width", ctypes.c_int), ("data", ctypes.POINTER(ctypes.c_ubyte))]


def code(text: str) -> bytes:
    """Returns a grey picture (PGM) of a QR code, made by the library and with the options of Sources/QRCode."""
    library = ctypes.CDLL("libqrencode.so.4")
    library.QRcode_encodeData.restype = ctypes.POINTER(QRCode)
    data = text.encode()
    made = library.QRcode_encodeData(len(data), data, 0, 0).contents
    side, scale = made.width + 8, 8
    rows = []
    for row in range(-4, made.width + 4):
        line = b"".join(b"\0" * scale if 0 <= row < made.width and 0 <= column < made.width and made.data[row * made.width + column] & 1 else b"\xff" * scale
                        for column in range(-4, made.width + 4))
        rows += [line] * scale
    return b"P5\n%d %d\n255\n" % (side * scale, side * scale) + b"".join(rows)
