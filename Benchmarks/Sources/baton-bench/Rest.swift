// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Waits forever, to measure the cost of Swift's runtime in an idle program.
struct Rest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Wait without end")

    func run() async throws {
        try report(["ready": true])
        while true { try await Task.sleep(for: .seconds(3_600)) }
    }
}
