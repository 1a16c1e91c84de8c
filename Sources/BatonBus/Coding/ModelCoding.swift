// SPDX-License-Identifier: Apache-2.0

internal import ActivityModel
internal import DBus
internal import Diagnosis
internal import FoundationEssentials
internal import Wording

/// The `a{sv}` of an answer from the daemon. Absent keys represent `nil`. Unknown keys are ignored,
/// so that a newer daemon can send more.
struct Properties {
    var values: [String: DBusValue]

    init(_ value: DBusValue?) throws { values = try (value?.propertiesValue).orInvalid("reply", .type("a{sv}")) }

    func text(_ key: String) -> String? { values[key].flatMap(UserInfoReader.text) }
    func required(_ key: String) throws -> String { try text(key).orInvalid(key, .string) }
    func bool(_ key: String) -> Bool { values[key]?.boolValue ?? false }
    func strings(_ key: String) -> [String] { values[key]?.stringsValue ?? [] }
    func list(_ key: String) -> [DBusValue] { values[key]?.arrayValue ?? [] }
}

/// Returns a text that people read, with its NULs replaced, because D-Bus cannot carry a NUL. The
/// text may come from another device.
func plain(_ text: String) -> DBusValue {
    .string(text.utf8.contains(0) ? String(text.map { $0 == "\0" ? "\u{FFFD}" : $0 }) : text)
}

private func strings(_ texts: [String]) -> DBusValue { .array(elementSignature: "s", texts.map(plain)) }

private func list(_ members: [CircleMember]) -> DBusValue {
    .array(elementSignature: "a{sv}", members.map { .properties($0.bus) })
}

extension CircleMember: BusDictionary {
    var bus: [String: DBusValue] {
        var result: [String: DBusValue] = [
            "device": plain(device), "name": plain(name), "thisDevice": .bool(isThisDevice),
            "takenInBy": strings(takenInBy), "near": .bool(isNear), "transports": strings(transports),
        ]
        result["lastSeen"] = lastSeen.map { .int64(Int64($0.timeIntervalSince1970.rounded(.down))) }
        result["stoppedUntil"] = stoppedUntil.map { .int64(Int64($0.timeIntervalSince1970.rounded(.down))) }
        return result
    }

    init(bus value: DBusValue?) throws {
        let properties = try Properties(value)
        func date(_ key: String) -> Date? {
            properties.values[key]?.integer(as: Int64.self).map { Date(timeIntervalSince1970: Double($0)) }
        }
        self.init(
            device: try properties.required("device"), name: try properties.required("name"),
            isThisDevice: properties.bool("thisDevice"), takenInBy: properties.strings("takenInBy"),
            isNear: properties.bool("near"), lastSeen: date("lastSeen"),
            transports: properties.strings("transports"), stoppedUntil: date("stoppedUntil"))
    }
}

extension DaemonStatus: BusDictionary {
    var bus: [String: DBusValue] {
        var result: [String: DBusValue] = [
            "version": plain(version), "radio": plain(radio), "radioCondition": plain(radioCondition),
            "radioSummary": plain(radioProblem?.text(on: .window) ?? ""), "radioReason": plain(radioReason),
            "adapters": strings(adapters),
            "device": plain(device), "deviceName": plain(deviceName), "members": list(members), "tcp": .bool(tcp),
            "endpoints": strings(endpoints), "paused": .bool(isPaused),
            "warnings": strings(findings.map { $0.text(on: .window) }),
            "findings": .array(elementSignature: "a{sv}", findings.map { .properties($0.bus) }),
            "withheld": .array(elementSignature: "a{sv}", withheld.map { .properties($0.bus) }),
            "counts": .properties(counts.mapValues { .uint32(UInt32(clamping: $0)) }),
        ]
        result["circle"] = circle.map(plain)
        result["radioFinding"] = radioProblem.map { .properties($0.bus) }
        result["withoutCircle"] = withoutCircle.map { plain($0.text(on: .window)) }
        result["circleFinding"] = withoutCircle.map { .properties($0.bus) }
        result["pairingRefusal"] = pairingRefusal.map { plain($0.text(on: .window)) }
        result["pairingRefusalFinding"] = pairingRefusal.map { .properties($0.bus) }
        result["pairingRefusedUntil"] = pairingRefusedUntil.map { .int64(Int64($0.timeIntervalSince1970)) }
        result["pairing"] = pairing.map { plain($0.rawValue) }
        if pairingNearby > 0 { result["pairingNearby"] = .uint32(UInt32(clamping: pairingNearby)) }
        result["offered"] = offered.map { .properties($0.bus) }
        result["pausedUntil"] = pausedUntil.map { .int64(Int64($0.timeIntervalSince1970)) }
        return result
    }

