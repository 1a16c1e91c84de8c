// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import BatonTransport
import BlueZTransport
import Foundation
import Logging
import NIOPosix

/// `radio-conformance hci0 hci1`: runs both conformance suites with the real bluetoothd and kernel,
/// between two adapters.
///
/// The program is not a test target, because it runs on machines with adapters but without a
/// toolchain: in the lab, or on hardware. It prints a line for each check, and exits with 0 only if
/// all passed.
@main
struct RadioConformanceProgram {
    static func main() async {
        let adapters = Array(CommandLine.arguments.dropFirst())
        guard adapters.count == 2 else {
            FileHandle.standardError.write(Data("usage: radio-conformance ADAPTER ADAPTER\n".utf8))
            exit(64)
        }
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = .debug
            return handler
        }
        let radios = Radios(first: adapters[0], second: adapters[1])
        var failed = 0
        for check in ChannelTransportConformance.checks {
            failed += await failures(of: check.rawValue) { try await radios.run(check) }
        }
        for check in RadioConformance.checks {
            failed += await failures(of: check.rawValue) { try await radios.run(check) }
        }
        print("checks: \(ChannelTransportConformance.checks.count + RadioConformance.checks.count), failed: \(failed)")
        exit(failed == 0 ? 0 : 1)
    }

    /// Runs a check, and returns the number of failures: 0 or 1.
    private static func failures(of name: String, _ check: @Sendable () async throws -> Void) async -> Int {
        let clock = ContinuousClock()
        let begun = clock.now
        do {
            try await check()
            say("passed \(name) \(clock.now - begun)")
            return 0
        } catch {
            say("FAILED \(name) \(clock.now - begun): \(error)")
            return 1
        }
    }
}

/// Prints a line at once, so that it is not lost if the program crashes.
private func say(_ line: String) {
    print(line)
    fflush(nil)
}

/// Two adapters that hear each other.
private struct Radios: Sendable {
    let first: String
    let second: String

    func run(_ check: ChannelTransportConformance.Check) async throws {
        let suite = ChannelTransportConformance(
            limit: .seconds(240), connectLimit: .seconds(30), channelCount: 16
        ) {
            let (listening, dialling) = (radio(first), radio(second))
            try await listening.start()
            try await dialling.start()
            try await listening.advertise([1])
            for await event in dialling.events() {
                if case .sighted = event { break }
            }
            return ChannelTransportConformance.Ends(
                listening: listening, dialling: dialling,
                nobody: Endpoint(transport: .l2cap, address: "C0:FF:EE:00:00:01/random", port: 0x80)
            ) {
                await listening.stop()
                await dialling.stop()
            }
        }
        try await suite.run(check)
    }

    func run(_ check: RadioConformance.Check) async throws {
        let limits = RadioConformance.Limits(sighted: .seconds(60), lost: .seconds(120), connected: .seconds(60))
        try await RadioConformance(limits: limits) {
            RadioConformance.Pair(first: radio(first), second: radio(second))
        }.run(check)
    }

    private func radio(_ adapter: String) -> BlueZRadio {
        BlueZRadio(
            configuration: BlueZConfiguration(adapter: adapter), group: MultiThreadedEventLoopGroup.singleton,
            logger: Logger(label: adapter))
    }
}
