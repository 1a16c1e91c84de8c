// SPDX-License-Identifier: Apache-2.0

internal import DBus

extension ActivityEvent {
    /// A signal of the Activities interface; `nil` for one that is unknown here, or malformed.
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
    /// A signal of the Offers interface; `nil` for one that is unknown here, or malformed.
    init?(_ signal: DBusSignal) {
        guard let argument = signal.arguments.first else { return nil }
        switch signal.member {
        case "Appeared":
            guard let offer = try? OfferSummary(bus: argument) else { return nil }
            self = .appeared(offer)
        case "Changed":
            guard let offer = try? OfferSummary(bus: argument) else { return nil }
            self = .changed(offer)
        case "Disappeared":
            guard let offer = argument.stringValue else { return nil }
            self = .disappeared(offer: offer)
        default: return nil
        }
    }
}
