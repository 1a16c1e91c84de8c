// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// What a program may say of itself, and what it may do.
///
/// A sandboxed one is whom its sandbox says it is, with what its installed desktop entry declares. The others are the user's own: they may say what they like, as `baton` does.
public struct CallerPolicy: Sendable {
    /// What an installed app declares in its desktop entry.
    public struct Declaration: Hashable, Sendable {
        /// `X-Baton-Team`; empty for none.
        public var team: String
        /// The activity types that it continues, those of its documents included.
        public var types: Set<String>

        /// What an entry declares.
        public init(team: String = "", types: Set<String> = []) {
            self.team = team
            self.types = types
        }
    }

    private let declaration: @Sendable (_ applicationID: String) -> Declaration?

    /// A policy.
    ///
    /// - Parameter declaration: reads the installed desktop entry of an application; nil when there is none.
    public init(declaration: @escaping @Sendable (_ applicationID: String) -> Declaration?) {
        self.declaration = declaration
    }

    /// Whose apps may continue what a program publishes.
    ///
    /// - Parameters:
    ///   - claimed: the team that the program says; nil when it says none.
    ///   - caller: the program.
    /// - Throws: ``BatonBusError/Code/notAllowed`` for a sandboxed app that claims another team than its entry's.
    public func team(claimed: String?, by caller: Caller) throws -> String {
        let own = caller.applicationID.flatMap(declaration)?.team ?? ""
        guard caller.isSandboxed else { return claimed ?? own }
        if let claimed, claimed != own {
            throw BatonBusError(
                .notAllowed,
                "team: \(name(of: caller)) is sandboxed, and \(own.isEmpty ? "its desktop entry declares no team" : "of the team \"\(own)\"")"
            )
        }
        return own
    }

    /// Which application a program is.
    ///
    /// - Parameters:
    ///   - claimed: what the program says; nil when it says nothing.
    ///   - caller: the program.
    /// - Returns: nil when nobody knows.
    /// - Throws: ``BatonBusError/Code/notAllowed`` for a sandboxed app that claims to be another.
    public func applicationID(claimed: String?, by caller: Caller) throws -> String? {
        guard let claimed else { return caller.applicationID }
        if caller.isSandboxed, claimed != caller.applicationID {
            throw BatonBusError(.notAllowed, "application: \(name(of: caller)) is sandboxed, and cannot be another")
        }
        guard Self.isApplicationID(claimed) else {
            throw BatonBusError(
                .invalidArgument, "application: an id has 1 to 255 bytes, and neither a slash nor a control character")
        }
        return claimed
    }

    /// What a sandboxed app may continue; nil for a program that may continue everything.
    public func continuable(by caller: Caller) -> Declaration? {
        guard caller.isSandboxed else { return nil }
        return caller.applicationID.flatMap(declaration) ?? Declaration()
    }

    /// Whether a program may manage the device: its circle, and what the user has decided.
    public func mayManage(_ caller: Caller) -> Bool { !caller.isSandboxed }

    private func name(of caller: Caller) -> String { caller.applicationID ?? "this program" }

    /// Whether a text can be the id of an application, which names its desktop entry.
    public static func isApplicationID(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && text != "." && text != ".."
            && text.unicodeScalars.allSatisfy { $0 != "/" && $0.properties.generalCategory != .control }
    }
}
