// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Synchronization

/// Limits the waiting frames of all channels together. A device cannot exceed the limit by opening
/// many channels, or by adding devices to the circle that open channels too.
final class WaitingFrames: Sendable {
    /// The limit on waiting bytes in all channels together.
    static let maximumBytes = 64 * Frame.maximumLength

    private struct Line {
        var bytes = 0
        /// Whether the line was cut. A cut line stays cut, and its bytes do not count.
        var isCut = false
        let cut: @Sendable () -> Void
    }

    private let lines = Mutex<[ObjectIdentifier: Line]>([:])

    /// The number of bytes that wait in all channels.
    var bytes: Int { lines.withLock { $0.values.reduce(0) { $0 + $1.bytes } } }

    /// Adds bytes to a line. If too many bytes wait in all lines, cuts the longest line.
    ///
    /// - Returns: How many bytes wait in the line now.
    fileprivate func add(_ count: Int, in line: WaitingLine) -> Int {
        let id = ObjectIdentifier(line)
        let (now, cut) = lines.withLock { lines -> (Int, (@Sendable () -> Void)?) in
            var changed = lines[id] ?? Line { [weak line] in line?.cut() }
            guard !changed.isCut else { return (0, nil) }
            changed.bytes += count
            lines[id] = changed.bytes == 0 ? nil : changed
            guard count > 0, lines.values.reduce(0, { $0 + $1.bytes }) > Self.maximumBytes,
                let longest = lines.max(by: { $0.value.bytes < $1.value.bytes })
            else { return (changed.bytes, nil) }
            lines[longest.key]?.isCut = true
            lines[longest.key]?.bytes = 0
            return (changed.bytes, longest.value.cut)
        }
        cut?()
        return now
    }

    fileprivate func end(_ line: ObjectIdentifier) { lines.withLock { $0[line] = nil } }
}

/// The frames of one channel that wait to be taken. Several threads may add and take frames at the
/// same time.
final class WaitingLine: Sendable {
    private let all: WaitingFrames
    private struct State {
        var isCut = false
        var end: (@Sendable () -> Void)?
        var frames: [EncodedFrame] = []
    }

    private let state = Mutex(State())

    init(in all: WaitingFrames) { self.all = all }

    deinit { all.end(ObjectIdentifier(self)) }

    /// Whether the line was cut, so that no more of its frames may be taken.
    var isCut: Bool { state.withLock(\.isCut) }

    /// Counts a frame that begins to wait, or is taken.
    ///
    /// - Parameter count: The bytes that the frame counts for; negative when it is taken.
    /// - Returns: How many bytes wait now.
    @discardableResult
    func add(_ count: Int) -> Int { all.add(count, in: self) }

    /// Adds a frame, which waits in the line for ``take()``.
    ///
    /// - Returns: How many bytes wait now.
    func put(_ frame: EncodedFrame) -> Int {
        state.withLock { if !$0.isCut { $0.frames.append(frame) } }
        return add(frame.count)
    }

    /// Takes the first frame that waits in the line. Returns nil if no frame waits, for example
    /// because the line was cut.
    func take() -> EncodedFrame? {
        let frame = state.withLock { $0.frames.isEmpty ? nil : $0.frames.removeFirst() }
        if let frame { add(-frame.count) }
        return frame
    }

    /// Sets the function that ends the channel when the line is cut. Call this with nil after the
    /// channel has ended.
    func onCut(_ end: (@Sendable () -> Void)?) { state.withLock { $0.end = end } }

    fileprivate func cut() {
        let end = state.withLock { state in
            state.isCut = true
            state.frames = []
            return state.end
        }
        end?()
    }
}