    init(bus value: DBusValue?) throws {
        let properties = try Properties(value)
        func date(_ key: String) -> Date? {
            properties.values[key]?.integer(as: Int64.self).map { Date(timeIntervalSince1970: TimeInterval($0)) }
        }
        self.init(
            version: try properties.required("version"), radio: try properties.required("radio"),
            radioCondition: properties.text("radioCondition") ?? "",
            radioProblem: try properties.finding("radioFinding", text: "radioSummary"),
            radioReason: properties.text("radioReason") ?? "",
            adapters: properties.strings("adapters"), device: try properties.required("device"),
            deviceName: try properties.required("deviceName"), circle: properties.text("circle"),
            withoutCircle: try properties.finding("circleFinding", text: "withoutCircle"),
            pairingRefusal: try properties.finding("pairingRefusalFinding", text: "pairingRefusal"),
            pairingRefusedUntil: date("pairingRefusedUntil"),
            pairing: properties.text("pairing").map(PairingPhase.init(rawValue:)),
            pairingNearby: properties.values["pairingNearby"]?.integer(as: Int.self) ?? 0,
            members: try properties.list("members").map { try CircleMember(bus: $0) }, tcp: properties.bool("tcp"),
            endpoints: properties.strings("endpoints"), isPaused: properties.bool("paused"),
            pausedUntil: date("pausedUntil"),
            findings: try properties.values["findings"].map { _ in
                try properties.list("findings").map { try Finding(bus: $0) }
            } ?? properties.strings("warnings").map { Finding(reported: $0) },
            offered: try properties.values["offered"].map { try OwnOffer(bus: $0) },
            withheld: try properties.list("withheld").compactMap { try WithheldItem(bus: $0) },
            counts: (properties.values["counts"]?.propertiesValue ?? [:]).compactMapValues { $0.integer(as: Int.self) })
    }
}

extension Finding {
    var bus: [String: DBusValue] {
        var result: [String: DBusValue] = [
            "code": plain(code), "values": .properties(reason.values.mapValues(\.bus)),
            "text": plain(text(on: .window)),
        ]
        result["command"] = command.map(plain)
        return result
    }

    /// Creates a finding from the text of an older daemon, which sends no codes.
    init(reported: String) {
        self.init(Reason(code: FindingCode.warning.rawValue), command: nil, reported: reported)
    }

    init(bus value: DBusValue?) throws {
        let properties = try Properties(value)
        self.init(
            Reason(code: try properties.required("code"), values: properties.reasonValues),
            command: properties.text("command"), reported: try properties.required("text"))
    }
}

extension Reason.Value {
    /// The greatest number of reasons inside each other that are read.
    static let maximumDepth = 8

    var bus: DBusValue {
        switch self {
        case .text(let text): plain(text)
        case .count(let count): .uint32(UInt32(clamping: count))
        case .time(let seconds): .int64(seconds)
        case .duration(let duration): .double(duration / .seconds(1))
        case .list(let names): strings(names)
        case .reason(let reason): .structure([plain(reason.code), .properties(reason.values.mapValues(\.bus))])
        }
    }

    /// Reads a value; returns `nil` for a kind of value that only newer versions know.
    init?(bus value: DBusValue) { self.init(bus: value, depth: 1) }

    private init?(bus value: DBusValue, depth: Int) {
        switch value.unwrapped {
        case .string(let text): self = .text(text)
        case .uint32(let count): self = .count(Int(count))
        case .int64(let seconds): self = .time(seconds)
        case .double(let seconds) where abs(seconds) < 1e12: self = .duration(.seconds(seconds))
        case .array: if let names = value.stringsValue { self = .list(names) } else { return nil }
        case .structure(let parts):
            guard depth <= Self.maximumDepth, parts.count >= 2, let code = parts[0].stringValue,
                let values = parts[1].propertiesValue
            else { return nil }
            self = .reason(
                Reason(code: code, values: values.compactMapValues { Self(bus: $0, depth: depth + 1) }))
        default: return nil
        }
    }
}

