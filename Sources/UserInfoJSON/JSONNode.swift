// SPDX-License-Identifier: Apache-2.0

import ActivityModel
package import FoundationEssentials

/// A value in a JSON document. Numbers are integers if they fit into 64 bits.
package indirect enum JSONNode: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case uint(UInt64)
    case double(Double)
    case string(String)
    case array([JSONNode])
    case object([String: JSONNode])

    /// Reads a document.
    ///
    /// - Parameter document: UTF-8 text.
    /// - Throws: ``UserInfoJSONError`` when the document is not JSON, or a number is out of a
    ///   double's range.
    package init(parsing document: Data) throws {
        try JSONGrammar.check(document)
        do {
            self = try JSONDecoder().decode(JSONNode.self, from: document)
        } catch let error as DecodingError {
            throw UserInfoJSONError(path: [], message: "cannot be read: \(error)")
        }
    }

    /// Returns the canonical text, in which keys are sorted. The text has no white space unless
    /// `pretty` is true.
    ///
    /// Invisible characters are escaped, as in `\u009b`.
    ///
    /// - Parameter pretty: Whether to indent the text for people.
    /// - Returns: UTF-8 text without a newline at its end.
    /// - Throws: An error for a double that JSON cannot express.
    package func text(pretty: Bool = false) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        // The encoder escapes only what JSON requires. Other control characters, which may change a
        // terminal, are escaped here. Line ends in the encoder's output are never part of a string.
        let text = String(decoding: try encoder.encode(self), as: UTF8.self)
            // Remove the line breaks that the pretty printer adds inside empty containers.
            .replacing(/\[\n\s*\]/, with: "[]").replacing(/\{\n\s*\}/, with: "{}")
        return VisibleText.replacing(text) { scalar in
            guard scalar != "\n" else { return "\n" }
            return String(scalar).utf16.map { "\\u" + $0.hexadecimal() }.joined()
        }
    }
}

extension JSONNode: Codable {
    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package init(from decoder: any Decoder) throws {
        if let scalar = try? decoder.singleValueContainer(), let node = Self.scalar(scalar) {
            self = node
        } else if var elements = try? decoder.unkeyedContainer() {
            var nodes: [JSONNode] = []
            while !elements.isAtEnd { nodes.append(try elements.decode(JSONNode.self)) }
            self = .array(nodes)
        } else if let pairs = try? decoder.container(keyedBy: Key.self) {
            self = .object(
                Dictionary(
                    try pairs.allKeys.map { ($0.stringValue, try pairs.decode(JSONNode.self, forKey: $0)) },
                    uniquingKeysWith: { _, last in last }))
        } else {
            throw UserInfoJSONError(
                path: decoder.codingPath.map { $0.intValue.map { .index($0) } ?? .key($0.stringValue) },
                message: Self.isString(decoder)
                    ? "is a string that is not Unicode" : "is a number beyond the range of a double")
        }
    }

    /// Returns whether a value that cannot be decoded is a string.
    private static func isString(_ decoder: any Decoder) -> Bool {
        do {
            _ = try decoder.singleValueContainer().decode(String.self)
        } catch DecodingError.typeMismatch {
            return false
        } catch {}
        return true
    }

    private static func scalar(_ container: any SingleValueDecodingContainer) -> JSONNode? {
        if let value = try? container.decode(String.self) { return .string(value) }
        if let value = try? container.decode(Int64.self) { return .int(value) }
        // Some integers with a zero fraction fit into Int64, but the decoder accepts them only as
        // UInt64.
        if let value = try? container.decode(UInt64.self) {
            return Int64(exactly: value).map { .int($0) } ?? .uint(value)
        }
        if let value = try? container.decode(Double.self) { return .double(value) }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        return container.decodeNil() ? .null : nil
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .uint(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let elements): try container.encode(elements)
        case .object(let pairs): try container.encode(pairs)
        }
    }
}
