// SPDX-License-Identifier: GPL-3.0-or-later

internal import DBus
internal import L2CAP

/// The adapters that bluetoothd has reported, and the advertisers with Baton's manufacturer data.
///
/// All input is untrusted. A value of the wrong type counts as absent, and at most ``peerLimit``
/// advertisers are remembered.
struct BlueZObjects {
    struct Adapter: Equatable {
        /// The kernel's name: `hci0`.
        var name: String
        var address: BluetoothAddress?
        var isPowered = false
        var isBlocked = false
        var isDiscovering = false
        /// Whether the adapter has `LEAdvertisingManager1`.
        var advertises = false
        /// Whether the adapter has `AdvertisementMonitorManager1` with patterns.
        var offersMonitors = false

        /// The roles that the adapter supports, or `nil` if bluetoothd does not report them.
        var roles: Set<String>?
        /// The version of bluetoothd, if it is known.
        var version: BluetoothdVersion?

        /// Whether the controller itself can match monitor patterns.
        var offersOffloading = false

        /// Whether monitors on this adapter find Baton's advertisements.
        var monitors: Bool { offersMonitors && version?.findsManufacturerData ?? true }

        /// Whether the controller itself watches for patterns. Such a controller reports an
        /// advertiser only when the advertiser changes.
        var offloads: Bool { monitors && offersOffloading }

        /// Whether the adapter can be used now.
        var isReady: Bool { isPowered && advertises && address != nil }
    }

    /// One advertiser, as one adapter receives it.
    struct Peer: Equatable {
        var adapter: String
        var address: BluetoothAddress
        var payload: [UInt8]
        var signal: Int?
        /// The time at which the advertiser was last heard, on the clock of ``BlueZObjects/now``.
        var heard: Duration
    }

    /// An effect of an input on the known objects.
    enum Change: Equatable {
        /// An adapter appeared or changed.
        case adapter(String)
        /// An adapter was removed.
        case adapterGone(String)
        /// An advertisement with Baton's company identifier arrived.
        case heard(BluetoothAddress, payload: [UInt8], signal: Int?)
        /// An adapter has a free slot for an advertisement again.
        case room(String)
        /// No adapter receives this advertiser any more.
        case lost(BluetoothAddress)
        /// An adapter has a new link to a device. The octets are written `C0:FF:EE:00:00:01`.
        case linked(adapter: String, octets: String)
        /// A link to a Baton device's private address was already up when bluetoothd was first
        /// asked.
        case leftLinked(adapter: String, BluetoothAddress)
        /// An unknown device advertises. Read all its properties, then call
        /// ``BlueZObjects/questionEnded()``.
        case ask(String)
    }

    /// The largest number of devices to ask about at the same time. Further devices are asked about
    /// at their next report.
    static let questionLimit = 16

    let peerLimit: Int
    /// The name of the only adapter whose devices count, or `nil` for all adapters.
    let adapterName: String?
    private(set) var adapters: [String: Adapter] = [:]
    private(set) var peers: [String: Peer] = [:]
    private var openQuestions = 0
    /// The paths in ``peers`` that bluetoothd removed while, or soon after, their adapters rested.
    private var forgotten: Set<String> = []
    /// The time at which each resting adapter stopped listening.
    private var resting: [String: Duration] = [:]
    /// The time at which each adapter last began to listen after a rest.
    private var woken: [String: Duration] = [:]
    /// The current time. The owner sets it before each input.
    var now: Duration = .zero

    /// Creates an instance that knows no objects.
    init(adapterName: String? = nil, peerLimit: Int = BlueZ.peerLimit) {
        self.adapterName = adapterName
        self.peerLimit = peerLimit
    }

    /// Returns whether the configuration allows an adapter.
    func isWanted(_ adapter: Adapter) -> Bool { adapterName == nil || adapter.name == adapterName }

    /// Returns the adapter that heard an advertiser most recently.
    func adapter(hearing address: BluetoothAddress) -> String? {
        peers.values.filter { $0.address == address }.max { $0.heard < $1.heard }?.adapter
    }

    /// Forgets everything, because bluetoothd is gone.
    mutating func forgetEverything() -> [Change] {
        let gone = adapters.keys.sorted()
        return gone.flatMap { remove($0, interfaces: [BlueZ.adapter]) }
    }

