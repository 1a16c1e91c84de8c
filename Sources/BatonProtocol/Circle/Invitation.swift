// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import SwiftProtobuf

/// An invitation from a member to a new device: a one-time secret and the member's addresses.
///
/// An invitation works once, for ten minutes, while the inviter's daemon runs. The invitation
/// contains none of the circle's keys. Source: `Documentation/Protocol/Circle.md`, "Invitation".
public struct Invitation: Hashable, Sendable {
    /// The secret of 16 bytes, for one use.
    public let secret: [UInt8]
    /// SHA-256 of the inviter's certificate key.
    public let certificatePin: [UInt8]
    /// The circle to join.
    public let circle: CircleID
    /// The inviter's name, for display.
    public let inviterName: String
    /// The Unix second at which the invitation expires.
    public let expires: Int64
    /// The addresses of the inviter, the best first; at most ``maximumEndpoints``.
    public let endpoints: [Endpoint]

    /// The lifetime of an invitation, in seconds.
    public static let lifetime: Int64 = 600
    /// The maximum number of endpoints.
    public static let maximumEndpoints = 16
    /// The maximum length of an invitation's text, in bytes.
    public static let maximumTextLength = 8_192

    private static let name = "baton-invitation-"
    private static let prefix = name + "1:"
    /// The version of the data after the prefix, and of the protocol for joining.
    private static let version: UInt32 = 2

    /// Creates a new invitation from a device.
    public init(
        from keys: DeviceKeys, name: String, to circle: CircleID, at unixTime: Int64, endpoints: [Endpoint]
    ) {
        secret = SymmetricKey(size: .bits128).withUnsafeBytes(Array.init)
        certificatePin = keys.certificatePin
        self.circle = circle
        inviterName = name
        expires = unixTime + Self.lifetime
        self.endpoints = Array(endpoints.prefix(Self.maximumEndpoints))
    }

    /// Reads an invitation from the text of a file.
    ///
    /// - Throws: ``CircleError`` when the text is malformed, or expired at `unixTime`.
    public init(text: String, at unixTime: Int64) throws {
        let line = Self.trimmed(text)
        if Self.isOfOtherForm(line) { throw Self.otherVersion }
        guard text.utf8.count <= Self.maximumTextLength, line.hasPrefix(Self.prefix),
            let encoded = Data(base64Encoded: String(line.dropFirst(Self.prefix.count))),
            let message = try? WireInvitation(serializedBytes: encoded), message.version > 0
        else { throw Self.malformed }
        guard message.version == Self.version else { throw Self.otherVersion }
        guard message.secret.count == 16, message.certificatePin.count == 32,
            let circle = CircleID(bytes: message.circle), Member.isValidName(message.inviterName),
            (1...Self.maximumEndpoints).contains(message.endpoints.count)
        else { throw Self.malformed }
        secret = Array(message.secret)
        certificatePin = Array(message.certificatePin)
        self.circle = circle
        inviterName = message.inviterName
        expires = message.expires
        endpoints = message.endpoints.compactMap(Endpoint.init)
        guard unixTime < expires else {
            throw CircleError(code: .expired, message: "the invitation is over, at \(unixTime)")
        }
    }

    private static func trimmed(_ text: String) -> Substring {
        guard let first = text.firstIndex(where: { !$0.isWhitespace }),
            let last = text.lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return text[first...last]
    }

    /// Returns whether a text begins like an invitation from another version of Baton.
    private static func isOfOtherForm(_ line: Substring) -> Bool {
        let number = line.dropFirst(name.count).prefix { ("0"..."9").contains($0) }
        return line.hasPrefix(name) && !line.hasPrefix(prefix) && (1...4).contains(number.count)
            && line.dropFirst(name.count + number.count).hasPrefix(":")
    }

    /// The error for an invitation that was made by another version of Baton.
    public static let otherVersion = CircleError(
        code: .malformed, message: "the invitation was made by another version of Baton")

    private static var malformed: CircleError { .malformed("invitation") }

    /// Returns the text for a file, in one line.
    public func text() throws -> String {
        var message = WireInvitation()
        message.version = Self.version
        message.secret = Data(secret)
        message.certificatePin = Data(certificatePin)
        message.circle = Data(circle.bytes)
        message.inviterName = inviterName
        message.expires = expires
        message.endpoints = endpoints.map(\.message)
        return Self.prefix + (try message.serializedData() as Data).base64EncodedString() + "\n"
    }
}

extension Invitation: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A description without the secret.
    public var description: String { "invitation to circle \(circle) by \(inviterName)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Hides the secret from `dump` and from failed tests.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Endpoint {
    init?(_ message: WireInvitationAddress) {
        guard let transport = TransportKind(rawValue: message.transport), message.address.utf8.count <= 128,
            let port = UInt16(exactly: message.port),
            !EndpointRecord(transport: message.transport, address: message.address, port: port).namesInterface
        else { return nil }
        self.init(transport: transport, address: message.address, port: port)
    }

    var message: WireInvitationAddress {
        var message = WireInvitationAddress()
        message.transport = transport.rawValue
        message.address = address
        message.port = UInt32(port)
        return message
    }
}
