// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Tries the known inputs without libFuzzer. `make fuzz` searches for new inputs.
@Suite("Known inputs of the fuzz targets")
struct FuzzTargetTests {
    /// The directory of the inputs that once broke a rule.
    private static let kept = URL(filePath: #filePath).deletingLastPathComponent().appending(components: "..", "Kept")

    @Test("A valid input is accepted", arguments: FuzzTarget.all.map(\.name))
    func seeds(target name: String) throws {
        let target = try Self.target(name)
        let seeds = try target.seeds()
        #expect(!seeds.isEmpty)
        for seed in seeds { try target.run(seed) }
    }

    @Test("Inputs that once broke a rule are handled correctly", arguments: try inputs())
    func keptInputs(path: String) throws {
        let file = URL(filePath: path)
        let target = try Self.target(file.deletingLastPathComponent().lastPathComponent)
        try target.run([UInt8](Data(contentsOf: file)))
    }

    private static func target(_ name: String) throws -> FuzzTarget {
        try #require(FuzzTarget.all.first { $0.name == name }, "there is no target \(name)")
    }

    /// The paths of all kept inputs.
    private static func inputs() throws -> [String] {
        let files = FileManager.default
        return try files.contentsOfDirectory(atPath: kept.path).flatMap { target in
            let directory = kept.appending(component: target)
            return try files.contentsOfDirectory(atPath: directory.path).map { directory.appending(component: $0).path }
        }
    }
}
