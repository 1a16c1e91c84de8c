// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonProtocol

@Suite struct ClockSearchTests {
    private let secret = CircleSecret()
    private let now: Int64 = 1_800_000_000
    private let second = Duration.seconds(1)

    private func beacon(_ device: UInt32 = 7) -> Beacon {
        Beacon(device: device, activity: .none, flags: .idle, sequence: 1, psm: 0x80)
    }

    private func sealed(_ offset: Int64, under key: CircleSecret? = nil) -> [UInt8] {
        var cipher = BeaconCipher(secret: key ?? secret)
        return cipher.seal(beacon(), at: now + offset)
    }

    /// Returns a search with only the circle's key.
    private func search(_ pairwise: [DeviceID: PairwiseKey] = [:]) -> ClockSearch {
        var search = ClockSearch()
        search.keysChanged(secret, pairwise: pairwise)
        return search
    }

    @Test(
        "A difference of up to a day between two clocks is found in one trial",
        arguments: [1_800, 3_600, 86_400, 88_000])
    func near(offset: Int64) {
        for offset in [offset, -offset] {
            var search = search()
            search.heard(sealed(offset), at: "a")
            let hit = search.step(at: now, uptime: .zero, notBefore: 0)
            #expect(hit == ClockSearch.Hit(device: 7, address: "a", psm: 0x80))
            #expect(search.nextDeadline(at: now, notBefore: 0) == nil, "no second hit for the same bytes")
        }
    }

