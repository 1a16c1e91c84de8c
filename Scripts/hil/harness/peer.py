# SPDX-License-Identifier: Apache-2.0
"""Another machine over ssh. All programs that are started there end with the connection, and no files are left.

Everything uses one connection. A keeper on the peer makes a directory. When its input ends, however this program ends, the keeper kills all
processes in that directory and removes it. ssh carries no signals, so a file has the number of each process.
"""

import itertools
import json
import shlex
import signal
import subprocess
from pathlib import Path, PurePosixPath

from . import HilError
from .processes import Lines, Processes

SCRIPTS = Path(__file__).resolve().parents[2]
OPTIONS = ("-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=20", "-o", "ServerAliveInterval=10", "-o", "ServerAliveCountMax=3")
KEEPER = """
import os, shutil, signal, sys, tempfile, time
signal.signal(signal.SIGHUP, signal.SIG_IGN)
made = tempfile.mkdtemp(prefix="baton-hil.%d." % os.getpid())
print(made, flush=True)
sys.stdin.buffer.read()
for _ in range(100):
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink("/proc/%s/cwd" % name).split(" ")[0] == made:
                os.kill(int(name), signal.SIGKILL)
        except OSError:
            pass
    shutil.rmtree(made, ignore_errors=True)
    time.sleep(0.1)
    if not os.path.exists(made):
        break
"""
TOOLS = ("python3", "tar")


class RemoteProcess(subprocess.Popen):
    """An ssh process and the program that it runs. A signal goes to that program, or to ssh if the program cannot be reached."""

    peer, number = None, 0

    def send_signal(self, sig):
        if self.poll() is None and not self.peer.kill(self.number, sig):
            super().send_signal(signal.SIGKILL)


class PeerProcesses(Processes):
    """Programs on the peer."""

    def __init__(self, peer):
        super().__init__(RemoteProcess)
        self.peer, self.numbers = peer, itertools.count(1)

    def start(self, command, env=None, **options) -> RemoteProcess:
        number = next(self.numbers)
        words = ["env", "-i", *[f"{key}={value}" for key, value in env.items()]] if env is not None else []
        process = super().start(self.peer.command(placed(self.peer.directory, number, [*words, *command])), **options)
        process.peer, process.number = self.peer, number
        return process


def placed(directory, number: int, command: list) -> str:
    """Returns a line for the peer's shell: the command in the directory, with its process number in a file. The command does not
    run if the directory has gone."""
    inner = f"cd {shlex.quote(str(directory))} && echo $$ >pids/{number} && exec {shlex.join(map(str, command))}"
    return f"exec sh -c {shlex.quote(inner)}"


class Peer:
    """A machine that `ssh HOST` reaches. All its files are below one directory there."""

    is_peer = True

    def __init__(self, host: str, ssh: str, directory: Path):
        self.host, self.ssh = host, shlex.split(ssh)
        self.here = Processes()  # the connection, which outlives all other programs of this machine
        self.socket = directory / "ssh"
        self.directory = self.binaries = None
        self.keeper = None
        self.processes = PeerProcesses(self)

    def command(self, line: str) -> list:
        """Returns the command that runs a line in the peer's shell."""
        return [*self.ssh, *OPTIONS, "-S", self.socket, "--", self.host, line]

    def connect(self, seconds: float):
        """Opens the connection. Raises HilError with advice."""
        self.keeper = self.here.start([*self.ssh, *OPTIONS, "-M", "-S", self.socket, "--", self.host, f"exec python3 -c {shlex.quote(KEEPER)}"],
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        try:
            _, made = Lines("ssh", self.keeper, self.keeper.stdout).next("a connection", lambda line: line if line.startswith("/") else None, seconds)
        except HilError as error:
            raise HilError(f"ssh {self.host} does not work without a question, or there is no python3: {error}") from None
        self.directory = self.binaries = PurePosixPath(made)
        self.shell("mkdir pids", seconds)
        missing = self.shell("for tool in %s; do command -v $tool >/dev/null || echo $tool; done" % " ".join(TOOLS), seconds).split()
        if missing:
            raise HilError(f"{self.host} lacks {', '.join(missing)}")

    def bring_scripts(self, seconds: float):
        """Copies these scripts. Raises HilError."""
        self.copy(["-C", str(SCRIPTS), "hil", "own_session.py", "own-session.conf"], seconds)

    def bring_programs(self, binaries: Path, programs: tuple, own: str, seconds: float):
        """Copies the programs, unless the peer has programs of its own in a directory. Raises HilError if they do not run
        there."""
        if own:
            self.binaries = PurePosixPath(own)
        else:
            self.copy(["-C", str(binaries), *programs], seconds)
        done = self.processes.run([self.binaries / "baton", "--version"], 60)
        if done.returncode != 0:
            said = (done.stderr.strip().splitlines() or [f"status {done.returncode}, and nothing was said"])[-1]
            raise HilError(f"{self.host} cannot run {self.binaries / 'baton'}: {said}; build Baton there, and name the directory: HIL=\"--peer-bin DIRECTORY\"")

    def copy(self, parts: list, seconds: float):
        """Copies files into the directory there, with arguments of tar. Raises HilError."""
        packing = self.here.start(["tar", "-chf", "-", "--exclude=__pycache__", *parts], stdout=subprocess.PIPE)
        unpacking = self.here.start(self.command(f"exec tar -xf - -C {self.directory}"), stdin=packing.stdout, stderr=subprocess.PIPE, text=True)
        packing.stdout.close()
        try:
            _, errors = unpacking.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise HilError(f"what is copied is not on {self.host} within {seconds:.0f} s") from None
        finally:
            self.here.end(packing, signal.SIGKILL)
            self.here.end(unpacking, signal.SIGKILL)
        if unpacking.returncode != 0:
            raise HilError(f"nothing can be copied to {self.host}: {errors.strip()[-200:]}")

    def shell(self, line: str, seconds: float = 60) -> str:
        """Runs a line in the peer's shell, in the directory, and returns its output. Raises HilError."""
        done = self.here.run(self.command(f"cd {self.directory} && {line}"), seconds)
        if done.returncode != 0:
            raise HilError(f"{self.host}: {(done.stderr.strip().splitlines() or ['ssh failed'])[-1]}")
        return done.stdout

    def ask(self, function: str, *arguments):
        """Calls a function of `asked` there. Raises HilError."""
        answer = json.loads(self.shell(f"exec python3 hil/there ask {shlex.quote(json.dumps([function, *arguments]))}"))
        if "error" in answer:
            raise HilError(f"{self.host}: {answer['error']}")
        return answer["answer"]

    def session(self, name: str) -> tuple:
        """Starts a session. Returns its home directory and the environment of its programs. Raises HilError."""
        home = self.directory / name
        process = self.processes.start(["python3", self.directory / "hil" / "there", "session", home], stdout=subprocess.PIPE, text=True)
        _, line = Lines("a session", process, process.stdout).next("a session", lambda text: text, 60)
        return home, json.loads(line)

    def kill(self, number: int, sig: int) -> bool:
        """Sends a signal to the process with this number. Returns whether it could be sent."""
        try:
            self.shell(f"kill -{int(sig)} $(cat pids/{number})", 20)
        except HilError:
            return False
        return True

    def close(self):
        """Ends all programs there, and the connection after its directory is removed."""
        self.processes.end_all()
        if self.keeper and self.keeper.poll() is None:
            self.keeper.stdin.close()
            try:
                self.keeper.wait(30)
            except subprocess.TimeoutExpired:
                pass
        self.here.end_all()
