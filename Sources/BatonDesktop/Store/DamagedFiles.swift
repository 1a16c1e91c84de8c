// SPDX-License-Identifier: Apache-2.0

public import Diagnosis
import Glibc

/// The files of the desktop side that were put aside because they could not be read. Each one is
/// reported until the user has removed it.
public struct DamagedFiles: Sendable {
    private let directory: String

    /// Creates a value for the files in a directory.
    ///
    /// - Parameter directory: The state directory.
    public init(in directory: String) { self.directory = directory }

    /// One finding for each file.
    public var findings: [Finding] {
        let files = [
            (GrantStore.fileName, "grants", "baton grants"), (AdapterStore.fileName, "adapters", "baton adapters"),
            (SavedStore.fileName, "saved", nil),
        ]
        return files.compactMap { name, place, command in
            let path = "\(directory)/\(name)\(PrivateFile.damagedSuffix)"
            guard access(path, F_OK) == 0 else { return nil }
            return Finding(.fileDamaged, [place: .text(path)], command: command)
        }
    }
}
