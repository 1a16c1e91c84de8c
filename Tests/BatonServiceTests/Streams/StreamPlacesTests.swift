// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import Testing

@testable import BatonService

/// Tests the limits on pairs of streams.
@Suite struct StreamPlacesTests {
    private let anna = DeviceIdentity().id
    private let berta = DeviceIdentity().id

    /// Returns a program that is unrelated to the others.
    private func program(_ number: Int) -> ClientProgram {
        ClientProgram(account: "org.example.App\(number)", client: Device.app)
    }

    @Test("A device has 32 places, and gets another one after it has returned one")
    func perDevice() throws {
        var places = StreamPlaces()
        var taken: [Int] = []
        while let place = places.take(for: anna, by: program(taken.count)), taken.count < 100 { taken.append(place) }
        #expect(taken.count == 32)
        let another = places.take(for: berta, by: program(0))
        #expect(another != nil)
        places.leave(taken[7])
        places.leave(taken[7])
        let given = [places.take(for: anna, by: program(100)), places.take(for: anna, by: program(101))]
        #expect(given[0] != nil)
        #expect(given[1] == nil)
    }

    @Test("Each program has 16 places with a device and 64 with all devices, over all its connections")
    func perProgram() {
        var places = StreamPlaces()
        func taken(_ device: DeviceID, account: String?) -> Int {
            (0..<32).count { connection in
                let client = ClientID(rawValue: account == nil ? ":1.1" : ":2.\(connection)")
                return places.take(for: device, by: ClientProgram(account: account, client: client)) != nil
            }
        }
        #expect(taken(anna, account: "org.example.App") == 16)
        #expect(taken(anna, account: nil) == 16)
        let more = (0..<8).map { _ in taken(DeviceIdentity().id, account: "org.example.App") }
        #expect(more.reduce(16, +) == 64)
    }

    @Test("All devices together have 256 places")
    func inAll() throws {
        var places = StreamPlaces()
        var last = 0
        for _ in 0..<8 {
            let device = DeviceIdentity().id
            for number in 0..<32 {
                let place = places.take(for: device, by: program(number))
                last = try #require(place)
            }
        }
        let tooMany = places.take(for: anna, by: program(100))
        #expect(tooMany == nil)
        places.leave(last)
        let free = places.take(for: anna, by: program(100))
        #expect(free != nil)
    }

    @Test("100,000 pairs of streams, one after the other, leave no place taken")
    func manyTimes() throws {
        var places = StreamPlaces()
        for _ in 0..<100_000 {
            let place = places.take(for: anna, by: program(0))
            places.leave(try #require(place))
        }
        #expect(places.count == 0)
    }
}

extension ServiceTests.HandoverLane {
    /// Tests the same limits with complete services.
    struct StreamLimitTests {
        private func open(_ count: Int, _ continuation: String, on device: Device) async -> [Result<AppEnd, any Error>]
        {
            await withTaskGroup(of: Result<AppEnd, any Error>.self) { group in
                for _ in 0..<count {
                    group.addTask {
                        do { return .success(try await device.openStreams(continuation)) } catch {
                            return .failure(error)
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }

        @Test("A program opens 16 pairs of streams with a device, also at once, and another when one has ended")
        func openedAtOnce() async throws {
            try await World.withPair { anna, berta, clock in
                try await anna.publish("org.example.draw", streams: true)
                let continued = try await berta.takeOver("org.example.draw")
                var ends: [AppEnd] = []
                for _ in 0..<14 {
                    // At most 20 knocks are checked in a second.
                    clock.advance(by: .milliseconds(100))
                    ends.append(try await berta.openStreams(continued.continuation))
                }
                clock.advance(by: .seconds(1))
                for result in await open(6, continued.continuation, on: berta) {
                    switch result {
                    case .success(let end): ends.append(end)
                    case .failure(let error): #expect((error as? BatonError)?.code == .limitReached, "\(error)")
                    }
                }
                #expect(ends.count == 16)
                ends.removeLast().close()
                try await anna.until("its place is free on both sides", after: .traceLine) {
                    let (hers, theirs) = (await anna.service.streams, await berta.service.streams)
                    return hers.placeCount == 15 && theirs.placeCount == 15
                }
                ends.append(try await berta.openStreams(continued.continuation))
                for end in ends { end.close() }
            }
        }
    }
}
