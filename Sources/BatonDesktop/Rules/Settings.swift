// SPDX-License-Identifier: Apache-2.0

import AssociatedDomains
public import BatonBus
public import Diagnosis

/// The user's configuration. Its text has lines `KEY = VALUE`, empty lines, and comment lines that
/// begin with `#` (Documentation/Configuration.md).
public struct Settings: Hashable, Sendable {
    /// Whether Baton shows notifications of offers.
    public var notifies = true
    /// How much of an offer a locked screen shows.
    public var onLockScreen = NotificationStyle.OnLockScreen.app
    /// The app's id for each activity type that has a chosen app.
    public var defaultApps: [String: String] = [:]
    /// Whether domains are asked about the apps that claim them.
    public var asksDomains = true
    /// The domains that may be in a private network.
    public var privateDomains: Set<String> = []
    /// How long the history of activities that left this laptop is kept. Zero keeps none.
    public var historyLength = HistoryStore.usualLength
    /// In which local networks this laptop speaks first.
    public var lan = LanUse.known
    /// Whether the titles of activities are sent to linked laptops that have not asked for them.
    public var tellsTitles = true
    /// The adapters that are switched off.
    public var adapters = AdapterSwitches()
    /// The rules. The first rule that matches an activity applies.
    public var rules: [Rule] = []

    /// Whether a rule waits until another laptop is near.
    var needsSignals: Bool { rules.contains { if case .near = $0.action { true } else { false } } }

    /// The maximum number of rules.
    public static let maximumRules = 256
    /// The maximum number of domains in a private network.
    public static let maximumPrivateDomains = 64
    /// The maximum size of the file, in bytes.
    public static let maximumLength = 65_536

    /// The mistakes in the configuration.
    public struct Mistake: Error, Hashable, Sendable {
        /// The first mistake with its line, and the lines of others.
        public let reason: Reason
    }

    /// The maximum number of lines with mistakes that an error lists.
    private static let maximumListed = 10
    /// The keys of a line.
    private static let keys = [
        "notifications", "notifications.on-lock-screen", "default-app.TYPE", "domains", "domains.private", "history",
        "lan", "titles", "adapters", "adapters.ID", "rule",
    ]

    /// Creates the default settings.
    public init() {}

    /// The strictest settings, which offer nothing, show no offer, and keep the history for its
    /// longest time.
    static var closed: Settings { Settings(understoodOf: "adapters = off\nhistory = 30d\nrule = hide\nrule = never\n") }

    /// Parses a configuration.
    ///
    /// - Throws: The first ``Mistake``, which also names the lines of others.
    public init(_ text: String) throws(Mistake) {
        var (lines, mistakes): ([String: Int], [(line: Int, reason: Reason)]) = ([:], [])
        for (number, line) in zip(1..., Self.lines(text)) {
            do throws(Rule.Mistake) {
                guard let (key, value) = try Self.pair(line) else { continue }
                if key != "rule", let first = lines.updateValue(number, forKey: key) {
                    throw Rule.Mistake(.keyTwice, ["key": .text(String(key.prefix(100))), "first": .count(first)])
                }
                try take(key, value)
            } catch {
                let isCommented = Self.hasComment(line)
                mistakes.append(
                    (number, isCommented ? Reason(.commentBehind, ["mistake": .reason(error.reason)]) : error.reason))
            }
        }
        guard let first = mistakes.first else { return }
        let values = ["line": Reason.Value.count(first.line), "mistake": .reason(first.reason)]
        guard mistakes.count > 1 else { throw Mistake(reason: Reason(.lineMistaken, values)) }
        // Further mistakes often have the same cause.
        let others = mistakes.dropFirst().prefix(Self.maximumListed).map { "\($0.line)" }
        let reason = Reason(.linesMistaken, values).with("others", .list(others))
        let more = mistakes.count - 1 - others.count
        guard more > 0 else { throw Mistake(reason: reason) }
        throw Mistake(reason: Reason(.manyLinesMistaken, reason.values).with("more", .count(more)))
    }

