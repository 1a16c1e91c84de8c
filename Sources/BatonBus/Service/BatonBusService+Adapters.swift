// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Synchronization

/// The interface for programs that speak for apps which do not know Baton.
extension BatonBusService {
    var adapters: DBusInterface {
        DBusInterface(
            BatonBusName.adapters,
            methods: [
                method("List", [], [("adapters", "aa{sv}")], needs: .managing) { handler, _, _ in
                    let adapters = try await handler.adapters()
                    return [.array(elementSignature: "a{sv}", adapters.map { .properties($0.bus) })]
                },
                method("Allow", [("adapter", "s")], needs: .managing) { handler, _, arguments in
                    try await handler.allowAdapter(arguments[0].stringValue ?? "")
                    return []
                },
                method("Refuse", [("adapter", "s")], needs: .managing) { handler, _, arguments in
                    try await handler.refuseAdapter(arguments[0].stringValue ?? "")
                    return []
                },
                method("Switch", [("adapter", "s"), ("on", "b")], needs: .managing) { handler, _, arguments in
                    let adapter = arguments[0].stringValue ?? ""
                    try await handler.switchAdapter(
                        adapter.isEmpty ? nil : adapter, on: arguments[1].boolValue ?? false)
                    return []
                },
                method(
                    "Judge", [("speaker", "s"), ("application", "s")], [("verdict", "a{sv}")], needs: .managing
                ) { handler, client, arguments in
                    let speaker = try PublishOptions.speaker(arguments[0])
                    let application = arguments[1].stringValue ?? ""
                    return [.properties(try await handler.judge(speaker, as: application, client: client).bus)]
                },
                method(
                    "JudgeEnd", [("socket", "h"), ("application", "s")], [("verdict", "a{sv}")], needs: .managing
                ) { handler, client, arguments in
                    let socket = try arguments[0].descriptorValue.orInvalid("socket", "a descriptor")
                    let application = arguments[1].stringValue ?? ""
                    return [
                        .properties(try await handler.judgeEnd(of: socket, as: application, client: client).bus)
                    ]
                },
                method("Withhold", [("name", "s"), ("reason", "s")], needs: .managing) { handler, client, arguments in
                    let (name, reason) = (arguments[0].stringValue ?? "", arguments[1].stringValue ?? "")
                    let isNothing = name.isEmpty && reason.isEmpty
                    let item = WithheldItem(name: name, reason: reason)
                    if !isNothing { _ = try item.orInvalid("name, reason", Self.withheldLimits) }
                    try await handler.withhold(item, client: client)
                    return []
                },
            ],
            properties: [
                DBusProperty("Active", "as", changes: .told) { [weak self] call in
                    guard let self else {
                        throw DBusError(name: DBusError.unknownObject, message: "batond is stopping")
                    }
                    let active = activeAdapters.withLock { $0 }
                    return try await answer(call) { _, _, _ in [Self.bus(active)] }.first.orInvalid("Active", "as")
                }
            ])
    }

    private static let withheldLimits =
        "texts of 1 to \(WithheldItem.maximumName) and \(WithheldItem.maximumReason) bytes, or both empty"

    /// These adapters count from now on, by their ids; what differs from before is told.
    public func publish(activeAdapters active: [String]) {
        activeAdapters.withLock { current in
            guard active != current else { return }
            current = active
            // Within the lock, so that the last signal is the last list.
            try? connection.emitPropertiesChanged(
                path: BatonBusName.path, interface: BatonBusName.adapters, ["Active": Self.bus(active)])
        }
    }

    private static func bus(_ active: [String]) -> DBusValue { .array(elementSignature: "s", active.map(plain)) }
}

extension AdapterStatus {
    var bus: [String: DBusValue] {
        [
            "adapter": plain(adapter), "name": plain(name), "state": plain(state.rawValue),
            "ofUser": .bool(isOfUser), "applications": .array(elementSignature: "s", applications.map(plain)),
            "types": .array(elementSignature: "s", types.map(plain)),
        ]
    }

    init(bus value: DBusValue) throws {
        let properties = try Properties(value)
        self.init(
            adapter: try properties.required("adapter"), name: try properties.required("name"),
            state: State(rawValue: try properties.required("state")),
            isOfUser: properties.bool("ofUser"),
            applications: properties.strings("applications"), types: properties.strings("types"))
    }
}

extension SpeakerVerdict {
    var bus: [String: DBusValue] {
        var values: [String: DBusValue] = [
            "admitted": .bool(refusal == nil), "application": plain(application), "program": plain(program),
        ]
        values["reason"] = refusal.map { plain($0.rawValue) }
        return values
    }
}
