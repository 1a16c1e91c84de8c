// SPDX-License-Identifier: GPL-3.0-or-later

import DBus
import Synchronization

/// A fake bluetoothd on a private bus.
///
/// Like the real bluetoothd, it accepts an advertisement or a monitor only after it has asked the
/// client for the objects and their properties.
final class MockBlueZ: Sendable {
    /// A request of a client.
    enum Request: Hashable, Sendable {
        case advertise(adapter: String, path: String, [String: DBusValue])
        case stopAdvertising(adapter: String, path: String)
        case filter(adapter: String, [String: DBusValue])
        case discover(adapter: String)
        case stopDiscovery(adapter: String)
        case monitor(adapter: String, root: String, [String: DBusValue])
        case stopMonitor(adapter: String, root: String)
        case getAll(String)
        case managedObjects
        case disconnect(String)
        case setPowered(adapter: String)
    }

    /// The properties of an adapter.
    struct Adapter: Sendable {
        var name = "hci0"
        var address = "00:AA:01:00:00:00"
        var isPowered = true
        var powerState: String?
        var offersMonitors = false
        /// Whether the kernel refuses the monitors that bluetoothd has accepted.
        var refusesMonitors = false
        /// Whether the adapter has `LEAdvertisingManager1`.
        var advertises = true
        var modalias: String?
        var roles: [String]?
        var path: String { "/org/bluez/\(name)" }

        /// An adapter with advertisement monitors.
        static let monitoring = Adapter(offersMonitors: true)
    }

    private struct State {
        var adapters: [String: Adapter] = [:]
        var disconnection: Task<Void, Never>?
        var devices: [String: [String: DBusValue]] = [:]
        /// The errors for the next calls of each method, in order.
        var refusals: [String: [DBusError]] = [:]
        var holds: [String: Task<Void, Never>] = [:]
        /// The client that registered an object or asked an adapter, by path.
        var clients: [String: String] = [:]
        /// All requests to adapters, with their senders, in order.
        var asked: [(request: Request, sender: String)] = []
    }

    let connection: DBusConnection
    let requests: EventLog<Request>
    private let continuation: AsyncStream<Request>.Continuation
    private let state = Mutex(State())

    /// Appears on a bus with adapters.
    init(on address: String, adapters: [Adapter] = [Adapter()]) async throws {
        connection = try await DBusConnection.open(address: address)
        let (stream, continuation) = AsyncStream.makeStream(of: Request.self)
        requests = EventLog(stream)
        self.continuation = continuation
        let root = DBusInterface(
            "org.freedesktop.DBus.ObjectManager",
            methods: [
                DBusMethod("GetManagedObjects", outputs: [DBusArgument("objects", "a{oa{sa{sv}}}")]) {
                    [weak self, continuation] _ in
                    let objects = self?.managedObjects ?? .bool(false)
                    let refusal = self?.nextRefusal(of: "GetManagedObjects")
                    continuation.yield(.managedObjects)
                    await self?.state.withLock { $0.holds["GetManagedObjects"] }?.value
                    if let refusal { throw refusal }
                    return [objects]
                }
            ])
        try connection.export(DBusObject(interfaces: [root]), at: "/")
        for adapter in adapters { try add(adapter) }
        guard try await connection.requestName("org.bluez") == .primaryOwner else {
            throw DBusError(name: DBusError.failed, message: "there is a bluetoothd on this bus already")
        }
    }

    /// Leaves the bus, like a stopped bluetoothd.
    func stop() async {
        connection.close()
        for await _ in connection.disconnected {}
        continuation.finish()
    }

    /// Delays every answer to Disconnect until a task ends.
    func disconnect(after task: Task<Void, Never>) { state.withLock { $0.disconnection = task } }

    /// Returns the bus name of the client that registered an object or asked an adapter.
    func client(of path: String) -> String? { state.withLock { $0.clients[path] } }

