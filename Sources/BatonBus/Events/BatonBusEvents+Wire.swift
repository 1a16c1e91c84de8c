// SPDX-License-Identifier: Apache-2.0

internal import DBus

extension ActivityEvent {
    /// The name and the arguments of the Activities signal that reports this event.
    var bus: (member: String, arguments: [DBusValue]) {
        switch self {
        case .willSave(let activity): ("WillSave", [plain(activity)])
        case .wasContinued(let activity, let device, let deviceName):
            ("WasContinued", [activity, device, deviceName].map(plain))
        case .notContinued(let activity, let device, let deviceName, let reason):
            ("NotContinued", [activity, device, deviceName, reason].map(plain))
        case .streamsOpened(let activity, let stream, let device, let deviceName):
            ("StreamsOpened", [activity, stream, device, deviceName].map(plain))
        case .warning(let activity, let text): ("Warning", [plain(activity), plain(text)])
        case .currentChanged(let activity, let isCurrent): ("CurrentChanged", [plain(activity), .bool(isCurrent)])
        case .streamEnded(let stream, let complete, let error):
            ("StreamEnded", [plain(stream), .bool(complete), plain(error ?? "")])
        case .ended(let activity, let reason): ("Ended", [plain(activity), plain(reason)])
        }
    }

    /// Creates the event of an Activities signal, or `nil` if the signal is unknown or malformed.
    init?(_ signal: DBusSignal) {
        let texts = signal.arguments.compactMap(\.stringValue)
        switch (signal.member, signal.arguments.signature) {
        case ("WillSave", "s"): self = .willSave(activity: texts[0])
        case ("WasContinued", "sss"):
            self = .wasContinued(activity: texts[0], device: texts[1], deviceName: texts[2])
        case ("NotContinued", "ssss"):
            self = .notContinued(activity: texts[0], device: texts[1], deviceName: texts[2], reason: texts[3])
        case ("StreamsOpened", "ssss"):
            self = .streamsOpened(activity: texts[0], stream: texts[1], device: texts[2], deviceName: texts[3])
        case ("Warning", "ss"): self = .warning(activity: texts[0], text: texts[1])
        case ("CurrentChanged", "sb"):
            self = .currentChanged(activity: texts[0], isCurrent: signal.arguments[1].boolValue ?? false)
        case ("StreamEnded", "sbs"):
            self = .streamEnded(
                stream: texts[0], complete: signal.arguments[1].boolValue ?? false,
                error: texts[1].isEmpty ? nil : texts[1])
        case ("Ended", "ss"): self = .ended(activity: texts[0], reason: texts[1])
        default: return nil
        }
    }
}

extension OfferEvent {
    /// The name and the arguments of the Offers signal that reports this event.
    var bus: (member: String, arguments: [DBusValue]) {
        switch self {
        case .appeared(let offer): ("Appeared", [.properties(offer.bus)])
        case .changed(let offer): ("Changed", [.properties(offer.bus)])
        case .disappeared(let offer): ("Disappeared", [plain(offer)])
        }
    }

    /// Creates the event of an Offers signal, or `nil` if the signal is unknown or malformed.
    init?(_ signal: DBusSignal) {
        guard let argument = signal.arguments.first else { return nil }
        let event: OfferEvent? =
            switch signal.member {
            case "Appeared": (try? OfferSummary(bus: argument)).map { .appeared($0) }
            case "Changed": (try? OfferSummary(bus: argument)).map { .changed($0) }
            case "Disappeared": argument.stringValue.map { .disappeared(offer: $0) }
            default: nil
            }
        guard let event else { return nil }
        self = event
    }
}
