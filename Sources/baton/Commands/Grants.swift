// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient
import UserInfoJSON

struct Grants: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Choose which activities sandboxed apps may publish and continue.",
        discussion: """
            Without your permission, a Flatpak may use only the activity types that begin with its id, and a \
            snap may use none. An app in a sandbox needs your permission for all other types that it declares, \
            and for its team. A notification asks you once, or you allow it here. When you take back a \
            permission, it ends at once.
            """,
        subcommands: [List.self, Allow.self, Refuse.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List what sandboxed apps ask for (pending), may do (granted) and may not do (refused).")

        @Flag(help: "Print one JSON array.")
        var json = false

        func run() async throws {
            let grants = try await Daemon.connected { try await $0.bus.grants() }
            if json { return try Output.standard.json(.array(grants.map(\.node)), pretty: true) }
            if grants.isEmpty { try Output.standard.line("no sandboxed app asks for activities that are not its own") }
            for grant in grants { try Output.standard.line(grant.line) }
        }
    }

    struct Allow: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Allow what an app asks for, or what you refused before.",
            discussion: "Without a type, it allows all types and the team.")
        @OptionGroup var choice: GrantChoice

        func run() async throws { try await choice.answer(.granted) { try await $0.allow($1) } }
    }

    struct Refuse: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Refuse what an app asks for, or take back what you granted.",
            discussion: "Without a type, it refuses all types and the team.")
        @OptionGroup var choice: GrantChoice

        func run() async throws {
            try await choice.answer(.refused, in: Self.ordered) { try await $0.refuse($1) }
        }

        /// Returns the grants in the order in which to refuse them. Grants that the app already has
        /// come first.
        static func ordered(_ grants: [AppGrant]) -> [AppGrant] {
            grants.filter { $0.state == .granted } + grants.filter { $0.state != .granted }
        }
    }
}

/// The arguments of `baton grants allow` and `refuse`: the app and the activity types.
struct GrantChoice: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The app's id, as baton grants lists it.", valueName: "app"), completion: .sandboxedApp)
    var app: String

    @Argument(
        help: ArgumentHelp("Activity types. Without any, all listed types.", valueName: "type"),
        completion: .grantedType)
    var types: [String] = []

    /// Gives the same answer to all selected requests and grants of the app, and prints their new
    /// state. Sends no call for grants that already have this answer.
    func answer(
        _ state: AppGrant.State, in order: ([AppGrant]) -> [AppGrant] = { $0 },
        by body: @escaping @Sendable (BatonBusClient, AppGrant) async throws -> Void
    ) async throws {
        let listed = try await Daemon.connected { try await $0.bus.grants() }
        for grant in try selected(order(listed.filter { $0.isOf(app) })) {
            if grant.state != state { try await Daemon.connected { try await body($0.bus, grant) } }
            var answered = grant
            answered.state = state
            try Output.standard.line(answered.line)
        }
    }

    /// Returns the grants with only the chosen types. Throws if a chosen type is in none of them,
    /// or if the app's id is ambiguous.
    private func selected(_ grants: [AppGrant]) throws -> [AppGrant] {
        guard Set(grants.map(\.app)).count < 2 else {
            throw ToolFailure(
                "there are several of the name \(app): \(Set(grants.map(\.app)).sorted().joined(separator: ", "))",
                status: .usage)
        }
        let chosen =
            types.isEmpty
            ? grants
            : grants.compactMap { grant in
                var grant = grant
                grant.types = grant.types.filter(types.contains)
                return grant.types.isEmpty ? nil : grant
            }
        guard !chosen.isEmpty, Set(chosen.flatMap(\.types)).isSuperset(of: types) else {
            throw ToolFailure(
                "there is no such app, or it does not ask for that; give it, and types, as 'baton grants' lists them",
                status: .unknown)
        }
        return chosen
    }
}

extension AppGrant {
    /// The app's unique name: its sandbox and its id.
    var app: String { "\(sandbox):\(application)" }

    /// Returns whether the grant belongs to the app with this id or unique name.
    func isOf(_ name: String) -> Bool { name == application || name == app }

    /// The grant's JSON object, as described in baton-json(5).
    fileprivate var node: JSONNode {
        .object([
            "sandbox": .string(sandbox), "application": .string(application), "state": .string(state.rawValue),
            "team": team.isEmpty ? .null : .string(team), "types": .array(types.map(JSONNode.string)),
        ])
    }

    /// The grant's line in the output.
    fileprivate var line: String {
        let team = team.isEmpty ? "" : "  team \"\(team)\""
        let what = types.isEmpty ? "  its own activities" : "  " + types.joined(separator: " ")
        return "\(state.rawValue)  \(app)\(team)\(what)"
    }
}
