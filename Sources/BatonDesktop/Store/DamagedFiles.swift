// SPDX-License-Identifier: Apache-2.0

public import Diagnosis
import Glibc

/// The files of the desktop side that were put aside because they could not be read. Each one is
/// reported until the user has removed it.
public struct DamagedFiles: Sendable {
    private let directory: String

    /// - Parameter directory: The state directory.
    public init(in directory: String) { self.directory = directory }

    /// One finding for each file.
    public var findings: [Finding] {
        let files: [(String, contents: String, command: String?)] = [
            (GrantStore.fileName, "what sandboxed apps are allowed", "baton grants"),
            (AdapterStore.fileName, "which adapters are allowed", "baton adapters"),
            (SavedStore.fileName, "what apps have saved for searches", nil),
        ]
        return files.compactMap { name, contents, command in
            let path = "\(directory)/\(name)\(PrivateFile.damagedSuffix)"
            guard access(path, F_OK) == 0 else { return nil }
            return Finding(
                .fileDamaged,
                "\(contents) could not be read, and was begun anew: what there was is in \(path); remove that file once you have seen to it",
                command: command)
        }
    }
}
