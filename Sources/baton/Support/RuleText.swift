// SPDX-License-Identifier: Apache-2.0

import BatonBus
import UserInfoJSON

/// Formats rules for people.
enum RuleText {
    /// Returns the rule that a command's arguments contain. A single argument is the whole rule.
    /// Several arguments are the words of the rule, and a value with spaces gets the quotes that
    /// the shell has removed.
    static func text(ofArguments arguments: [String]) -> String {
        if arguments.count == 1 { return arguments[0] }
        let words = arguments.map { word in
            guard let equals = word.firstIndex(of: "=") else { return word }
            return "\(word[...equals])\(Quoting.quoted(String(word[word.index(after: equals)...])))"
        }
        return words.joined(separator: " ")
    }

    /// Returns a rule followed by the name of its device, or by a warning if the rule has no
    /// effect.
    static func line(_ rule: String, _ members: [CircleMember]) -> String {
        if let doubt = doubt(rule, members) { return "\(rule)  (\(doubt))" }
        guard let member = members.first(where: { $0.device == device(of: rule) }) else { return rule }
        return "\(rule)  (\(member.name))"
    }

    /// Returns a rule's JSON object, as described in baton-json(5).
    static func node(_ number: Int, _ rule: String, _ members: [CircleMember]) -> JSONNode {
        .object([
            "number": .int(Int64(number)), "rule": .string(rule),
            "warning": doubt(rule, members).map(JSONNode.string) ?? .null,
        ])
    }

    /// Returns a warning if the rule names a device that is not in the circle, or `nil` otherwise.
    static func doubt(_ rule: String, _ members: [CircleMember]) -> String? {
        guard let device = device(of: rule), !members.contains(where: { $0.device == device }) else { return nil }
        if DeviceNames.isID(device) { return "no device of the circle has the id \(device): the rule is about none" }
        guard !members.contains(where: { !$0.isThisDevice && $0.name == device }) else {
            return "the name \(device) was not put into an id; see baton status"
        }
        return "no id could be found for the name \(device); see baton status, baton devices"
    }

    /// Returns a warning if the rule covers less than its text suggests, or `nil` otherwise.
    static func limit(_ rule: String) -> String? {
        let words = words(of: rule)
        guard words.first == "hide", words.contains(where: { $0.hasPrefix("app=") }) else { return nil }
        return
            "it is about the app as a desktop starts it, a sandbox holds it or an adapter speaks for it; started in a "
            + "terminal an app that knows Baton is not known as that app: hide its type for that"
    }

    /// Returns the number of the second rule that equals the given rule, or `nil` if at most one
    /// rule does.
    static func copy(of rule: String, in rules: [String]) -> Int? {
        let indices = rules.indices.filter { rules[$0] == rule }
        return indices.count < 2 ? nil : indices[1] + 1
    }

    /// Returns the device's id or name from a rule in the daemon's form, or `nil` if the rule names
    /// no device. In that form, values with spaces are quoted.
    private static func device(of rule: String) -> String? {
        words(of: rule).first { $0.hasPrefix("device=") }.map { Quoting.unquoted($0.dropFirst("device=".count)) }
    }

    private static func words(of rule: String) -> [Substring] {
        var (isQuoted, isEscaped) = (false, false)
        return rule.split { character in
            if isEscaped {
                isEscaped = false
                return false
            }
            isEscaped = isQuoted && character == "\\"
            if character == "\"" { isQuoted.toggle() }
            return character == " " && !isQuoted
        }
    }
}
