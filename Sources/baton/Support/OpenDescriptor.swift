// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A descriptor that stays open as long as somebody holds this: a thread that reads or writes it
/// does, so that its number cannot become another file's meanwhile.
final class OpenDescriptor: Sendable {
    let number: Int32

    private let isOwned: Bool

    /// - Parameter isOwned: whether it is closed at the end; not a standard stream.
    init(_ number: Int32, isOwned: Bool = true) {
        self.number = number
        self.isOwned = isOwned
    }

    deinit { if isOwned { close(number) } }
}
