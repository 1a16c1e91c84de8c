// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import Diagnosis
import Foundation
import Logging
import Testing

@testable import BatonDesktop

/// Tests the reports about files that could not be read.
@Suite(.timeLimit(.minutes(1))) struct DamagedFilesTests {
    @Test("Each file that could not be read is reported separately, until it is removed")
    func toldUntilRemoved() throws {
        try withDirectory { root in
            let (files, logger) = (DamagedFiles(in: root.path), Logger(label: "test"))
            for name in ["grants", "adapters", "saved"] {
                #expect(files.findings.isEmpty)
                try Data("nonsense".utf8).write(to: root.appending(path: name))
                _ = GrantStore(directory: root.path, logger: logger)
                _ = AdapterStore(directory: root.path, logger: logger)
                _ = SavedStore(directory: root.path, logger: logger)
                let aside = root.appending(path: "\(name).damaged")
                #expect(files.findings.map(\.code) == [FindingCode.fileDamaged.rawValue])
                #expect(files.findings.first?.reason.values == [name: .text(aside.path)])
                try FileManager.default.removeItem(at: aside)
            }
            #expect(files.findings.isEmpty)
        }
    }
}
