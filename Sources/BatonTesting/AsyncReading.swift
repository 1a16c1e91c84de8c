// SPDX-License-Identifier: GPL-3.0-or-later

public import Foundation

/// Reads that wait on a thread of their own: all tests of a process share one for each core, and
/// two that wait there for what a third is to do wait forever.
extension FileHandle {
    /// At most so many bytes, as soon as there are any; none at the end.
    public func upcoming(_ count: Int) async throws -> Data {
        try await reading { try $0.read(upToCount: count) }
    }

    /// All that comes until the end.
    public func allUpcoming() async throws -> Data { try await reading { try $0.readToEnd() } }

    private func reading(_ read: @escaping @Sendable (FileHandle) throws -> Data?) async throws -> Data {
        try await withCheckedThrowingContinuation { waiting in
            Thread.detachNewThread { waiting.resume(with: Result { try read(self) ?? Data() }) }
        }
    }
}
