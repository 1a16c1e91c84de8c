// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Synchronization

/// The two pipes to the browser: what blocks has a thread of its own.
final class BrowserPipe: Sendable {
    /// How many bytes may wait for a browser that does not read.
    static let maximumPending = 4 << 20

    private let output: Int32
    private let reading = DispatchQueue(label: "input")
    private let writing = DispatchQueue(label: "output")
    private let pending = Atomic(0)
    private let fail: @Sendable (String) -> Void
    /// What the browser sends; it is read only as it is asked for, and ends with the browser.
    let messages: AsyncStream<FrameReader.Frame>

    /// - Parameters:
    ///   - input: What the browser writes to.
    ///   - output: What it reads from.
    ///   - fail: Told that the browser does not read any more; nothing follows.
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

    /// Sends a message after those before it, and waits for nothing.
    ///
    /// - Parameter message: The message; one that browsers would not take ends the program, for it
    ///   cannot be.
    @Sendable func send(_ message: Message) {
        guard let bytes = try? message.framed, bytes.count <= Message.maximumLength else {
            return fail("a message is too long for the browser")
        }
        let waiting = pending.add(bytes.count, ordering: .relaxed).newValue
        guard waiting <= Self.maximumPending else { return fail("the browser does not read what it is sent") }
        writing.async { [self] in
            write(bytes[...])
            pending.subtract(bytes.count, ordering: .relaxed)
        }
    }

    /// Waits until all has been written, or cannot be.
    func flush() async {
        await withCheckedContinuation { done in writing.async { done.resume() } }
    }

    private func write(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                // The input ends, too.
                return
            }
        }
    }
}
