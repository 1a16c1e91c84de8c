// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient
import Diagnosis
import UserInfoJSON
import Wording

/// `baton rules`
struct Rules: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say what happens by itself: ask, never, near or hide, by type, app and device.",
        discussion: """
            A rule is: ask | never | near | hide, then any of type=TYPE app=ID device=DEVICE, and signal=DBM with near. A type or an id that ends in * \
            stands for all that begin so. A device is meant by its id, or by its name, which is put into its id when the rule is added. The first rule about an offer counts; without one, it is shown.
            ask shows the offer; never does not; near continues it by itself once the other device is near (at signal=-60 or stronger); hide keeps \
            activities of this device to itself.
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
            if rules.isEmpty { try Output.standard.line("there are no rules: every offer is shown") }
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

        @Flag(help: "Put it before the others: the first rule about an offer counts.")
        var first = false

        @Argument(
            help: "The rule, such as: near type=org.example.notes.edit device=desk signal=-55", completion: .rule)
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
            try Output.standard.line("rule \(first ? 1 : rules.count): \(line)")
            if let doubt { Output.warn(doubt) }
            if let limit = RuleText.limit(added) { Output.warn(limit) }
            if let copy = RuleText.copy(of: added, in: rules) {
                Output.warn("there it is twice; the second does nothing, and goes with: baton rules remove \(copy)")
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a rule.")

        @Argument(
            help: "Its number, as baton rules lists it.", completion: .ruleNumber, transform: Remove.number(parsing:))
        var number: Int

        private static func number(parsing text: String) throws -> Int {
            guard let number = Int(text), (1...Int(UInt32.max)).contains(number) else {
                throw ValidationError("give the number of a rule, as baton rules lists them")
            }
            return number
        }

        func run() async throws {
            try await Daemon.connected { try await $0.bus.removeRule(number) }
            try Output.standard.line("rule \(number) is removed")
        }
    }
}
