// SPDX-License-Identifier: GPL-3.0-or-later

import ActivityModel
import BatonBus
import BatonDesktop
import BatonService
import DesktopEntries
import Diagnosis

/// Answers calls about the offers of other devices, and their continuation.
struct OfferRoutes {
    let service: HandoffService
    let desktop: Desktop
    let callers: Callers
    let policy: CallerPermissions
    let continuations: OwnContinuations

    func add(to router: inout BusRouter) {
        router.on(OffersInterface.list) { _ in await offers() }
        router.on(OffersInterface.look) { _ in await service.look() }
        router.on(OffersInterface.continue) { offer, timeout, client in
            try await continueOffer(offer, timeout: timeout, client: client)
        }
        router.on(OffersInterface.open) { offer, options, _ in try await desktop.open(offer, options: options) }
        router.on(OffersInterface.accept) { continuation, accepted, client in
            try await accept(continuation: continuation, accepted: accepted, client: client)
        }
        router.on(OffersInterface.openStreams) { continuation, client in
            try await service.openStreams(continuation, client: client)
        }
        router.on(OffersInterface.cancel) { continuationOrOffer, client in
            try await cancel(continuationOrOffer, client: client)
        }
        router.on(OffersInterface.followPages) { client in await desktop.followPages(client) }
        router.on(OffersInterface.takePage) { page, _ in try await desktop.takePage(page) }
    }

    /// Returns the offers that have been announced to programs, so that every listed offer can be
    /// opened.
    private func offers() async -> [OfferSummary] {
        let told = await desktop.offers
        var offers: [OfferSummary] = []
        for offer in await service.offers() where told[offer.offer] != nil {
            offers.append(await desktop.decorated(offer))
        }
        return offers
    }

    private func continueOffer(
        _ offer: String, timeout: Duration?, client: ClientID
    ) async throws -> ContinuedActivity {
        try await checkContinuing(offer, client: client)
        return try await continuations.fetch(offer, for: client) {
            let continued = try await service.continueOffer(
                offer, timeout: timeout, client: client, account: (try? await callers.caller(client))?.account)
            do {
                // The user may have revoked the grant while the activity was fetched.
                try await checkContinued(continued.activity.activityType, client: client)
            } catch {
                try await service.accept(continued.continuation, accepted: false, client: client)
                throw error
            }
            return continued
        }
    }

    /// Throws if a sandboxed app may not continue an offer. Such an app may continue types that its
    /// desktop entry declares, if the types are its own or the user has granted them.
    private func checkContinuing(_ offer: String, client: ClientID) async throws {
        guard let own = policy.continuable(by: try await callers.caller(client)),
            await service.isOffer(offer, ofAnyOf: own.types, team: own.team) == false
        else { return }
        throw Self.notItsOwn
    }

    private func checkContinued(_ type: String, client: ClientID) async throws {
        guard let own = policy.continuable(by: try await callers.caller(client)), !own.types.contains(type) else {
            return
        }
        throw Self.notItsOwn
    }

    private static let notItsOwn = BatonError(.notAllowed, .offerUnallowed)

    private func accept(continuation: String, accepted: Bool, client: ClientID) async throws {
        do {
            try await service.accept(continuation, accepted: accepted, client: client)
        } catch let error as BatonError {
            continuations.ended(continuation, of: client, error)
            throw error
        }
        let refused = BatonError(.applicationFailed, .takenByNone)
        continuations.ended(continuation, of: client, accepted ? nil : refused)
    }

    private func cancel(_ continuationOrOffer: String, client: ClientID) async throws {
        await service.cancel(continuationOrOffer, client: client)
        continuations.ended(continuationOrOffer, of: client, BatonError(.userCancelled, .cancelled))
        let caller = try await callers.caller(client)
        try await desktop.cancel(continuationOrOffer, by: client, caller, mayManage: policy.mayManage(caller))
    }
}
