// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import BatonTesting
import BatonTransport
import Diagnosis
import Synchronization
import Testing

@testable import BatonService

extension ServiceTests.PeerLane {
    struct RadioStatusTests {
        @Test("When a radio is switched on later, a listener opens on it, and the beacon has the listener's PSM")
        func switchedOn() async throws {
            try await World.with { world in
                let radio = SwitchedRadio()
                let service = try world.service(radio: radio)
                radio.set(.off)
                try await service.start { _ in }
                for await event in service.events {
                    if case .conditionChanged(let condition) = event, condition.withoutRadio != nil { break }
                }
                #expect(await service.status().radioCondition == "off")
                try await service.createCircle(name: "")
                let error = await #expect(throws: BatonError.self) { try await service.invite() }
                #expect(error?.code == .connectionUnavailable)
                #expect(await service.status().findings.contains(Finding(.adapterOff)))
                let activity = try await service.publish(
                    .init(activityType: "note"), team: "", needsSave: false, client: Device.app)
                try await service.becomeCurrent(activity, client: Device.app)
                try await radio.names(0, service)

                radio.set(.ready)
                try await radio.names(0x80, service)
                #expect(await service.status().endpoints == ["simulated:fake:128"])
                #expect(await service.status().findings.isEmpty)

                // After it was switched off and on, the adapter assigns another PSM.
                radio.set(.off)
                try await radio.names(0, service)
                radio.set(.ready)
                try await radio.names(0x81, service)
                #expect(radio.timesListened == 1)
                await service.stop()
                #expect(radio.payload.value == nil)
            }
        }

        @Test("A problem that stops the service from working is reported only when it changes")
        func conditionIsTold() async throws {
            try await World.with { world in
                let radio = SwitchedRadio()
                let service = try world.service(radio: radio)
                var events = service.events.makeAsyncIterator()
                func next() async -> ServiceCondition? {
                    while let event = await events.next() {
                        if case .conditionChanged(let condition) = event { return condition }
                    }
                    return nil
                }
                radio.set(.off)
                try await service.start { _ in }
                let first = try #require(await next())
                #expect(first.withoutCircle == Finding(.noCircle) && first.withoutRadio == Finding(.adapterOff))
                radio.set(.off)
                try await service.createCircle(name: "")
                let second = try #require(await next())
                #expect(second.withoutCircle == nil && second.withoutRadio == Finding(.adapterOff))
                radio.set(.ready)
                let third = try #require(await next())
                #expect(third.withoutCircle == nil && third.withoutRadio == nil)
                _ = try await service.leaveCircle()
                #expect(try #require(await next()).withoutCircle != nil)
                await service.stop()
                #expect(await next() == nil)
            }
        }

        @Test("With a radio that can never work the start fails, and the state directory is released")
        func neverWorks() async throws {
            try await World.with { world in
                let radio = SwitchedRadio { throw TransportError(.radioUnavailable, "no system bus") }
                for _ in 0..<2 {
                    let service = try world.service(radio: radio)
                    await #expect(throws: TransportError.self) { try await service.start { _ in } }
                }
            }
        }

        @Test(
            "Calls during the start of the service are answered when its listeners are open, or when it ends",
            arguments: [true, false])
        func callsWhileItBegins(opens: Bool) async throws {
            try await World.with { world in
                let (gate, open) = AsyncStream.makeStream(of: Void.self)
                let radio = SwitchedRadio { for await _ in gate {} }
                radio.set(.ready)
                let service = try world.service(radio: radio)
                let start = Task { try await service.start { _ in } }
                let order = Mutex<[String]>([])
                let asked = Task {
                    await service.started()
                    order.withLock { $0.append("answered") }
                }
                // Give a premature answer enough time to arrive.
                for _ in 0..<1_000 { await Task.yield() }
                order.withLock { $0.append("begun") }
                if opens { open.finish() } else { await service.stop() }
                await asked.value
                #expect(order.withLock(\.self) == ["begun", "answered"])
                open.finish()
                try await start.value
                await service.stop()
            }
        }
    }
}

extension SwitchedRadio {
    /// Waits until the beacon has a listener's PSM, or 0 if there is no listener.
    fileprivate func names(_ psm: UInt8, _ service: HandoffService) async throws {
        var former: [UInt8]?
        while true {
            let payload = try await payload.wait("a beacon that names \(psm)") { $0 == former ? nil : $0 }
            if await service.opened(payload)?.beacon.psm == psm { return }
            former = payload
        }
    }
}
