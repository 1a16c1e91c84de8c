// SPDX-License-Identifier: Apache-2.0

import BatonBus
import UserInfoJSON

/// Rules for people.
enum RuleText {
    /// The rule that a shell's arguments are: one for each word, without the quotes of values with
    /// spaces; or one that is the whole rule.
    static func text(ofArguments arguments: [String]) -> String {
        if arguments.count == 1 { return arguments[0] }
        let words = arguments.map { word in
            guard let equals = word.firstIndex(of: "=") else { return word }
            return "\(word[...equals])\(Quoting.quoted(String(word[word.index(after: equals)...])))"
        }
        return words.joined(separator: " ")
    }

    /// A rule, and what the device is called whose id it has, or what is doubtful about it.
    static func line(_ rule: String, _ members: [CircleMember]) -> String {
        if let doubt = doubt(rule, members) { return "\(rule)  (\(doubt))" }
        guard let member = members.first(where: { $0.device == device(of: rule) }) else { return rule }
        return "\(rule)  (\(member.name))"
    }

    /// A rule's JSON object: baton-json(5).
    static func node(_ number: Int, _ rule: String, _ members: [CircleMember]) -> JSONNode {
        .object([
            "number": .int(Int64(number)), "rule": .string(rule),
            "warning": doubt(rule, members).map(JSONNode.string) ?? .null,
        ])
    }

    /// What to know of a rule about a device that is not in the circle; nil of all others.
    static func doubt(_ rule: String, _ members: [CircleMember]) -> String? {
        guard let device = device(of: rule), !members.contains(where: { $0.device == device }) else { return nil }
        if DeviceNames.isID(device) { return "no device of the circle has the id \(device): the rule is about none" }
        guard !members.contains(where: { !$0.isThisDevice && $0.name == device }) else {
            return "the name \(device) was not put into an id; see baton status"
        }
        return "no id could be found for the name \(device); see baton status, baton devices"
    }

    /// What a rule is not about that it reads as if it were; nil where there is nothing to say.
    static func limit(_ rule: String) -> String? {
        let words = words(of: rule)
        guard words.first == "hide", words.contains(where: { $0.hasPrefix("app=") }) else { return nil }
        return
            "it is about the app as a desktop starts it, a sandbox holds it or an adapter speaks for it; started in a "
            + "terminal an app that knows Baton is not known as that app: hide its type for that"
    }

    /// The number of the second of two rules that are the same; nil where there is one.
    static func copy(of rule: String, in rules: [String]) -> Int? {
        let indices = rules.indices.filter { rules[$0] == rule }
        return indices.count < 2 ? nil : indices[1] + 1
    }

    /// The device in a rule as the daemon lists it: its values with spaces stand in quotes.
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
