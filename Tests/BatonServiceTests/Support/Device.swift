// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import BatonTesting
import BatonTransport
import Diagnosis
import Foundation
import SimulatedTransport

@testable import BatonService

/// A device of a test: a service, its radio, and what it tells.
final class Device: Sendable {
    let service: HandoffService
    let radio: SimulatedRadio
    let directory: String
    /// What all devices of its world show of what they do.
    let signs: Signs
    private let told = Watched<[ServiceEvent]>([])
    private let toldClients = Watched<[ClientEvent]>([])

    /// The program that uses the service, unless a test names another.
    static let app = ClientID(rawValue: ":1.1")

    init(service: HandoffService, radio: SimulatedRadio, directory: String, signs: Signs) {
        self.service = service
        self.radio = radio
        self.directory = directory
        self.signs = signs
        Task { [told] in for await event in service.events { told.change { $0.append(event) } } }
    }

    var identityID: DeviceID { get async { await service.identity.id } }

    var memberNames: [String] { get async { await service.members.map(\.name).sorted() } }

    /// Whether it has a link to another device of its circle.
    func hasLink(to other: Device) async -> Bool {
        let device = await other.identityID.description
        return await service.members.contains { $0.device == device && !$0.transports.isEmpty }
    }

    /// Has the service begin, and keeps what it tells programs.
    func start() async throws {
        try await service.start { [toldClients] event in toldClients.change { $0.append(event) } }
    }

    /// The first event for everyone that fits; it is taken out, those before it stay.
    func news<Found: Sendable>(_ what: String, _ pick: (ServiceEvent) -> Found?) async throws -> Found {
        try await told.wait("\(radio.address): \(what)") { Self.take(from: &$0, pick) }
    }

    /// The first event for a program that fits; it is taken out, those before it stay.
    func next<Found: Sendable>(_ what: String, _ pick: (ClientEvent) -> Found?) async throws -> Found {
        try await toldClients.wait("\(radio.address): \(what)") { Self.take(from: &$0, pick) }
    }

    private static func take<Event, Found>(from events: inout [Event], _ pick: (Event) -> Found?) -> Found? {
        for (index, event) in events.enumerated() {
            guard let found = pick(event) else { continue }
            events.remove(at: index)
            return found
        }
        return nil
    }

    /// Events for programs that were told and not taken.
    var untaken: [ClientEvent] { toldClients.value }

    /// An offer as soon as it is as wanted; one that appeared earlier counts.
    func offer(_ what: String, _ isWanted: (OfferSummary) -> Bool) async throws -> OfferSummary {
        while true {
            if let offer = await service.offers().first(where: isWanted) { return offer }
            _ = try await news("an offer: \(what)") { event -> Bool? in
                switch event {
                case .offerAppeared, .offerChanged: true
                default: nil
                }
            }
        }
    }

    func offer(ofType type: String) async throws -> OfferSummary {
        try await offer("of type \(type)") { $0.type == type }
    }

    /// Returns once there is no offer of a type.
    func withdrawal(ofType type: String) async throws {
        try await withdrawal("of type \(type)") { $0.type == type }
    }

    /// Returns once there is no such offer. Nobody is told of the end of one whose beginning was
    /// not told yet.
    func withdrawal(_ what: String, _ isMeant: @Sendable (OfferSummary) -> Bool) async throws {
        try await until("the end of an offer: \(what)", after: .traceLine) {
            await !service.offers().contains(where: isMeant)
        }
    }

    /// Returns once it is in no circle any more, and has told so.
    func endOfCircle() async throws {
        while await service.circle != nil {
            try await news("the end of its circle") { event -> Void? in
                if case .conditionChanged = event { () } else { nil }
            }
        }
    }

    /// Publishes an activity and makes it current.
    @discardableResult
    func publish(
        _ type: String, title: String? = nil, team: String = "", userInfo: UserInfo = [:], webpage: URL? = nil,
        streams: Bool = false, needsSave: Bool = false, isBackground: Bool = false, client: ClientID = Device.app
    ) async throws -> String {
        var state = ActivityState(activityType: type, title: title, userInfo: userInfo, webpageURL: webpage)
        state.supportsContinuationStreams = streams
        let id = try await service.publish(
            state, team: team, isBackground: isBackground, needsSave: needsSave, client: client)
        try await service.becomeCurrent(id, client: client)
        return id
    }

    /// Continues the offer of a type.
    func continueOffer(
        ofType type: String, timeout: Duration? = nil, client: ClientID = Device.app
    ) async throws -> ContinuedActivity {
        try await service.continueOffer(offer(ofType: type).offer, timeout: timeout, client: client)
    }

    /// Continues the offer of a type and accepts.
    func takeOver(_ type: String) async throws -> ContinuedActivity {
        let continued = try await continueOffer(ofType: type)
        try await service.accept(continued.continuation, accepted: true, client: Device.app)
        return continued
    }

    /// Time passes until all connections have ended, and nobody who was heard is near any more.
    func hearsNobody(_ clock: ManualClock) async throws {
        clock.advance(by: .seconds(660))
        try await linksEnd()
        try await until("nobody is near", after: .radioEvent) {
            await !self.service.members.contains { $0.isNear && !$0.isThisDevice }
        }
    }
}
