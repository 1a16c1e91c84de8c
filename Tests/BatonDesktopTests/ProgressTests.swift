// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import Foundation
@_spi(Reported) import HandoffModel
import Testing

@testable import BatonDesktop

/// Tests the progress of an offer, which every program on the bus sees.
extension DesktopTests {
    @Test("The steps of a hand-over to an app are reported")
    func stepsOfAHandover() async throws {
        try await withDesktop { desktop, world, _, host in
            try await world.runApp()
            _ = await desktop.offered(offer())
            _ = try await desktop.open("offer-1", options: OpenOptions())
            let notes = OpenedOffer.application(HandoverWorld.identifier)
            #expect(host.progress.value.map(\.phase) == [.fetching, .starting, .delivering, .done])
            #expect(host.progress.value.allSatisfy { $0.offer == "offer-1" && $0.opened == notes && $0.error == nil })
        }
    }

    @Test("The steps of opening a web page are reported")
    func stepsOfAWebPageAreTold() async throws {
        try await withDesktop(browser: "/bin/true") { desktop, _, _, host in
            host.webpage = URL(string: "https://example.org/")
            _ = await desktop.offered(offer(type: nil, hasWebpage: true))
            _ = try await desktop.open("offer-1", options: OpenOptions())
            #expect(host.progress.value.map(\.phase) == [.fetching, .starting, .done])
            #expect(host.progress.value.last?.opened == .webpage("https://example.org/"))
        }
    }

    @Test("A failure and a cancellation are reported with their reason")
    func failureAndCancelling() async throws {
        try await withDesktop { desktop, world, _, host in
            try await world.runApp()
            host.failure = BatonError(.connectionUnavailable, reported: "out of range")
            _ = await desktop.offered(offer())
            _ = try? await desktop.open("offer-1", options: OpenOptions())
            let last = try #require(host.progress.value.last)
            #expect(last.phase == .failed && last.error == host.failure)
            #expect(last.opened == .application(HandoverWorld.identifier))
            host.failure = nil
            host.holdsFetches = true
            let opening = Task { try await desktop.open("offer-1", options: OpenOptions()) }
            try await host.until("it is being opened") { await desktop.openings.count > 0 }
            opening.cancel()
            _ = await opening.result
            #expect(host.progress.value.last?.error?.code == .userCancelled)
        }
    }
}
