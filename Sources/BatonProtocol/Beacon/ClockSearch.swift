// SPDX-License-Identifier: Apache-2.0

/// Finds members whose clocks differ from this device's, among advertisements that nothing opens at
/// this device's time.
///
/// A hit makes no offer: it is good for a dial, inside which both devices say what time it is
/// (``PeerClocks``). Documentation/Protocol/Beacon.md, "Clocks".
public struct ClockSearch: Sendable {
    /// The time between two trials, each under one key.
    public static let interval = Duration.seconds(1)
    /// How many advertisements wait for trials; the one that waited longest gives way.
    public static let maximumRemembered = 64
    /// How many epochs to either side are tried: a day and half an hour.
    public static let nearEpochs: Int64 = 147
    /// How many epochs are tried at once, six days, by a device whose clock cannot be right.
    public static let farEpochs: Int64 = 864
    /// After so many such windows, ten years, it begins again.
    public static let farWindows: Int64 = 608

    /// A member's advertisement that opened at another time.
    public struct Hit: Hashable, Sendable {
        /// The member, by the first four bytes of its id.
        public var device: UInt32
        /// Where it was heard.
        public var address: String
        /// The PSM that it can be dialled at; 0 for none.
        public var psm: UInt8
    }

    private struct Key: Sendable {
        /// The only device that may use the key; nil for the circle's own.
        var owner: UInt32?
        var cipher: BeaconCipher
    }

    private struct Entry: Sendable {
        var payload: [UInt8]
        /// Under how many keys it was tried.
        var tried = 0
    }

    private var keys: [Key] = []
    private var secret: CircleSecret?
    private var pairwise: [DeviceID: PairwiseKey] = [:]
    private var entries: [String: Entry] = [:]
    private var order: [String] = []
    private var nextTrial = Duration.zero
    private var farKey = 0
    private var farWindow: Int64 = 0
    /// How many trials there have been.
    private(set) var trialCount = 0

    /// A search without keys, which finds nobody.
    public init() {}

    /// The circle's secret, and the keys that this device shares with each other member. What was
    /// heard under others is forgotten: it was not tried at this device's own time under these.
    public mutating func keysChanged(_ secret: CircleSecret?, pairwise: [DeviceID: PairwiseKey]) {
        guard secret != self.secret || pairwise != self.pairwise else { return }
        (self.secret, self.pairwise) = (secret, pairwise)
        (entries, order) = ([:], [])
        keys = secret.map { [Key(owner: nil, cipher: BeaconCipher(secret: $0))] } ?? []
        for (device, key) in pairwise.sorted(by: { $0.key < $1.key }) {
            keys.append(Key(owner: device.short, cipher: BeaconCipher(hailing: key)))
        }
        (farKey, farWindow) = (0, 0)
    }

    /// An advertisement came that nothing opens.
    public mutating func heard(_ payload: [UInt8], at address: String) {
        guard payload.count == Beacon.byteCount, payload[0] == Beacon.version, entries[address]?.payload != payload
        else { return }
        forget(address)
        if order.count >= Self.maximumRemembered { entries[order.removeFirst()] = nil }
        order.append(address)
        entries[address] = Entry(payload: payload)
    }

    /// What came from an address is on the air no more, or was understood.
    public mutating func forget(_ address: String) {
        guard entries.removeValue(forKey: address) != nil else { return }
        order.removeAll { $0 == address }
    }

    /// What nothing has opened yet, by address.
    public var unopened: [String: [UInt8]] { entries.mapValues(\.payload) }

    /// When ``step(at:uptime:notBefore:)`` has something to do; nil while there is nothing.
    public func nextDeadline(at unixTime: Int64, notBefore: Int64) -> Duration? {
        let isFar = unixTime < notBefore && !entries.isEmpty
        let hasWork = !keys.isEmpty && (isFar || entries.values.contains { $0.tried < keys.count })
        return hasWork ? nextTrial : nil
    }

    /// Makes the trials that are due.
    ///
    /// - Parameters:
    ///   - unixTime: What this device's clock shows.
    ///   - notBefore: A Unix second that is past, whatever the clock shows: when the clock is
    ///     before it, the search goes on from there.
    /// - Returns: A member that was found.
    public mutating func step(at unixTime: Int64, uptime: Duration, notBefore: Int64) -> Hit? {
        guard let deadline = nextDeadline(at: unixTime, notBefore: notBefore), uptime >= deadline else { return nil }
        nextTrial = uptime + Self.interval
        trialCount += 1
        return near(unixTime) ?? (unixTime < notBefore ? far(notBefore) : nil)
    }

    /// One advertisement under one key, a day to either side; the nearest epochs first. This
    /// device's own epoch and its neighbours are not for a search.
    private mutating func near(_ unixTime: Int64) -> Hit? {
        guard let address = order.first(where: { (entries[$0]?.tried ?? 0) < keys.count }), let entry = entries[address]
        else { return nil }
        entries[address]?.tried += 1
        let now = BeaconCipher.epoch(at: unixTime)
        let epochs = (2...Self.nearEpochs).flatMap { [now - $0, now + $0] }
        guard let (_, beacon) = keys[entry.tried].cipher.search([entry.payload], epochs: epochs),
            fits(beacon, keys[entry.tried])
        else { return nil }
        entries[address]?.tried = keys.count
        return Hit(device: beacon.device, address: address, psm: beacon.psm)
    }

    /// All advertisements under one key, in one window; then the next key, and after the last the
    /// next window.
    private mutating func far(_ notBefore: Int64) -> Hit? {
        farKey = min(farKey, keys.count - 1)
        let start = BeaconCipher.epoch(at: notBefore) - 1 + farWindow * (Self.farEpochs - 1)
        let epochs = start..<start + Self.farEpochs
        let payloads = order.compactMap { entries[$0]?.payload }
        if let (index, beacon) = keys[farKey].cipher.search(payloads, epochs: epochs), fits(beacon, keys[farKey]) {
            return Hit(device: beacon.device, address: order[index], psm: beacon.psm)
        }
        farKey += 1
        if farKey == keys.count { (farKey, farWindow) = (0, (farWindow + 1) % Self.farWindows) }
        return nil
    }

    private func fits(_ beacon: Beacon, _ key: Key) -> Bool { key.owner == nil || key.owner == beacon.device }
}
