// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
import UserInfoJSON
import Wording

/// Formats the status for a custom module of Waybar: one JSON object on a line (waybar-custom(5),
/// `return-type: json`).
enum WaybarText {
    /// The longest title or name in the bar, in characters.
    private static let longest = 40

    /// Returns the JSON object for a status, or for `nil` if the daemon does not run.
    ///
    /// The object's `class`, which style sheets use, is `offer`, `idle`, `paused`, `no-circle`,
    /// `trouble` or `stopped`.
    static func node(_ status: DaemonStatus?, offers: [OfferSummary]) -> JSONNode {
        let shown = offers.filter { !$0.isHidden && ($0.application != nil || $0.hasWebpage) }
        let kind = kind(status, shown)
        let lines = status.map { tooltip($0, shown) } ?? [tr("Baton is not running.")]
        return .object([
            "text": .string(kind == "offer" ? label(shown[0]) : ""),
            "tooltip": .string(lines.map(escaped).joined(separator: "\n")),
            "class": .string(kind), "alt": .string(kind),
        ])
    }

    private static func kind(_ status: DaemonStatus?, _ offers: [OfferSummary]) -> String {
        guard let status else { return "stopped" }
        if status.isPaused { return "paused" }
        if status.circle == nil { return "no-circle" }
        if !offers.isEmpty { return "offer" }
        return status.radioCondition == "ready" ? "idle" : "trouble"
    }

    private static func tooltip(_ status: DaemonStatus, _ offers: [OfferSummary]) -> [String] {
        if !offers.isEmpty { return offers.prefix(8).map(line) }
        if status.isPaused { return [tr("Baton is paused.")] }
        if status.circle == nil { return [tr("Baton does not know another laptop yet. Add your other laptop.")] }
        return [tr("There is nothing to continue.")] + status.findings.prefix(4).map { $0.text(on: .notification) }
    }

    /// Returns the line about an offer.
    private static func line(_ offer: OfferSummary) -> String {
        if let title = offer.title, !title.isEmpty {
            return tr("\"{title}\" from \"{laptop}\"", isolating: ["title": title, "laptop": offer.deviceName])
        }
        return offer.application == nil
            ? tr("A web page from \"{laptop}\"", isolating: ["laptop": offer.deviceName])
            : tr("Something from \"{laptop}\"", isolating: ["laptop": offer.deviceName])
    }

    private static func label(_ offer: OfferSummary) -> String {
        escaped(ForeignText.isolated(offer.title ?? offer.deviceName), limit: longest)
    }

    /// Returns a text without invisible characters, apart from the isolates around names, and with
    /// the characters of markup escaped, because Waybar reads markup.
    private static func escaped(_ text: String) -> String { escaped(text, limit: 200) }

    private static func escaped(_ text: String, limit: Int) -> String {
        ForeignText.inMarkup(String(ForeignText.visible(text, insteadOfOthers: " ").prefix(limit)))
    }
}
