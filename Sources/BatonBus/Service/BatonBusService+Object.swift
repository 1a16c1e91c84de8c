// SPDX-License-Identifier: Apache-2.0

internal import ActivityModel
internal import DBus
internal import TraceModel

/// The exported object: what `Documentation/DBus/org.batonproject.Baton1.xml` shows.
extension BatonBusService {
    typealias Body = @Sendable (any BatonBusHandler, ClientID, [DBusValue]) async throws -> [DBusValue]

    func method(
        _ name: String, _ inputs: [(String, String)] = [], _ outputs: [(String, String)] = [],
        needs: Admission = [], _ body: @escaping Body
    ) -> DBusMethod {
        func arguments(_ pairs: [(String, String)]) -> [DBusArgument] { pairs.map { DBusArgument($0.0, $0.1) } }
        return DBusMethod(name, inputs: arguments(inputs), outputs: arguments(outputs)) { [weak self] call in
            guard let self else { throw DBusError(name: DBusError.unknownObject, message: "the daemon is stopping") }
            return try await answer(call, needs: needs) { handler, client, _ in
                try await body(handler, client, call.arguments)
            }
        }
    }

    /// The condition of the daemon: where the other devices are is not for those who may not manage
    /// this one.
    private var status: DBusMethod {
        DBusMethod("Status", inputs: [], outputs: [DBusArgument("status", "a{sv}")]) { [weak self] call in
            guard let self else { throw DBusError(name: DBusError.unknownObject, message: "the daemon is stopping") }
            return try await answer(call) { handler, _, admission in
                let status = try await handler.status()
                return [.properties((admission.contains(.managing) ? status : status.forUnprivileged).bus)]
            }
        }
    }

    private func signal(_ name: String, _ arguments: [(String, String)]) -> DBusSignalDescription {
        DBusSignalDescription(name, arguments.map { DBusArgument($0.0, $0.1) })
    }

    func object(version: String) -> DBusObject {
        DBusObject(interfaces: [
            daemon(version), panel, circle, activities, offers, saved, rules, grants, domains, adapters,
        ])
    }

    private func daemon(_ version: String) -> DBusInterface {
        DBusInterface(
            BatonBusName.daemon,
            methods: [
                status,
                method("Trace", [("details", "as")], [("descriptor", "h")], needs: .managing) { handler, _, arguments in
                    let details = try (arguments[0].stringsValue ?? []).map {
                        try TraceDetail(rawValue: $0).orInvalid("details", "names, addresses, types or titles")
                    }
                    return [.unixFD(try await handler.trace(revealing: Set(details)))]
                },
                method("History", [], [("entries", "aa{sv}")], needs: .managing) { handler, _, _ in
                    let entries = try await handler.history()
                    return [.array(elementSignature: "a{sv}", entries.map { .properties($0.bus) })]
                },
                method("ForgetHistory", needs: .managing) { handler, _, _ in
                    try await handler.forgetHistory()
                    return []
                },
            ], properties: [DBusProperty("Version", constant: plain(version))])
    }

    private var circle: DBusInterface {
        DBusInterface(
            BatonBusName.circle,
            methods: [
                method("Create", [("name", "s")], [("circle", "a{sv}")], needs: .managing) { handler, _, arguments in
                    [.properties(try await handler.createCircle(name: text(arguments, 0)).bus)]
                },
                method("Invite", [], [("invitation", "s"), ("expires", "x")], needs: .managing) { handler, _, _ in
                    try await handler.invite().reply
                },
                method("Join", [("invitation", "s")], [("circle", "a{sv}")], needs: .managing) {
                    handler, _, arguments in
                    [.properties(try await handler.joinCircle(invitation: text(arguments, 0)).bus)]
                },
                method("Pair", [("options", "a{sv}")], [("pairing", "s"), ("digits", "s")], needs: .managing) {
                    handler, client, arguments in
                    let (address, anew) = try Self.pairing(arguments[0])
                    return try await handler.pair(address: address, anew: anew, client: client).reply
                },
                method(
                    "PairByCode", [], [("pairing", "s"), ("code", "s"), ("expires", "x")], needs: .managing
                ) { handler, client, _ in
                    try await handler.pairByCode(client: client).reply
                },
                method("Confirm", [("pairing", "s"), ("same", "b")], needs: .managing) { handler, client, arguments in
                    try await handler.confirm(
                        pairing: text(arguments, 0), same: arguments[1].boolValue ?? false, client: client)
                    return []
                },
                method("Paired", [("pairing", "s")], [("circle", "a{sv}")], needs: .managing) {
                    handler, client, arguments in
                    [.properties(try await handler.paired(text(arguments, 0), client: client).bus)]
                },
                method("Rename", [("name", "s")], needs: .managing) { handler, _, arguments in
                    try await handler.rename(to: text(arguments, 0))
                    return []
                },
                method("Remove", [("device", "s")], [("member", "a{sv}")], needs: .managing) { handler, _, arguments in
                    let (member, unvouched) = try await handler.removeDevice(text(arguments, 0))
                    let names = DBusValue.array(elementSignature: "s", unvouched.map(plain))
                    return [.properties(member.bus.merging(["unvouched": names]) { $1 })]
                },
                method("Stop", [("device", "s")], [("member", "a{sv}")], needs: .managing) { handler, _, arguments in
                    [.properties(try await handler.stopDevice(text(arguments, 0)).bus)]
                },
                method("Allow", [("device", "s")], [("member", "a{sv}"), ("wasStopped", "b")], needs: .managing) {
                    handler, _, arguments in
                    let (member, wasStopped) = try await handler.allowDevice(text(arguments, 0))
                    return [.properties(member.bus), .bool(wasStopped)]
                },
                method("Ping", [("device", "s")], [("answer", "a{sv}")], needs: .managing) { handler, _, arguments in
                    [.properties(try await handler.ping(text(arguments, 0)).bus)]
                },
                method("Probe", [("device", "s")], [("answer", "a{sv}")], needs: .managing) { handler, _, arguments in
                    [.properties(try await handler.probe(text(arguments, 0)).bus)]
                },
                method("Leave", [], [("told", "as")], needs: .managing) { handler, _, _ in
                    [.array(elementSignature: "s", try await handler.leaveCircle().map(plain))]
                },
            ])
    }