    /// Returns the bus names of the clients that made matching requests, in order.
    func senders(of fits: (Request) -> Bool) -> [String] {
        state.withLock(\.asked).filter { fits($0.request) }.map(\.sender)
    }

    /// Delays a method's answers until a task ends.
    func hold(_ member: String, until task: Task<Void, Never>) { state.withLock { $0.holds[member] = task } }

    /// Refuses the next calls of a method.
    func refuse(_ member: String, with name: String, times: Int = 1) {
        let error = DBusError(name: name, message: "refused by the test")
        state.withLock { $0.refusals[member, default: []] += Array(repeating: error, count: times) }
    }

    private func nextRefusal(of member: String) -> DBusError? {
        state.withLock { $0.refusals[member]?.isEmpty == false ? $0.refusals[member]?.removeFirst() : nil }
    }

    // MARK: - Adapters

    /// Adds an adapter.
    func add(_ adapter: Adapter) throws {
        try connection.export(object(adapter), at: adapter.path)
        state.withLock { $0.adapters[adapter.path] = adapter }
        try emitAdded(adapter.path, interfaces(of: adapter))
    }

    /// Removes an adapter.
    func remove(_ adapter: String) throws {
        connection.unexport(path: adapter)
        state.withLock { _ = $0.adapters.removeValue(forKey: adapter) }
        try emitRemoved(adapter, ["org.bluez.Adapter1", "org.bluez.LEAdvertisingManager1"])
    }

    /// Switches an adapter on or off.
    func power(_ adapter: String, _ isPowered: Bool) throws {
        state.withLock { $0.adapters[adapter]?.isPowered = isPowered }
        try emitChanged(adapter, "org.bluez.Adapter1", ["Powered": .bool(isPowered)])
    }

    /// Announces the number of further advertisements that an adapter has room for.
    func haveRoom(_ adapter: String, for count: UInt8) throws {
        try emitChanged(adapter, "org.bluez.LEAdvertisingManager1", ["SupportedInstances": .byte(count)])
    }

    /// Returns the names of the objects that a client has exported below a path.
    func children(of path: String, at client: String) async throws -> [String] {
        let reply = try await connection.call(
            destination: client, path: path, interface: "org.freedesktop.DBus.Introspectable", member: "Introspect")
        return (reply.first?.stringValue ?? "").split(separator: "<node name=\"").dropFirst().map {
            String($0.prefix { $0 != "\"" })
        }
    }

    /// Announces that an adapter's discovery has ended.
    func endDiscovery(_ adapter: String) throws {
        try emitChanged(adapter, "org.bluez.Adapter1", ["Discovering": .bool(false)])
    }

    // MARK: - Devices

    /// Returns the properties of a device that advertises.
    static func properties(
        of address: String, on adapter: String = "/org/bluez/hci0", payload: [UInt8], signal: Int16 = -50,
        kind: String = "public"
    ) -> [String: DBusValue] {
        [
            "Address": .string(address), "AddressType": .string(kind), "Adapter": .objectPath(adapter),
            "RSSI": .int16(signal), "ManufacturerData": manufacturerData(payload), "Connected": .bool(false),
        ]
    }

    static func manufacturerData(_ payload: [UInt8], company: UInt16 = 0xFFFF) -> DBusValue {
        .dictionary(keySignature: "q", valueSignature: "v", [.init(.uint16(company), .variant(.bytes(payload)))])
    }

    static func path(_ address: String, on adapter: String = "/org/bluez/hci0") -> String {
        adapter + "/dev_" + address.split(separator: ":").joined(separator: "_")
    }

    /// Adds a device, with a signal if `announced` is true.
    func appear(_ path: String, _ properties: [String: DBusValue], announced: Bool = true) throws {
        let device = DBusInterface(
            "org.bluez.Device1",
            methods: [
                DBusMethod("Disconnect") { [weak self, continuation] invocation in
                    continuation.yield(.disconnect(invocation.path))
                    await self?.state.withLock(\.disconnection)?.value
                    return []
                }
            ],
            properties: properties.map { name, value in
                DBusProperty(name, value.signature) { [weak self, continuation] in
                    if name == "Address" { continuation.yield(.getAll(path)) }
                    return self?.state.withLock { $0.devices[path]?[name] } ?? value
                }
            })
        state.withLock { $0.devices[path] = properties }
        try connection.export(DBusObject(interfaces: [device]), at: path)
        if announced { try emitAdded(path, ["org.bluez.Device1": properties]) }
    }

