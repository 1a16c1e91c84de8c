// SPDX-License-Identifier: Apache-2.0

internal import DBus

extension StreamProgress: BusRecord {
    static var blank: Self { Self(sent: 0, received: 0, transport: "", isWaiting: false) }
    static let fields: [BusField<Self>] = [
        .number("sent", \.sent) { .uint64($0) }, .number("received", \.received) { .uint64($0) },
        .text("transport", \.transport), .bool("waiting", \.isWaiting),
    ]
}
