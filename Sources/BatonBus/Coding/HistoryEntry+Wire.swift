// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import FoundationEssentials

extension HistoryEntry: BusRecord {
    static var blank: Self {
        let date = Date(timeIntervalSince1970: 0)
        return Self(first: date, last: date, device: "", deviceName: "", application: nil, type: "")
    }
    static let fields: [BusField<Self>] = [
        .date("first", \.first), .date("last", \.last), .text("device", \.device), .text("deviceName", \.deviceName),
        .optionalText("application", \.application), .text("type", \.type),
        .number("count", \.count) { .uint32(UInt32(clamping: $0)) },
    ]
}