    @Test("A device whose clock may be right does not search for greater differences")
    func tooFar() {
        var search = search()
        search.heard(sealed(90_000), at: "a")
        search.heard(sealed(-90_000), at: "b")
        for index in 0..<10 { #expect(search.step(at: now, uptime: second * index, notBefore: now) == nil) }
        #expect(search.nextDeadline(at: now, notBefore: now) == nil)
        #expect(search.trialCount == 2)
    }

    @Test("A device whose clock is certainly wrong searches from the known past onwards, six days per trial")
    func far() {
        var search = search()
        search.heard(sealed(0), at: "a")
        // The device's clock is stuck in 1970, but the device knows that a date 100 days ago has
        // passed.
        let notBefore = now - 100 * 86_400
        var trials = 0
        var hit: ClockSearch.Hit?
        while hit == nil, trials < 100 {
            hit = search.step(at: Int64(trials), uptime: second * trials, notBefore: notBefore)
            trials += 1
        }
        #expect(hit?.device == 7)
        #expect(trials == 17)
        // The search continues around the result, so the next bytes are found at once.
        search.heard(sealed(600), at: "a")
        #expect(search.step(at: 20, uptime: second * 20, notBefore: notBefore)?.device == 7)
    }

    @Test("The search in windows of time ends after four turns with growing pauses between them, and can begin again")
    func farEnds() {
        var search = ClockSearch(windows: 3)
        search.keysChanged(secret, pairwise: [:])
        search.heard(sealed(0, under: CircleSecret()), at: "stranger")
        var uptime = Duration.zero
        /// Returns the times of the trials until the search ends.
        func trials() -> [Duration] {
            var trials: [Duration] = []
            while let due = search.nextDeadline(at: 0, notBefore: now), trials.count < 100 {
                uptime = max(uptime, due)
                trials.append(uptime)
                _ = search.step(at: 0, uptime: uptime, notBefore: now)
            }
            return trials
        }
        let first = trials()
        #expect(first.count == 4 * 3)
        #expect(zip(first.dropFirst(), first).map { $0 - $1 }.filter { $0 > second } == ClockSearch.farPauses)
        search.heard(sealed(600, under: CircleSecret()), at: "stranger")
        #expect(trials().count == 1, "other bytes are only tried at the near times")
        search.beginAgain()
        #expect(trials().count == 4 * 3)
    }

    @Test("Bytes that were found are not tried again, so a replay does not hold up the search")
    func farReplay() {
        var search = search()
        let notBefore = now - 20 * 86_400
        search.heard(sealed(-19 * 86_400), at: "mallory")
        search.heard(sealed(0), at: "a")
        let hits = (0..<10).compactMap { search.step(at: 0, uptime: second * $0, notBefore: notBefore) }
        #expect(hits.map(\.address) == ["mallory", "a"])
        #expect(search.nextDeadline(at: 0, notBefore: notBefore) == nil, "all have been found")
        #expect(search.unopened.count == 2, "both wait for the clocks of their senders")
    }

    @Test("A hail is found with the key of the two devices, and only by the hailed device")
    func hails() throws {
        let (own, peer) = (DeviceIdentity(), DeviceIdentity())
        let key = try #require(PairwiseKey(own: own, peer: peer.keys, circle: CircleID(founder: own.id)))
        var cipher = BeaconCipher(hailing: key)
        let (theirs, mine) = (
            cipher.seal(beacon(peer.id.short), at: now - 7_200), cipher.seal(beacon(own.id.short), at: now - 7_200)
        )
        var search = search([peer.id: key])
        search.heard(theirs, at: "a")
        search.heard(mine, at: "b")
        let hits = (0..<4).compactMap { search.step(at: now, uptime: second * $0, notBefore: 0) }
        #expect(hits.map(\.device) == [peer.id.short])
    }

    @Test("A search does not try the present time, and begins again when the keys change")
    func atThisTime() {
        var search = search()
        for offset in [-600, 0, 600] { search.heard(sealed(Int64(offset)), at: "\(offset)") }
        for index in 0..<5 { #expect(search.step(at: now, uptime: second * index, notBefore: 0) == nil) }
        search.heard(sealed(7_200), at: "old")
        search.keysChanged(secret, pairwise: [:])
        #expect(search.unopened["old"] != nil, "the same keys")
        search.keysChanged(CircleSecret(), pairwise: [:])
        #expect(search.unopened.isEmpty)
    }

    @Test("There is one trial a second, and at most 64 remembered advertisements")
    func limits() {
        var search = search()
        for number in 0..<10_000 {
            var noise = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 24)
            (noise[0], noise[1], noise[2]) = (1, UInt8(number >> 8), UInt8(truncatingIfNeeded: number))
            search.heard(noise, at: "\(number)")
            _ = search.step(at: now, uptime: .milliseconds(number / 10), notBefore: 0)
        }
        #expect(search.trialCount == 1)
        #expect(search.unopened.count == ClockSearch.maximumRemembered)
        search.heard([2] + [UInt8](repeating: 0, count: 23), at: "no beacon")
        search.heard([1], at: "short")
        #expect(search.unopened["no beacon"] == nil && search.unopened["short"] == nil)
        for address in search.unopened.keys { search.forget(address) }
        #expect(search.nextDeadline(at: 0, notBefore: now) == nil)
    }
}

@Suite struct PeerClocksTests {
    private let secret = CircleSecret()
    private let anna = DeviceIdentity().id
    private let berta = DeviceIdentity().id
    private let now = BeaconAdvertiser.Moment(unixTime: 1_800_000_000, uptime: .seconds(50))

    private func later(_ seconds: Int64, clockSetBy: Int64 = 0) -> BeaconAdvertiser.Moment {
        .init(unixTime: now.unixTime + seconds + clockSetBy, uptime: now.uptime + .seconds(seconds))
    }

    private func sealed(
        by device: DeviceID, at unixTime: Int64, as form: BeaconForm = .advertisement
    ) -> [UInt8] {
        var cipher = BeaconCipher(secret: secret, form: form)
        let network = [UInt8](repeating: 7, count: form.networkByteCount)
        let beacon = Beacon(device: device.short, activity: .none, flags: .idle, sequence: 1, psm: 0x80)
        return cipher.seal(beacon, at: unixTime, in: network) + network
    }

    private func clocks() -> PeerClocks {
        var clocks = PeerClocks()
        clocks.secretChanged(secret)
        return clocks
    }

