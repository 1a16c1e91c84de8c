// SPDX-License-Identifier: Apache-2.0

public import BatonBus
internal import Synchronization

/// How far the activities have come that programs fetch for themselves, by `Offers.Continue`: each
/// is told to its program alone.
public final class OwnContinuations: Sendable {
    private struct Continuation {
        let id: String
        let offer: String
        let client: ClientID
    }

    private let tell: @Sendable (OfferProgress, ClientID) -> Void
    /// What has been fetched and is still to be accepted, the latest last. Of each program as many
    /// are remembered as the service lets it have at a time; those longest known go first.
    private let fetched = Mutex<[Continuation]>([])

    /// Nothing yet.
    ///
    /// - Parameter tell: Tells one program.
    public init(tell: @escaping @Sendable (OfferProgress, ClientID) -> Void) { self.tell = tell }

    /// Fetches an offer's activity for a program, and says how far that has come.
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

    /// It is over, well or not: what fails with an error was not continued. Nothing happens for one
    /// that is not known, or is over already.
    public func ended(_ continuation: String, of client: ClientID, _ error: BatonError?) {
        let found = fetched.withLock { fetched in
            fetched.firstIndex { $0.id == continuation && $0.client == client }.map { fetched.remove(at: $0) }
        }
        guard let found else { return }
        tell(OfferProgress(offer: found.offer, phase: error == nil ? .done : .failed, error: error), client)
    }

    /// Nobody is to be told any more.
    public func clientLeft(_ client: ClientID) { fetched.withLock { $0.removeAll { $0.client == client } } }
}
