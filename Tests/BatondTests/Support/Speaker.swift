// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import ChildProcesses
import Foundation
import Glibc

/// A program on a session bus for which an adapter might speak. It is a process of its own, in or
/// outside of a sandbox, and does what a test orders.
final class Speaker: Sendable {
    struct Failure: Error { let what: String }

    /// The program's unique name on the bus.
    let name: String
    /// The socket for the test's orders and the program's answers.
    private let orders: FileHandle

    private init(name: String, orders: FileHandle) { (self.name, self.orders) = (name, orders) }

    /// The file name of the program's executable.
    static var executable: String {
        get throws {
            guard let path = realpath("/usr/bin/python3", nil) else { throw Failure(what: "no Python") }
            defer { free(path) }
            return URL(filePath: String(cString: path)).lastPathComponent
        }
    }

    /// Runs a closure with a program, and ends the program afterwards.
    ///
    /// - Parameter information: The file at the root of its sandbox, or nil for no sandbox.
    static func with(
        on bus: PrivateBus, inside information: Sandbox.Information? = nil, _ body: (Speaker) async throws -> Void
    ) async throws {
        let path = "/tmp/btd-speaker-" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        let listener = try ListeningSocket(at: path)
        let arguments = ["/usr/bin/python3", "-c", program, bus.address, path]
        let run = Task {
            if let information {
                return try await Sandbox.run(arguments, information: information, bus: bus.address).text
            }
            return "\(try await ChildProcess(arguments[0], Array(arguments.dropFirst())).end)"
        }
        // Stop waiting if the program ends before it has connected.
        let failure = Task { if case .failure(let error) = await run.result { listener.close(because: "\(error)") } }
        let orders = FileHandle(fileDescriptor: try await listener.accept(), closeOnDealloc: true)
        let name = await said(on: orders)
        let speaker = Speaker(name: name.trimmingCharacters(in: .newlines), orders: orders)
        let result: Result<Void, any Error>
        do { result = .success(try await body(speaker)) } catch { result = .failure(error) }
        shutdown(orders.fileDescriptor, Int32(SHUT_RDWR))
        _ = try await run.value
        await failure.value
        try result.get()
    }

    /// Orders an action: `end` (a child keeps the connection, and the process is not reaped),
    /// `undumpable`, `connect PATH` or `disconnect`. Returns when it is done.
    func ask(_ order: String) async throws {
        try orders.write(contentsOf: Data("\(order)\n".utf8))
        let answer = await Self.said(on: orders)
        guard answer == "done\n" else { throw Failure(what: "\(order): \(answer)") }
    }

    /// Makes the process execute the program at this path, and returns when it has. The process
    /// stays on the bus.
    func become(_ program: URL) async throws {
        try await copyProgram("/bin/cat", to: program)
        try await ask("become \(program.path)")
        // The program returns its input.
        try orders.write(contentsOf: Data("there?\n".utf8))
        guard await Self.said(on: orders) == "there?\n" else {
            throw Failure(what: "it has not become \(program.path)")
        }
    }

    /// Returns the program's next answer, or an empty text if it has ended.
    private static func said(on orders: FileHandle) async -> String {
        await withCheckedContinuation { waiting in
            Thread.detachNewThread {
                var buffer = [UInt8](repeating: 0, count: 256)
                let count = recv(orders.fileDescriptor, &buffer, buffer.count, 0)
                waiting.resume(returning: String(decoding: buffer.prefix(max(0, count)), as: UTF8.self))
            }
        }
    }

    /// The program's source. The program sends its bus name and then obeys orders. Its arguments
    /// are the bus's address and the path of the socket for orders. It implements D-Bus itself,
    /// without a library.
    private static let program = #"""
        import ctypes, os, re, socket, struct, sys

        ends, end = os.pipe()
        os.set_inheritable(end, True)
        if os.fork():
            os.close(end)
            os.read(ends, 1)
            sys.exit()
        kind, place = re.match(r"unix:(path|abstract)=([^,;]*)", sys.argv[1]).groups()
        bus = socket.socket(socket.AF_UNIX)
        bus.connect(place if kind == "path" else "\0" + place)
        bus.sendall(b"\0AUTH EXTERNAL " + str(os.geteuid()).encode().hex().encode() + b"\r\n")
        assert bus.recv(4096).startswith(b"OK")
        fields = b""
        for code, signature, text in ((1, b"o", b"/org/freedesktop/DBus"), (6, b"s", b"org.freedesktop.DBus"),
                                      (2, b"s", b"org.freedesktop.DBus"), (3, b"s", b"Hello")):
            fields += b"\0" * (-len(fields) % 8) + bytes([code, 1]) + signature + b"\0" + struct.pack("<I", len(text)) + text + b"\0"
        hello = b"l\1\0\1" + struct.pack("<III", 0, 1, len(fields)) + fields
        bus.sendall(b"BEGIN\r\n" + hello + b"\0" * (-len(hello) % 8))
        said = b""
        while not (name := re.search(rb":1\.\d+(?=\0)", said)):
            said += bus.recv(4096)
        orders = socket.socket(socket.AF_UNIX)
        orders.connect(sys.argv[2])
        orders.sendall(name.group() + b"\n")
        other = None
        while order := orders.recv(4096).decode().split():
            if order[0] == "undumpable":
                assert ctypes.CDLL(None).prctl(4, 0, 0, 0, 0) == 0
            elif order[0] == "end":
                gone, goes = os.pipe()
                if os.fork():
                    os._exit(0)
                os.close(goes)
                os.read(gone, 1)
            elif order[0] == "connect":
                other = socket.socket(socket.AF_UNIX)
                other.connect(order[1])
            elif order[0] == "disconnect":
                other.close()
            orders.sendall(b"done\n")
            if order[0] == "become":
                os.set_inheritable(bus.fileno(), True)
                os.dup2(orders.fileno(), 0)
                os.dup2(orders.fileno(), 1)
                os.execv(order[1], ["cat"])
        """#
}