extension Properties {
    /// The values of a reason, which are under the key `values`.
    var reasonValues: [String: Reason.Value] {
        (values["values"]?.propertiesValue ?? [:]).compactMapValues(Reason.Value.init(bus:))
    }

    /// Returns the finding under a key, or from the text that an older daemon sends under another
    /// key; nil without either.
    fileprivate func finding(_ key: String, text: String) throws -> Finding? {
        try values[key].map { try Finding(bus: $0) }
            ?? self.text(text).flatMap { $0.isEmpty ? nil : Finding(reported: $0) }
    }
}

extension WithheldItem {
    var bus: [String: DBusValue] { ["name": plain(name), "reason": plain(reason)] }

    init?(bus value: DBusValue?) throws {
        let properties = try Properties(value)
        self.init(name: try properties.required("name"), reason: try properties.required("reason"))
    }
}

extension OwnOffer {
    var bus: [String: DBusValue] {
        var result = ["type": plain(type)]
        result["title"] = title.map(plain)
        result["application"] = application.map(plain)
        return result
    }

    init(bus value: DBusValue?) throws {
        let properties = try Properties(value)
        self.init(
            type: try properties.required("type"), title: properties.text("title"),
            application: properties.text("application"))
    }
}

extension CircleSummary: BusDictionary {
    var bus: [String: DBusValue] {
        [
            "circle": plain(circle), "device": plain(device), "deviceName": plain(deviceName),
            "members": list(members),
        ]
    }

    init(bus value: DBusValue?) throws {
        let properties = try Properties(value)
        self.init(
            circle: try properties.required("circle"), device: try properties.required("device"),
            deviceName: try properties.required("deviceName"),
            members: try properties.list("members").map { try CircleMember(bus: $0) })
    }
}

extension OfferSummary: BusDictionary {
    var bus: [String: DBusValue] {
        var result: [String: DBusValue] = [
            "offer": plain(offer), "device": plain(device), "deviceName": plain(deviceName),
            "webpage": .bool(hasWebpage), "streams": .bool(supportsStreams), "hidden": .bool(isHidden),
        ]
        result["team"] = team.map(plain)
        result["type"] = type.map(plain)
        result["application"] = application.map(plain)
        result["title"] = title.map(plain)
        result["signal"] = signal.map { .int16(Int16(clamping: $0)) }
        return result
    }

    init(bus value: DBusValue?) throws {
        let properties = try Properties(value)
        self.init(
            offer: try properties.required("offer"), device: try properties.required("device"),
            deviceName: try properties.required("deviceName"), team: properties.text("team"),
            type: properties.text("type"), title: properties.text("title"),
            signal: properties.values["signal"]?.integer(as: Int.self),
            hasWebpage: properties.bool("webpage"), supportsStreams: properties.bool("streams"),
            application: properties.text("application"), isHidden: properties.bool("hidden"))
    }
}

extension ContinuedActivity {
    /// Returns the second output argument of `Continue`. The first is the continuation's id.
    func bus() throws -> [String: DBusValue] {
        var result = try ActivityCoding.encode(activity)
        result["type"] = UserInfoWriter.text(activity.activityType)
        result["device"] = plain(device)
        result["deviceName"] = plain(deviceName)
        result["transport"] = plain(transport)
        result["application"] = application.map(plain)
        return result
    }

    init(continuation: String, bus value: DBusValue?) throws {
        let properties = try Properties(value)
        let known = properties.values.filter { ActivityField(name: $0.key) != nil }
        let type = try properties.required("type")
        self.init(
            continuation: continuation,
            activity: try ActivityCoding.decode(known).applied(to: ActivityState(activityType: type)),
            device: try properties.required("device"), deviceName: try properties.required("deviceName"),
            transport: try properties.required("transport"), application: properties.text("application"))
    }
}

extension OpenedOffer: BusDictionary {
    var bus: [String: DBusValue] {
        switch self {
        case .application(let identifier): ["application": plain(identifier)]
        case .webpage(let address): ["webpage": plain(address)]
        }
    }

    init(bus value: DBusValue?) throws {
        let properties = try Properties(value)
        if let address = properties.text("webpage") {
            self = .webpage(address)
        } else {
            self = .application(try properties.required("application"))
        }
    }
}
