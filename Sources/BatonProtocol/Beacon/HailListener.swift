// SPDX-License-Identifier: Apache-2.0

/// Finds the hails to this device among advertisements that no circle secret opens.
///
/// Each trial tries every member's key. There are at most five trials a second. Bytes that failed
/// are remembered, and not tried again in the same epoch. After a pause, up to 16 datagrams may be
/// tried at once.
public struct HailListener: Sendable {
    /// The time between two trials.
    public static let interval = Duration.milliseconds(200)
    /// The maximum number of failed payloads to remember.
    public static let maximumTried = 256

    private let form: BeaconForm
    private let limit: RateLimit
    private var ciphers: [DeviceID: BeaconCipher] = [:]
    private var restored: Duration?
    private var tried: Set<[UInt8]> = []
    private var triedOrder: [[UInt8]] = []
    private var triedEpoch: Int64?
    /// The number of trials so far.
    private(set) var trialCount = 0

    /// Creates a listener without keys.
    public init(_ form: BeaconForm = .advertisement) {
        self.form = form
        limit = RateLimit(burst: form.trialsAtOnce, interval: Self.interval)
    }

    /// Sets the keys that this device shares with each other member.
    public mutating func keysChanged(_ keys: [DeviceID: PairwiseKey]) {
        ciphers = keys.mapValues { BeaconCipher(hailing: $0, form: form) }
        forget()
    }

    /// Returns a sealed hail to a member; nil if the member is unknown.
    ///
    /// - Parameter network: The identity of the network in which a datagram is sent.
    public mutating func seal(
        _ beacon: Beacon, to device: DeviceID, at unixTime: Int64, in network: [UInt8] = []
    ) -> [UInt8]? {
        ciphers[device]?.seal(beacon, at: unixTime, in: network)
    }

    /// Tries to open an advertisement that no circle secret opens.
    ///
    /// - Returns: The hailing device and its beacon; nil for any other advertisement, or if no
    ///   trial was made.
    public mutating func received(
        _ payload: [UInt8], at unixTime: Int64, uptime: Duration
    ) -> (device: DeviceID, beacon: Beacon)? {
        guard payload.count == form.openedByteCount, !ciphers.isEmpty else { return nil }
        let epoch = BeaconCipher.epoch(at: unixTime)
        if epoch != triedEpoch {
            forget()
            triedEpoch = epoch
        }
        let turn = limit.next(after: restored, at: uptime)
        let nextTrial = turn.due
        guard !tried.contains(payload), uptime >= nextTrial else { return nil }
        restored = turn.restored
        trialCount += 1
        for device in ciphers.keys.sorted() {
            guard let opened = ciphers[device]?.open(payload, at: unixTime) else { continue }
            // Only two devices have the key, so a hail must name the other device. A replay of this
            // device's own hail is ignored.
            guard opened.beacon.device == device.short, opened.beacon.activity == .none else { break }
            return (device, opened.beacon)
        }
        remember(payload)
        return nil
    }

    /// The number of remembered payloads.
    public var remembered: Int { tried.count }

    private mutating func remember(_ payload: [UInt8]) {
        if triedOrder.count >= Self.maximumTried { tried.remove(triedOrder.removeFirst()) }
        tried.insert(payload)
        triedOrder.append(payload)
    }

    private mutating func forget() {
        tried = []
        triedOrder = []
    }
}
