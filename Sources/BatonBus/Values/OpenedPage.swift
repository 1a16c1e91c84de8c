// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// A page of another device that the default browser is opening by its address:
/// `Offers.PageOpened`.
public struct OpenedPage: Hashable, Sendable {
    /// Its id, for ``BatonBusClient/takePage(_:)``.
    public var page: String
    /// Its address, of http or https.
    public var address: String

    /// A page.
    public init(page: String, address: String) {
        self.page = page
        self.address = address
    }
}

extension OpenedPage {
    /// A signal of the Offers interface; `nil` for another, or one that is malformed.
    init?(_ signal: DBusSignal) {
        let texts = signal.arguments.compactMap(\.stringValue)
        guard signal.member == "PageOpened", signal.arguments.signature == "ss", texts.count == 2 else { return nil }
        self.init(page: texts[0], address: texts[1])
    }
}
