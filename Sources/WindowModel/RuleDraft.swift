// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// A rule that the user puts together from choices, with the conditions that the page shows.
public struct RuleDraft: Hashable, Sendable {
    /// The effect of a rule.
    public enum Action: String, CaseIterable, Sendable {
        /// Continue offers without a click.
        case near
        /// Do not show such offers.
        case never
        /// Show such offers, even if a later rule would hide them.
        case ask
        /// Offer nothing of this kind.
        case hide
    }

    /// How near another laptop must be, in dBm.
    static let distances = [-45, -60, -75]
    /// The distance for a rule that gives none.
    static let usualDistance = -60

    /// The rule that this one replaces, as it is written, or nil for a new rule.
    let replaced: String?
    /// The effect of the rule.
    public var action = Action.near
    /// The other laptop's id, or nil for all.
    public var device: String?
    /// The app's id, or nil for all.
    public var app: String?
    /// The signal that the other laptop must have, in dBm, or nil for the default, -60.
    public var signal: Int?

    /// Creates a new rule without conditions.
    public init() { replaced = nil }

    /// Creates the draft of an existing rule. Returns nil if the rule has parts that a draft cannot
    /// have.
    init?(_ rule: String) {
        let words = rule.split(separator: " ").map(String.init)
        guard let first = words.first, let action = Action(rawValue: first) else { return nil }
        (replaced, self.action) = (rule, action)
        for word in words.dropFirst() {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, !parts[1].hasPrefix("\"") else { return nil }
            switch parts[0] {
            case "device": device = parts[1]
            case "app": app = parts[1]
            case "signal" where Self.distances.contains(Int(parts[1]) ?? 0): signal = Int(parts[1])
            default: return nil
            }
        }
    }

    /// The rule as it is written in the configuration. Conditions that the action does not allow
    /// are left out.
    var rule: String {
        var words = [action.rawValue]
        if let device, action != .hide { words.append("device=\(device)") }
        if let app { words.append("app=\(app)") }
        if let signal, action == .near { words.append("signal=\(signal)") }
        return words.joined(separator: " ")
    }
}
