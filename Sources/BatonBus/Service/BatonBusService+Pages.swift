// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// What the extension of a browser asks, to go to the place in a page that the browser has opened.
extension BatonBusService {
    var pageMethods: [DBusMethod] {
        [
            method("FollowPages", [], [("pages", "a{sv}")], needs: .managing) { handler, client, _ in
                let pages = try await handler.followPages(client: client)
                return [.properties(Dictionary(pages.map { ($0.page, plain($0.address)) }) { $1 })]
            },
            method("TakePage", [("page", "s")], [("activity", "a{sv}")], needs: .managing) { handler, _, arguments in
                [.properties(try await handler.takePage(arguments[0].stringValue ?? "").bus())]
            },
        ]
    }

    static let pageSignal = DBusSignalDescription(
        "PageOpened", [DBusArgument("page", "s"), DBusArgument("address", "s")])
}
