// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writes a document's contents to a device that asks for streams.
///
/// If a document is not in a shared folder, the sender is the delegate of the document's activity.
final class DocumentSender: UserActivityDelegate, Sendable {
    private let contents: @MainActor @Sendable () throws -> Data

    /// Creates a sender.
    ///
    /// - Parameter contents: Returns the document's current contents.
    init(contents: @escaping @MainActor @Sendable () throws -> Data) { self.contents = contents }

    func userActivity(_ userActivity: UserActivity, didReceive inputStream: InputStream, outputStream: OutputStream) {
        nonisolated(unsafe) let output = outputStream
        let contents = contents
        Task { @MainActor in
            // Without contents the stream ends before its header. The other device treats that as a
            // failure.
            guard let data = try? contents() else { return }
            // Write on another thread, so that a slow link does not block the main thread.
            Thread.detachNewThread { Self.write(data, to: output) }
        }
    }

    private static func write(_ data: Data, to output: OutputStream) {
        output.open()
        defer { output.close() }
        var rest = (DocumentStream.header(length: data.count) + data)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBufferPointer { buffer in
                buffer.baseAddress.map { output.write($0, maxLength: buffer.count) } ?? -1
            }
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
        _ = output.write([], maxLength: 0)
    }
}
