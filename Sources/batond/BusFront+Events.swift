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
    /// - Returns: whether the session bus takes it. Streams that nobody hears of are not taken, so
    ///   that the other device hears of that.
    static func tell(_ event: ClientEvent, over bus: BatonBusService) -> Bool {
        switch event {
        case .willSave(let activity, let client):
            bus.sendWillSave(activity: activity, to: .init(client))
        case .wasContinued(let activity, let client, let device, let deviceName):
            bus.sendWasContinued(activity: activity, device: device, deviceName: deviceName, to: .init(client))
        case .notContinued(let activity, let client, let device, let deviceName, let reason):
            bus.sendNotContinued(
                activity: activity, device: device, deviceName: deviceName, reason: reason, to: .init(client))
        case .streamsOpened(let activity, let client, let stream, let device, let deviceName):
            bus.sendStreamsOpened(
                activity: activity, stream: stream, device: device, deviceName: deviceName, to: .init(client))
        case .streamEnded(let stream, let client, let error):
            bus.sendStreamEnded(stream: stream, complete: error == nil, error: error, to: .init(client))
        case .warning(let activity, let client, let text):
            bus.sendWarning(activity: activity, text: text, to: .init(client))
        case .currentChanged(let activity, let client, let isCurrent):
            bus.sendCurrentChanged(activity: activity, isCurrent: isCurrent, to: .init(client))
        }
    }

    /// Tells everyone what the service tells.
    func pass(_ event: ServiceEvent, to bus: BatonBusService) async {
        switch event {
        case .offerAppeared(let offer): bus.sendAppeared(await desktop.offered(OfferSummary(offer)))
        case .offerChanged(let offer): bus.sendChanged(await desktop.offered(OfferSummary(offer)))
        case .offerDisappeared(let id):
            await desktop.withdrawn(id)
            bus.sendDisappeared(offer: id)
        case .conditionChanged(let condition): await tellDesktop(condition)
        }
    }

    /// The condition of the daemon, as panels show it: without a circle the radio does not matter.
    private func tellDesktop(_ condition: ServiceCondition) async {
        if let problem = condition.withoutCircle {
            await desktop.serviceChanged(to: .noCircle, reason: problem)
        } else if let problem = fallbackFinding.first?.text ?? condition.withoutRadio {
            await desktop.serviceChanged(to: .noRadio, reason: problem)
        } else {
            await desktop.serviceChanged(to: .running, reason: "")
        }
    }
}

extension BatonService.ClientID {
    init(_ client: BatonBus.ClientID) { self.init(client.rawValue) }
}

extension BatonBus.ClientID {
    init(_ client: BatonService.ClientID) { self.init(rawValue: client.name) }
}

extension CircleMember {
    init(_ member: MemberInformation) {
        self.init(
            device: member.device, name: member.name, isThisDevice: member.isThisDevice, takenInBy: member.takenInBy,
            isNear: member.isNear, lastSeen: member.lastSeen.map { Date(timeIntervalSince1970: Double($0)) },
            transports: member.transports)
    }
}

extension DeviceAnswer {
    init(_ answer: PingAnswer) {
        self.init(
            device: answer.device, deviceName: answer.deviceName, transport: answer.transport,
            roundTrip: answer.roundTrip, connecting: answer.connecting)
    }
}

extension DeviceProbe {
    init(_ answer: ProbeAnswer) {
        self.init(answer: DeviceAnswer(answer.ping), here: Side(answer.here), there: Side(answer.there))
    }
}

extension DeviceProbe.Side {
    fileprivate init(_ report: ProbeReport) {
        self.init(
            hears: report.heard != nil, signal: report.heard?.signal, isMuted: report.isMuted,
            ways: report.ways.map { way in
                switch way.outcome {
                case .success(let time):
                    DeviceProbe.Way(transport: way.transport, time: .milliseconds(Int64(time)))
                case .failure(let error):
                    DeviceProbe.Way(transport: way.transport, time: nil, reason: error.message)
                }
            })
    }
}

extension OfferSummary {
    init(_ offer: OfferInformation) {
        self.init(
            offer: offer.id, device: offer.device, deviceName: offer.deviceName, team: offer.team,
            type: offer.type, title: offer.title,
            signal: offer.signal, hasWebpage: offer.hasWebPage, supportsStreams: offer.supportsStreams)
    }
}

extension ContinuedActivity {
    init(_ continued: ContinuedInformation) {
        self.init(
            continuation: continued.id, activity: continued.state, device: continued.device,
            deviceName: continued.deviceName, transport: continued.transport)
    }
}

extension OpenedStreams {
    init(_ streams: ServiceStreams) {
        self.init(
            stream: streams.id, transport: streams.transport,
            descriptor: StreamDescriptor(adopting: streams.descriptor.take() ?? -1))
    }
}

extension BatonBusError {
    init(_ error: ServiceError) {
        let code: Code =
            switch error.code {
            case .invalidArgument: .invalidArgument
            case .notFound: .notFound
            case .noCircle: .noCircle
            case .alreadyInCircle: .alreadyInCircle
            case .handoffFailed: .handoffFailed
            case .connectionUnavailable: .connectionUnavailable
            case .remoteApplicationTimedOut: .remoteApplicationTimedOut
            case .userInfoTooLarge: .userInfoTooLarge
            case .userCancelled: .userCancelled
            case .limitReached: .limitReached
            case .invitationInvalid: .invitationInvalid
            case .pairingFailed: .pairingFailed
            default: .failed
            }
        self.init(code, error.message)
    }
}
