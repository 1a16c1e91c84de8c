// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// A page of another device that the default browser is opening: the signal `Offers.PageOpened`.
public struct OpenedPage: Hashable, Sendable {
    /// The page's id, for ``BatonBusClient/takePage(_:)``.
    public var page: String
    /// The page's address, with the scheme http or https.
    public var address: String

    /// Creates a page.
    public init(page: String, address: String) {
        self.page = page
        self.address = address
    }
}

extension OpenedPage {
    /// Creates the page that an Offers signal announces, or `nil` if it is another signal or is
    /// malformed.
    init?(_ signal: DBusSignal) {
        let texts = signal.arguments.compactMap(\.stringValue)
        guard signal.member == "PageOpened", signal.arguments.signature == "ss", texts.count == 2 else { return nil }
        self.init(page: texts[0], address: texts[1])
    }
}
