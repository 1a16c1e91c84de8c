// SPDX-License-Identifier: GPL-3.0-or-later

import BatonBus
import BatonProtocol
import BatonDesktop
import BatonService
import Diagnosis
import FoundationEssentials

/// From the service's values to the bus's.
extension BusFront {
    /// Tells a program what the service has for it; waits for nothing.
    ///
    /// - Returns: Whether the session bus takes it. Streams that nobody hears of are not taken, so
    ///   that the other device hears of that.
    static func tell(_ event: ClientEvent, over bus: BatonBusService) -> Bool {
        switch event {
        case .willSave(let activity, let client):
            bus.send(.willSave(activity: activity), to: client)
        case .wasContinued(let activity, let client, let device, let deviceName):
            bus.send(.wasContinued(activity: activity, device: device, deviceName: deviceName), to: client)
        case .notContinued(let activity, let client, let device, let deviceName, let reason):
            bus.send(
                .notContinued(activity: activity, device: device, deviceName: deviceName, reason: reason), to: client)
        case .streamsOpened(let activity, let client, let stream, let device, let deviceName):
            bus.send(
                .streamsOpened(activity: activity, stream: stream, device: device, deviceName: deviceName), to: client)
        case .streamEnded(let stream, let client, let error):
            bus.send(.streamEnded(stream: stream, complete: error == nil, error: error), to: client)
        case .warning(let activity, let client, let text):
            bus.send(.warning(activity: activity, text: text), to: client)
        case .currentChanged(let activity, let client, let isCurrent):
            bus.send(.currentChanged(activity: activity, isCurrent: isCurrent), to: client)
        case .ended(let activity, let client, let reason):
            bus.send(.ended(activity: activity, reason: reason), to: client)
        }
    }

    /// Tells everyone what the service tells.
    func pass(_ event: ServiceEvent, to bus: BatonBusService) async {
        switch event {
        case .offerAppeared(let offer): bus.send(.appeared(await desktop.offered(offer)))
        case .offerChanged(let offer): bus.send(.changed(await desktop.offered(offer)))
        case .offerDisappeared(let id):
            await desktop.withdrawn(id)
            bus.send(.disappeared(offer: id))
        case .conditionChanged(let condition): await tellDesktop(condition)
        case .fetchedInVain(let fetches):
            await desktop.fetchesInVain(of: fetches.device, named: fetches.deviceName, count: fetches.count)
        }
    }

    /// The condition of the daemon, as panels show it: without a circle the radio does not matter.
    private func tellDesktop(_ condition: ServiceCondition) async {
        if let problem = condition.withoutCircle {
            await desktop.serviceChanged(to: .noCircle, reason: problem)
        } else if let problem = radio.fallback?.text ?? condition.withoutRadio {
            await desktop.serviceChanged(to: .noRadio, reason: problem)
        } else {
            await desktop.serviceChanged(to: .running, reason: "")
        }
    }
}
