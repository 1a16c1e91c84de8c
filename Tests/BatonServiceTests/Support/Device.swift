// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import BatonTesting
import BatonTransport
import Diagnosis
import Foundation
import SimulatedTransport

@testable import BatonService

/// A device of a test: a service, its radio, and the events of the service.
final class Device: Sendable {
    let service: HandoffService
    let radio: SimulatedRadio
    let directory: String
    /// The signs of all devices of the world.
    let signs: Signs
    private let told = Watched<[ServiceEvent]>([])
    private let toldClients = Watched<[ClientEvent]>([])

    /// The program that uses the service, unless a test gives another.
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

    /// Returns whether the device has a link to another device of its circle.
    func hasLink(to other: Device) async -> Bool {
        let device = await other.identityID.description
        return await service.members.contains { $0.device == device && !$0.transports.isEmpty }
    }

    /// Starts the service, and records its events for programs.
    func start() async throws {
        try await service.start { [toldClients] event in toldClients.change { $0.append(event) } }
    }

    /// Removes and returns the first matching event for all programs. Earlier events stay.
    func news<Found: Sendable>(_ what: String, _ pick: (ServiceEvent) -> Found?) async throws -> Found {
        try await told.wait("\(radio.address): \(what)") { Self.take(from: &$0, pick) }
    }

    /// Removes and returns the first matching event for one program. Earlier events stay.
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

    /// The recorded events for programs that the test has not taken from the list yet.
    var untaken: [ClientEvent] { toldClients.value }

    /// Waits for an offer that fulfils the condition, and returns it. Offers that appeared earlier
    /// count.
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

    /// Waits until there is no offer of a type.
    func withdrawal(ofType type: String) async throws {
        try await withdrawal("of type \(type)") { $0.type == type }
    }

    /// Waits until there is no offer that fulfils the condition. This function does not wait for an
    /// event, because the service does not report the end of an offer that it has never reported.
    func withdrawal(_ what: String, _ isMeant: @Sendable (OfferSummary) -> Bool) async throws {
        try await until("the end of an offer: \(what)", after: .traceLine) {
            await !service.offers().contains(where: isMeant)
        }
    }

    /// Creates a circle, which other devices join one after the other.
    func makeCircle(with others: Device...) async throws {
        try await service.createCircle(name: "")
        for other in others { try await other.service.joinCircle(service.invite().text) }
    }

    /// Waits until the device is in no circle and has reported that.
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

    /// Publishes an activity with this state, and makes it current. The program may speak for
    /// another program.
    @discardableResult
    func publish(_ state: ActivityState, speaker: ClientID? = nil) async throws -> String {
        let id = try await service.publish(state, team: "", speaker: speaker, needsSave: false, client: Device.app)
        try await service.becomeCurrent(id, client: Device.app)
        return id
    }

    /// Changes a published activity.
    func update(
        _ activity: String, needsSave: Bool? = nil, _ change: @Sendable (inout ActivityState) -> Void
    ) async throws {
        try await service.update(activity, needsSave: needsSave, client: Device.app) { state in
            var state = state
            change(&state)
            return state
        }
    }

    /// Continues the offer of a type.
    func continueOffer(
        ofType type: String, timeout: Duration? = nil, client: ClientID = Device.app
    ) async throws -> ContinuedActivity {
        try await service.continueOffer(offer(ofType: type).offer, timeout: timeout, client: client)
    }

    /// Continues the offer of a type, and accepts the activity.
    func takeOver(_ type: String) async throws -> ContinuedActivity {
        let continued = try await continueOffer(ofType: type)
        try await service.accept(continued.continuation, accepted: true, client: Device.app)
        return continued
    }

    /// Advances the clock until all connections have ended and no device is near.
    func hearsNobody(_ clock: ManualClock) async throws {
        clock.advance(by: .seconds(660))
        try await linksEnd()
        try await until("nobody is near", after: .radioEvent) {
            await !self.service.members.contains { $0.isNear && !$0.isThisDevice }
        }
    }
}