    /// Processes the reply of `GetManagedObjects`: `a{oa{sa{sv}}}`.
    mutating func take(managedObjects value: DBusValue) -> [Change] {
        guard let objects = value.keyedValues else { return [] }
        // Adapters sort before their devices.
        let paths = objects.sorted { $0.key < $1.key }
        return paths.flatMap { path, interfaces in add(path, interfaces: interfaces) + leftLink(path, interfaces) }
    }

    /// Processes a signal from bluetoothd. Unknown signals change nothing.
    mutating func take(_ signal: DBusSignal) -> [Change] {
        let arguments = signal.arguments
        switch (signal.interface, signal.member) {
        case (BlueZ.objectManager, "InterfacesAdded"):
            guard arguments.count == 2, let path = arguments[0].objectPathValue else { return [] }
            return add(path, interfaces: arguments[1])
        case (BlueZ.objectManager, "InterfacesRemoved"):
            guard arguments.count == 2, let path = arguments[0].objectPathValue,
                let interfaces = arguments[1].stringsValue
            else { return [] }
            return remove(path, interfaces: interfaces)
        case (BlueZ.properties, "PropertiesChanged"):
            guard arguments.count == 3, let interface = arguments[0].stringValue,
                let properties = arguments[1].propertiesValue
            else { return [] }
            return change(signal.path, interface: interface, properties: properties)
        default:
            return []
        }
    }

    /// Processes the properties of a device that was asked about.
    mutating func take(device path: String, properties: [String: DBusValue]) -> [Change] {
        peers[path] == nil ? hear(device: path, properties: properties) : []
    }

    private mutating func hear(device path: String, properties: [String: DBusValue]) -> [Change] {
        guard let adapter = properties["Adapter"]?.objectPathValue,
            adapters[adapter].map(isWanted) == true, path.hasPrefix(adapter + "/"),
            let octets = properties["Address"]?.stringValue,
            let kind = properties["AddressType"]?.stringValue.flatMap(BluetoothAddress.Kind.init),
            let address = BluetoothAddress(octets: octets, kind: kind),
            let payload = Self.payload(in: properties), !isOwn(address)
        else { return [] }
        let signal = Self.signal(in: properties)
        return hear(path, Peer(adapter: adapter, address: address, payload: payload, signal: signal, heard: now))
    }

    /// Records that a question about a device has ended, with or without an answer.
    mutating func questionEnded() { openQuestions -= 1 }

    /// Records that an adapter has stopped listening for a while.
    mutating func rests(_ adapter: String) {
        guard adapters[adapter] != nil, resting[adapter] == nil else { return }
        resting[adapter] = now
    }

    /// Records that an adapter listens. The time for which the adapter rested does not count as
    /// silence of its advertisers.
    mutating func listens(_ adapter: String) {
        guard let began = resting.removeValue(forKey: adapter) else { return }
        woken[adapter] = now
        for (path, peer) in peers where peer.adapter == adapter { peers[path]?.heard += now - max(began, peer.heard) }
    }

    /// Processes a monitor's match of a device. If the device is unknown, the owner must ask about
    /// it.
    mutating func match(_ path: String) -> [Change] {
        guard let peer = peers[path] else { return ask(path) }
        return hear(path, peer)
    }

    /// Forgets advertisers that were silent for too long.
    ///
    /// bluetoothd itself forgets an advertiser after 30 s, but not while there is a link to the
    /// device, and bluetoothd does not close links. bluetoothd's 30 s also stop while the adapter
    /// rests.
    ///
    /// If the controller matches patterns, it reports an advertiser only when the advertiser
    /// changes. A silent advertiser then expires only if the adapter has rested since the
    /// advertiser was last heard.
    mutating func expire() -> [Change] {
        peers.filter { isOverdue($0.value) }.keys.sorted().flatMap { forget($0) }
    }

    /// The time at which ``expire()`` should be called next, or `nil` while no advertiser can
    /// expire.
    var nextExpiry: Duration? {
        peers.values.filter(canExpire).map { $0.heard + BlueZ.silenceLimit }.min()
    }

