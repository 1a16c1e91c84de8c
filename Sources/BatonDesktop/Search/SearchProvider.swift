// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
public import DBus
public import DesktopEntries
import Diagnosis
import FoundationEssentials

/// Answers the desktop's search with saved activities. The provider implements
/// `org.gnome.Shell.SearchProvider2`, which GNOME Shell and others use.
///
/// Sandboxed programs are refused, because the search is for the desktop and not for apps.
///
/// Source: GNOME's documentation of search providers, `org.gnome.ShellSearchProvider2.xml`.
public struct SearchProvider: Sendable {
    /// The object path on the daemon's bus name.
    public static let path = "/org/batonproject/Baton/SearchProvider"
    /// The name of the D-Bus interface.
    public static let interface = "org.gnome.Shell.SearchProvider2"
    /// The maximum number of results of a search.
    public static let maximumResults = 64
    /// The maximum number of search words. Further words are ignored.
    public static let maximumTerms = 32
    /// The maximum length of all search words, in bytes.
    public static let longestQuery = 4_096

    /// Opens a search result in its app.
    ///
    /// - Parameters:
    ///   - result: The search result.
    ///   - timestamp: The time of the user's action from the windowing system, or 0 if unknown.
    public typealias Opener = @Sendable (_ result: SearchResult, _ timestamp: UInt32) async throws -> Void

    private let store: SavedStore
    private let callers: Callers
    private let entry: @Sendable (_ application: String) async -> DesktopEntry?
    private let opener: Opener?
    private let openWindow: @Sendable () async -> Void

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - store: The store to search.
    ///   - callers: The identification of calling programs.
    ///   - entry: Returns the installed desktop entry of an app, or nil.
    ///   - opener: Called to open a search result in its app; nil if the daemon opens none.
    ///   - openWindow: Called to open Baton's window when the user clicks its icon beside the
    ///     results.
    public init(
        store: SavedStore, callers: Callers,
        entry: @escaping @Sendable (_ application: String) async -> DesktopEntry?,
        opener: Opener?, openWindow: @escaping @Sendable () async -> Void
    ) {
        self.store = store
        self.callers = callers
        self.entry = entry
        self.opener = opener
        self.openWindow = openWindow
    }

    /// The object to export at ``path``.
    public var object: DBusObject {
        DBusObject(interfaces: [
            DBusInterface(
                Self.interface,
                methods: [
                    method("GetInitialResultSet", [("terms", "as")], [("results", "as")]) { arguments in
                        [.strings(await results(arguments[0].stringsValue ?? []))]
                    },
                    method(
                        "GetSubsearchResultSet", [("previous_results", "as"), ("terms", "as")], [("results", "as")]
                    ) { arguments in
                        // Search again. The previous results do not contain activities that were
                        // saved since.
                        [.strings(await results(arguments[1].stringsValue ?? []))]
                    },
                    method("GetResultMetas", [("identifiers", "as")], [("metas", "aa{sv}")]) { arguments in
                        let metas = await metas(arguments[0].stringsValue ?? [])
                        return [.array(elementSignature: "a{sv}", metas.map { .properties($0) })]
                    },
                    method("ActivateResult", [("identifier", "s"), ("terms", "as"), ("timestamp", "u")]) { arguments in
                        try await activate(
                            arguments[0].stringValue ?? "", timestamp: arguments[2].integer(as: UInt32.self) ?? 0)
                        return []
                    },
                    method("LaunchSearch", [("terms", "as"), ("timestamp", "u")]) { _ in
                        await openWindow()
                        return []
                    },
                ])
        ])
    }

    private func method(
        _ name: String, _ inputs: [(String, String)], _ outputs: [(String, String)] = [],
        _ body: @escaping @Sendable ([DBusValue]) async throws -> [DBusValue]
    ) -> DBusMethod {
        func arguments(_ pairs: [(String, String)]) -> [DBusArgument] { pairs.map { DBusArgument($0.0, $0.1) } }
        return DBusMethod(name, inputs: arguments(inputs), outputs: arguments(outputs)) { [callers] call in
            let caller: Caller
            do {
                caller = try await callers.caller(ClientID(rawValue: call.sender))
            } catch {
                throw Self.error(BatonError(anyError: error), name: DBusError.accessDenied)
            }
            guard !caller.isSandboxed else {
                throw Self.error(BatonError(.notAllowed, .sandboxedCaller), name: DBusError.accessDenied)
            }
            return try await body(call.arguments)
        }
    }

    /// Creates a D-Bus error with the message of another error.
    private static func error(_ error: BatonError, name: String = DBusError.failed) -> DBusError {
        DBusError(name: name, message: error.message)
    }

    private func results(_ terms: [String]) async -> [String] {
        let query = terms.prefix(Self.maximumTerms).joined(separator: " ")
        guard query.utf8.count <= Self.longestQuery else { return [] }
        return await store.results(for: query).prefix(Self.maximumResults).map(\.id)
    }

    private func metas(_ identifiers: [String]) async -> [[String: DBusValue]] {
        var metas: [[String: DBusValue]] = []
        for identifier in identifiers.prefix(Self.maximumResults) {
            guard let result = await store.result(identifier) else { continue }
            metas.append(ResultMeta(result, entry: await entry(result.application)).bus)
        }
        return metas
    }

    private func activate(_ identifier: String, timestamp: UInt32) async throws {
        guard let result = await store.result(identifier) else {
            throw Self.error(BatonError(.notFound, .resultGone))
        }
        guard let opener else { throw Self.error(BatonError(.failed, .unsupported)) }
        do {
            try await opener(result, timestamp)
        } catch {
            throw Self.error(BatonError(anyError: error))
        }
        await store.opened(identifier)
    }
}
