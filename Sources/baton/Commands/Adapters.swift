// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient

struct Adapters: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Choose which adapters may speak for apps that do not know Baton.",
        discussion: """
            An adapter from the system's packages is active unless you switch it off. If the adapter's desktop \
            entry is yours, or does not belong to root, the adapter is active only after you have allowed it. \
            You must allow it again when the entry has changed.
            """,
        subcommands: [List.self, On.self, Off.self, Allow.self, Refuse.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the adapters and their states: on, off, pending (you must allow it) or refused.")

        func run() async throws {
            let adapters = try await Daemon.connected { try await $0.bus.adapters() }
            if adapters.isEmpty { try Output.standard.line("no adapter is installed; see the package baton-adapters") }
            for adapter in adapters { try Output.standard.line(adapter.line) }
        }
    }

    struct On: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Switch an adapter on in the configuration. Without a name, turn on the switch for all.")
        @OptionGroup var switched: SwitchedAdapter

        func run() async throws { try await switched.turn(on: true) }
    }

    struct Off: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Switch an adapter off in the configuration. Without a name, switch all adapters off.")
        @OptionGroup var switched: SwitchedAdapter

        func run() async throws { try await switched.turn(on: false) }
    }

    struct Allow: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Allow an adapter of your own.")
        @OptionGroup var choice: AdapterChoice

        func run() async throws { try await choice.answer { try await $0.allowAdapter($1) } }
    }

    struct Refuse: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Refuse an adapter of your own.")
        @OptionGroup var choice: AdapterChoice

        func run() async throws { try await choice.answer { try await $0.refuseAdapter($1) } }
    }
}

/// The adapter argument of `baton adapters allow` and `refuse`.
struct AdapterChoice: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The adapter's id, as baton adapters lists it, or the last part of the id.", valueName: "adapter"),
        completion: .adapter)
    var adapter: String

    /// Sends an answer about the adapter to the daemon, and prints the adapter's new state.
    func answer(_ body: @escaping @Sendable (BatonBusClient, String) async throws -> Void) async throws {
        try await Adapters.answer(adapter, body)
    }
}

/// The optional adapter argument of `baton adapters on` and `off`. Without this argument, the
/// command applies to all adapters.
struct SwitchedAdapter: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The adapter's id, as baton adapters lists it, or the last part of the id.", valueName: "adapter"),
        completion: .adapter)
    var adapter: String?

    /// Switches the adapter, or all adapters, on or off and prints the new state.
    func turn(on isOn: Bool) async throws {
        let adapters = try await Adapters.answer(adapter) {
            try await $0.switchAdapter($1.isEmpty ? nil : $1, on: isOn)
        }
        if adapters.isEmpty { try Output.standard.line("adapters are \(isOn ? "on" : "off"); none is installed") }
        guard isOn, adapter != nil, let state = adapters.first?.state else { return }
        if state == .off { Output.note("baton: all adapters are off: run 'baton adapters on'") }
        if state == .refused || state == .pending {
            Output.note("baton: it waits for your word: run 'baton adapters allow \(adapters[0].adapter)'")
        }
    }
}

extension Adapters {
    /// Changes one adapter or all, and prints and returns their new state.
    @discardableResult
    fileprivate static func answer(
        _ name: String?, _ body: @escaping @Sendable (BatonBusClient, String) async throws -> Void
    ) async throws -> [AdapterStatus] {
        let adapters = try await Daemon.connected { connection in
            let installed = try await connection.bus.adapters()
            let meant = try name.map { try Self.meant($0, among: installed) }
            try await body(connection.bus, meant ?? "")
            return try await connection.bus.adapters().filter { meant == nil || $0.adapter == meant }
        }
        for adapter in adapters { try Output.standard.line(adapter.line) }
        return adapters
    }

    /// Returns the id of the adapter with this name or id.
    static func meant(_ name: String, among adapters: [AdapterStatus]) throws -> String {
        if adapters.contains(where: { $0.adapter == name }) { return name }
        let found = adapters.map(\.adapter).filter {
            $0.split(separator: ".").last?.lowercased() == name.lowercased()
        }
        guard let one = found.first else {
            throw ToolFailure(
                "there is no adapter '\(name)'; 'baton adapters' lists those there are", status: .unknown)
        }
        guard found.count == 1 else {
            throw ToolFailure(
                "there are several of the name \(name): \(found.joined(separator: ", "))", status: .usage)
        }
        return one
    }
}

extension AdapterStatus {
    /// The adapter's line in the output.
    fileprivate var line: String {
        "\(state.rawValue)  \(adapter)  \(name)  \(applications.joined(separator: " "))"
    }
}
