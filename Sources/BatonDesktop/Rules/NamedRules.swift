// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// Names of devices in a configuration, put into ids once: a device could call itself as another
/// that a rule is about.
///
/// All else in the text stays as it is, byte for byte.
struct NamedRules {
    /// The text, with ids where there were names that one device has.
    private(set) var text: String
    /// The names that stay, with their lines and why.
    private(set) var problems: [(line: Int, reason: String)] = []

    /// Looks for names in a configuration.
    ///
    /// - Parameters:
    ///   - text: A configuration without mistakes.
    ///   - names: What the other devices of the circle are called.
    init(_ text: String, naming names: DeviceNames) {
        self.text = text
        var lines = Settings.lines(text)
        for (index, line) in lines.enumerated() {
            guard let rule = Self.rule(in: line), let name = rule.device, !DeviceNames.isID(name) else { continue }
            do {
                lines[index] = Self.naming(line, try names.device(called: name).device)
            } catch {
                let meanwhile = rule.isInForce ? "goes by the name" : "is not in force"
                problems.append((index + 1, "\(error); until the rule says device=ID it \(meanwhile)"))
            }
        }
        self.text = lines.joined(separator: "\n")
    }

    private static func rule(in line: String) -> Rule? {
        guard let pair = try? Settings.pair(line), pair.key == "rule" else { return nil }
        return try? Rule(pair.value)
    }

    /// The line of a rule with another device.
    private static func naming(_ line: String, _ id: String) -> String {
        // What Windows ends lines with is no part of the last word.
        let end = line.unicodeScalars.last == "\r" ? "\r" : ""
        var text = String(line.unicodeScalars.dropLast(end.isEmpty ? 0 : 1))
        guard let equals = text.firstIndex(of: "="),
            let words = try? Rule.words(text[text.index(after: equals)...]),
            let word = words.first(where: { $0.text.hasPrefix("device=") })
        else { return line }
        text.replaceSubrange(word.range, with: "device=\(id)")
        return text + end
    }
}
