// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
public import Diagnosis

/// A rule that the user has set for some activities.
///
/// Its text is `ACTION [type=PATTERN] [app=PATTERN] [device=ID] [signal=DBM]`.
///
/// An omitted condition matches everything. Values with spaces need double quotes. A pattern is a
/// name, or the beginning of one followed by `*`.
public struct Rule: Hashable, Sendable, CustomStringConvertible {
    /// A rule's action.
    public enum Action: Hashable, Sendable {
        /// Show the offer.
        case ask
        /// Neither show the offer nor continue it automatically.
        case never
        /// Continue the offer in its app when the other device is near. The device is near if its
        /// signal has been at least this strong for a while.
        case near(signal: Int)
        /// Do not advertise activities of this device that match the rule.
        case hide
    }

    /// The action.
    public var action: Action
    /// The pattern of activity types, or nil for all.
    public var type: String?
    /// The pattern of app ids on this device, or nil for all.
    public var app: String?
    /// The other device's id, or nil for all devices. A name stays in place of an id if no device,
    /// or more than one, had that name when the rule was read (``isInForce``).
    public var device: String?

    /// The signal strength for a rule that gives none, in dBm. A device on the same table is heard
    /// about this strongly.
    public static let usualSignal = -60
    /// The signal strengths that a rule may contain, in dBm.
    public static let signals = -127...20
    /// The maximum length of a rule, in UTF-8 bytes.
    public static let maximumLength = 1_024
    /// The maximum length of a pattern in bytes, without a `*` at its end. No type or app id is
    /// longer.
    private static let longestPattern = ActivityState.maximumIdentifierLength
    private static let rangeOfSignals: [String: Reason.Value] = [
        "least": .text("\(signals.lowerBound)"), "greatest": .text("\(signals.upperBound)"),
    ]

    /// A mistake in a rule's text, or in a line of the configuration, without the whole text.
    public struct Mistake: Error, Hashable, Sendable {
        /// The mistake.
        public let reason: Reason

        init(_ failure: FailureCode, _ values: [String: Reason.Value] = [:]) { reason = Reason(failure, values) }

        /// Creates the mistake of a key with an invalid value.
        init(_ key: String, _ failure: FailureCode, _ values: [String: Reason.Value] = [:]) {
            reason = Reason(failure, values).with("argument", .text(String(key.prefix(100))))
        }
    }

    /// The keys of conditions.
    private static let keys = ["type", "app", "device", "signal"]

    /// Parses a rule.
    ///
    /// - Throws: ``Mistake``.
    public init(_ text: String) throws(Mistake) {
        guard text.utf8.count <= Self.maximumLength else {
            throw Mistake("rule", .argumentSize, ["greatest": .count(Self.maximumLength)])
        }
        // A line break would end the rule's line in the configuration and begin another one.
        guard VisibleText.isReadable(text.replacing("\t", with: " ")) else {
            throw Mistake(.ruleUnreadable)
        }
        let words = try Self.words(text[...]).map(\.text)
        var named: [String: String] = [:]
        for word in words.dropFirst() {
            guard let equals = word.firstIndex(of: "="), word.index(after: equals) < word.endIndex else {
                throw Mistake(.pairForm, ["word": .text(word)])
            }
            let key = String(word[..<equals])
            guard Self.keys.contains(key) else {
                throw Mistake(.keyUnknown, ["key": .text(key), "others": .list(Self.keys)])
            }
            if key == "type" || key == "app" { try Self.checkPattern(word, of: key) }
            guard named.updateValue(String(word[word.index(after: equals)...]), forKey: key) == nil else {
                throw Mistake(key, .argumentTwice)
            }
        }
        switch words.first {
        case "ask": action = .ask
        case "never": action = .never
        case "hide": action = .hide
        case "near":
            guard let signal = Int(named["signal"] ?? "\(Self.usualSignal)"), Self.signals.contains(signal) else {
                throw Mistake("signal", .argumentRange, Self.rangeOfSignals)
            }
            action = .near(signal: signal)
        default: throw Mistake(.ruleAction, ["choices": .list(["ask", "never", "near", "hide"])])
        }
        if words.first != "near", named["signal"] != nil {
            throw Mistake("signal", .argumentNeedless)
        }
        if words.first == "hide", named["device"] != nil {
            throw Mistake("device", .argumentNeedless)
        }
        (type, app) = (named["type"], named["app"])
        device = named["device"].map { DeviceNames.isID($0) ? $0.lowercased() : $0 }
    }

