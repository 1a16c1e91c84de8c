// SPDX-License-Identifier: Apache-2.0

import Foundation
import SwiftProtobuf

/// A signed, permanent sentence about who belongs to a circle.
///
/// The body is kept as it was signed, byte for byte. Source: `Documentation/Protocol/Circle.md`, "Statements".
public struct Statement: Hashable, Sendable {
    let body: [UInt8]
    let signature: [UInt8]
    let signer: DeviceID
    let added: Member

    static let maximumBodyLength = 1_024
    private static let label = Array("baton statement 1".utf8)

    /// Device `signer` takes a device in.
    init(adding member: Member, to circle: CircleID, by signer: DeviceIdentity) throws {
        var add = WireAdd()
        add.keys = member.keys.message
        add.name = member.name
        var message = WireStatementBody()
        message.signer = Data(signer.id.bytes)
        message.add = add
        body = Array(try message.serializedData() as Data)
        signature = try signer.signature(for: Self.label + circle.bytes + body)
        self.signer = signer.id
        added = member
    }

    /// A statement as received; its signature is judged by ``isSigned(with:in:)``, once the signer's key is known.
    init(_ message: WireStatement) throws {
        guard message.body.count <= Self.maximumBodyLength, message.signature.count == 64,
            let body = try? WireStatementBody(serializedBytes: message.body),
            let signer = DeviceID(bytes: body.signer), case .add(let add)? = body.kind
        else { throw CircleError.malformed("statement") }
        self.body = Array(message.body)
        signature = Array(message.signature)
        self.signer = signer
        added = try Member(keys: DeviceKeys(add.keys), name: add.name)
    }

    func isSigned(with keys: DeviceKeys, in circle: CircleID) -> Bool {
        keys.id == signer && keys.isSignature(signature, of: Self.label + circle.bytes + body)
    }

    var message: WireStatement {
        var message = WireStatement()
        message.body = Data(body)
        message.signature = Data(signature)
        return message
    }
}

/// A device that belongs to a circle, with the name it had when it was taken in.
public struct Member: Hashable, Sendable {
    /// Its public keys.
    public let keys: DeviceKeys
    /// What its user calls it: 1 to 63 UTF-8 bytes without control characters.
    public let name: String

    /// The longest name, in UTF-8 bytes.
    public static let maximumNameLength = 63

    /// A device with a name.
    ///
    /// - Throws: ``CircleError`` for a name that is empty, too long or has control characters.
    public init(keys: DeviceKeys, name: String) throws {
        guard Self.isValidName(name) else { throw CircleError.malformed("device name") }
        self.keys = keys
        self.name = name
    }

    /// Whether a name may be shown as it is.
    public static func isValidName(_ name: String) -> Bool {
        (1...maximumNameLength).contains(name.utf8.count)
            && !name.unicodeScalars.contains { $0.properties.generalCategory.isInvisible }
            && name.unicodeScalars.contains { scalar in
                !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint
            }
    }
}

extension Unicode.GeneralCategory {
    /// Controls, format characters (bidirectional overrides among them), separators of lines, and unassigned code points.
    fileprivate var isInvisible: Bool {
        switch self {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}
