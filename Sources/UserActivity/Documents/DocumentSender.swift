// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The delegate of a document's activity outside of shared folders: writes the contents to whoever
/// asks for streams.
final class DocumentSender: UserActivityDelegate, Sendable {
    private let contents: @MainActor @Sendable () throws -> Data

    /// A sender.
    ///
    /// - Parameter contents: The document as it is now.
    init(contents: @escaping @MainActor @Sendable () throws -> Data) { self.contents = contents }

    func userActivity(_ userActivity: UserActivity, didReceive inputStream: InputStream, outputStream: OutputStream) {
        nonisolated(unsafe) let output = outputStream
        let contents = contents
        Task { @MainActor in
            // Without contents the stream ends before its header, which the other device takes for
            // a failure.
            guard let data = try? contents() else { return }
            // A thread of its own: a slow link holds up nothing here.
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
