// SPDX-License-Identifier: Apache-2.0

/// Opens hails to this device among advertisements that nobody of the circle seems to have sent.
///
/// Each costs a trial of every member's key, so at most five a second are tried, and no bytes
/// twice.
public struct HailListener: Sendable {
    /// The time between two trials.
    public static let interval = Duration.milliseconds(200)
    /// How many payloads that were tried in vain are remembered.
    public static let maximumTried = 256

    private var ciphers: [DeviceID: BeaconCipher] = [:]
    private var nextTrial = Duration.zero
    private var tried: Set<[UInt8]> = []
    private var triedOrder: [[UInt8]] = []
    private var triedEpoch: Int64?
    /// How many payloads have been tried under all members' keys.
    private(set) var trialCount = 0

    /// A listener that knows nobody.
    public init() {}

    /// The keys of this device and each other member.
    public mutating func keysChanged(_ keys: [DeviceID: PairwiseKey]) {
        ciphers = keys.mapValues { BeaconCipher(hailing: $0) }
        forget()
    }

    /// The hail for a member to put on the air; nil when it is not known.
    public mutating func seal(_ beacon: Beacon, to device: DeviceID, at unixTime: Int64) -> [UInt8]? {
        ciphers[device]?.seal(beacon, at: unixTime)
    }

    /// An advertisement came that no circle's secret opens.
    ///
    /// - Returns: Who hails, and what; nil for anything else, or when it is not tried.
    public mutating func received(
        _ payload: [UInt8], at unixTime: Int64, uptime: Duration
    ) -> (device: DeviceID, beacon: Beacon)? {
        guard payload.count == Beacon.byteCount, !ciphers.isEmpty else { return nil }
        let epoch = BeaconCipher.epoch(at: unixTime)
        if epoch != triedEpoch {
            forget()
            triedEpoch = epoch
        }
        guard !tried.contains(payload), uptime >= nextTrial else { return nil }
        nextTrial = uptime + Self.interval
        trialCount += 1
        for device in ciphers.keys.sorted() {
            guard let opened = ciphers[device]?.open(payload, at: unixTime) else { continue }
            // The key says who it can be: the other of the two. One's own hail that comes back is
            // nobody's.
            guard opened.beacon.device == device.short, opened.beacon.activity == .none else { break }
            return (device, opened.beacon)
        }
        remember(payload)
        return nil
    }

    /// How many payloads are remembered.
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
