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
        if streamFrom == "-" { return StreamSource(descriptor: STDIN_FILENO, name: "standard input", isOwned: false) }
        let descriptor = open(streamFrom, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ToolFailure("cannot open \(streamFrom)", errno: errno) }
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            close(descriptor)
            throw ToolFailure("cannot send \(streamFrom): it is a directory")
        }
        return StreamSource(descriptor: descriptor, name: streamFrom, isOwned: true)
    }

    /// Opens where what this side receives goes.
    func openTarget() throws -> StreamTarget {
        guard let streamTo else { return .nowhere }
        if streamTo == "-" { return .descriptor(STDOUT_FILENO, name: "standard output", isOwned: false) }
        var status = stat()
        if stat(streamTo, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            // A device or a pipe cannot be replaced by a file: it gets the bytes as they come.
            let descriptor = open(streamTo, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw ToolFailure("cannot write \(streamTo)", errno: errno) }
            return .descriptor(descriptor, name: streamTo, isOwned: true)
        }
        // A link to a file stays a link: what it names is replaced.
        guard let resolved = realpath(streamTo, nil) else { return .file(try NewFile(path: streamTo, mode: 0o666)) }
        defer { free(resolved) }
        return .file(try NewFile(path: String(cString: resolved), mode: 0o666))
    }
}

/// What this side sends.
struct StreamSource: Sendable {
    let descriptor: Int32
    let name: String
    let isOwned: Bool

    func end() {
        if isOwned { close(descriptor) }
    }
}

/// Where what this side receives goes.
enum StreamTarget: Sendable {
    case nowhere
    case descriptor(Int32, name: String, isOwned: Bool)
    case file(NewFile)

    /// The descriptor to write to, if any.
    var descriptor: Int32? {
        switch self {
        case .nowhere: nil
        case .descriptor(let descriptor, _, _): descriptor
        case .file(let file): file.descriptor
        }
    }

    var name: String {
        switch self {
        case .nowhere: "nowhere"
        case .descriptor(_, let name, _): name
        case .file: "the file of --stream-to"
        }
    }

    /// Drops what was opened only to see whether it can be.
    func check() { discard() }

    /// Everything has arrived.
    func keep() throws {
        switch self {
        case .nowhere: break
        case .descriptor(let descriptor, _, let isOwned): if isOwned { close(descriptor) }
        case .file(let file): try file.replace()
        }
    }

    /// Something went wrong: nothing half-written stays.
    func discard() {
        switch self {
        case .nowhere: break
        case .descriptor(let descriptor, _, let isOwned): if isOwned { close(descriptor) }
        case .file(let file): file.discard()
        }
    }
}