    @Test("A device's beacons are opened at the time that the device's own clock shows")
    func opening() {
        var clocks = clocks()
        #expect(clocks.open(sealed(by: anna, at: now.unixTime - 3_600), at: now) == nil)
        #expect(clocks.learnt(anna, shows: now.unixTime - 3_600, at: now) == true)
        #expect(clocks.open(sealed(by: anna, at: now.unixTime - 3_600), at: now) != nil)
        #expect(clocks.open(sealed(by: anna, at: now.unixTime + 82_800), at: later(86_400)) != nil)
        #expect(clocks.open(sealed(by: anna, at: now.unixTime - 3_600), at: later(2_400)) == nil, "it grew old")
        // Setting this device's own clock does not change the other device's time.
        let set = later(60, clockSetBy: -500_000)
        #expect(clocks.open(sealed(by: anna, at: now.unixTime - 3_540), at: set) != nil)
        let difference: Int64 = 500_000 - 3_600
        #expect(clocks.difference(of: anna, at: set) == difference)
    }

    @Test("One member's clock does not open beacons of others or strangers")
    func replayUnderACorrection() {
        var clocks = clocks()
        _ = clocks.learnt(anna, shows: now.unixTime - 3_600, at: now)
        // The beacon was recorded an hour ago, when its time was right.
        #expect(clocks.open(sealed(by: berta, at: now.unixTime - 3_600), at: now) == nil)
        clocks.secretChanged(CircleSecret())
        #expect(clocks.open(sealed(by: anna, at: now.unixTime - 3_600), at: now) == nil)
    }

    @Test("Small differences are not reported, but a large one is, and so is its end")
    func news() {
        var clocks = clocks()
        #expect(clocks.learnt(anna, shows: now.unixTime + 300, at: now) == false)
        #expect(clocks.differences(at: now).isEmpty)
        #expect(clocks.learnt(anna, shows: now.unixTime + 86_400, at: now) == true)
        #expect(clocks.learnt(anna, shows: now.unixTime + 86_460, at: later(60)) == false)
        #expect(clocks.differences(at: later(60)) == [anna: 86_400])
        #expect(clocks.learnt(anna, shows: now.unixTime + 120, at: later(120)) == true)
        #expect(clocks.differences(at: later(120)).isEmpty)
    }

    @Test("Impossible times are ignored, and former members are forgotten")
    func limits() {
        var clocks = clocks()
        for time in [Int64.min, -1, PeerClocks.latest + 1, .max] {
            #expect(clocks.learnt(anna, shows: time, at: now) == false)
        }
        #expect(clocks.difference(of: anna, at: now) == nil)
        _ = clocks.learnt(anna, shows: 0, at: now)
        #expect(clocks.difference(of: anna, at: now) == -now.unixTime)
        clocks.membersChanged([berta])
        #expect(clocks.difference(of: anna, at: now) == nil)
    }

    @Test(
        "Beacons and datagrams are opened at no more than four other times, and the devices that have them are reported",
        arguments: BeaconForm.allCases)
    func fourCorrections(form: BeaconForm) {
        var clocks = clocks()
        let devices = (0..<6).map { _ in DeviceIdentity().id }
        for (index, device) in devices.enumerated() {
            _ = clocks.learnt(device, shows: now.unixTime - 3_600 * Int64(index + 1), at: now)
        }
        let opened = devices.enumerated().filter { index, device in
            clocks.open(sealed(by: device, at: now.unixTime - 3_600 * Int64(index + 1), as: form), at: now) != nil
        }.map(\.element)
        #expect(opened.count == PeerClocks.maximumCorrections)
        #expect(clocks.corrected(at: now) == Set(opened))
    }

    @Test(
        "A device that has the only wrong clock opens the beacons and datagrams of all others, however many there are",
        arguments: BeaconForm.allCases)
    func ownClockIsWrong(form: BeaconForm) {
        var clocks = clocks()
        let devices = (0..<20).map { _ in DeviceIdentity().id }
        for (index, device) in devices.enumerated() {
            _ = clocks.learnt(device, shows: now.unixTime - 3_600 - Int64(index), at: now)
        }
        for device in devices {
            let opened = clocks.open(sealed(by: device, at: now.unixTime - 3_600, as: form), at: now)
            #expect(opened?.beacon.device == device.short)
        }
        #expect(clocks.corrected(at: now) == Set(devices))
    }
}
