// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

/// The options that say what streams are fed from and where they go.
struct StreamOptions: ParsableArguments {
    @Option(help: ArgumentHelp("What this side sends over the streams; - is standard input.", valueName: "file"))
    var streamFrom: String?

    @Option(
        help: ArgumentHelp(
            "Where what this side receives goes, once it is whole; - is standard output.", valueName: "file"))
    var streamTo: String?

    /// Whether streams are wanted at all.
    var areWanted: Bool { streamFrom != nil || streamTo != nil }

    /// Whether standard output belongs to the stream.
    var usesStandardOutput: Bool { streamTo == "-" }

    /// Opens what this side sends; nil when it sends nothing.
    func openSource() throws -> StreamSource? {
        guard let streamFrom else { return nil }
        if streamFrom == "-" {
            return StreamSource(descriptor: OpenDescriptor(STDIN_FILENO, isOwned: false), name: "standard input")
        }
        // A named pipe would keep open(2) waiting for its writer; it is waited for where it is read.
        let descriptor = open(streamFrom, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw ToolFailure("cannot open \(streamFrom)", errno: errno) }
        let source = StreamSource(descriptor: OpenDescriptor(descriptor), name: streamFrom)
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            throw ToolFailure("cannot send \(streamFrom): it is a directory")
        }
        let flags = fcntl(descriptor, F_GETFL)
        if flags >= 0 { _ = fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) }
        return source
    }

    /// Finds out now what could not be opened later. A pipe is only looked at: opening it would take its other end along.
    func check() throws {
        for (path, mode) in [(streamFrom, R_OK), (streamTo, W_OK)] {
            guard let path, path != "-", Self.isPipe(path), access(path, mode) != 0 else { continue }
            throw ToolFailure("cannot use \(path)", errno: errno)
        }
        if let streamFrom, !Self.isPipe(streamFrom) { _ = try openSource() }
        if let streamTo, !Self.isPipe(streamTo) { try openTarget().discard() }
    }

    private static func isPipe(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    /// Opens where what this side receives goes.
    func openTarget() throws -> StreamTarget {
        guard let streamTo else { return .nowhere }
        if streamTo == "-" {
            return .descriptor(OpenDescriptor(STDOUT_FILENO, isOwned: false), name: "standard output")
        }
        var status = stat()
        if stat(streamTo, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            // A device or a pipe cannot be replaced by a file: it gets the bytes as they come.
            let descriptor = open(streamTo, O_WRONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else {
                if errno == ENXIO { throw ToolFailure("nobody reads \(streamTo); start its reader first") }
                throw ToolFailure("cannot write \(streamTo)", errno: errno)
            }
            let flags = fcntl(descriptor, F_GETFL)
            if flags >= 0 { _ = fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) }
            return .descriptor(OpenDescriptor(descriptor), name: streamTo)
        }
        // A link to a file stays a link: what it names is replaced.
        guard let resolved = realpath(streamTo, nil) else { return .file(try NewFile(path: streamTo, mode: 0o666)) }
        defer { free(resolved) }
        guard access(resolved, W_OK) == 0 else { throw ToolFailure("cannot write \(streamTo)", errno: errno) }
        let file = try NewFile(path: String(cString: resolved), mode: 0o600)
        // Who may read what is replaced may read what replaces it, and nobody else.
        _ = fchmod(file.descriptor.number, status.st_mode & 0o777)
        return .file(file)
    }
}

/// What this side sends.
struct StreamSource: Sendable {
    let descriptor: OpenDescriptor
    let name: String
}

/// Where what this side receives goes.
enum StreamTarget: Sendable {
    case nowhere
    case descriptor(OpenDescriptor, name: String)
    case file(NewFile)

    /// The descriptor to write to, if any.
    var descriptor: OpenDescriptor? {
        switch self {
        case .nowhere: nil
        case .descriptor(let descriptor, _): descriptor
        case .file(let file): file.descriptor
        }
    }

    var name: String {
        switch self {
        case .nowhere: "nowhere"
        case .descriptor(_, let name): name
        case .file: "the file of --stream-to"
        }
    }

    /// Everything has arrived.
    func keep() throws { if case .file(let file) = self { try file.replace() } }

    /// Something went wrong, or it was only to be seen whether it can be opened: nothing half-written stays.
    func discard() { if case .file(let file) = self { file.discard() } }
}
