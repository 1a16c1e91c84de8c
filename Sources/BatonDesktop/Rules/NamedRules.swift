// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis

/// A configuration whose rules have device ids in place of device names.
///
/// Each name is replaced only once. Otherwise a rule about one device could later match another
/// device that takes the name.
///
/// All other bytes of the text stay the same.
struct NamedRules {
    /// The text, with ids for all names that exactly one device has.
    private(set) var text: String
    /// The names that were not replaced, with their lines, and whether their rules are in force.
    private(set) var unknown: [(line: Int, name: String, isInForce: Bool)] = []

    /// Replaces the names in a configuration.
    ///
    /// - Parameters:
    ///   - text: A configuration. Lines with mistakes stay as they are.
    ///   - names: The names of the other devices in the circle.
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

    /// Parses a rule that the user has written, and replaces its device name with an id. A name
    /// that no device has stays, because such a device may join. A warning reports the name until
    /// then.
    ///
    /// - Throws: ``BatonError``.
    static func rule(_ text: String, naming names: DeviceNames) throws -> Rule {
        do {
            var rule = try Rule(text)
            rule.device = try rule.device.map { try names.device(called: $0).device }
            return rule
        } catch let error as Rule.Mistake {
            throw BatonError(.invalidArgument, .ruleMistaken, ["mistake": .reason(error.reason)])
        } catch let error as BatonError where error.code == .notFound {
            return try Rule(text)
        }
    }

    /// Returns a rule's line with the device replaced by an id.
    private static func naming(_ line: String, _ id: String) -> String {
        // Windows ends lines with a carriage return, which is not part of the last word.
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
