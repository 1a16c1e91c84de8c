// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import DBus
import Diagnosis
import Foundation
import HandoffModel
import Synchronization
import Testing

@testable import BatonBus

/// Tests the limits on the rate of a program's calls.
@Suite(.timeLimit(.minutes(1)))
struct CallRateTests {
    private static let flood = ClientID(rawValue: ":1.1")
    private static let other = ClientID(rawValue: ":1.2")
    private static let burst = Int(CallRates().burst)
    private static let rate = Int(CallRates().perSecond)

    private var rates = CallRates()

    /// Makes several calls at one time, and returns how many were answered.
    private mutating func answered(_ client: ClientID, _ calls: Int, at uptime: Duration) -> Int {
        var answered = 0
        for _ in 0..<calls where rates.take(client, at: uptime) { answered += 1 }
        return answered
    }

    /// Makes the first call of a connection of an app. Returns whether it is admitted.
    private mutating func connect(_ name: String, of app: String) -> Bool {
        let client = ClientID(rawValue: name)
        return rates.take(client, at: .zero) && rates.identify(client, as: app, at: .zero)
    }

    @Test(
        "A connection may make a burst of calls, then calls at a fixed rate, and a pause does not increase the burst")
    mutating func burstThenRate() {
        let seconds: [Double] = [1, 2, 2.5, 10_000]
        let found = seconds.map { answered(Self.flood, 5_000, at: .seconds($0)) }
        #expect(found == [Self.burst, Self.rate, Self.rate / 2, Self.burst])
        let others = answered(Self.other, 1, at: .seconds(10_000))
        #expect(others == 1)
    }

    @Test("The connections of an app share its tokens, including new connections")
    mutating func connectionsOfAnAppShare() {
        let names = (10..<20).map { ":1.\($0)" }
        let areIn = names.map { connect($0, of: "org.example.Flood") }
        #expect(areIn.allSatisfy { $0 })
        let all = names.map { answered(ClientID(rawValue: $0), 1_000, at: .zero) }.reduce(0, +)
        #expect(all == Self.burst - names.count)
        let late = connect(":1.99", of: "org.example.Flood")
        #expect(!late)
        let another = connect(":1.100", of: "org.example.Calm")
        #expect(another)
    }

    @Test("A large call costs the connection and its app as much as many small ones")
    mutating func largeCallsCostMore() {
        _ = connect(":1.10", of: "org.example.Flood")
        _ = connect(":1.11", of: "org.example.Flood")
        let large = ClientID(rawValue: ":1.10")
        var answered = 0
        while rates.take(large, at: .zero) {
            answered += 1
            rates.charge(large, size: 100 * CallRates.valuesPerToken)
        }
        #expect(answered == 10)
        let byAnother = rates.take(ClientID(rawValue: ":1.11"), at: .zero)
        #expect(!byAnother)
        let soon = rates.take(large, at: .seconds(2))
        #expect(soon)
        // Charging a client that has made no call has no effect.
        rates.charge(Self.other, size: 1_000_000)
        let small = self.answered(Self.other, 5_000, at: .seconds(2))
        #expect(small == Self.burst)
    }

    @Test("A message's values are charged to its program, even if the message is refused")
    func largeCallsAreCharged() async throws {
        try await Ends.with { ends in
            // Refill no tokens.
            ends.service.rates.withLock { $0 = CallRates(perSecond: 0, burst: 250) }
            let flood = try await DBusConnection.open(address: ends.bus.address)
            let count = 100 * CallRates.valuesPerToken
            let large = DBusValue.array(elementSignature: "b", Array(repeating: .bool(true), count: count))
            var names: [String] = []
            for _ in 0..<5 {
                do {
                    _ = try await flood.call(
                        destination: BatonBusName.bus, path: BatonBusName.path, interface: BatonBusName.activities,
                        member: "Publish",
                        arguments: [.string("t"), .properties(["userInfo": .properties(["k": large])])])
                } catch let error as DBusError {
                    names.append(error.name.split(separator: ".").last.map(String.init) ?? "")
                }
            }
            #expect(names == ["InvalidArgument", "InvalidArgument", "InvalidArgument", "LimitReached", "LimitReached"])
            _ = try await ends.client.status()
            flood.close()
        }
    }

    @Test("Closed connections are forgotten, and so is their app once its tokens are refilled")
    mutating func departuresAreForgotten() {
        let names = (0..<100).map { ":2.\($0)" }
        for (number, name) in names.enumerated() { _ = connect(name, of: "org.example.\(number % 10)") }
        #expect(rates.count == 210)
        for name in names { rates.leave(ClientID(rawValue: name), at: .seconds(1)) }
        #expect(rates.count == 0)
        // A client that leaves before it is identified is not remembered either.
        _ = rates.identify(Self.other, as: "org.example.App", at: .zero)
        #expect(rates.count == 0)
    }

    @Test("A flooding app is refused with the reason, while another is served, and is served again after a pause")
    func floodingAppIsRefused() async throws {
        try await Ends.with { ends in
            // Set a rate that is so low that any machine is faster.
            ends.service.rates.withLock { $0 = CallRates(perSecond: 1, burst: 200) }
            let flooder = try await DBusConnection.open(address: ends.bus.address)
            @Sendable func call(_ member: String) async -> DBusError? {
                do {
                    try await flooder.call(
                        destination: BatonBusName.bus, path: BatonBusName.path, interface: BatonBusName.activities,
                        member: member, arguments: [.string("a")])
                    return nil
                } catch { return error as? DBusError ?? DBusError(name: "\(error)", message: "") }
            }
            var refusal: DBusError?
            while refusal == nil {
                // The calls are below the limit of simultaneous calls, so that limit does not cause
                // the refusal.
                refusal = await withTaskGroup(of: DBusError?.self) { group in
                    for _ in 0..<100 { group.addTask { await call("BecomeCurrent") } }
                    return await group.reduce(nil) { $0 ?? $1 }
                }
            }
            #expect(refusal?.name == "org.batonproject.Baton1.Error.LimitReached")
            #expect(refusal?.message == BatonError(.limitReached, .tooManyCalls).message)
            try await ends.client.becomeCurrent(activity: "served")
            #expect(try await ends.client.status() == FakeHandler.status)
            #expect(ends.handler.calls.last == "current served")
            while await call("ResignCurrent") != nil {}
            #expect(ends.handler.calls.last == "resign a")
            flooder.close()
        }
    }
}