    private var activities: DBusInterface {
        DBusInterface(
            BatonBusName.activities,
            methods: [
                method("Publish", [("type", "s"), ("properties", "a{sv}")], [("activity", "s")]) {
                    handler, client, arguments in
                    let type = text(arguments, 0)
                    try ActivityCoding.checkType(type)
                    let values = try Properties(arguments[1])
                    let options = try PublishOptions(bus: values.values)
                    let properties = try ActivityCoding.decode(values.values, also: PublishOptions.keys)
                    try ActivityCoding.checkNothingIsCleared(values.values)
                    return [
                        plain(
                            try await handler.publish(
                                properties.applied(to: ActivityState(activityType: type)), options: options,
                                needsSave: properties.needsSave ?? false, client: client))
                    ]
                },
                method("Update", [("activity", "s"), ("properties", "a{sv}")]) { handler, client, arguments in
                    let properties: ActivityProperties
                    do {
                        properties = try ActivityCoding.decode(try Properties(arguments[1]).values)
                    } catch let error as BatonError {
                        await handler.updateRefused(activity: text(arguments, 0), because: error, client: client)
                        throw error
                    }
                    try await handler.update(activity: text(arguments, 0), properties: properties, client: client)
                    return []
                },
                method("BecomeCurrent", [("activity", "s")]) { handler, client, arguments in
                    try await handler.becomeCurrent(activity: text(arguments, 0), client: client)
                    return []
                },
                method("ResignCurrent", [("activity", "s")]) { handler, client, arguments in
                    try await handler.resignCurrent(activity: text(arguments, 0), client: client)
                    return []
                },
                method("Invalidate", [("activity", "s")]) { handler, client, arguments in
                    try await handler.invalidate(activity: text(arguments, 0), client: client)
                    return []
                },
                method("TakeStreams", [("stream", "s")], [("transport", "s"), ("descriptor", "h")]) {
                    handler, client, arguments in
                    let streams = try await handler.takeStreams(text(arguments, 0), client: client)
                    return [plain(streams.transport), .unixFD(streams.descriptor)]
                },
                method("CloseStreams", [("stream", "s"), ("discard", "b"), ("descriptor", "h")]) {
                    handler, client, arguments in
                    let end = try arguments[2].descriptorValue.orInvalid("descriptor", "a descriptor")
                    try await handler.closeStreams(
                        text(arguments, 0), end: end, discards: arguments[1].boolValue ?? false, client: client)
                    return []
                },
            ],
            signals: [
                signal("WillSave", [("activity", "s")]),
                signal("WasContinued", [("activity", "s"), ("device", "s"), ("deviceName", "s")]),
                signal(
                    "NotContinued", [("activity", "s"), ("device", "s"), ("deviceName", "s"), ("reason", "s")]),
                signal(
                    "StreamsOpened", [("activity", "s"), ("stream", "s"), ("device", "s"), ("deviceName", "s")]),
                signal("Warning", [("activity", "s"), ("text", "s")]),
                signal("CurrentChanged", [("activity", "s"), ("current", "b")]),
                signal("StreamEnded", [("stream", "s"), ("complete", "b"), ("error", "s")]),
                signal("Ended", [("activity", "s"), ("reason", "s")]),
            ])
    }

