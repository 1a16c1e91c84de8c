// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import DBus
import Diagnosis
import Testing

@testable import BatonBus

/// Tests that each declared D-Bus method has a route.
@Suite(.timeLimit(.minutes(5)))
struct RouterTests {
    private static let client = ClientID(rawValue: ":1.1")

    /// The methods that a sandboxed program may call. Each addition must be a deliberate decision.
    private static let forEverybody: Set<String> = [
        "Daemon.Status", "Daemon.ExplainErrors", "Activities.Publish", "Activities.Update", "Activities.BecomeCurrent",
        "Activities.ResignCurrent", "Activities.Invalidate", "Activities.TakeStreams", "Activities.CloseStreams",
        "Activities.FollowStreams",
        "Offers.List", "Offers.Continue", "Offers.Accept", "Offers.OpenStreams", "Offers.Cancel", "Saved.Save",
        "Saved.Delete", "Saved.DeleteAll", "Saved.Find",
    ]

    @Test("A sandboxed program may call exactly the methods of this test's list")
    func needs() {
        let methods = BatonBusService.interfaces.flatMap { $0.methods }
        let free = methods.filter { $0.needs == [] }.map(\.fullName)
        #expect(Set(free) == Set(Self.forEverybody.map { "org.batonproject.Baton1." + $0 }))
        #expect(methods.allSatisfy { $0.needs == [] || $0.needs == .managing })
    }

    @Test("No two methods have the same name, and each interface has only its own methods")
    func names() {
        let methods = BatonBusService.interfaces.flatMap { $0.methods }
        #expect(Set(methods.map(\.fullName)).count == methods.count)
        for interface in BatonBusService.interfaces {
            #expect(interface.methods.allSatisfy { $0.interface == interface.name }, "\(interface)")
        }
    }

    @Test("A call without a route gets the router's error after its arguments were checked")
    func otherwise() async throws {
        let otherwise = BatonError(.failed, .unsupported)
        var router = BusRouter(otherwise: otherwise)
        router.on(RulesInterface.list) { _ in ["ask"] }
        func answer(_ method: any BusMethod, _ values: [DBusValue]) async throws -> [DBusValue] {
            try await router.answer(method, values, client: Self.client, admission: .managing)
        }
        #expect(try await answer(RulesInterface.list, []) == [.strings(["ask"])])
        await #expect(throws: otherwise) { try await answer(CircleInterface.rename, [.string("x")]) }
        let unknown = DBusValue.properties(["unheard": .bool(true)])
        let refusal = await #expect(throws: BatonError.self) { try await answer(CircleInterface.pair, [unknown]) }
        #expect(refusal?.code == .invalidArgument)
        #expect(router.unrouted.count > 50 && !router.unrouted.contains("org.batonproject.Baton1.Rules.List"))
    }

    @Test("A client that may not manage the device gets only the part of an answer that it may see")
    func unprivileged() async throws {
        var router = BusRouter(otherwise: BatonError(.failed, .unsupported))
        router.on(DaemonInterface.status) { _ in FakeHandler.status }
        for admission: Admission in [.managing, []] {
            let status = admission == .managing ? FakeHandler.status : FakeHandler.status.forUnprivileged
            let reply = try await router.answer(DaemonInterface.status, [], client: Self.client, admission: admission)
            #expect(try DaemonStatus(bus: reply.first) == status)
        }
    }
    @Test("An app's missing or non-Boolean answer means no, and other missing values are errors")
    func missingValues() throws {
        let answer = ApplicationInterface.willContinue.returns
        #expect(try [[], [.string("yes")], [.bool(false)]].allSatisfy { try !answer.decode($0) })
        #expect(try answer.decode([.bool(true)]))
        #expect(throws: BatonError.self) { try CircleInterface.allow.returns.decode([]) }
    }
}