    /// Parses the valid lines of a configuration, and skips lines with mistakes.
    init(understoodOf text: String) {
        for line in Self.lines(text) {
            if let pair = try? Self.pair(line) { try? take(pair.key, pair.value) }
        }
    }

    /// Returns the lines of a text. Each line of a Windows file keeps its carriage return. The
    /// split is by scalars, because a carriage return and a line feed are one Character.
    static func lines(_ text: String) -> [String] {
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    }

    /// Returns the key and the value of a line, or nil for an empty line or a comment.
    static func pair(_ line: String) throws(Rule.Mistake) -> (key: String, value: String)? {
        let text = trimmed(line)
        if text.isEmpty || isComment(text) { return nil }
        guard let equals = text.firstIndex(of: "=") else {
            throw Rule.Mistake(.pairForm, ["word": .text(String(text.prefix(100)))])
        }
        return (trimmed(String(text[..<equals])), trimmed(String(text[text.index(after: equals)...])))
    }

    static func isComment(_ line: String) -> Bool { trimmed(line).hasPrefix("#") }

    /// Returns whether the end of a line may be meant as a comment.
    private static func hasComment(_ line: String) -> Bool { line.contains(" #") || line.contains("\t#") }

    private mutating func take(_ key: String, _ value: String) throws(Rule.Mistake) {
        switch key {
        case "notifications":
            notifies = try Self.isOn(value, for: key)
        case "notifications.on-lock-screen":
            guard let choice = NotificationStyle.OnLockScreen(rawValue: value) else {
                throw Self.choice(["hide", "app", "full"], for: key)
            }
            onLockScreen = choice
        case "domains":
            asksDomains = try Self.isOn(value, for: key)
        case "domains.private":
            let domains = value.split { $0 == " " || $0 == "\t" }.map { (text: $0, name: DomainName($0)) }
            guard !domains.isEmpty, domains.count <= Self.maximumPrivateDomains else {
                throw Rule.Mistake(key, .domainsCount, ["greatest": .count(Self.maximumPrivateDomains)])
            }
            if let wrong = domains.first(where: { $0.name == nil }) {
                throw Rule.Mistake(.domainForm, ["word": .text(String(wrong.text.prefix(100)))])
            }
            privateDomains = Set(domains.compactMap { $0.name?.description })
        case "lan":
            guard let use = LanUse(rawValue: value) else {
                throw Self.choice(["known", "always", "off"], for: key)
            }
            lan = use
        case "titles":
            guard ["tell", "ask"].contains(value) else {
                throw Self.choice(["tell", "ask"], for: key)
            }
            tellsTitles = value == "tell"
        case "history": historyLength = try Self.historyLength(value, for: key)
        case AdapterSwitches.key: adapters.areAllOff = try !Self.isOn(value, for: key)
        case _ where key.hasPrefix(AdapterSwitches.key + "."):
            let adapter = String(key.dropFirst(AdapterSwitches.key.count + 1))
            guard !adapter.isEmpty else { throw Rule.Mistake(key, .keyUnfinished) }
            guard !adapter.contains(where: \.isWhitespace) else { throw Rule.Mistake(key, .idSpaces) }
            guard try !Self.isOn(value, for: key) else { return }
            guard adapters.off.count < AdapterSwitches.maximum else {
                throw Rule.Mistake(.tooManyLines, ["key": "adapters.ID", "limit": .count(AdapterSwitches.maximum)])
            }
            adapters.off.insert(adapter)
        case "rule":
            guard rules.count < Self.maximumRules else {
                throw Rule.Mistake(.tooManyLines, ["key": "rule", "limit": .count(Self.maximumRules)])
            }
            rules.append(try Rule(value))
        case _ where key.hasPrefix("default-app."):
            let type = String(key.dropFirst("default-app.".count))
            guard !type.isEmpty else { throw Rule.Mistake(key, .keyUnfinished) }
            guard !value.isEmpty else { throw Rule.Mistake(key, .argumentEmpty) }
            guard !value.contains(where: \.isWhitespace) else { throw Rule.Mistake(key, .idSpaces) }
            defaultApps[type] = value
        default:
            throw Rule.Mistake(.keyUnknown, ["key": .text(String(key.prefix(100))), "others": .list(Self.keys)])
        }
    }