    /// Changes a device's properties.
    func change(_ path: String, _ properties: [String: DBusValue]) throws {
        state.withLock { $0.devices[path]?.merge(properties) { $1 } }
        try emitChanged(path, "org.bluez.Device1", properties)
    }

    /// Removes a device.
    func vanish(_ path: String) throws {
        connection.unexport(path: path)
        state.withLock { _ = $0.devices.removeValue(forKey: path) }
        try emitRemoved(path, ["org.bluez.Device1"])
    }

    /// Calls a method of an object that a client has registered.
    func callClient(_ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue] = []) async throws {
        guard let client = state.withLock({ $0.clients[path] }) else { return }
        try await connection.call(
            destination: client, path: path, interface: interface, member: member, arguments: arguments)
    }

    /// Sends a signal.
    func emit(_ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue]) throws {
        try connection.emit(path: path, interface: interface, member: member, arguments: arguments)
    }

    // MARK: -

    private func emitAdded(_ path: String, _ interfaces: [String: [String: DBusValue]]) throws {
        try emit(
            "/", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded", [.objectPath(path), Self.value(interfaces)])
    }

    private func emitRemoved(_ path: String, _ interfaces: [String]) throws {
        try emit(
            "/", "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved", [.objectPath(path), .strings(interfaces)])
    }

    private func emitChanged(_ path: String, _ interface: String, _ properties: [String: DBusValue]) throws {
        try emit(
            path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
            [.string(interface), .properties(properties), .strings([])])
    }

    private static func value(_ interfaces: [String: [String: DBusValue]]) -> DBusValue {
        .dictionary(
            keySignature: "s", valueSignature: "a{sv}",
            interfaces.sorted { $0.key < $1.key }.map { .init(.string($0.key), .properties($0.value)) })
    }

    private var managedObjects: DBusValue {
        let objects = state.withLock { state in
            state.adapters.map { ($0.key, interfaces(of: $0.value)) }
                + state.devices.map { ($0.key, ["org.bluez.Device1": $0.value]) }
        }
        return .dictionary(
            keySignature: "o", valueSignature: "a{sa{sv}}",
            objects.map { .init(.objectPath($0.0), Self.value($0.1)) })
    }

    private func interfaces(of adapter: Adapter) -> [String: [String: DBusValue]] {
        var properties: [String: DBusValue] = [
            "Address": .string(adapter.address), "AddressType": .string("public"), "Powered": .bool(adapter.isPowered),
        ]
        properties["PowerState"] = adapter.powerState.map { .string($0) }
        properties["Modalias"] = adapter.modalias.map { .string($0) }
        properties["Roles"] = adapter.roles.map { .strings($0) }
        var all = ["org.bluez.Adapter1": properties]
        if adapter.advertises { all["org.bluez.LEAdvertisingManager1"] = [:] }
        if adapter.offersMonitors {
            all["org.bluez.AdvertisementMonitorManager1"] = ["SupportedMonitorTypes": .strings(["or_patterns"])]
        }
        return all
    }

    private func object(_ adapter: Adapter) -> DBusObject {
        let path = adapter.path
        func method(
            _ name: String, _ inputs: [DBusArgument],
            _ body: @escaping @Sendable (DBusInvocation) async throws -> Request
        ) -> DBusMethod {
            DBusMethod(name, inputs: inputs) { [weak self, continuation] invocation in
                self?.state.withLock { $0.clients[path] = invocation.sender }
                let request = try await body(invocation)
                let refusal = self?.nextRefusal(of: name)
                if case .disconnect = request { return [] }
                self?.state.withLock { $0.asked.append((request, invocation.sender)) }
                continuation.yield(request)
                await self?.state.withLock { $0.holds[name] }?.value
                if let refusal { throw refusal }
                return []
            }
        }
        let object = DBusArgument("object", "o")
        let options = DBusArgument("options", "a{sv}")
        return DBusObject(interfaces: [
            DBusInterface(
                "org.bluez.Adapter1",
                methods: [
                    method("SetDiscoveryFilter", [options]) {
                        .filter(adapter: path, $0.arguments.first?.propertiesValue ?? [:])
                    },
                    method("StartDiscovery", []) { _ in .discover(adapter: path) },
                    method("StopDiscovery", []) { _ in .stopDiscovery(adapter: path) },
                ],
                properties: [
                    DBusProperty("Powered", "b", get: { .bool(adapter.isPowered) }) { [continuation] _, _ in
                        continuation.yield(.setPowered(adapter: path))
                    }
                ]),
            DBusInterface(
                "org.bluez.LEAdvertisingManager1",
                methods: [
                    method("RegisterAdvertisement", [object, options]) { [weak self] invocation in
                        let (client, properties) = try await Self.unwrap(self).registered(invocation)
                        return .advertise(adapter: path, path: client, properties)
                    },
                    method("UnregisterAdvertisement", [object]) {
                        .stopAdvertising(adapter: path, path: $0.arguments.first?.objectPathValue ?? "")
                    },
                ]),
            DBusInterface(
                "org.bluez.AdvertisementMonitorManager1",
                methods: [
                    method("RegisterMonitor", [object]) { [weak self] invocation in
                        let (root, properties) = try await Self.unwrap(self).monitored(invocation)
                        return .monitor(adapter: path, root: root, properties)
                    },
                    method("UnregisterMonitor", [object]) {
                        .stopMonitor(adapter: path, root: $0.arguments.first?.objectPathValue ?? "")
                    },
                ]),
        ])
    }

    private static func unwrap(_ mock: MockBlueZ?) throws -> MockBlueZ {
        guard let mock else { throw DBusError(name: DBusError.failed, message: "gone") }
        return mock
    }

    /// Asks a client for its objects, which may fail, and for its advertisement's properties.
    private func registered(_ invocation: DBusInvocation) async throws -> (String, [String: DBusValue]) {
        let path = invocation.arguments.first?.objectPathValue ?? ""
        state.withLock { $0.clients[path] = invocation.sender }
        _ = try? await connection.call(
            destination: invocation.sender, path: path, interface: "org.freedesktop.DBus.ObjectManager",
            member: "GetManagedObjects")
        let reply = try await connection.call(
            destination: invocation.sender, path: path, interface: "org.freedesktop.DBus.Properties", member: "GetAll",
            arguments: [.string("org.bluez.LEAdvertisement1")])
        return (path, reply.first?.propertiesValue ?? [:])
    }

    /// Asks a client for its monitors, and activates the first, or drops it if the kernel refuses
    /// it.
    private func monitored(_ invocation: DBusInvocation) async throws -> (String, [String: DBusValue]) {
        let root = invocation.arguments.first?.objectPathValue ?? ""
        let reply = try await connection.call(
            destination: invocation.sender, path: root, interface: "org.freedesktop.DBus.ObjectManager",
            member: "GetManagedObjects")
        guard let (path, interfaces) = reply.first?.keyedValues?.first,
            let properties = interfaces.keyedValues?["org.bluez.AdvertisementMonitor1"]?.propertiesValue
        else { throw DBusError(name: "org.bluez.Error.Failed", message: "no monitor") }
        state.withLock { $0.clients[path] = invocation.sender }
        let isRefused = state.withLock { $0.adapters.values.contains(where: \.refusesMonitors) }
        try await connection.call(
            destination: invocation.sender, path: path, interface: "org.bluez.AdvertisementMonitor1",
            member: isRefused ? "Release" : "Activate")
        return (root, properties)
    }
}
