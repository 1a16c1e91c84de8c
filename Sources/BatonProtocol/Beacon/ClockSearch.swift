// SPDX-License-Identifier: Apache-2.0

/// Finds members whose clocks differ from this device's clock.
///
/// The search tries the keys of other times on advertisements that no key of this device's time
/// opens. A member found in this way makes no offer yet, but can be dialled. Both devices then
/// exchange their times (``PeerClocks``). Documentation/Protocol/Beacon.md, "Clocks".
public struct ClockSearch: Sendable {
    /// The time between two trials, each with one key.
    public static let interval = Duration.seconds(1)
    /// The maximum number of advertisements that wait for trials. If more advertisements wait, the
    /// oldest advertisement is dropped.
    public static let maximumRemembered = 64
    /// The number of epochs to try before and after the present one: 24.5 hours in each direction.
    public static let nearEpochs: Int64 = 147
    /// The number of epochs in one window: six days. Windows are tried if the clock is certainly
    /// wrong.
    public static let farEpochs: Int64 = 864
    /// The number of windows in one turn, about ten years in all.
    public static let farWindows: Int64 = 608
    /// The pauses between turns. After the last turn the windows are not tried any more, until
    /// ``beginAgain()``.
    public static let farPauses: [Duration] = [.seconds(600), .seconds(3_600), .seconds(21_600)]

    /// A member's advertisement that opened at another time.
    public struct Hit: Hashable, Sendable {
        /// The first four bytes of the member's id.
        public var device: UInt32
        /// The address from which the advertisement or datagram came.
        public var address: String
        /// The PSM to dial; 0 for none.
        public var psm: UInt8
        /// The TCP port to dial, only from datagrams; 0 for none.
        public var port: UInt16 = 0
    }

    private struct Key: Sendable {
        /// The device whose hails the key opens; nil for the key made from the circle's secret.
        var owner: UInt32?
        var cipher: BeaconCipher
    }

    private struct Entry: Sendable {
        var payload: [UInt8]
        /// The number of keys that were tried on the payload.
        var tried = 0
        /// Whether one of the keys opened the payload. It is not tried again.
        var isFound = false
    }

    private let form: BeaconForm
    private let windows: Int64
    private var keys: [Key] = []
    private var secret: CircleSecret?
    private var pairwise: [DeviceID: PairwiseKey] = [:]
    private var entries: [String: Entry] = [:]
    private var order: [String] = []
    private var nextTrial = Duration.zero
    private var farKey = 0
    private var farWindow: Int64 = 0
    /// The number of windows that are left in the present turn.
    private var windowsLeft: Int64
    /// The number of turns since the search began, and when the next one begins.
    private var turns = 0
    private var nextTurn = Duration.zero
    /// The number of trials so far.
    private(set) var trialCount = 0

    /// Creates a search without keys, which finds nobody.
    ///
    /// - Parameter windows: The number of windows in one turn.
    public init(_ form: BeaconForm = .advertisement, windows: Int64 = ClockSearch.farWindows) {
        (self.form, self.windows, windowsLeft) = (form, windows, windows)
    }

    /// Sets the circle's secret and the keys that this device shares with each other member.
    ///
    /// Also forgets the waiting advertisements. They were tried only with the previous keys at this
    /// device's own time, and the search skips that time.
    public mutating func keysChanged(_ secret: CircleSecret?, pairwise: [DeviceID: PairwiseKey]) {
        guard secret != self.secret || pairwise != self.pairwise else { return }
        (self.secret, self.pairwise) = (secret, pairwise)
        forgetAll()
        keys = secret.map { [Key(owner: nil, cipher: BeaconCipher(secret: $0, form: form))] } ?? []
        for (device, key) in pairwise.sorted(by: { $0.key < $1.key }) {
            keys.append(Key(owner: device.short, cipher: BeaconCipher(hailing: key, form: form)))
        }
        (farKey, farWindow, windowsLeft) = (0, 0, windows)
        beginAgain()
    }

    /// Begins the search in windows again. A turn in progress continues.
    public mutating func beginAgain() { (turns, nextTurn) = (0, .zero) }

    /// Adds an advertisement that no key opened.
    public mutating func heard(_ payload: [UInt8], at address: String) {
        guard form.fits(payload), entries[address]?.payload != payload else { return }
        forget(address)
        if order.count >= Self.maximumRemembered { entries[order.removeFirst()] = nil }
        order.append(address)
        entries[address] = Entry(payload: payload)
    }

