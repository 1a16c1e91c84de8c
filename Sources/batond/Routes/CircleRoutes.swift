// SPDX-License-Identifier: GPL-3.0-or-later

import BatonBus
import BatonDesktop
import BatonService
import FoundationEssentials

/// Answers calls about the circle.
struct CircleRoutes {
    let service: HandoffService
    let desktop: Desktop

    func add(to router: inout BusRouter) {
        router.on(CircleInterface.create) { name, _ in
            try await service.createCircle(name: name)
            return await summary()
        }
        router.on(CircleInterface.invite) { _ in
            let (text, expires) = try await service.invite()
            return CircleInvitation(text: text, expires: Date(timeIntervalSince1970: TimeInterval(expires)))
        }
        router.on(CircleInterface.join) { invitation, _ in
            try await service.joinCircle(invitation)
            return await summary()
        }
        router.on(CircleInterface.rename) { name, _ in try await service.rename(to: name) }
        router.on(CircleInterface.remove) { device, _ in try await service.removeDevice(device) }
        router.on(CircleInterface.stop) { device, _ in
            let member = try await service.stopDevice(device)
            await desktop.fetchesAreOver(of: member.device)
            return member
        }
        router.on(CircleInterface.allow) { device, _ in try await service.allowDevice(device) }
        router.on(CircleInterface.ping) { device, _ in try await service.ping(device) }
        router.on(CircleInterface.probe) { device, _ in try await service.probe(device) }
        router.on(CircleInterface.leave) { _ in try await service.leaveCircle() }
        router.on(CircleInterface.knowNetworks) { _ in try await service.knowNetworks() }
        addPairing(to: &router)
    }

    private func addPairing(to router: inout BusRouter) {
        router.on(CircleInterface.pair) { address, anew, client in
            let address = try address.map { try PairingAddress($0) }
            let found = try await service.pair(
                address: address.map { ($0.host, $0.port) }, anew: anew, client: client)
            return PairingDigits(pairing: found.pairing, digits: found.digits)
        }
        router.on(CircleInterface.pairByCode) { client in
            let shown = try await service.pairByCode(client: client)
            return PairingCode(
                pairing: shown.pairing, code: shown.code,
                expires: Date(timeIntervalSince1970: TimeInterval(shown.expires)))
        }
        router.on(CircleInterface.confirm) { pairing, same, client in
            try await service.confirmPairing(pairing, same: same, client: client)
        }
        router.on(CircleInterface.lookForPairing) { isWanted, client in
            await service.lookForPairing(isWanted, client: client)
        }
        router.on(CircleInterface.paired) { pairing, client in
            try await service.paired(pairing, client: client)
            return await summary()
        }
    }

    private func summary() async -> CircleSummary {
        let status = await service.status()
        return CircleSummary(
            circle: status.circle ?? "", device: status.device, deviceName: status.deviceName,
            members: status.members)
    }
}
