// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

/// The options for the source and the target of streams.
struct StreamOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The file that this side sends over the streams, or - for standard input.", valueName: "file"),
        completion: .file())
    var streamFrom: String?

    @Option(
        help: ArgumentHelp(
            "The file for the data that this side receives. It must not exist yet, and appears when the data is complete. A FIFO or a device gets the bytes directly. With -, standard output gets the bytes as they arrive. The exit status says whether all have arrived.",
            valueName: "file"), completion: .file())
    var streamTo: String?

    @Flag(help: "Replace the file of --stream-to if it exists.")
    var force = false

    /// Whether the options name a source or a target.
    var areWanted: Bool { streamFrom != nil || streamTo != nil }

    var usesStandardOutput: Bool { streamTo == "-" }

    func validate() throws {
        for (name, value) in [("--stream-from", streamFrom), ("--stream-to", streamTo)] where value?.isEmpty == true {
            throw ValidationError("\(name) is empty; give a file, or -")
        }
        if force, streamTo == nil || streamTo == "-" { throw ValidationError("--force goes with --stream-to FILE") }
    }

    /// Opens the source. Returns `nil` if this side sends nothing.
    func openSource() throws -> StreamSource? {
        guard let streamFrom else { return nil }
        if streamFrom == "-" {
            return StreamSource(descriptor: OpenDescriptor(STDIN_FILENO, isOwned: false), name: "standard input")
        }
        // Without O_NONBLOCK, open(2) would wait for the writer of a named pipe. With it, only the
        // first read waits.
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
        owned.makeBlocking()
        return StreamSource(descriptor: owned, name: streamFrom, size: size)
    }

    /// Throws if the source or the target cannot be opened. Does not open a named pipe, because
    /// that would affect its other end, but checks its permissions.
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

    /// Throws if writing the target would destroy data.
    ///
    /// The target must not be the source, and without `--force` it must not be an existing file.
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

    /// Returns whether the path is an existing file or a broken link, which a new file would
    /// replace.
    private static func isFile(_ path: String) -> Bool {
        var status = stat()
        if stat(path, &status) == 0 { return status.st_mode & S_IFMT == S_IFREG }
        return lstat(path, &status) == 0
    }

    func openTarget() throws -> StreamTarget {
        guard let streamTo else { return .nowhere }
        try checkEnds()
        if streamTo == "-" {
            return .descriptor(OpenDescriptor(STDOUT_FILENO, isOwned: false), name: "standard output")
        }
        var status = stat()
        if stat(streamTo, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            // Do not replace a device or a pipe by a file. Write the bytes into it as they arrive.
            let descriptor = open(streamTo, O_WRONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else {
                if errno == ENXIO {
                    throw ToolFailure("nobody reads \(streamTo); start its reader first", status: .cannotWrite)
                }
                if errno == EISDIR { throw ToolFailure.exists(streamTo) }
                throw ToolFailure("cannot write \(streamTo)", errno: errno, status: .cannotWrite)
            }
            let owned = OpenDescriptor(descriptor)
            owned.makeBlocking()
            return .descriptor(owned, name: streamTo)
        }
        // If the path is a link, replace the file that it points to, so that the link stays.
        guard let resolved = realpath(streamTo, nil) else {
            return .file(try NewFile(path: streamTo, mode: 0o666), replaces: force)
        }
        defer { free(resolved) }
        guard access(resolved, W_OK) == 0 else {
            throw ToolFailure("cannot write \(streamTo)", errno: errno, status: .cannotWrite)
        }
        let file = try NewFile(path: String(cString: resolved), mode: 0o600)
        // The new file gets the permissions of the old one.
        _ = fchmod(file.descriptor.number, status.st_mode & 0o777)
        return .file(file, replaces: force)
    }
}

/// The source of the data that this side sends.
struct StreamSource: Sendable {
    let descriptor: OpenDescriptor
    let name: String
    /// The size of a file when it was opened, in bytes, or 0 for anything but a regular file.
    var size = 0

    /// Sends the data.
    ///
    /// - Returns: The number of bytes sent.
    /// - Throws: An error if sending fails, or if the file became shorter while it was sent. In
    ///   that case the sent data may be a mixture of old and new.
    func send(to socket: OpenDescriptor) throws -> Int {
        let sent = try Descriptor.copy(from: descriptor, called: name, to: socket, called: Descriptor.stream)
        guard sent >= size else {
            throw ToolFailure("\(name) has become shorter while it was sent; send it again", status: .noInput)
        }
        return sent
    }
}

/// The target for the data that this side receives.
enum StreamTarget: Sendable {
    case nowhere
    case descriptor(OpenDescriptor, name: String)
    /// A file. `replaces` says whether it may replace an existing file.
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

    /// Gives the file its name. Called when all data has arrived.
    func keep() throws {
        guard case .file(let file, let replaces, _) = self else { return }
        if replaces { try file.replace() } else { try file.createExclusively() }
    }

    /// Removes the file. Called after a failure or after a check.
    func discard() { if case .file(let file, _, _) = self { file.discard() } }
}
