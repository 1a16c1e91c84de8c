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
    func date(_ key: String) -> Date? {
        values[key]?.integer(as: Int64.self).map { Date(timeIntervalSince1970: Double($0)) }
    }
}

/// Returns a text that people read, with its NULs replaced, because D-Bus cannot carry a NUL. The
/// text may come from another device.
func plain(_ text: String) -> DBusValue {
    .string(text.utf8.contains(0) ? String(text.map { $0 == "\0" ? "\u{FFFD}" : $0 }) : text)
}

extension DBusValue {
    /// Returns a list of texts that people read, with their NULs replaced.
    static func texts(_ texts: [String]) -> DBusValue { .array(elementSignature: "s", texts.map(plain)) }

    static func list(_ values: [some BusDictionary]) -> DBusValue {
        .array(elementSignature: "a{sv}", values.map { .properties($0.bus) })
    }
}

extension CircleMember: BusRecord {
    static var blank: Self { Self(device: "", name: "") }
    static let fields: [BusField<Self>] = [
        .text("device", \.device), .text("name", \.name), .bool("thisDevice", \.isThisDevice),
        .texts("takenInBy", \.takenInBy), .bool("near", \.isNear), .texts("transports", \.transports),
        .optionalDate("lastSeen", \.lastSeen), .optionalDate("stoppedUntil", \.stoppedUntil),
    ]
}

extension DaemonStatus: BusRecord {
    static var blank: Self { Self(radio: "", device: "", deviceName: "") }
    static let fields: [BusField<Self>] = [
        .text("version", \.version), .text("radio", \.radio),
        .text("radioCondition", \.radioCondition, isRequired: false),
        .text("radioReason", \.radioReason, isRequired: false), .texts("adapters", \.adapters),
        .text("device", \.device), .text("deviceName", \.deviceName), .optionalText("circle", \.circle),
        .list("members", \.members), .bool("tcp", \.tcp), .texts("endpoints", \.endpoints),
        .bool("paused", \.isPaused), .optionalDate("pausedUntil", \.pausedUntil), .optional("offered", \.offered),
        .optionalWord("pairing", \.pairing), .optionalDate("pairingRefusedUntil", \.pairingRefusedUntil),
        .number("pairingNearby", \.pairingNearby) { $0 > 0 ? .uint32(UInt32(clamping: $0)) : nil },
        .finding("radioFinding", \.radioProblem, text: "radioSummary"),
        .derived("radioSummary") { plain($0.radioProblem?.text(on: .window) ?? "") },
        .finding("circleFinding", \.withoutCircle, text: "withoutCircle"),
        .derived("withoutCircle") { ($0.withoutCircle?.text(on: .window)).map(plain) },
        .finding("pairingRefusalFinding", \.pairingRefusal, text: "pairingRefusal"),
        .derived("pairingRefusal") { ($0.pairingRefusal?.text(on: .window)).map(plain) },
        BusField(
            "findings", write: { .list($0.findings) },
            read: { properties, status in
                status.findings =
                    try properties.values["findings"]?.arrayValue?.map { try Finding(bus: $0) }
                    ?? properties.strings("warnings").map { Finding(reported: $0) }
            }),
        .derived("warnings") { .texts($0.findings.map { $0.text(on: .window) }) },
        BusField(
            "withheld",
            write: { .array(elementSignature: "a{sv}", $0.withheld.map { .properties($0.bus) }) },
            read: { $1.withheld = try $0.list("withheld").compactMap { try WithheldItem(bus: $0) } }),
        BusField(
            "counts", write: { .properties($0.counts.mapValues { .uint32(UInt32(clamping: $0)) }) },
            read: { properties, status in
                let counts = properties.values["counts"]?.propertiesValue ?? [:]
                status.counts = counts.compactMapValues { $0.integer(as: Int.self) }
            }),
    ]
}

extension BusField {
    /// A finding. An older daemon sends only its text, under another key.
    fileprivate static func finding(_ key: String, _ path: Path<Finding?>, text: String) -> Self {
        Self(
            key, write: { $0[keyPath: path].map { .properties($0.bus) } },
            read: { properties, record in
                record[keyPath: path] =
                    try properties.values[key].map { try Finding(bus: $0) }
                    ?? properties.text(text).flatMap { $0.isEmpty ? nil : Finding(reported: $0) }
            })
    }
}

extension Finding: BusDictionary {
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
    /// The maximum depth of nested reasons that is read.
    static let maximumDepth = 8

    var bus: DBusValue {
        switch self {
        case .text(let text): plain(text)
        case .count(let count): .uint32(UInt32(clamping: count))
        case .time(let seconds): .int64(seconds)
        case .duration(let duration): .double(duration / .seconds(1))
        case .list(let names): .texts(names)
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
            self = .reason(Reason(code: code, values: values.compactMapValues { Self(bus: $0, depth: depth + 1) }))
        default: return nil
        }
    }
}

extension Properties {
    /// The values of a reason, which are under the key `values`.
    var reasonValues: [String: Reason.Value] {
        (values["values"]?.propertiesValue ?? [:]).compactMapValues(Reason.Value.init(bus:))
    }

    /// The reason whose code and values are in the dictionary, or nil if there is none.
    var reason: Reason? { text("code").map { Reason(code: $0, values: reasonValues) } }
}

extension WithheldItem {
    var bus: [String: DBusValue] { ["name": plain(name), "reason": plain(reason)] }

    init?(bus value: DBusValue?) throws {
        let properties = try Properties(value)
        self.init(name: try properties.required("name"), reason: try properties.required("reason"))
    }
}

extension OwnOffer: BusRecord {
    static var blank: Self { Self(type: "") }
    static let fields: [BusField<Self>] = [
        .text("type", \.type), .optionalText("title", \.title), .optionalText("application", \.application),
    ]
}

extension CircleSummary: BusRecord {
    static var blank: Self { Self(circle: "", device: "", deviceName: "") }
    static let fields: [BusField<Self>] = [
        .text("circle", \.circle), .text("device", \.device), .text("deviceName", \.deviceName),
        .list("members", \.members),
    ]
}

extension OfferSummary: BusRecord {
    static var blank: Self { Self(offer: "", device: "", deviceName: "") }
    static let fields: [BusField<Self>] = [
        .text("offer", \.offer), .text("device", \.device), .text("deviceName", \.deviceName),
        .optionalText("team", \.team), .optionalText("type", \.type), .optionalText("title", \.title),
        .optionalText("application", \.application), .bool("webpage", \.hasWebpage),
        .bool("streams", \.supportsStreams), .bool("hidden", \.isHidden),
        .optionalNumber("signal", \.signal) { .int16(Int16(clamping: $0)) },
    ]
}

extension ContinuedActivity {
    /// Returns the second output argument of `Continue`. The first output argument is the
    /// continuation's id.
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