    // MARK: -

    private mutating func ask(_ path: String) -> [Change] {
        guard openQuestions < Self.questionLimit,
            adapters.contains(where: { path.hasPrefix($0.key + "/") && isWanted($0.value) })
        else { return [] }
        openQuestions += 1
        return [.ask(path)]
    }

    private func isOverdue(_ peer: Peer) -> Bool {
        canExpire(peer) && peer.heard + BlueZ.silenceLimit <= now
    }

    private func canExpire(_ peer: Peer) -> Bool {
        guard resting[peer.adapter] == nil else { return false }
        return adapters[peer.adapter]?.offloads != true || woken[peer.adapter].map { peer.heard <= $0 } ?? false
    }

    /// Returns whether an adapter rests, or rested recently, so that bluetoothd may remove devices
    /// that are still near.
    private func hasRested(_ adapter: String) -> Bool {
        resting[adapter] != nil || woken[adapter].map { now < $0 + BlueZ.silenceLimit } ?? false
    }

    private mutating func add(_ path: String, interfaces: DBusValue) -> [Change] {
        guard let interfaces = interfaces.keyedValues else { return [] }
        var changes: [Change] = []
        if let properties = interfaces[BlueZ.adapter]?.propertiesValue, let name = path.split(separator: "/").last {
            if adapters[path] == nil, adapters.count < 64 { adapters[path] = Adapter(name: String(name)) }
            changes += change(path, interface: BlueZ.adapter, properties: properties)
        }
        if interfaces[BlueZ.advertisingManager] != nil {
            changes += update(path) { $0.advertises = true }
        }
        if let properties = interfaces[BlueZ.monitorManager]?.propertiesValue {
            let offered = properties["SupportedMonitorTypes"]?.stringsValue?.contains("or_patterns") == true
            let features = properties["SupportedFeatures"]?.stringsValue ?? []
            changes += update(path) {
                $0.offersMonitors = offered
                $0.offersOffloading = features.contains("controller-patterns")
            }
        }
        if let properties = interfaces[BlueZ.device]?.propertiesValue {
            let isHeard = peers[path] == nil || forgotten.remove(path) != nil
            changes += link(path, properties) + (isHeard ? hear(device: path, properties: properties) : [])
        }
        return changes
    }

    private mutating func remove(_ path: String, interfaces: [String]) -> [Change] {
        var changes: [Change] = []
        if interfaces.contains(BlueZ.device), let peer = peers[path] {
            if hasRested(peer.adapter) { forgotten.insert(path) } else { changes += forget(path) }
        }
        if interfaces.contains(BlueZ.adapter), adapters.removeValue(forKey: path) != nil {
            (resting[path], woken[path]) = (nil, nil)
            changes += forgetAll(heardBy: path)
            changes.append(.adapterGone(path))
        }
        if interfaces.contains(BlueZ.advertisingManager) { changes += update(path) { $0.advertises = false } }
        if interfaces.contains(BlueZ.monitorManager) { changes += update(path) { $0.offersMonitors = false } }
        return changes
    }

    private mutating func change(_ path: String, interface: String, properties: [String: DBusValue]) -> [Change] {
        switch interface {
        case BlueZ.adapter:
            return update(path) { adapter in
                if let powered = properties["Powered"]?.boolValue { adapter.isPowered = powered }
                if let discovering = properties["Discovering"]?.boolValue { adapter.isDiscovering = discovering }
                if let state = properties["PowerState"]?.stringValue { adapter.isBlocked = state == "off-blocked" }
                if let roles = properties["Roles"]?.stringsValue { adapter.roles = Set(roles.prefix(8)) }
                if let modalias = properties["Modalias"]?.stringValue {
                    adapter.version = BluetoothdVersion(modalias: modalias)
                }
                if let octets = properties["Address"]?.stringValue {
                    // bluetoothd before 5.48 does not report the type of the address.
                    let kind = properties["AddressType"]?.stringValue.flatMap(BluetoothAddress.Kind.init)
                    adapter.address = BluetoothAddress(octets: octets, kind: kind ?? .public)
                }
            }
        case BlueZ.advertisingManager:
            guard adapters[path] != nil, let free: Int = properties["SupportedInstances"]?.integer(), free > 0 else {
                return []
            }
            return [.room(path)]
        case BlueZ.device: return link(path, properties) + report(path, properties)
        default:
            return []
        }
    }

