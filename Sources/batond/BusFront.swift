// SPDX-License-Identifier: GPL-3.0-or-later

import BatonBus
import BatonDesktop
import BatonService

/// Admits programs on the session bus, and sends them the events of the service and the desktop.
struct BusFront: BatonBusHandler {
    let service: HandoffService
    let desktop: Desktop
    let radio: PickedRadio
    let callers: Callers
    let policy: CallerPermissions
    let continuations: OwnContinuations
    let followers: [any FollowingClients]
    let router: BusRouter

    func admit(_ client: ClientID) async throws -> Admission {
        await service.started()
        await desktop.askSession()
        return policy.mayManage(try await callers.caller(client)) ? .managing : []
    }

    func account(of client: ClientID) async -> String? { (try? await callers.caller(client))?.account }

    func clientLeft(_ client: ClientID) async {
        continuations.clientLeft(client)
        for each in followers { await each.left(client) }
        await desktop.clientLeft(client)
        await service.clientLeft(client)
        Allocator.noteUse()
    }
}