    /// Forgets the advertisement of an address, because the advertisement has ended or was opened.
    public mutating func forget(_ address: String) {
        guard entries.removeValue(forKey: address) != nil else { return }
        order.removeAll { $0 == address }
    }

    /// Forgets all waiting advertisements.
    public mutating func forgetAll() { (entries, order) = ([:], []) }

    /// The advertisements that no key has opened yet, by address.
    public var unopened: [String: [UInt8]] { entries.mapValues(\.payload) }

    /// Returns when ``step(at:uptime:notBefore:)`` is due; nil if there is nothing to do.
    public func nextDeadline(at unixTime: Int64, notBefore: Int64) -> Duration? {
        guard !keys.isEmpty, entries.values.contains(where: { !$0.isFound }) else { return nil }
        if untried != nil { return nextTrial }
        return isFar(unixTime, notBefore) ? max(nextTrial, nextTurn) : nil
    }

    /// Makes the trials that are due.
    ///
    /// - Parameters:
    ///   - unixTime: The time of this device's clock.
    ///   - notBefore: A Unix time that has certainly passed. If the clock shows an earlier time,
    ///     the search also covers windows from this time on.
    /// - Returns: A member that was found, or nil.
    public mutating func step(at unixTime: Int64, uptime: Duration, notBefore: Int64) -> Hit? {
        guard let deadline = nextDeadline(at: unixTime, notBefore: notBefore), uptime >= deadline else { return nil }
        nextTrial = uptime + Self.interval
        trialCount += 1
        if let hit = near(unixTime) { return hit }
        return isFar(unixTime, notBefore) && uptime >= nextTurn ? far(notBefore, at: uptime) : nil
    }

    /// Returns whether the search covers windows: the clock is wrong, and not all turns have ended.
    private func isFar(_ unixTime: Int64, _ notBefore: Int64) -> Bool {
        unixTime < notBefore && turns <= Self.farPauses.count
    }

    /// The address of the oldest advertisement that was not tried with all keys.
    private var untried: String? {
        order.first { address in entries[address].map { !$0.isFound && $0.tried < keys.count } ?? false }
    }

    /// Tries one advertisement with one key in the ``nearEpochs`` before and after, the nearest
    /// first.
    ///
    /// The present epoch and its neighbours are left out, because each advertisement was tried with
    /// their keys when it arrived.
    private mutating func near(_ unixTime: Int64) -> Hit? {
        guard let address = untried, let entry = entries[address] else { return nil }
        entries[address]?.tried += 1
        let now = BeaconCipher.epoch(at: unixTime)
        let epochs = (2...Self.nearEpochs).flatMap { [now - $0, now + $0] }
        guard let (_, beacon) = keys[entry.tried].cipher.search([entry.payload], epochs: epochs),
            fits(beacon, keys[entry.tried])
        else { return nil }
        return hit(beacon, at: address)
    }

    /// Tries all advertisements with one key in one window.
    ///
    /// The next call tries the next key, or after the last key the next window.
    private mutating func far(_ notBefore: Int64, at uptime: Duration) -> Hit? {
        farKey = min(farKey, keys.count - 1)
        let start = BeaconCipher.epoch(at: notBefore) - 1 + farWindow * (Self.farEpochs - 1)
        let epochs = start..<start + Self.farEpochs
        let waiting = order.filter { entries[$0]?.isFound == false }
        let payloads = waiting.compactMap { entries[$0]?.payload }
        if let (index, beacon) = keys[farKey].cipher.search(payloads, epochs: epochs), fits(beacon, keys[farKey]) {
            return hit(beacon, at: waiting[index])
        }
        farKey += 1
        if farKey == keys.count { windowEnded(at: uptime) }
        return nil
    }

    private mutating func windowEnded(at uptime: Duration) {
        (farKey, farWindow) = (0, (farWindow + 1) % windows)
        windowsLeft -= 1
        guard windowsLeft == 0 else { return }
        windowsLeft = windows
        if turns < Self.farPauses.count { nextTurn = uptime + Self.farPauses[turns] }
        turns += 1
    }

    private mutating func hit(_ beacon: Beacon, at address: String) -> Hit {
        entries[address]?.isFound = true
        return Hit(device: beacon.device, address: address, psm: beacon.psm, port: beacon.port)
    }

    private func fits(_ beacon: Beacon, _ key: Key) -> Bool { key.owner == nil || key.owner == beacon.device }
}
