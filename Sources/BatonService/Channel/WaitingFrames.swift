// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Synchronization

/// The frames of all channels that wait to be taken: together they have a limit, which a device
/// cannot pass by having many channels, or by taking in others that have some.
final class WaitingFrames: Sendable {
    /// How many bytes may wait in all channels together.
    static let maximumBytes = 64 * Frame.maximumLength

    private let lines = Mutex<[ObjectIdentifier: (bytes: Int, cut: @Sendable () -> Void)]>([:])

    /// How many bytes wait.
    var bytes: Int { lines.withLock { $0.values.reduce(0) { $0 + $1.bytes } } }

    /// In a line so many bytes more wait. Where too many wait, the longest line is cut.
    ///
    /// - Returns: How many wait in it now.
    fileprivate func add(_ count: Int, in line: WaitingLine) -> Int {
        let (now, cut) = lines.withLock { lines -> (Int, (@Sendable () -> Void)?) in
            let now = (lines[ObjectIdentifier(line)]?.bytes ?? 0) + count
            lines[ObjectIdentifier(line)] = now == 0 ? nil : (now, { [weak line] in line?.cut() })
            guard count > 0, lines.values.reduce(0, { $0 + $1.bytes }) > Self.maximumBytes else { return (now, nil) }
            return (now, lines.values.max { $0.bytes < $1.bytes }?.cut)
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
    private let state = Mutex<(isCut: Bool, end: (@Sendable () -> Void)?)>((false, nil))

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

    /// What ends the channel when the line is cut.
    func onCut(_ end: @escaping @Sendable () -> Void) { state.withLock { $0.end = end } }

    fileprivate func cut() {
        let end = state.withLock { state in
            state.isCut = true
            return state.end
        }
        end?()
    }
}
