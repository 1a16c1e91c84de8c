// SPDX-License-Identifier: Apache-2.0

import Descriptors
import Dispatch
import Glibc
import Synchronization

/// The two pipes to the browser. Blocking reads and writes run on their own queues.
final class BrowserPipe: Sendable {
    /// The largest number of bytes that may wait for a browser that does not read.
    static let maximumPending = 4 << 20

    private let output: Int32
    private let reading = DispatchQueue(label: "input")
    private let writing = DispatchQueue(label: "output")
    private let pending = Atomic(0)
    private let fail: @Sendable (String) -> Void
    /// The browser's messages. The messages are read only on demand. The stream ends when the
    /// browser ends.
    let messages: AsyncStream<FrameReader.Frame>

    /// Creates the pipes.
    ///
    /// - Parameters:
    ///   - input: The descriptor to read from.
    ///   - output: The descriptor to write to.
    ///   - fail: Called when the browser has stopped reading. The closure must end the program.
    init(input: Int32, output: Int32, fail: @escaping @Sendable (String) -> Void) {
        self.output = output
        self.fail = fail
        let source = Mutex((reader: FrameReader(), frames: [FrameReader.Frame]()[...]))
        messages = AsyncStream { [reading] in
            await withCheckedContinuation { waiting in
                reading.async { waiting.resume(returning: source.withLock { Self.next(from: input, &$0) }) }
            }
        }
    }

    private static func next(
        from input: Int32, _ source: inout (reader: FrameReader, frames: ArraySlice<FrameReader.Frame>)
    ) -> FrameReader.Frame? {
        while source.frames.isEmpty {
            let bytes = [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, count in
                repeat {
                    count = max(-1, read(input, buffer.baseAddress, buffer.count))
                } while count < 0 && errno == EINTR
                count = max(0, count)
            }
            guard !bytes.isEmpty else { return nil }
            source.frames = source.reader.take(bytes)[...]
        }
        return source.frames.popFirst()
    }

    /// Queues a message behind the earlier ones, and returns without waiting.
    ///
    /// - Parameter message: The message. If it is too long for browsers, which is a mistake of this
    ///   program, the program ends.
    @Sendable func send(_ message: Message) {
        guard let bytes = try? message.framed, bytes.count <= Message.maximumLength else {
            return fail("a message is too long for the browser")
        }
        let waiting = pending.add(bytes.count, ordering: .relaxed).newValue
        guard waiting <= Self.maximumPending else { return fail("the browser does not read what it is sent") }
        writing.async { [self] in
            // If the browser is gone, drop the message. The browser's end of the input closes too,
            // which ends this program.
            try? FileContents.write(bytes, to: output)
            pending.subtract(bytes.count, ordering: .relaxed)
        }
    }

    /// Waits until everything is written or writing has failed.
    func flush() async { await withCheckedContinuation { done in writing.async { done.resume() } } }
}