    private var offers: DBusInterface {
        DBusInterface(
            BatonBusName.offers,
            methods: [
                method("List", [], [("offers", "aa{sv}")]) { handler, _, _ in
                    let offers = try await handler.offers()
                    return [.array(elementSignature: "a{sv}", offers.map { .properties($0.bus) })]
                },
                method(
                    "Continue", [("offer", "s"), ("options", "a{sv}")], [("continuation", "s"), ("activity", "a{sv}")]
                ) { handler, client, arguments in
                    let timeout = try Self.timeout(in: arguments[1])
                    let activity = try await handler.continueOffer(
                        text(arguments, 0), timeout: timeout, client: client)
                    return [plain(activity.continuation), .properties(try activity.bus())]
                },
                method("Open", [("offer", "s"), ("options", "a{sv}")], [("opened", "a{sv}")], needs: .managing) {
                    handler, client, arguments in
                    let options = try OpenOptions(bus: arguments[1])
                    return [
                        .properties(
                            try await handler.openOffer(text(arguments, 0), options: options, client: client).bus)
                    ]
                },
                method("Accept", [("continuation", "s"), ("accepted", "b")]) { handler, client, arguments in
                    try await handler.accept(
                        continuation: text(arguments, 0), accepted: arguments[1].boolValue ?? false, client: client)
                    return []
                },
                method(
                    "OpenStreams", [("continuation", "s")], [("stream", "s"), ("transport", "s"), ("descriptor", "h")]
                ) { handler, client, arguments in
                    let streams = try await handler.openStreams(continuation: text(arguments, 0), client: client)
                    return [plain(streams.stream), plain(streams.transport), .unixFD(streams.descriptor)]
                },
                method("Cancel", [("continuation", "s")]) { handler, client, arguments in
                    try await handler.cancel(text(arguments, 0), client: client)
                    return []
                },
            ] + pageMethods,
            signals: [
                signal("Appeared", [("offer", "a{sv}")]), signal("Changed", [("offer", "a{sv}")]),
                signal("Disappeared", [("offer", "s")]),
                signal("Progress", [("offer", "s"), ("phase", "s"), ("details", "a{sv}")]),
                Self.pageSignal,
            ])
    }

    private var rules: DBusInterface {
        DBusInterface(
            BatonBusName.rules,
            methods: [
                method("List", [], [("rules", "as")], needs: .managing) { handler, _, _ in
                    [.array(elementSignature: "s", try await handler.rules().map(plain))]
                },
                method("Add", [("rule", "s")], needs: .managing) { handler, _, arguments in
                    try await handler.addRule(text(arguments, 0), at: nil)
                    return []
                },
                method("Insert", [("number", "u"), ("rule", "s")], needs: .managing) { handler, _, arguments in
                    try await handler.addRule(text(arguments, 1), at: arguments[0].integer(as: Int.self) ?? 0)
                    return []
                },
                method("Remove", [("number", "u")], needs: .managing) { handler, _, arguments in
                    try await handler.removeRule(arguments[0].integer(as: Int.self) ?? 0)
                    return []
                },
                method("Pause", [("seconds", "u")], needs: .managing) { handler, _, arguments in
                    let seconds = arguments[0].integer(as: Int.self) ?? 0
                    try await handler.pause(for: seconds == 0 ? nil : .seconds(seconds))
                    return []
                },
                method("Resume", needs: .managing) { handler, _, _ in
                    try await handler.resume()
                    return []
                },
            ])
    }

    /// The options of `Pair`.
    private static func pairing(_ options: DBusValue) throws -> (address: String?, anew: Bool) {
        var (address, anew): (String?, Bool) = (nil, false)
        for (name, value) in try Properties(options).values {
            switch name {
            case "address": address = try value.stringValue.orInvalid(name, "a string")
            case "anew": anew = try value.boolValue.orInvalid(name, "a boolean")
            default: throw BatonError.unknownOption(name, known: "address", "anew")
            }
        }
        return (address, anew)
    }

    /// The option `timeout`, in seconds, from 0 to an hour; there are no others yet.
    private static func timeout(in options: DBusValue) throws -> Duration? {
        var timeout: Duration?
        for (name, value) in try Properties(options).values {
            guard name == "timeout" else { throw BatonError.unknownOption(name, known: "timeout") }
            timeout = try seconds(value)
        }
        return timeout
    }

    fileprivate static func seconds(_ value: DBusValue) throws -> Duration {
        let seconds = value.doubleValue ?? value.integer(as: Int32.self).map(Double.init)
        guard let seconds, (0...3_600).contains(seconds) else {
            throw BatonError.invalid("timeout", "seconds from 0 to 3600")
        }
        return .seconds(seconds)
    }
}

extension OpenOptions {
    fileprivate init(bus value: DBusValue) throws {
        self.init()
        for (name, value) in try Properties(value).values {
            switch name {
            case "application":
                let identifier = try value.stringValue.orInvalid(name, "a string")
                guard ApplicationID.isValid(identifier) else { throw ApplicationID.invalid }
                application = identifier
            case "activation-token": activationToken = try value.stringValue.orInvalid(name, "a string")
            case "timeout": timeout = try BatonBusService.seconds(value)
            default: throw BatonError.unknownOption(name, known: "application", "activation-token", "timeout")
            }
        }
    }
}

extension BatonError {
    static func unknownOption(_ name: String, known: String...) -> BatonError {
        BatonError(
            .invalidArgument,
            "options: there is no option \"\(name.prefix(100))\" (known: \(known.joined(separator: ", ")))")
    }
}

/// A string argument; the exporter has already checked that it is there and a string.
private func text(_ arguments: [DBusValue], _ index: Int) -> String {
    arguments.indices.contains(index) ? arguments[index].stringValue ?? "" : ""
}
