// SPDX-License-Identifier: Apache-2.0

package import ActivityModel
package import FoundationEssentials

/// Reads and writes the typed JSON of `--info-json` and `continue --json`.
///
/// Documentation/UserInfoJSON.md specifies the format. Writing loses nothing, because the written
/// document is read back as an equal userInfo.
package enum UserInfoJSON {
    /// The largest document to read, in bytes.
    package static let maximumSize = 1 << 20

    /// The key of an object with a single key, which stands for a value of a type that JSON lacks.
    enum Tag: String, CaseIterable {
        case double = "$double"
        case data = "$data"
        case date = "$date"
        case uuid = "$uuid"
        case url = "$url"
        case set = "$set"
        case dictionary = "$dictionary"
        /// The object inside is an ordinary dictionary, although its only key begins with `$`.
        case object = "$object"
    }

    /// Reads a document that contains a dictionary.
    ///
    /// - Parameter document: UTF-8 JSON of at most ``maximumSize`` bytes.
    /// - Returns: The typed dictionary.
    /// - Throws: ``UserInfoJSONError`` for a document that is not JSON, an unknown tag, malformed
    ///   content, or nesting that is too deep.
    package static func userInfo(parsing document: Data) throws -> UserInfo {
        guard document.count <= maximumSize else {
            throw UserInfoJSONError(path: [], message: "is larger than \(maximumSize) bytes")
        }
        var reader = UserInfoJSONReader()
        guard case .dictionary(let pairs) = try reader.value(try JSONNode(parsing: document)) else {
            throw UserInfoJSONError(path: [], message: "is not an object: userInfo is a dictionary")
        }
        return pairs
    }

    /// Returns the node for a value. Equal values give equal nodes.
    package static func node(_ value: UserInfoValue) -> JSONNode {
        switch value {
        case .null: .null
        case .bool(let value): .bool(value)
        case .int(let value): .int(value)
        case .uint(let value): .uint(value)
        case .double(let value): UserInfoJSONNumber.node(value)
        case .string(let value): .string(value)
        case .data(let value): tagged(.data, .string(value.base64EncodedString()))
        case .date(let value): tagged(.date, UserInfoJSONDate.node(value))
        case .uuid(let value): tagged(.uuid, .string(value.uuidString.lowercased()))
        case .url(let value): tagged(.url, .string(value.absoluteString))
        case .array(let elements): .array(elements.map(node))
        case .set(let elements): tagged(.set, .array(sorted(elements.map(node)) { $0 }))
        case .dictionary(let pairs): node(pairs)
        }
    }

    /// Returns the node for a dictionary. The node is an object if all keys are strings.
    package static func node(_ pairs: UserInfo) -> JSONNode {
        var object: [String: JSONNode] = [:]
        for (key, value) in pairs {
            guard case .string(let name) = key, object.updateValue(node(value), forKey: name) == nil else {
                let list = sorted(pairs.map { (node($0.key), node($0.value)) }) { $0.0 }
                return tagged(.dictionary, .array(list.map { .array([$0.0, $0.1]) }))
            }
        }
        let isLikeTag = object.count == 1 && object.keys.first?.hasPrefix("$") == true
        return isLikeTag ? tagged(.object, .object(object)) : .object(object)
    }

    private static func tagged(_ tag: Tag, _ content: JSONNode) -> JSONNode { .object([tag.rawValue: content]) }

    /// Sorts elements by their canonical text, so that equal sets and dictionaries are written
    /// alike.
    private static func sorted<Element>(_ elements: [Element], by node: (Element) -> JSONNode) -> [Element] {
        elements.map { (text: (try? node($0).text()) ?? "", element: $0) }
            .sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
            .map(\.element)
    }
}
