// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Synchronization

/// The frames of all channels that wait to be taken: together they have a limit, which a device
/// cannot pass by having many channels, or by taking in others that have some.
final class WaitingFrames: Sendable {
    /// How many bytes may wait in all channels together.
    static let maximumBytes = 64 * Frame.maximumLength

    private struct Line {
        var bytes = 0
        /// What is cut stays cut, and counts for nothing.
        var isCut = false
        let cut: @Sendable () -> Void
    }

    private let lines = Mutex<[ObjectIdentifier: Line]>([:])

    /// How many bytes wait.
    var bytes: Int { lines.withLock { $0.values.reduce(0) { $0 + $1.bytes } } }

    /// In a line so many bytes more wait. Where too many wait, the longest line is cut.
    ///
    /// - Returns: How many wait in it now.
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

/// The frames of one channel that wait to be taken. Those who bring and those who take count on
/// threads of their own.
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

    /// Whether nothing of it is to be taken any more.
    var isCut: Bool { state.withLock(\.isCut) }

    /// A frame begins to wait, or is taken.
    ///
    /// - Parameter count: What it counts for, in bytes; negative when it is taken.
    /// - Returns: How many wait now.
    @discardableResult
    func add(_ count: Int) -> Int { all.add(count, in: self) }

    /// A frame begins to wait here for ``take()``.
    ///
    /// - Returns: How many bytes wait now.
    func put(_ frame: EncodedFrame) -> Int {
        state.withLock { if !$0.isCut { $0.frames.append(frame) } }
        return add(frame.count)
    }

    /// The first frame that waits here; nil when the line was cut.
    func take() -> EncodedFrame? {
        let frame = state.withLock { $0.frames.isEmpty ? nil : $0.frames.removeFirst() }
        if let frame { add(-frame.count) }
        return frame
    }

    /// Sets what ends the channel when the line is cut, or nil once the channel has ended.
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
