// SPDX-License-Identifier: GPL-3.0-or-later

public import Foundation

/// Functions that read on a separate thread.
///
/// All tests of a process share one thread per core. If reads blocked these threads, two tests that
/// wait for each other could wait forever.
extension FileHandle {
    /// Returns up to `count` bytes as soon as there are any, or empty data at the end.
    public func upcoming(_ count: Int) async throws -> Data {
        try await reading { try $0.read(upToCount: count) }
    }

    /// Returns all bytes up to the end.
    public func allUpcoming() async throws -> Data { try await reading { try $0.readToEnd() } }

    private func reading(_ read: @escaping @Sendable (FileHandle) throws -> Data?) async throws -> Data {
        try await withCheckedThrowingContinuation { waiting in
            Thread.detachNewThread { waiting.resume(with: Result { try read(self) ?? Data() }) }
        }
    }
}
