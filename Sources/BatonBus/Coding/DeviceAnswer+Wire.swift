// SPDX-License-Identifier: Apache-2.0

extension DeviceAnswer: BusRecord {
    static var blank: Self { Self(device: "", deviceName: "", transport: "", roundTrip: .zero) }
    static let fields: [BusField<Self>] = [
        .text("device", \.device), .text("deviceName", \.deviceName), .text("transport", \.transport),
        .duration("roundTrip", \.roundTrip), .optionalDuration("connecting", \.connecting),
    ]
}
