// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import Threads

/// The lines of standard input. Reading begins with the first request.
final class TypedLines: Sendable {
    /// The largest size of an answer, in bytes. Answers are words and numbers. A longer line
    /// arrives as an empty line.
    static let maximumAnswer = 1_024
    /// The largest number of lines that wait to be taken.
    static let maximumWaiting = 64

    private let begun = Mutex<AsyncStream<String>?>(nil)

    /// Returns the lines. A separate thread reads the lines, so that a waiting caller can be
    /// cancelled.
    ///
    /// Every call returns the same stream, which callers use one after another. With two streams,
    /// each would get only some of the lines.
    func stream() -> AsyncStream<String> {
        begun.withLock { begun in
            let stream = begun ?? Self.read()
            begun = stream
            return stream
        }
    }

    private static func read() -> AsyncStream<String> {
        AsyncStream(bufferingPolicy: .bufferingOldest(maximumWaiting)) { continuation in
            OwnThread.startOrDoHere {
                let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: maximumAnswer, alignment: 16)
                defer { buffer.deallocate() }
                var lines = LineSplitter(limit: maximumAnswer)
                func tell(_ line: LineSplitter.Line) {
                    continuation.yield(line.text.map { String(decoding: $0, as: UTF8.self) } ?? "")
                }
                while let count = try? Descriptor.read(into: buffer, from: STDIN_FILENO, called: "standard input"),
                    count > 0
                {
                    lines.take(buffer[..<count]).forEach(tell)
                }
                if let line = lines.finish() { tell(line) }
                continuation.finish()
            }
        }
    }
}