    /// Processes changed properties of a device. A payload or a signal strength among these
    /// properties means that the device was heard.
    private mutating func report(_ path: String, _ properties: [String: DBusValue]) -> [Change] {
        let payload = Self.payload(in: properties)
        guard var peer = peers[path] else { return payload != nil ? ask(path) : [] }
        guard payload != nil || properties["RSSI"] != nil else { return [] }
        if properties["RSSI"] != nil { peer.signal = Self.signal(in: properties) }
        peer.payload = payload ?? peer.payload
        return hear(path, peer)
    }

    private func link(_ path: String, _ properties: [String: DBusValue]) -> [Change] {
        guard properties["Connected"]?.boolValue == true,
            let (adapter, octets) = BlueZ.device(atPath: path), adapters[adapter].map(isWanted) == true
        else { return [] }
        return [.linked(adapter: adapter, octets: octets)]
    }

    /// Returns a link that was up before bluetoothd was first asked, if only Baton can have used
    /// it.
    ///
    /// No other program needs the link if the device advertises Baton's data and is not paired.
    private func leftLink(_ path: String, _ interfaces: DBusValue) -> [Change] {
        guard let properties = interfaces.keyedValues?[BlueZ.device]?.propertiesValue,
            properties["Connected"]?.boolValue == true, properties["Paired"]?.boolValue != true,
            let peer = peers[path], peer.address.kind == .random
        else { return [] }
        return [.leftLinked(adapter: peer.adapter, peer.address)]
    }

    /// Returns whether an address belongs to one of this machine's own adapters. One adapter may
    /// hear the advertisement of another.
    private func isOwn(_ address: BluetoothAddress) -> Bool {
        adapters.values.contains { isWanted($0) && $0.isReady && $0.address == address }
    }

    private mutating func update(_ path: String, _ body: (inout Adapter) -> Void) -> [Change] {
        guard let before = adapters[path] else { return [] }
        var after = before
        body(&after)
        adapters[path] = after
        guard after != before else { return [] }
        // An adapter that is off hears nothing, but bluetoothd does not report that its devices are
        // gone.
        let unheard = before.isPowered && !after.isPowered ? forgetAll(heardBy: path) : []
        return unheard + [.adapter(path)]
    }

    private mutating func forgetAll(heardBy adapter: String) -> [Change] {
        peers.filter { $0.value.adapter == adapter }.keys.sorted().flatMap { forget($0) }
    }

    private mutating func hear(_ path: String, _ peer: Peer) -> [Change] {
        var changes: [Change] = []
        if peers[path] == nil, peers.count >= peerLimit,
            let oldest = peers.min(by: { $0.value.heard < $1.value.heard })
        {
            changes += forget(oldest.key)
        }
        var peer = peer
        peer.heard = now
        peers[path] = peer
        return changes + [.heard(peer.address, payload: peer.payload, signal: peer.signal)]
    }

    /// Forgets an advertiser that one adapter no longer hears.
    mutating func forget(_ path: String) -> [Change] {
        forgotten.remove(path)
        guard let peer = peers.removeValue(forKey: path) else { return [] }
        return peers.values.contains { $0.address == peer.address } ? [] : [.lost(peer.address)]
    }

    /// Returns Baton's manufacturer data from a device's properties: `a{qv}` with arrays of bytes.
    private static func payload(in properties: [String: DBusValue]) -> [UInt8]? {
        let entries = properties["ManufacturerData"]?.entriesValue ?? []
        guard let entry = entries.first(where: { $0.key == .uint16(BlueZ.company) }),
            let bytes = entry.value.bytesValue, bytes.count <= BlueZ.payloadLimit
        else { return nil }
        return bytes
    }

    /// Returns the signal strength from a device's properties. The value 127 means unknown.
    private static func signal(in properties: [String: DBusValue]) -> Int? {
        guard let value: Int16 = properties["RSSI"]?.integer(), (-127...20).contains(value) else { return nil }
        return Int(value)
    }
}
