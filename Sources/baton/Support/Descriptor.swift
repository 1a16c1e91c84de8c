// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// Blocking reads and writes of whole buffers. The descriptors may be blocking or non-blocking.
enum Descriptor {
    /// The size of the buffers for copying streams, in bytes.
    static let bufferSize = 256 << 10

    /// The name of a continuation stream's socket in errors.
    static let stream = "the stream"

    /// Writes all of the bytes.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - descriptor: The target.
    ///   - name: The target's name for errors.
    static func writeAll(_ bytes: ArraySlice<UInt8>, to descriptor: Int32, called name: String) throws {
        try bytes.withUnsafeBytes { try writeAll($0, to: descriptor, called: name) }
    }

    /// Writes all of a buffer.
    static func writeAll(_ buffer: UnsafeRawBufferPointer, to descriptor: Int32, called name: String) throws {
        var written = 0
        while written < buffer.count {
            let count = write(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
            if count >= 0 {
                written += count
            } else if errno == EAGAIN {
                wait(for: POLLOUT, on: descriptor)
            } else if errno != EINTR {
                throw ToolFailure(
                    "cannot write to \(name)", errno: errno,
                    status: name == Output.standard.name ? .noOutput : .cannotWrite, isOfStream: name == stream)
            }
        }
    }

    /// Reads into a buffer.
    ///
    /// - Returns: The number of bytes read, or 0 at the end.
    static func read(into buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32, called name: String) throws
        -> Int
    {
        while true {
            if let count = try readNow(into: buffer, from: descriptor, called: name) { return count }
            wait(for: POLLIN, on: descriptor)
        }
    }

    /// Reads the available bytes. Returns `nil` if there are none yet.
    private static func readNow(
        into buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32, called name: String
    ) throws -> Int? {
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            if errno == EAGAIN { return nil }
            guard errno == EINTR else {
                throw ToolFailure(
                    "cannot read from \(name)", errno: errno, status: .noInput, isOfStream: name == stream)
            }
        }
    }

    /// Copies until the source ends. If the target is a continuation stream, throws as soon as its
    /// other end is closed.
    ///
    /// - Parameter admit: Called with the size of each chunk before it is written. Throws if the
    ///   limit is exceeded.
    /// - Returns: The number of bytes copied.
    static func copy(
        from source: OpenDescriptor, called sourceName: String, to target: OpenDescriptor?, called targetName: String,
        admit: (Int) throws -> Void = { _ in }
    ) throws -> Int {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 4096)
        defer { buffer.deallocate() }
        var total = 0
        while true {
            // Wait before reading, because reading a named pipe that has no writer yet looks like
            // the end.
            try wait(for: source, unlessClosed: targetName == stream ? target : nil)
            guard let count = try readNow(into: buffer, from: source.number, called: sourceName) else { continue }
            guard count > 0 else { return total }
            try admit(count)
            if let target {
                try writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: target.number, called: targetName)
            }
            total += count
        }
    }

    private static func wait(for source: OpenDescriptor, unlessClosed socket: OpenDescriptor?) throws {
        var entries = [
            pollfd(fd: source.number, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket?.number ?? -1, events: 0, revents: 0),
        ]
        while poll(&entries, nfds_t(entries.count), -1) < 0, errno == EINTR {}
        guard entries[1].revents == 0 else {
            throw ToolFailure("cannot write to \(stream)", errno: EPIPE, status: .cannotWrite, isOfStream: true)
        }
    }

    private static func wait(for events: Int32, on descriptor: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        _ = poll(&entry, 1, -1)
    }
}

extension Descriptor {
    /// Opens a file for reading. `-` is standard input.
    static func opened(_ path: String) throws -> OpenDescriptor {
        if path == "-" { return OpenDescriptor(STDIN_FILENO, isOwned: false) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ToolFailure("cannot read \(path)", errno: errno, status: .noInput) }
        return OpenDescriptor(descriptor)
    }

    /// Reads everything up to `limit` bytes, plus one byte that shows that there is more.
    ///
    /// - Parameter deadline: The time at which to stop and return the bytes read so far, or `nil`
    ///   for no limit.
    static func readAll(
        from descriptor: Int32, called name: String, limit: Int, until deadline: ContinuousClock.Instant? = nil
    ) throws -> Data {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: limit + 1, alignment: 16)
        defer { buffer.deallocate() }
        var total = 0
        while total < buffer.count {
            if let deadline, !waitForInput(on: descriptor, until: deadline) { break }
            let count = try read(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[total...]), from: descriptor, called: name)
            guard count > 0 else { break }
            total += count
        }
        return Data(buffer[..<total])
    }

    /// Waits for input or for the end of input. Returns `false` at the deadline.
    private static func waitForInput(on descriptor: Int32, until deadline: ContinuousClock.Instant) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let left = (deadline - .now) / .milliseconds(1)
            guard left > 0 else { return false }
            let found = poll(&entry, 1, Int32(min(left.rounded(.up), 1_000_000)))
            if found > 0 { return true }
            guard found == 0 || errno == EINTR else { return true }
        }
    }
}
