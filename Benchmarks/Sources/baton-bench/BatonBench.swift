// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// The parts of the benchmarks that need Swift. Benchmarks/run calls this program.
@main
struct BatonBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "baton-bench",
        subcommands: [Beacons.self, ContinueOffers.self, Rest.self, TLSServe.self, TLSRequest.self])
}

/// Prints one line of JSON to standard output, unbuffered because the caller reads a pipe.
func report(_ values: [String: any Sendable]) throws {
    let line = try JSONSerialization.data(withJSONObject: values, options: [.sortedKeys])
    FileHandle.standardOutput.write(line + Data("\n".utf8))
}

/// A failed benchmark, with the reason in one line.
struct BenchFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension Duration {
    var milliseconds: Double { self / .milliseconds(1) }
    var seconds: Double { self / .seconds(1) }
}
