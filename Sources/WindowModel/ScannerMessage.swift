// SPDX-License-Identifier: Apache-2.0

/// A message of `baton-camera`, the program that uses the camera for the window.
///
/// The program decodes whatever somebody holds in front of the camera. So its messages are limited
/// and checked as if a stranger had sent them.
public enum ScannerMessage: Hashable, Sendable {
    /// A grey picture of ``width`` times ``height`` bytes, row by row from the top.
    case picture([UInt8])
    /// The text of a QR code. It is the last message.
    case code(String)
    /// The reason why no code was read. It is the last message.
    case ended(ScanFailure)

    /// The width of a picture, in pixels.
    public static let width = 320
    /// The height of a picture, in pixels.
    public static let height = 240
    /// The length of a message's header, in bytes: a letter and the length of the contents.
    public static let headerLength = 5

    /// The longest text that a QR code can hold, in bytes (ISO/IEC 18004).
    private static let longestCode = 2_953
    /// The maximum length of the word that names a reason, in bytes.
    private static let longestWord = 16

    private enum Kind: UInt8 {
        case picture = 0x50  // P
        case code = 0x43  // C
        case ended = 0x45  // E

        /// The allowed lengths of the contents.
        var lengths: ClosedRange<Int> {
            switch self {
            case .picture: ScannerMessage.width * ScannerMessage.height...ScannerMessage.width * ScannerMessage.height
            case .code: 1...ScannerMessage.longestCode
            case .ended: 1...ScannerMessage.longestWord
            }
        }
    }

    /// Returns the length of the contents that follow a header. Returns nil if no message has this
    /// header.
    public static func contentLength(after header: [UInt8]) -> Int? {
        guard header.count == headerLength, let kind = Kind(rawValue: header[0]) else { return nil }
        let length = header.dropFirst().reduce(0) { $0 << 8 | Int($1) }
        return kind.lengths.contains(length) ? length : nil
    }

    /// Creates a message from its header and its contents. Returns nil if there is no such message.
    public init?(header: [UInt8], contents: [UInt8]) {
        guard Self.contentLength(after: header) == contents.count, let kind = Kind(rawValue: header[0]) else {
            return nil
        }
        switch kind {
        case .picture: self = .picture(contents)
        // D-Bus cannot carry NUL. Replace it, so that the daemon refuses the code like any
        // other wrong code.
        case .code: self = .code(String(decoding: contents.map { $0 == 0 ? 0xFF : $0 }, as: UTF8.self))
        case .ended: self = .ended(ScanFailure(rawValue: String(decoding: contents, as: UTF8.self)) ?? .failed)
        }
    }
}

/// The reason why the camera read no code. The raw values are the words that `baton-camera` writes.
public enum ScanFailure: String, Error, Hashable, CaseIterable, Sendable {
    /// This computer has no camera.
    case noCamera = "none"
    /// Another app uses the camera.
    case busy
    /// The camera was there, and then no longer.
    case gone
    /// There was no code for two minutes.
    case late
    /// The camera, or the program, does not answer.
    case silent
    /// The scan failed for another reason.
    case failed
}
