// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import Threads

/// What somebody types: standard input's lines, once they are asked for the first time.
final class TypedLines: Sendable {
    /// The longest answer, in bytes: words and numbers.
    static let maximumAnswer = 1_024
    /// How many lines wait for somebody who takes them.
    static let maximumWaiting = 64

    private let maximumLength: Int
    private let begun = Mutex<AsyncStream<String>?>(nil)

    /// - Parameter maximumLength: How many bytes a line has at most. A longer one is no answer, and
    ///   comes as an empty line.
    init(maximumLength: Int = maximumAnswer) { self.maximumLength = maximumLength }

    /// The lines, read on a thread of their own: a terminal answers when its user does, and who
    /// waits can be cancelled. It is the same stream each time, of which one reader after the other
    /// takes lines: two threads that read would each get some.
    func stream() -> AsyncStream<String> {
        begun.withLock { begun in
            let stream = begun ?? Self.read(maximumLength)
            begun = stream
            return stream
        }
    }

    private static func read(_ maximumLength: Int) -> AsyncStream<String> {
        AsyncStream(bufferingPolicy: .bufferingOldest(maximumWaiting)) { continuation in
            OwnThread.startOrDoHere {
                let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: maximumLength, alignment: 16)
                defer { buffer.deallocate() }
                var lines = LineSplitter(limit: maximumLength)
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
