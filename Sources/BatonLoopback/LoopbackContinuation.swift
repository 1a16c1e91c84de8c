// SPDX-License-Identifier: Apache-2.0

public import Baton
import Foundation
import Glibc
public import UserActivity

/// An activity that one app of a ``Loopback`` fetched from another, and that it must accept or
/// decline.
public struct LoopbackContinuation: ContinuedOffer {
    /// The activity that the other app handed over. Its streams lead to that app.
    public let activity: UserActivity
    private let origin: LoopbackOrigin

    init(state: ActivityState, from source: UserActivity, to app: LoopbackApp) {
        origin = LoopbackOrigin(source)
        activity = UserActivity(state: state, host: app, origin: origin)
    }

    /// Takes the activity over, and tells the other app's delegate.
    public func accept() async { await origin.source.wasContinued() }

    /// Declines the activity. The other app learns nothing.
    public func decline() async {}
}

/// The app in the same process that an activity came from.
///
/// This object keeps the activity alive, because streams may be opened after the activity has
/// resigned.
private final class LoopbackOrigin: ContinuationOrigin {
    let source: UserActivity

    init(_ source: UserActivity) { self.source = source }

    func openStreams() async throws -> ContinuationPair {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard source.supportsContinuationStreams, !source.isInvalidated, socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw CocoaError(.userActivityHandoffFailed)
        }
        let own = ContinuationPair(adopting: ends[0])
        let streams = ContinuationStreams(
            identifier: UUID().uuidString, descriptor: ends[1], device: "", deviceName: "", transport: "loopback")
        let isTaken = await source.receive(streams) { ContinuationPair(adopting: $0.descriptor) }
        guard isTaken else {
            close(ends[1])
            throw CocoaError(.userActivityHandoffFailed)
        }
        return own
    }
}
