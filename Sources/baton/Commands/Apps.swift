// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient
import UserInfoJSON

struct Apps: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the installed apps that can take part, and what is missing where one does not.",
        discussion: """
            An app takes part by itself, or by an adapter of the package baton-adapters. Firefox ESR and Chromium take part by the package \
            baton-browser. Whether a profile has the extension on is shown by 'baton status'.
            """)

    @Flag(help: "Print one JSON array.")
    var json = false

    func run() async throws {
        let apps = try await Daemon.connected { try await $0.bus.apps() }
        if json { return try Output.standard.json(.array(apps.map(Self.node)), pretty: true) }
        if apps.isEmpty {
            try Output.standard.line("no app here can take part; see the package baton-adapters")
        }
        for app in apps { try Output.standard.line(Self.line(app)) }
    }

    /// Returns an app's JSON object, as described in baton-json(5).
    static func node(_ app: AppStatus) -> JSONNode {
        func text(_ value: String?) -> JSONNode { value.map(JSONNode.string) ?? .null }
        return .object([
            "application": .string(app.application), "name": .string(app.name), "state": .string(app.state.rawValue),
            "adapter": text(app.adapter), "goesOn": text(app.goesOn), "package": text(app.package),
        ])
    }

    /// Returns an app's line in the output.
    static func line(_ app: AppStatus) -> String {
        "\(app.state.rawValue)  \(app.application)  \(app.name)" + (detail(app).map { ": \($0)" } ?? "")
    }

    /// Returns a text that says what Baton hands over from the app, or how to make the app take
    /// part. Returns `nil` if neither is known.
    private static func detail(_ app: AppStatus) -> String? {
        let adapter = app.adapter ?? ""
        switch app.state {
        case .on: return app.goesOn
        case .off: return "run 'baton adapters on \(adapter)', and 'baton adapters on' if all are off"
        case .pending, .refused: return "run 'baton adapters allow \(adapter)'"
        case .missing: return app.package.map { "install the package \($0), and start the app again" }
        case .sandboxed: return "it runs in a sandbox, and no adapter speaks for it"
        default: return nil
        }
    }
}