    /// The values by key, in the syntax of the file. A key that may occur only once and is missing
    /// from the file has its default value. Rules are not included.
    var values: [String: String] {
        var values = [
            "notifications": Self.word(notifies), "notifications.on-lock-screen": onLockScreen.rawValue,
            "domains": Self.word(asksDomains), AdapterSwitches.key: Self.word(!adapters.areAllOff),
            "history": historyLength == .zero ? "off" : "\(historyLength.components.seconds / 60)m",
            "lan": lan.rawValue, "titles": tellsTitles ? "tell" : "ask",
        ]
        if !privateDomains.isEmpty { values["domains.private"] = privateDomains.sorted().joined(separator: " ") }
        for adapter in adapters.off { values["\(AdapterSwitches.key).\(adapter)"] = Self.word(false) }
        for (type, app) in defaultApps { values["default-app.\(type)"] = app }
        return values
    }

    private static func word(_ isOn: Bool) -> String { isOn ? "on" : "off" }

    /// Parses `off`, or a number with its unit.
    private static func historyLength(_ value: String, for key: String) throws(Rule.Mistake) -> Duration {
        if value == "off" || value == "0" { return .zero }
        let units: [Character: Int] = ["m": 60, "h": 3_600, "d": 86_400]
        let digits = value.dropLast()
        guard let unit = value.last.flatMap({ units[$0] }), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let count = Int(digits), count <= 1_000_000, case let length = Duration.seconds(count * unit),
            length <= HistoryStore.longestLength
        else { throw Rule.Mistake(key, .historyForm) }
        return length
    }

    private static func isOn(_ value: String, for key: String) throws(Rule.Mistake) -> Bool {
        guard ["on", "off"].contains(value) else { throw choice(["on", "off"], for: key) }
        return value == "on"
    }

    private static func choice(_ words: [String], for key: String) -> Rule.Mistake {
        Rule.Mistake(key, .argumentChoice, ["choices": .list(words)])
    }

    private static func trimmed(_ text: String) -> String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
        return String(text.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}

extension Settings {
    /// Returns the action for an offer.
    ///
    /// - Parameter browser: The id of the default browser. For a web page that no app continues, a
    ///   rule may name it.
    func action(for offer: OfferSummary, browser: String? = nil) -> Rule.Action {
        let app = offer.application ?? (offer.hasWebpage ? browser : nil)
        return action(type: offer.type ?? "", app: app, device: offer.device, named: offer.deviceName)
    }

    /// Returns the action of the first rule that matches an offer, or `ask` if none matches.
    ///
    /// - Parameters:
    ///   - type: The activity's type.
    ///   - app: The id of the app that would continue the activity.
    ///   - device: The other device's id.
    ///   - name: The other device's name.
    public func action(type: String, app: String?, device: String, named name: String) -> Rule.Action {
        rules.first { $0.action != .hide && $0.isAbout(type: type, app: app, device: device, named: name) }?.action
            ?? .ask
    }

    /// Returns a finding for each rule about a device that is not in the circle.
    ///
    /// - Parameter devices: The other devices of the circle.
    func strayRules(among devices: DeviceNames) -> [Finding] {
        rules.enumerated().compactMap { index, rule in
            guard let device = rule.device, DeviceNames.isID(device), !devices.has(device) else { return nil }
            return Finding(
                .settingsMistake, ["stray": .count(index + 1), "rule": .text("\(rule)")],
                command: "baton rules remove \(index + 1)")
        }
    }

    /// Returns the rule that hides an activity of this device, or nil if there is none.
    ///
    /// - Parameter names: Further ids by which a rule may name the app.
    public func hidingRule(type: String, app: String?, or names: Set<String> = []) -> Rule? {
        let apps = [app] + names.map(Optional.some)
        return rules.first { rule in
            rule.action == .hide && apps.contains { rule.isAbout(type: type, app: $0, device: nil, named: nil) }
        }
    }
}
