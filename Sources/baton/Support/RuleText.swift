// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
import UserInfoJSON
import Wording

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
        if let doubt = doubt(rule, members) { return "\(rule)  \(words(doubt))" }
        guard let member = members.first(where: { $0.device == device(of: rule) }) else { return rule }
        return "\(rule)  (\(member.name))"
    }

    /// Returns a rule's JSON object, as described in baton-json(5).
    static func node(_ number: Int, _ rule: String, _ members: [CircleMember]) -> JSONNode {
        .object([
            "number": .int(Int64(number)), "rule": .string(rule),
            "warning": doubt(rule, members).map { .string(words($0, in: .english)) } ?? .null,
        ])
    }

    static func words(_ warning: Finding, in language: Language = .session) -> String {
        warning.text(on: .terminal, in: language)
    }

    /// Returns a warning if the rule names a device that is not in the circle, or `nil` otherwise.
    static func doubt(_ rule: String, _ members: [CircleMember]) -> Finding? {
        guard let device = device(of: rule), !members.contains(where: { $0.device == device }) else { return nil }
        if DeviceNames.isID(device) { return warning(.ruleOfNobody, ["id": .text(device)]) }
        let isMember = members.contains { !$0.isThisDevice && $0.name == device }
        return warning(isMember ? .ruleNameKept : .ruleNameUnknown, ["name": .text(device)])
    }

    /// Returns a warning if the rule covers less than its text suggests, or `nil` otherwise.
    static func limit(_ rule: String) -> Finding? {
        let words = words(of: rule)
        guard words.first == "hide", words.contains(where: { $0.hasPrefix("app=") }) else { return nil }
        return warning(.ruleOfStartedApp)
    }

    /// Returns a warning if two rules equal this one, or `nil` otherwise. Its command removes the
    /// second rule.
    static func copy(of rule: String, in rules: [String]) -> Finding? {
        let indices = rules.indices.filter { rules[$0] == rule }
        return indices.count < 2 ? nil : warning(.ruleTwice, command: "baton rules remove \(indices[1] + 1)")
    }

    private static func warning(
        _ failure: FailureCode, _ values: [String: Reason.Value] = [:], command: String? = nil
    ) -> Finding {
        Finding(Reason(failure, values), command: command, reported: nil)
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
