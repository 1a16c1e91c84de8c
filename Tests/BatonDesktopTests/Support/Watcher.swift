// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonDesktop
import BatonTesting
import DBus
@_spi(Reported) import HandoffModel
import Synchronization

/// A daemon that only identifies its callers.
final class Watcher: BatonBusHandler {
    let callers: Callers
    private let seen = Mutex<[Caller]>([])

    private init(_ callers: Callers) { self.callers = callers }

    /// Runs a closure with a bus that has a watcher.
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

    /// The identified callers, in order.
    var all: [Caller] { seen.withLock { $0 } }

    func admit(_ client: ClientID) async throws -> Admission {
        let caller = try await callers.caller(client)
        seen.withLock { $0.append(caller) }
        return CallerPermissions(grants: GrantStore()) { _ in nil }.mayManage(caller) ? .managing : []
    }

    func account(of client: ClientID) async -> String? { nil }

    var router: BusRouter {
        var router = BusRouter(otherwise: BatonError(.failed, reported: "this daemon does nothing"))
        router.on(DaemonInterface.status) { _ in
            DaemonStatus(version: "1", radio: "none", radioCondition: "off", device: "", deviceName: "")
        }
        router.on(OffersInterface.list) { _ in [] }
        router.on(OffersInterface.cancel) { _, _ in }
        return router
    }

    func clientLeft(_ client: ClientID) async {}
}
