// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// Names of devices in a configuration, put into ids once: a device could call itself as another
/// that a rule is about.
///
/// All else in the text stays as it is, byte for byte.
struct NamedRules {
    /// The text, with ids where there were names that one device has.
    private(set) var text: String
    /// The names that stay, with their lines, and whether their rules are in force.
    private(set) var unknown: [(line: Int, name: String, isInForce: Bool)] = []

    /// Looks for names in a configuration.
    ///
    /// - Parameters:
    ///   - text: A configuration; lines with mistakes stay as they are.
    ///   - names: What the other devices of the circle are called.
    init(_ text: String, naming names: DeviceNames) {
        self.text = text
        var lines = Settings.lines(text)
        for (index, line) in lines.enumerated() {
            guard let rule = Self.rule(in: line), let name = rule.device, !DeviceNames.isID(name) else { continue }
            if let member = try? names.device(called: name) {
                lines[index] = Self.naming(line, member.device)
            } else {
                unknown.append((index + 1, name, rule.isInForce))
            }
        }
        self.text = lines.joined(separator: "\n")
    }

    private static func rule(in line: String) -> Rule? {
        guard let pair = try? Settings.pair(line), pair.key == "rule" else { return nil }
        return try? Rule(pair.value)
    }

    /// A rule as the user has written it, with an id for the name. A name that nobody has stays: it
    /// may come yet, and until then the warnings say so.
    ///
    /// - Throws: ``BatonError``.
    static func rule(_ text: String, naming names: DeviceNames) throws -> Rule {
        do {
            var rule = try Rule(text)
            rule.device = try rule.device.map { try names.device(called: $0).device }
            return rule
        } catch let error as Rule.Mistake {
            throw BatonError(.invalidArgument, "rule: it \(error)")
        } catch let error as BatonError where error.code == .notFound {
            return try Rule(text)
        } catch let error as BatonError {
            throw BatonError(error.code, "rule: \(error.message)")
        }
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
