// SPDX-License-Identifier: GPL-3.0-or-later

import BatonBus
import BatonDesktop
import Diagnosis

/// Answers calls when the device's state cannot be used. The handler reports the problem, and does
/// nothing else.
///
/// The daemon makes no new identity. The user could mistake a new identity for the old one, and
/// would not notice the loss.
struct UnusableStateHandler: BatonBusHandler {
    let problem: Finding
    let deviceName: String
    let version: String
    let callers: Callers

    func admit(_ client: ClientID) async throws -> Admission {
        _ = try await callers.caller(client)
        return .managing
    }

    func account(of client: ClientID) async -> String? { nil }

    /// The routes for calls that programs make when they begin or end. All other calls are refused
    /// with the problem.
    var router: BusRouter {
        let refusal = BatonError(.failed, problem)
        var router = BusRouter(otherwise: refusal)
        router.on(DaemonInterface.status) { _ in status }
        router.on(OffersInterface.list) { _ in [] }
        router.on(OffersInterface.followPages) { _ in [] }
        router.on(OffersInterface.cancel) { _, _ in }
        router.on(ActivitiesInterface.update) { _, change, _ in
            _ = try change.get()
            throw refusal
        }
        return router
    }

    private var status: DaemonStatus {
        DaemonStatus(
            version: version, radio: "none", radioCondition: "off", radioProblem: problem,
            device: "", deviceName: deviceName, withoutCircle: problem, pairingRefusal: problem,
            findings: [problem])
    }

    func clientLeft(_ client: ClientID) async {}
}
