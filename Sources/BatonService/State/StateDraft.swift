// SPDX-License-Identifier: Apache-2.0

import Diagnosis
import Glibc

/// A file beside the state file. The next state is written there before it takes the state file's
/// name.
package struct StateDraft: Sendable {
    let path: String
    private let descriptor: OwnedDescriptor

    /// Creates a draft that owns an open file.
    init(path: String, _ descriptor: Int32) {
        self.path = path
        self.descriptor = OwnedDescriptor(adopting: descriptor)
    }

    /// Passes the file to a function that writes to it, then closes it. Works once.
    func use(_ body: (_ descriptor: Int32) throws -> Void) throws {
        guard let descriptor = descriptor.take() else {
            throw BatonError(.stateUnusable, .stateUsedUp, ["path": .text(path)])
        }
        defer { close(descriptor) }
        try body(descriptor)
    }

    /// Removes the file, unless it has become the state file.
    package func discard() {
        if let descriptor = descriptor.take() { close(descriptor) }
        unlink(path)
    }
}
