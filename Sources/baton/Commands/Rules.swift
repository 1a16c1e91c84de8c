// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient
import Diagnosis
import UserInfoJSON
import Wording

struct Rules: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Choose what Baton shows, hides and continues by itself, by type, app and device.",
        discussion: """
            A rule begins with ask, never, near or hide. After that it may have type=TYPE, app=ID and \
            device=DEVICE, and with near also signal=DBM. A type or an id that ends in * stands for all that \
            begin with the same text. A device is given by its id or its name. When the rule is added, its name \
            is replaced by its id. The first rule about an offer counts. An offer without a rule is shown.

            ask shows the offer, and never does not show it. near continues it by itself when the other device \
            is near, with signal=-60 or stronger. hide does not offer activities of this device to the others.
            """,
        subcommands: [List.self, Add.self, Remove.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the rules, with their numbers.")

        @Flag(help: "Print one JSON array.")
        var json = false

        func run() async throws {
            let (rules, status) = try await Daemon.connected {
                (try await $0.bus.rules(), try await $0.bus.status())
            }
            if json {
                let nodes = rules.enumerated().map { RuleText.node($0 + 1, $1, status.members) }
                return try Output.standard.json(.array(nodes), pretty: true)
            }
            if rules.isEmpty { try Output.standard.line(tr("There are no rules. Every offer is shown.")) }
            for (number, rule) in rules.enumerated() {
                try Output.standard.line("\(number + 1)  \(RuleText.line(rule, status.members))")
            }
            for finding in status.findings where finding.code == FindingCode.signalUnknown.rawValue {
                try Output.standard.line(finding.text(on: .terminal))
            }
            for finding in status.findings where finding.code == FindingCode.settingsMistake.rawValue {
                Output.warn(finding.text(on: .terminal))
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Add a rule after the others.")

        @Flag(help: "Add the rule before the others. The first rule about an offer counts.")
        var first = false

        @Argument(
            help: "The rule, for example: near type=org.example.notes.edit device=desk signal=-55", completion: .rule)
        var rule: [String]

        func validate() throws {
            if rule.isEmpty { throw ValidationError("give a rule, such as: never device=desk") }
        }

        func run() async throws {
            let text = RuleText.text(ofArguments: rule)
            let (rules, members) = try await Daemon.connected { connection in
                try await connection.bus.addRule(text, at: first ? 1 : nil)
                return (try await connection.bus.rules(), try await connection.bus.status().members)
            }
            guard let added = first ? rules.first : rules.last else { return }
            let doubt = RuleText.doubt(added, members)
            let line = doubt == nil ? RuleText.line(added, members) : added
            let number = "\(first ? 1 : rules.count)"
            try Output.standard.line(tr("Rule {number}: {rule}", ["number": number, "rule": line]))
            for warning in [doubt, RuleText.limit(added), RuleText.copy(of: added, in: rules)].compactMap(\.self) {
                Output.warn(RuleText.words(warning))
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a rule.")

        @Argument(
            help: "The rule's number, as baton rules lists it.", completion: .ruleNumber,
            transform: Remove.number(parsing:))
        var number: Int

        private static func number(parsing text: String) throws -> Int {
            guard let number = Int(text), (1...Int(UInt32.max)).contains(number) else {
                throw ValidationError("give the number of a rule, as baton rules lists them")
            }
            return number
        }

        func run() async throws {
            try await Daemon.connected { try await $0.bus.removeRule(number) }
            try Output.standard.line(tr("Rule {number} is removed.", ["number": "\(number)"]))
        }
    }
}
