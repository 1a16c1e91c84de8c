// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// An activity that the user has chosen and that is on its way: what `Application1.WillContinue`
/// tells.
public struct ComingActivity: Hashable, Sendable {
    /// The activity's type.
    public var type: String
    /// The offer, by which `Offers.Cancel` gives it up.
    public var offer: String
    /// The name of the device that it comes from.
    public var deviceName: String
    /// Its title, when it is known already.
    public var title: String?
    /// What lets the app's window come to the front, when the desktop has given one.
    public var activationToken: String?

    /// An activity on its way.
    public init(type: String, offer: String, deviceName: String, title: String? = nil, activationToken: String? = nil) {
        self.type = type
        self.offer = offer
        self.deviceName = deviceName
        self.title = title
        self.activationToken = activationToken
    }

    var bus: [String: DBusValue] {
        var details = ["offer": plain(offer), "deviceName": plain(deviceName)]
        details["title"] = title.map(plain)
        details["activation-token"] = activationToken.map(plain)
        return details
    }

    init(type: String, bus value: DBusValue?) throws {
        let properties = try Properties(value)
        self.init(
            type: type, offer: try properties.required("offer"), deviceName: try properties.required("deviceName"),
            title: properties.text("title"), activationToken: properties.text("activation-token"))
    }
}
