// SPDX-License-Identifier: Apache-2.0

public import BatonBus
internal import Synchronization

/// Reports the progress of activities that programs fetch for themselves by `Offers.Continue`. Each
/// report goes only to the program that fetches.
public final class OwnContinuations: Sendable {
    private struct Continuation {
        let id: String
        let offer: String
        let client: ClientID
    }

    private let tell: @Sendable (OfferProgress, ClientID) -> Void
    /// The fetched activities that were not accepted yet, the latest last. Each program has at most
    /// as many as the service allows at a time. If a program fetches one more, its oldest activity
    /// is dropped.
    private let fetched = Mutex<[Continuation]>([])

    /// Creates an empty record.
    ///
    /// - Parameter tell: Called to send a report to one program.
    public init(tell: @escaping @Sendable (OfferProgress, ClientID) -> Void) { self.tell = tell }

    /// Fetches an offer's activity for a program, and reports the progress.
    public func fetch(
        _ offer: String, for client: ClientID, _ body: () async throws -> ContinuedActivity
    ) async throws -> ContinuedActivity {
        tell(OfferProgress(offer: offer, phase: .fetching), client)
        do {
            let activity = try await body()
            fetched.withLock { fetched in
                let own = fetched.indices.filter { fetched[$0].client == client }
                if own.count >= ContinuedActivity.maximumPerClient { fetched.remove(at: own[0]) }
                fetched.append(Continuation(id: activity.continuation, offer: offer, client: client))
            }
            tell(OfferProgress(offer: offer, phase: .delivering), client)
            return activity
        } catch {
            let error = BatonError(anyError: error)
            tell(OfferProgress(offer: offer, phase: .failed, error: error), client)
            throw error
        }
    }

    /// Reports that a continuation has ended, with an error if it was not accepted. Does nothing if
    /// the continuation is unknown or has ended already.
    public func ended(_ continuation: String, of client: ClientID, _ error: BatonError?) {
        let found = fetched.withLock { fetched in
            fetched.firstIndex { $0.id == continuation && $0.client == client }.map { fetched.remove(at: $0) }
        }
        guard let found else { return }
        tell(OfferProgress(offer: found.offer, phase: error == nil ? .done : .failed, error: error), client)
    }

    /// Forgets a program that has left the bus.
    public func clientLeft(_ client: ClientID) { fetched.withLock { $0.removeAll { $0.client == client } } }
}
