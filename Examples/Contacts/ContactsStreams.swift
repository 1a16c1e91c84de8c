// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writes an archive to a stream, 1,024 bytes at a time, and then ends the stream.
@MainActor
final class ContactsSender: NSObject, @MainActor StreamDelegate {
    private let archive: [UInt8]
    private let output: OutputStream
    private let finished: (ContactsSender, (any Error)?) -> Void
    private var position = 0

    init(_ archive: Data, to output: OutputStream, finished: @escaping (ContactsSender, (any Error)?) -> Void) {
        self.archive = [UInt8](archive)
        self.output = output
        self.finished = finished
    }

    func start() {
        output.delegate = self
        output.schedule(in: .main, forMode: .default)
        output.open()
    }

    func stream(_ stream: Stream, handle event: Stream.Event) {
        switch event {
        case .hasSpaceAvailable:
            // The last write has no bytes: it ends the stream.
            let rest = archive[position...].prefix(1_024)
            let written = rest.withUnsafeBufferPointer { buffer in
                buffer.baseAddress.map { output.write($0, maxLength: buffer.count) } ?? output.write([], maxLength: 0)
            }
            position += max(0, written)
        case .endEncountered: end(nil)
        case .errorOccurred: end(output.streamError ?? CocoaError(.userActivityHandoffFailed))
        default: break
        }
    }

    private func end(_ error: (any Error)?) {
        output.close()
        output.remove(from: .main, forMode: .default)
        finished(self, error)
    }
}

/// Reads an archive from a stream to its end.
@MainActor
final class ContactsReceiver: NSObject, @MainActor StreamDelegate {
    /// The limit for received data, in bytes. It is larger than any list of contacts.
    private static let limit = 64 * 1_024 * 1_024

    private let input: InputStream
    private let finished: (Result<Data, any Error>) -> Void
    private var archive = Data()

    init(_ input: InputStream, finished: @escaping (Result<Data, any Error>) -> Void) {
        self.input = input
        self.finished = finished
    }

    func start() {
        input.delegate = self
        input.schedule(in: .main, forMode: .default)
        input.open()
    }

    func stream(_ stream: Stream, handle event: Stream.Event) {
        switch event {
        case .hasBytesAvailable:
            var buffer = [UInt8](repeating: 0, count: 1_024)
            let count = input.read(&buffer, maxLength: buffer.count)
            if count > 0 { archive.append(buffer, count: count) }
            if archive.count > Self.limit { end(.failure(CocoaError(.userActivityHandoffUserInfoTooLarge))) }
        case .endEncountered: end(.success(archive))
        case .errorOccurred: end(.failure(input.streamError ?? CocoaError(.userActivityHandoffFailed)))
        default: break
        }
    }

    private func end(_ result: Result<Data, any Error>) {
        input.close()
        input.remove(from: .main, forMode: .default)
        finished(result)
    }
}
