// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import BatonDesktop
import BatonTesting
import BusTesting
import DBus
import Synchronization
import TraceModel

/// A daemon that does nothing but find out who calls it.
final class Watcher: PartialBusHandler {
    let callers: Callers
    private let seen = Mutex<[Caller]>([])

    private init(_ callers: Callers) { self.callers = callers }

    /// Runs a closure with a bus that has one.
    static func with(_ body: @Sendable (Watcher, PrivateBus) async throws -> Void) async throws {
        try await PrivateBus.with { bus in
            let connection = try await DBusConnection.open(address: bus.address)
            let watcher = Watcher(try await Callers.start(on: connection))
            let service = try await BatonBusService.start(on: connection, version: "1", handler: watcher)
            try await body(watcher, bus)
            await service.stop()
            connection.close()
        }
    }

    /// Whom it has found out, in order.
    var all: [Caller] { seen.withLock { $0 } }

    func admit(_ client: ClientID) async throws -> Admission {
        let caller = try await callers.caller(client)
        seen.withLock { $0.append(caller) }
        return CallerPermissions(grants: GrantStore()) { _ in nil }.mayManage(caller) ? .managing : []
    }

    func trace(revealing details: Set<TraceDetail>) async throws -> OwnedDescriptor {
        throw BatonError(.limitReached, "4 traces are being recorded")
    }

    func status() async throws -> DaemonStatus {
        DaemonStatus(
            version: "1", radio: "none", radioCondition: "off", radioSummary: "", device: "", deviceName: "")
    }

    private var none: BatonError { BatonError(.failed, "this daemon does nothing") }
    func createCircle(name: String) async throws -> CircleSummary { throw none }
    func invite() async throws -> CircleInvitation { throw none }
    func joinCircle(invitation: String) async throws -> CircleSummary { throw none }
    func pair(address: String?, anew: Bool, client: ClientID) async throws -> PairingDigits { throw none }
    func pairByCode(client: ClientID) async throws -> PairingCode { throw none }
    func confirm(pairing: String, same: Bool, client: ClientID) async throws { throw none }
    func paired(_ pairing: String, client: ClientID) async throws -> CircleSummary { throw none }
    func rename(to name: String) async throws { throw none }
    func removeDevice(_ device: String) async throws -> (member: CircleMember, unvouched: [String]) { throw none }
    func history() async throws -> [HistoryEntry] { throw none }
    func forgetHistory() async throws { throw none }
    func stopDevice(_ device: String) async throws -> CircleMember { throw none }
    func allowDevice(_ device: String) async throws -> (member: CircleMember, wasStopped: Bool) { throw none }
    func ping(_ device: String) async throws -> DeviceAnswer { throw none }
    func probe(_ device: String) async throws -> DeviceProbe { throw none }
    func leaveCircle() async throws -> [String] { throw none }
    func publish(
        _ activity: ActivityState, options: PublishOptions, needsSave: Bool, client: ClientID
    ) async throws -> String { throw none }
    func update(activity: String, properties: ActivityProperties, client: ClientID) async throws { throw none }
    func becomeCurrent(activity: String, client: ClientID) async throws { throw none }
    func resignCurrent(activity: String, client: ClientID) async throws { throw none }
    func invalidate(activity: String, client: ClientID) async throws { throw none }
    func offers() async throws -> [OfferSummary] { [] }
    func continueOffer(
        _ offer: String, timeout: Duration?, client: ClientID
    ) async throws -> ContinuedActivity { throw none }
    func accept(continuation: String, accepted: Bool, client: ClientID) async throws { throw none }
    func openStreams(continuation: String, client: ClientID) async throws -> OpenedStreams { throw none }
    func takeStreams(_ stream: String, client: ClientID) async throws -> OpenedStreams { throw none }
    func closeStreams(_ stream: String, end: OwnedDescriptor, discards: Bool, client: ClientID) async throws {
        throw none
    }
    func openOffer(_ offer: String, options: OpenOptions, client: ClientID) async throws -> OpenedOffer { throw none }
    func rules() async throws -> [String] { throw none }
    func addRule(_ rule: String, at number: Int?) async throws { throw none }
    func removeRule(_ number: Int) async throws { throw none }
    func pause(for duration: Duration?) async throws { throw none }
    func resume() async throws { throw none }
    func cancel(_ continuationOrOffer: String, client: ClientID) async throws {}
    func clientLeft(_ client: ClientID) async {}
}
