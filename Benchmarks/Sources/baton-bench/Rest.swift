// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Waits, and does nothing: what Swift's runtime costs a program that is at rest.
struct Rest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Wait without end")

    func run() async throws {
        try report(["ready": true])
        while true { try await Task.sleep(for: .seconds(3_600)) }
    }
}
