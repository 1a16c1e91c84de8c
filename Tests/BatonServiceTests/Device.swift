// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonService
import BatonTransport
import SimulatedTransport
import UserActivity

/// A device of a test: a service, its radio, and what it tells.
final class Device: Sendable {
    let service: HandoffService
    let radio: SimulatedRadio
    let directory: String
    private let told = Watched<[ServiceEvent]>([])

    /// The program that uses the service, unless a test names another.
    static let app = ClientID(":1.1")

    init(service: HandoffService, radio: SimulatedRadio, directory: String) {
        self.service = service
        self.radio = radio
        self.directory = directory
        Task { [told] in for await event in service.events { told.change { $0.append(event) } } }
    }

    /// The first event that fits; it is taken out, those before it stay.
    func next<Found: Sendable>(_ what: String, _ pick: (ServiceEvent) -> Found?) async throws -> Found {
        try await told.wait("\(radio.address): \(what)") { events in
            for (index, event) in events.enumerated() {
                guard let found = pick(event) else { continue }
                events.remove(at: index)
                return found
            }
            return nil
        }
    }

    /// Events that were told and not taken.
    var untaken: [ServiceEvent] { told.value }

    /// An offer as soon as it is as wanted; one that appeared earlier counts.
    func offer(_ what: String, _ isWanted: (OfferInformation) -> Bool) async throws -> OfferInformation {
        while true {
            if let offer = await service.offers().first(where: isWanted) { return offer }
            _ = try await next("an offer: \(what)") { event -> Bool? in
                switch event {
                case .offerAppeared, .offerChanged: true
                default: nil
                }
            }
        }
    }

    func offer(ofType type: String) async throws -> OfferInformation {
        try await offer("of type \(type)") { $0.type == type }
    }

    /// Returns once there is no offer of a type.
    func withdrawal(ofType type: String) async throws {
        while await service.offers().contains(where: { $0.type == type }) {
            _ = try await next("an offer's end") { event -> Bool? in
                if case .offerDisappeared = event { true } else { nil }
            }
        }
    }

    /// Publishes an activity and makes it current.
    @discardableResult
    func publish(
        _ type: String, team: String = "", userInfo: UserInfo = [:], streams: Bool = false,
        needsSave: Bool = false, client: ClientID = Device.app
    ) async throws -> String {
        var state = ActivityState(activityType: type)
        state.userInfo = userInfo
        state.supportsContinuationStreams = streams
        let id = try await service.publish(state, team: team, needsSave: needsSave, client: client)
        try await service.becomeCurrent(id, client: client)
        return id
    }

    /// Continues the offer of a type.
    func continueOffer(
        ofType type: String, timeout: Duration? = nil, client: ClientID = Device.app
    ) async throws -> ContinuedInformation {
        try await service.continueOffer(offer(ofType: type).id, timeout: timeout, client: client)
    }

    /// Continues the offer of a type and accepts.
    func takeOver(_ type: String) async throws -> ContinuedInformation {
        let continued = try await continueOffer(ofType: type)
        try await service.accept(continued.id, accepted: true, client: Device.app)
        return continued
    }
}
