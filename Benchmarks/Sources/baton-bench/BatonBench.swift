// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// What the benchmarks need to do in Swift; Benchmarks/run is who calls it.
@main
struct BatonBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "baton-bench",
        subcommands: [Beacons.self, ContinueOffers.self, Rest.self, TLSServe.self, TLSRequest.self])
}

/// One line of JSON on standard output, at once: the caller reads it over a pipe.
func report(_ values: [String: any Sendable]) throws {
    let line = try JSONSerialization.data(withJSONObject: values, options: [.sortedKeys])
    FileHandle.standardOutput.write(line + Data("\n".utf8))
}

/// What did not work, in one line.
struct BenchFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension Duration {
    var milliseconds: Double { self / .milliseconds(1) }
    var seconds: Double { self / .seconds(1) }
}
