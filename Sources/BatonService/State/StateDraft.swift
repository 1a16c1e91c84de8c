// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file beside the state, in which the next state is written before it takes the state's name.
package struct StateDraft: Sendable {
    let path: String
    private let descriptor: OwnedDescriptor

    /// Takes an open file over.
    init(path: String, _ descriptor: Int32) {
        self.path = path
        self.descriptor = OwnedDescriptor(adopting: descriptor)
    }

    /// Writes to the file, which is closed afterwards; once.
    func use(_ body: (_ descriptor: Int32) throws -> Void) throws {
        guard let descriptor = descriptor.take() else {
            throw BatonError(.stateUnusable, "\(path) was written or discarded before; try again")
        }
        defer { close(descriptor) }
        try body(descriptor)
    }

    /// Removes the file, unless it has become the state.
    package func discard() {
        if let descriptor = descriptor.take() { close(descriptor) }
        unlink(path)
    }
}
