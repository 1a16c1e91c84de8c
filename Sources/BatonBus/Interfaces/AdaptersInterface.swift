// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// `org.batonproject.Baton1.Adapters`: programs that speak for apps which do not know Baton.
package enum AdaptersInterface: BusInterface {
    static let name = BatonBusName.adapters
    package static let list: BusCall<Void, [AdapterStatus]> = BusCall(
        name, "List", returns: .list("adapters"), needs: .managing)
    package static let allow = BusCall(name, "Allow", takes: .string("adapter"), needs: .managing)
    package static let refuse = BusCall(name, "Refuse", takes: .string("adapter"), needs: .managing)
    package static let `switch` = BusCall(
        name, "Switch", takes: .both(.optional("adapter"), .bool("on")), needs: .managing)
    /// Whether an adapter may speak for the program behind a connection, which claims to be an app;
    /// the id is empty where it claims nothing.
    package static let judge: BusCall<(ClientID, String), SpeakerVerdict> = BusCall(
        name, "Judge", takes: .both(speaker, .string("application")), returns: .dictionary("verdict"),
        needs: .managing)
    /// The same of the program at the other end of a socket.
    package static let judgeEnd: BusCall<(OwnedDescriptor, String), SpeakerVerdict> = BusCall(
        name, "JudgeEnd", takes: .both(.descriptor("socket"), .string("application")),
        returns: .dictionary("verdict"), needs: .managing)
    /// What an adapter's app has open is not offered; nil: there is nothing of the kind any more.
    package static let withhold = BusCall(name, "Withhold", takes: withheld, needs: .managing)

    static let methods: [any BusMethod] = [list, allow, refuse, `switch`, judge, judgeEnd, withhold]

    private static let speaker = BusArguments<ClientID>(
        "speaker", "s", encode: { .string($0.rawValue) }, decode: { try PublishOptions.speaker($0) })

    private static let withheld = BusArguments<(String, String)>.both(.string("name"), .string("reason")).map(
        { name, reason -> WithheldItem? in
            if name.isEmpty && reason.isEmpty { return nil }
            return try WithheldItem(name: name, reason: reason).orInvalid("name, reason", withheldLimits)
        }, { ($0?.name ?? "", $0?.reason ?? "") })

    private static let withheldLimits =
        "texts of 1 to \(WithheldItem.maximumName) and \(WithheldItem.maximumReason) bytes, or both empty"
}

/// Programs that speak for apps which do not know Baton.
extension BatonBusClient {
    /// The adapters that are installed, by id.
    public func adapters() async throws -> [AdapterStatus] { try await call(AdaptersInterface.list) }

    /// Has an adapter of the user's own count, as its desktop entry is now.
    public func allowAdapter(_ adapter: String) async throws { try await call(AdaptersInterface.allow, adapter) }

    /// Has an adapter of the user's own not count.
    public func refuseAdapter(_ adapter: String) async throws { try await call(AdaptersInterface.refuse, adapter) }

    /// Switches an adapter on or off in the configuration.
    ///
    /// - Parameter adapter: Its id; nil for the switch of all.
    public func switchAdapter(_ adapter: String?, on isOn: Bool) async throws {
        try await call(AdaptersInterface.switch, (adapter, isOn))
    }
}

extension AdapterStatus: BusDictionary {
    var bus: [String: DBusValue] {
        [
            "adapter": plain(adapter), "name": plain(name), "state": plain(state.rawValue),
            "ofUser": .bool(isOfUser), "applications": .array(elementSignature: "s", applications.map(plain)),
            "types": .array(elementSignature: "s", types.map(plain)),
        ]
    }

    init(bus value: DBusValue?) throws {
        let properties = try Properties(value)
        self.init(
            adapter: try properties.required("adapter"), name: try properties.required("name"),
            state: State(rawValue: try properties.required("state")),
            isOfUser: properties.bool("ofUser"),
            applications: properties.strings("applications"), types: properties.strings("types"))
    }
}

extension SpeakerVerdict: BusDictionary {
    var bus: [String: DBusValue] {
        var values: [String: DBusValue] = [
            "admitted": .bool(refusal == nil), "application": plain(application), "program": plain(program),
        ]
        values["reason"] = refusal.map { plain($0.rawValue) }
        return values
    }

    init(bus value: DBusValue?) throws {
        let properties = try Properties(value)
        self.init(
            refusal: properties.text("reason").map(Reason.init(rawValue:)),
            application: try properties.required("application"), program: try properties.required("program"))
    }
}
