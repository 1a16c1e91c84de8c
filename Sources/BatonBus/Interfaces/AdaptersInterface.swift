// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// `org.batonproject.Baton1.Adapters`: programs that speak for apps which do not know Baton.
package enum AdaptersInterface: BusInterface {
    static let name = BatonBusName.adapters
    package static let list: BusCall<Void, [AdapterStatus]> = BusCall(
        name, "List", returns: .list("adapters"), needs: .managing)
    /// Answers with the installed apps that can take part.
    package static let apps: BusCall<Void, [AppStatus]> = BusCall(
        name, "Apps", returns: .list("apps"), needs: .managing)
    package static let allow = BusCall(name, "Allow", takes: .string("adapter"), needs: .managing)
    package static let refuse = BusCall(name, "Refuse", takes: .string("adapter"), needs: .managing)
    package static let `switch` = BusCall(
        name, "Switch", takes: .both(.optional("adapter"), .bool("on")), needs: .managing)
    /// Answers whether an adapter may speak for the program that owns a connection to the bus. The
    /// text is the id of the app that the program claims to be, or empty if there is no claim.
    package static let judge: BusCall<(ClientID, String), SpeakerVerdict> = BusCall(
        name, "Judge", takes: .both(speaker, .string("application")), returns: .dictionary("verdict"),
        needs: .managing)
    /// Answers whether an adapter may speak for the program at the other end of a socket.
    package static let judgeEnd: BusCall<(OwnedDescriptor, String), SpeakerVerdict> = BusCall(
        name, "JudgeEnd", takes: .both(.descriptor("socket"), .string("application")),
        returns: .dictionary("verdict"), needs: .managing)
    /// Reports an item that an adapter's app has open but that is not offered, or nil if there is
    /// no such item any more.
    package static let withhold = BusCall(name, "Withhold", takes: withheld, needs: .managing)

    static let methods: [any BusMethod] = [list, apps, allow, refuse, `switch`, judge, judgeEnd, withhold]
    static let signals = [signal("AppsChanged", [:])]

    private static let speaker = BusArguments<ClientID>(
        "speaker", "s", encode: { .string($0.rawValue) }, decode: { try PublishOptions.speaker($0) })

    private static let withheld = BusArguments<(String, String)>.both(.string("name"), .string("reason")).map(
        { name, reason -> WithheldItem? in
            if name.isEmpty && reason.isEmpty { return nil }
            guard let item = WithheldItem(name: name, reason: reason) else {
                let isOfName = !(1...WithheldItem.maximumName).contains(name.utf8.count)
                throw isOfName
                    ? BatonError.invalid("name", .text(1...WithheldItem.maximumName))
                    : BatonError.invalid("reason", .text(1...WithheldItem.maximumReason))
            }
            return item
        }, { ($0?.name ?? "", $0?.reason ?? "") })
}

/// The programs that speak for apps which do not know Baton.
extension BatonBusClient {
    /// Returns the installed adapters, ordered by id.
    public func adapters() async throws -> [AdapterStatus] { try await call(AdaptersInterface.list) }

    /// Returns the installed apps that can take part, ordered by id.
    public func apps() async throws -> [AppStatus] { try await call(AdaptersInterface.apps) }

    /// Returns the installed apps and adapters, then again after each change. The stream finishes
    /// when the bus disconnects.
    ///
    /// Call this again when ``daemonPresence()`` reports that the daemon was restarted.
    public func appChanges() async throws -> AsyncStream<InstalledApps> {
        let changes = try await events(of: BatonBusName.adapters, member: "AppsChanged") { _ in () }
        return Self.following([try await installedApps()], changes) { _ in try? await self.installedApps() }
    }

    /// Returns the installed apps and adapters.
    public func installedApps() async throws -> InstalledApps {
        InstalledApps(apps: try await apps(), adapters: try await adapters())
    }

    /// Allows one of the user's own adapters, with its present desktop entry.
    public func allowAdapter(_ adapter: String) async throws { try await call(AdaptersInterface.allow, adapter) }

    /// Refuses one of the user's own adapters.
    public func refuseAdapter(_ adapter: String) async throws { try await call(AdaptersInterface.refuse, adapter) }

    /// Switches an adapter on or off in the configuration.
    ///
    /// - Parameter adapter: The adapter's id, or nil for the switch of all adapters.
    public func switchAdapter(_ adapter: String?, on isOn: Bool) async throws {
        try await call(AdaptersInterface.switch, (adapter, isOn))
    }
}

extension AdapterStatus: BusRecord {
    static var blank: Self { Self(adapter: "", name: "", state: .pending) }
    static let fields: [BusField<Self>] = [
        .text("adapter", \.adapter), .text("name", \.name), .word("state", \.state), .bool("ofUser", \.isOfUser),
        .texts("applications", \.applications), .texts("types", \.types),
    ]
}

extension AppStatus: BusRecord {
    static var blank: Self { Self(application: "", name: "", state: .off) }
    static let fields: [BusField<Self>] = [
        .text("application", \.application), .text("name", \.name), .word("state", \.state),
        .optionalText("adapter", \.adapter), .optionalText("goesOn", \.goesOn), .optionalText("package", \.package),
        .texts("types", \.types, isSentEmpty: false),
    ]
}

extension SpeakerVerdict: BusRecord {
    static var blank: Self { Self() }
    static let fields: [BusField<Self>] = [
        .text("application", \.application), .text("program", \.program), .optionalWord("reason", \.refusal),
        .derived("admitted") { .bool($0.refusal == nil) },
    ]
}
