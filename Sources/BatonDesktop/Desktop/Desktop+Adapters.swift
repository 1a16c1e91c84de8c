// SPDX-License-Identifier: Apache-2.0

public import BatonBus
import DesktopEntries

/// Programs that speak for apps which do not know Baton.
extension Desktop {
    /// The adapters that are installed, by id.
    public var adapters: [AdapterStatus] { adapterKeeper.summaries }

    /// The user has said whether an adapter of the user's own counts.
    ///
    /// - Throws: ``BatonError``; what was refused does not count all the same.
    public func answer(_ isAllowed: Bool, toAdapter adapter: String) async throws {
        let result = Result { try adapterKeeper.answer(isAllowed, to: adapter) }
        await useApps()
        try result.get()
    }

    /// Switches an adapter on or off in the configuration.
    ///
    /// - Parameter adapter: Its id; nil for the switch of all.
    /// - Throws: ``BatonError``; nothing has changed then.
    public func switchAdapter(_ adapter: String?, on isOn: Bool) async throws {
        let key = AdapterSwitches.key(of: try adapter.map { try adapterKeeper.entry($0).identifier })
        try environment.settingsFile.set(key, to: isOn ? "on" : "off")
        await readSettings()
    }

    /// Checks that a program is an adapter: it owns the name of an installed entry that counts.
    ///
    /// - Throws: ``BatonError`` with `notAllowed`.
    public func checkIsAdapter(_ client: ClientID) async throws { _ = try await adapter(of: client) }

    /// The id of the adapter that a program is.
    ///
    /// - Throws: ``BatonError`` with `notAllowed`.
    func adapter(of client: ClientID) async throws -> String {
        for adapter in adapterKeeper.active where await environment.launcher.owner(of: adapter) == client {
            return adapter
        }
        throw BatonError(
            .notAllowed,
            "this program is no adapter: it has to own the name of a desktop entry with X-Baton-Adapter that counts; see 'baton "
                + "adapters'")
    }

    /// Checks that a program may publish what an app is doing that is not itself: it is an adapter
    /// for the app, which is so where it owns the name of an installed entry that lists the app.
    ///
    /// What is in a sandbox speaks for itself, with what its user has granted it.
    ///
    /// - Throws: ``BatonError`` with `notAllowed`.
    public func checkAdapter(_ client: ClientID, for application: String) async throws {
        if index.entries[application]?.sandboxedApp != nil {
            throw BatonError(
                .notAllowed, "application: \(application) is sandboxed, and no adapter speaks for what is in a sandbox")
        }
        for adapter in index.adapters(for: application)
        where await environment.launcher.owner(of: adapter.identifier) == client {
            return
        }
        throw BatonError(
            .notAllowed,
            "application: this program is no adapter for \(application): it has to own the name of a desktop entry that lists "
                + "the app in X-Baton-Adapter; see 'baton adapters'")
    }
}
