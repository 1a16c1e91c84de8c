// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

/// The options that say what streams are fed from and where they go.
struct StreamOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("What this side sends over the streams; - is standard input.", valueName: "file"),
        completion: .file())
    var streamFrom: String?

    @Option(
        help: ArgumentHelp(
            "Where what this side receives goes, once it is whole. A file must not exist yet; a FIFO or a device is written to as it is. - is standard output, which gets the bytes as they come: the status says whether they were all.",
            valueName: "file"), completion: .file())
    var streamTo: String?

    @Flag(help: "Replace the file of --stream-to if it exists.")
    var force = false

    /// Whether streams are wanted at all.
    var areWanted: Bool { streamFrom != nil || streamTo != nil }

    /// Whether standard output belongs to the stream.
    var usesStandardOutput: Bool { streamTo == "-" }

    func validate() throws {
        for (name, value) in [("--stream-from", streamFrom), ("--stream-to", streamTo)] where value?.isEmpty == true {
            throw ValidationError("\(name) is empty; give a file, or -")
        }
        if force, streamTo == nil || streamTo == "-" { throw ValidationError("--force goes with --stream-to FILE") }
    }

    /// Opens what this side sends; nil when it sends nothing.
    func openSource() throws -> StreamSource? {
        guard let streamFrom else { return nil }
        if streamFrom == "-" {
            return StreamSource(descriptor: OpenDescriptor(STDIN_FILENO, isOwned: false), name: "standard input")
        }
        // A named pipe would keep open(2) waiting for its writer; it is waited for where it is
        // read.
        let descriptor = open(streamFrom, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw ToolFailure("cannot open \(streamFrom)", errno: errno, status: .noInput) }
        let owned = OpenDescriptor(descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw ToolFailure("cannot open \(streamFrom)", errno: errno, status: .noInput)
        }
        if status.st_mode & S_IFMT == S_IFDIR {
            throw ToolFailure("cannot send \(streamFrom): it is a directory", status: .noInput)
        }
        let size = status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : 0
        let flags = fcntl(descriptor, F_GETFL)
        if flags >= 0 { _ = fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) }
        return StreamSource(descriptor: owned, name: streamFrom, size: size)
    }

    /// Finds out now what could not be opened later. A pipe is only looked at: opening it would
    /// take its other end along.
    func check() throws {
        try checkEnds()
        for (path, mode, status) in [(streamFrom, R_OK, ExitStatus.noInput), (streamTo, W_OK, .cannotWrite)] {
            guard let path, path != "-", Self.isPipe(path), access(path, mode) != 0 else { continue }
            throw ToolFailure("cannot use \(path)", errno: errno, status: status)
        }
        if let streamFrom, !Self.isPipe(streamFrom) { _ = try openSource() }
        if let streamTo, !Self.isPipe(streamTo) { try openTarget().discard() }
    }

    private static func isPipe(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    /// Refuses a target that would take something away: what it reads from, whatever name that has,
    /// or a file that nobody said to replace.
    private func checkEnds() throws {
        guard let streamTo else { return }
        if let source = streamFrom.flatMap({ FileIdentity($0, standard: STDIN_FILENO) }),
            source == FileIdentity(streamTo, standard: STDOUT_FILENO)
        {
            throw ToolFailure("--stream-from and --stream-to are the same file; give another one", status: .usage)
        }
        guard !force, streamTo != "-", Self.isFile(streamTo) else { return }
        throw ToolFailure.exists(streamTo, advice: "give another name, or --force to replace it")
    }

    /// Whether there is a file of this name, or a link that names nothing yet: what a new file
    /// would take the place of.
    private static func isFile(_ path: String) -> Bool {
        var status = stat()
        if stat(path, &status) == 0 { return status.st_mode & S_IFMT == S_IFREG }
        return lstat(path, &status) == 0
    }

    /// Opens where what this side receives goes.
    func openTarget() throws -> StreamTarget {
        guard let streamTo else { return .nowhere }
        try checkEnds()
        if streamTo == "-" {
            return .descriptor(OpenDescriptor(STDOUT_FILENO, isOwned: false), name: "standard output")
        }
        var status = stat()
        if stat(streamTo, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            // A device or a pipe cannot be replaced by a file: it gets the bytes as they come.
            let descriptor = open(streamTo, O_WRONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else {
                if errno == ENXIO {
                    throw ToolFailure("nobody reads \(streamTo); start its reader first", status: .cannotWrite)
                }
                if errno == EISDIR { throw ToolFailure.exists(streamTo) }
                throw ToolFailure("cannot write \(streamTo)", errno: errno, status: .cannotWrite)
            }
            let flags = fcntl(descriptor, F_GETFL)
            if flags >= 0 { _ = fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) }
            return .descriptor(OpenDescriptor(descriptor), name: streamTo)
        }
        // A link to a file stays a link: what it names is replaced.
        guard let resolved = realpath(streamTo, nil) else {
            return .file(try NewFile(path: streamTo, mode: 0o666), replaces: force)
        }
        defer { free(resolved) }
        guard access(resolved, W_OK) == 0 else {
            throw ToolFailure("cannot write \(streamTo)", errno: errno, status: .cannotWrite)
        }
        let file = try NewFile(path: String(cString: resolved), mode: 0o600)
        // Who may read what is replaced may read what replaces it, and nobody else.
        _ = fchmod(file.descriptor.number, status.st_mode & 0o777)
        return .file(file, replaces: force)
    }
}

/// What this side sends.
struct StreamSource: Sendable {
    let descriptor: OpenDescriptor
    let name: String
    /// How many bytes a file had when it was opened; 0 for what is not a regular file.
    var size = 0

    /// Sends it.
    ///
    /// - Returns: How many bytes there were.
    /// - Throws: Also for a file that has become shorter: what was sent is no state it ever had.
    func send(to socket: OpenDescriptor) throws -> Int {
        let sent = try Descriptor.copy(from: descriptor, called: name, to: socket, called: Descriptor.stream)
        guard sent >= size else {
            throw ToolFailure("\(name) has become shorter while it was sent; send it again", status: .noInput)
        }
        return sent
    }
}

/// Where what this side receives goes.
enum StreamTarget: Sendable {
    case nowhere
    case descriptor(OpenDescriptor, name: String)
    /// - replaces: Whether it may take the place of another file of its name.
    case file(NewFile, replaces: Bool, name: String = "the file of --stream-to")

    /// The descriptor to write to, if any.
    var descriptor: OpenDescriptor? {
        switch self {
        case .nowhere: nil
        case .descriptor(let descriptor, _): descriptor
        case .file(let file, _, _): file.descriptor
        }
    }

    var name: String {
        switch self {
        case .nowhere: "nowhere"
        case .descriptor(_, let name): name
        case .file(_, _, let name): name
        }
    }

    /// Everything has arrived.
    func keep() throws {
        guard case .file(let file, let replaces, _) = self else { return }
        if replaces { try file.replace() } else { try file.createExclusively() }
    }

    /// Something went wrong, or it was only to be seen whether it can be opened: nothing
    /// half-written stays.
    func discard() { if case .file(let file, _, _) = self { file.discard() } }
}
