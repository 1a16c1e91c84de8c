// SPDX-License-Identifier: Apache-2.0

public import BatonBus

/// What adapters' apps have open that is not offered. The user finds it in the panel's menu and in
/// `baton status`, and is not notified of it.
extension Desktop {
    /// An adapter says what one of its apps has open that is not offered.
    ///
    /// - Parameters:
    ///   - item: It takes the place of what the adapter said before; nil for nothing.
    ///   - client: The adapter; what it said is forgotten once it has left.
    /// - Throws: ``BatonError`` with `notAllowed` for a program that is no adapter.
    public func withhold(_ item: WithheldItem?, by client: ClientID) async throws {
        let adapter = try await adapter(of: client)
        withheldItems.set(item, of: adapter, by: client)
        tellPanel()
    }

    /// All that adapters said, but those that do not count any more.
    public var withheld: [WithheldItem] { withheldItems.all(of: adapterKeeper.active) }
}
