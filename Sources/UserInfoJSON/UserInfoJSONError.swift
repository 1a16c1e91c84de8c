// SPDX-License-Identifier: Apache-2.0

/// What is wrong with a userInfo document, and where.
package struct UserInfoJSONError: Error, Hashable, CustomStringConvertible {
    /// One step from a JSON container to what it holds.
    package enum Step: Hashable, Sendable {
        case key(String)
        case index(Int)
    }

    /// The way from the document's top to the fault; empty for the whole document.
    package let path: [Step]
    /// What is wrong, as a sentence without its subject.
    package let message: String

    /// A fault.
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
