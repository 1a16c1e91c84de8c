// SPDX-License-Identifier: GPL-3.0-or-later

import BatonBus
import BatonProtocol
import BatonDesktop
import BatonService
import Diagnosis
import FoundationEssentials
import Wording

/// The conversion of the service's events to signals on the bus.
extension BusFront {
    /// Sends a service's event to the program that it is for, without waiting.
    ///
    /// - Returns: Whether the session bus accepted the signal. If a program cannot learn of
    ///   streams, the service refuses them, so that the other device gets an error.
    static func tell(_ event: ClientEvent, over bus: BatonBusService) -> Bool {
        switch event {
        case .willSave(let activity, let client):
            bus.send(.willSave(activity: activity), to: client)
        case .wasContinued(let activity, let client, let device, let deviceName):
            bus.send(.wasContinued(activity: activity, device: device, deviceName: deviceName), to: client)
        case .notContinued(let activity, let client, let device, let deviceName, let reason):
            bus.send(
                .notContinued(activity: activity, device: device, deviceName: deviceName, reason: words(reason)),
                to: client)
        case .streamsOpened(let activity, let client, let stream, let device, let deviceName):
            bus.send(
                .streamsOpened(activity: activity, stream: stream, device: device, deviceName: deviceName), to: client)
        case .streamProgress(let stream, let client, let progress):
            bus.send(progress, of: stream, to: client)
        case .streamEnded(let stream, let client, let error):
            bus.send(.streamEnded(stream: stream, complete: error == nil, error: error.map(words)), to: client)
        case .warning(let activity, let client, let reason):
            bus.send(.warning(activity: activity, text: words(reason)), to: client)
        case .currentChanged(let activity, let client, let isCurrent):
            bus.send(.currentChanged(activity: activity, isCurrent: isCurrent), to: client)
        case .ended(let activity, let client, let reason):
            bus.send(.ended(activity: activity, reason: words(reason)), to: client)
        }
    }

    /// Returns the text of a reason for a program, which may show the text to its user.
    static func words(_ reason: Reason) -> String { reason.text(on: .window) ?? reason.code }

    /// Sends a service's event to all programs, or to the desktop.
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

    /// Passes the daemon's condition to the desktop for panels. Without a circle, the state of the
    /// radio is not reported.
    private func tellDesktop(_ condition: ServiceCondition) async {
        if let problem = condition.withoutCircle {
            await desktop.serviceChanged(to: .noCircle, because: problem)
        } else if let problem = radio.fallback ?? condition.withoutRadio {
            await desktop.serviceChanged(to: .noRadio, because: problem)
        } else {
            await desktop.serviceChanged(to: .running, because: nil)
        }
    }
}
