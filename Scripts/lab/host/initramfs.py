# SPDX-License-Identifier: Apache-2.0
"""Builds the initramfs: busybox, the modules that the lab needs, and an init that switches to the host's own root
over 9p."""

import hashlib
import lzma
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from . import LabError
from .kernel import Kernel, run

# The modules that the guest needs to reach the host's files. The guest loads all other modules from there
# (guest/start).
MODULES = ["virtio_pci", "virtio_net", "9p", "9pnet_virtio", "overlay"]
BUSYBOX = "/bin/busybox"


def module_files(kernel: Kernel) -> list:
    """Returns the files of MODULES, each after its dependencies. Modules that are built into the kernel have no
    file."""
    files = []
    for module in MODULES:
        listing = run(["modprobe", "-d", kernel.tree, "-S", kernel.release, "--show-depends", module])
        for line in listing.splitlines():
            word, _, rest = line.partition(" ")
            if word == "insmod":
                file = Path(rest.split()[0])
                if file not in files:
                    files.append(file)
    return files


def content(file: Path) -> bytes:
    """Returns a module's content in the form that the kernel loads."""
    return lzma.decompress(file.read_bytes()) if file.suffix == ".xz" else file.read_bytes()


def prepare(cache: Path, kernel: Kernel, init: Path) -> Path:
    """Returns the initramfs, which is built unless the cache has one with the same ingredients. Hold the cache's
    lock."""
    if not Path(BUSYBOX).exists():
        raise LabError(f"{BUSYBOX} is missing: install busybox-static")
    ingredients = [kernel.release.encode(), init.read_bytes(), " ".join(MODULES).encode(), Path(BUSYBOX).read_bytes()]
    digest = hashlib.sha256(b"\0".join(ingredients)).hexdigest()[:16]
    image = cache / f"initramfs-{digest}.cpio"
    if image.exists():
        return image
    with tempfile.TemporaryDirectory(dir=cache, prefix="initramfs.") as work:
        root = Path(work) / "root"
        for directory in ["bin", "dev", "proc", "sys", "modules", "host", "upper", "root"]:
            (root / directory).mkdir(parents=True)
        shutil.copy(BUSYBOX, root / "bin" / "busybox")
        shutil.copy(init, root / "init")
        (root / "init").chmod(0o755)
        order = []
        for file in module_files(kernel):
            name = file.name.removesuffix(".xz")
            (root / "modules" / name).write_bytes(content(file))
            order.append(name)
        (root / "modules" / "order").write_text("\n".join(order) + "\n", encoding="ascii")
        names = b"\0".join(os.fsencode(p.relative_to(root)) for p in sorted(root.rglob("*")))
        built = Path(work) / "image"
        with open(built, "wb") as out:
            done = subprocess.run(["cpio", "--null", "-o", "-H", "newc", "--quiet", "-R", "0:0"],
                                  input=names, stdout=out, cwd=root, check=False)
        if done.returncode != 0:
            raise LabError(f"cpio failed with status {done.returncode}")
        for old in cache.glob("initramfs-*.cpio"):
            old.unlink()
        built.rename(image)
    return image