    /// Throws for a text that looks like a pattern but matches nothing.
    ///
    /// - Parameter word: `KEY=PATTERN`.
    private static func checkPattern(_ word: String, of key: String) throws(Mistake) {
        let length = word.utf8.count - key.utf8.count - 1 - (word.hasSuffix("*") ? 1 : 0)
        guard length <= longestPattern else {
            throw Mistake(key, .argumentSize, ["greatest": .count(longestPattern)])
        }
        if word.dropLast().contains("*") { throw Mistake(.patternStar, ["word": .text(word)]) }
        if [" type=", " app=", " device=", " signal="].contains(where: word.contains) {
            throw Mistake(.valueQuotes, ["word": .text(word)])
        }
    }

    /// The rule's text, which the initializer can parse.
    public var description: String {
        func named(_ key: String, _ value: String?) -> String? {
            value.map { "\(key)=\(Quoting.quoted($0))" }
        }
        let (word, signal): (String, String?) =
            switch action {
            case .ask: ("ask", nil)
            case .never: ("never", nil)
            case .near(let signal): ("near", "\(signal)")
            case .hide: ("hide", nil)
            }
        let parts = [word, named("type", type), named("app", app), named("device", device), named("signal", signal)]
        return parts.compactMap { $0 }.joined(separator: " ")
    }

    /// Whether the rule takes effect. A device chooses its own name. So a rule with a name may show
    /// or hide that device's offers, but never continues them automatically.
    public var isInForce: Bool {
        guard case .near = action, let device else { return true }
        return DeviceNames.isID(device)
    }

    /// Returns whether the rule matches an activity.
    ///
    /// - Parameters:
    ///   - type: The activity's type.
    ///   - app: The app's id, or nil if it is unknown. Only a rule for all apps matches an unknown
    ///     app.
    ///   - device: The other device's id, or nil for an activity of this device.
    ///   - name: The other device's name.
    func isAbout(type: String, app: String?, device: String?, named name: String?) -> Bool {
        Self.fits(self.type, type) && (self.app == nil || app.map { Self.fits(self.app, $0) } == true)
            && isAbout(device: device, named: name)
    }

    private func isAbout(device: String?, named name: String?) -> Bool {
        guard let wanted = self.device else { return true }
        return DeviceNames.isID(wanted) ? wanted == device : isInForce && wanted == name
    }

    private static func fits(_ pattern: String?, _ name: String) -> Bool {
        guard let pattern else { return true }
        return pattern.hasSuffix("*") ? name.hasPrefix(pattern.dropLast()) : name == pattern
    }

    /// Returns the words of a rule without their quotes, and their ranges including the quotes.
    static func words(_ text: Substring) throws(Mistake) -> [(text: String, range: Range<String.Index>)] {
        var words: [(text: String, range: Range<String.Index>)] = []
        var word: (text: String, start: String.Index)?
        var (isQuoted, isEscaped) = (false, false)
        for index in text.indices {
            let character = text[index]
            if !isQuoted, character == " " || character == "\t" {
                if let word { words.append((word.text, word.start..<index)) }
                word = nil
                continue
            }
            let begun = word ?? ("", index)
            let next = text.index(after: index)
            if isQuoted, !isEscaped, character == "\\", next < text.endIndex, "\"\\".contains(text[next]) {
                isEscaped = true
                continue
            }
            let isQuote = character == "\"" && !isEscaped
            isEscaped = false
            if isQuote { isQuoted.toggle() }
            word = (isQuote ? begun.text : begun.text + String(character), begun.start)
        }
        guard !isQuoted else { throw Mistake(.quoteOpen) }
        if let word { words.append((word.text, word.start..<text.endIndex)) }
        return words
    }
}
