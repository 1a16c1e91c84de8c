// SPDX-License-Identifier: GPL-3.0-or-later

import BatonBus
import BatonProtocol
import BatonService
import BatonTesting
import Logging
import Testing

@testable import batond

/// Tests the limit on log lines that other devices and programs can cause.
@Suite(.timeLimit(.minutes(3))) struct LineLimitTests {
    private let clock = ManualClock()
    private let lines = Watched<[String]>([])

    private var logger: Logger {
        let limiter = LineLimiter(clock: clock)
        let handler = ClosureLogHandler { [lines] event in lines.change { $0.append("\(event.message)") } }
        var logger = Logger(label: "t") { _ in LimitingLogHandler(handler, limiter) }
        logger.logLevel = .debug
        return logger
    }

    private func count(_ part: String) -> Int { lines.value.count { $0.hasPrefix(part) } }

    private func report(_ number: Int = 1) async throws -> String {
        try await lines.wait("the number of lines left out") { lines in
            lines.filter { $0.hasPrefix("left out") }.dropFirst(number - 1).first
        }
    }

    @Test("Ten lines about a device are written, and then one line in ten minutes with the number of omitted lines")
    func linesOfOneDevice() async throws {
        let logger = logger
        for _ in 0..<6_000 { logger.notice("clock", metadata: [LogMetadata.cause: "0a1b2c3d"]) }
        #expect(count("clock") == 10)
        logger.notice("other", metadata: [LogMetadata.cause: "11111111"])
        logger.error("own")
        logger.debug("small", metadata: [LogMetadata.cause: "0a1b2c3d"])
        #expect(count("other") == 1 && count("own") == 1 && count("small") == 1, "these are not left out")
        clock.advance(by: LineAllowance.countingTime)
        #expect(try await report() == "left out 5990 lines like those above, which others cause: 5990 of 0a1b2c3d")
        for _ in 0..<2 { logger.notice("clock", metadata: [LogMetadata.cause: "0a1b2c3d"]) }
        #expect(count("clock") == 11)
        clock.advance(by: LineAllowance.countingTime)
        #expect(try await report(2) == "left out 1 lines like those above, which others cause: 1 of 0a1b2c3d")
    }

    @Test("All devices together have a limit too, and one line says how many lines were dropped")
    func linesOfMany() async throws {
        let logger = logger
        for device in 0..<120 {
            for _ in 0...device { logger.notice("clock", metadata: [LogMetadata.cause: "device \(device)"]) }
        }
        #expect(count("clock") == LineAllowance.ofAll.burst)
        clock.advance(by: LineAllowance.ofAll.interval)
        for _ in 0..<2 { logger.notice("clock", metadata: [LogMetadata.cause: "another"]) }
        #expect(count("clock") == LineAllowance.ofAll.burst + 1)
        clock.advance(by: LineAllowance.countingTime)
        let report = try await report()
        #expect(report.hasPrefix("left out 7201 lines") && report.contains(": 120 of device 119, 119 of device 118, "))
        #expect(report.contains(", the others of "))
    }
}
