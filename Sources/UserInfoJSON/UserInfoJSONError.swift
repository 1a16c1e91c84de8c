// SPDX-License-Identifier: Apache-2.0

/// A fault in a userInfo document, and its place.
package struct UserInfoJSONError: Error, Hashable, CustomStringConvertible {
    /// One step from a JSON container to one of its values.
    package enum Step: Hashable, Sendable {
        case key(String)
        case index(Int)
    }

    /// The steps from the document's top to the fault. There are no steps if the whole document is
    /// at fault.
    package let path: [Step]
    /// A description of the fault, as a sentence without its subject: "is a string that is not
    /// Unicode".
    package let message: String

    /// Creates a fault at a place.
    package init(path: [Step], message: String) {
        self.path = path
        self.message = message
    }

    package var description: String {
        let place = path.reduce(into: "") { text, step in
            switch step {
            case .key(let key): text += "[\"\(key)\"]"
            case .index(let index): text += "[\(index)]"
            }
        }
        return (place.isEmpty ? "the document " : "the value at \(place) ") + message
    }
}
