// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// What there is to say of the service.
extension HandoffService {
    /// Returns once the service has had a turn: one that hangs never does.
    public func turn() {}

    /// How the service fares.
    public func status() async -> ServiceStatus {
        await refreshTCPEndpoints()
        let onRadio = await radioListener?.endpoints() ?? []
        let onTCP = await tcpListener?.endpoints() ?? []
        return ServiceStatus(
            radio: radio.kind == .l2cap ? "bluez" : radio.kind.rawValue,
            radioCondition: radioStatus.condition.rawValue, radioSummary: radioStatus.summary,
            adapters: radioStatus.adapters, device: identity.id.description, deviceName: store.state.name,
            circle: circle?.id.description, members: members, tcp: tcpListener != nil,
            endpoints: (onRadio + onTCP).map(\.description), warnings: warnings, counts: counts)
    }

    private var warnings: [String] {
        var warnings = radioStatus.warnings
        if radioStatus.condition != .ready { warnings.append(radioStatus.summary) }
        if let withoutCircle { warnings.append(withoutCircle) }
        if advertiser?.isExhausted == true {
            warnings.append("this device has used up its sequence numbers; it must become a new device")
        }
        return warnings + clockWarnings
    }

    private var withoutCircle: String? {
        guard circle == nil else { return nil }
        guard !store.state.isCircleUnproved else { return Self.unprovedCircle }
        let how =
            store.state.wasRemoved ? "another device removed this one from its circle" : "this device is in no circle"
        return "\(how); run 'baton pair' on it and on another, or 'baton circle join FILE'"
    }

    /// Tells how the service fares, when that is news. Nothing is known before the radio has said a word.
    func tellCondition() {
        guard radioHasSpoken else { return }
        let condition = ServiceCondition(
            withoutCircle: withoutCircle,
            withoutRadio: radioStatus.condition == .ready ? nil : radioStatus.summary)
        guard condition != lastCondition else { return }
        lastCondition = condition
        news.tell(condition)
    }

    /// The circle's devices, this one first.
    public var members: [MemberInformation] {
        (circle?.roster.members.keys.sorted() ?? []).map { device in
            MemberInformation(
                device: device.description, name: name(of: device), isThisDevice: device == identity.id,
                takenInBy: (circle?.roster.sponsors(of: device) ?? []).map(\.description).sorted())
        }.sorted { $0.isThisDevice && !$1.isThisDevice }
    }

    /// The addresses of this device change as networks come and go: they are asked for whenever they are told.
    func refreshTCPEndpoints() async {
        let endpoints = await tcpListener?.endpoints() ?? []
        tcpEndpoints = endpoints.prefix(Hello.maximumEndpoints).map(\.record)
    }
}
