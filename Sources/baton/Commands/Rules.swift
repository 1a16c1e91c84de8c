// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Baton
import BatonBus

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

    /// A rule, and what the device is called whose id it has.
    static func line(_ rule: String, _ members: [CircleMember]) -> String {
        guard let word = rule.split(separator: " ").first(where: { $0.hasPrefix("device=") }) else { return rule }
        let device = word.dropFirst("device=".count)
        if let member = members.first(where: { $0.device == device }) { return "\(rule)  (\(member.name))" }
        return DeviceNames.isID(String(device))
            ? "\(rule)  (a device that is not in the circle: about none)" : "\(rule)  (a name; see baton status)"
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the rules, with their numbers.")

        func run() async throws {
            let (rules, members) = try await Daemon.connected {
                (try await $0.bus.rules(), try await $0.bus.status().members)
            }
            if rules.isEmpty { Output.standard.line("there are no rules: every offer is shown") }
            for (number, rule) in rules.enumerated() {
                Output.standard.line("\(number + 1)  \(Rules.line(rule, members))")
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Add a rule after the others.")

        @Argument(help: "The rule, such as: near type=org.example.notes.edit device=desk signal=-55")
        var rule: [String]

        func validate() throws {
            if rule.isEmpty { throw ValidationError("give a rule, such as: never device=desk") }
        }

        func run() async throws {
            // The shell has taken the quotes of values with spaces away.
            let text = rule.map { word in
                guard word.contains(" "), let equals = word.firstIndex(of: "=") else { return word }
                return "\(word[...equals])\"\(word[word.index(after: equals)...])\""
            }
            let (rules, members) = try await Daemon.connected { connection in
                try await connection.bus.addRule(text.joined(separator: " "))
                return (try await connection.bus.rules(), try await connection.bus.status().members)
            }
            Output.standard.line("rule \(rules.count): \(Rules.line(rules.last ?? "", members))")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a rule.")

        @Argument(help: "Its number, as baton rules lists it.")
        var number: Int

        func run() async throws {
            try await Daemon.connected { try await $0.bus.removeRule(number) }
            Output.standard.line("rule \(number) is removed")
        }
    }
}
