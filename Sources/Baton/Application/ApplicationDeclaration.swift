// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What an app continues: from its desktop entry, or said by a program that has none.
public struct ApplicationDeclaration: Hashable, Sendable {
    /// The activity types that it continues; `X-Baton-ActivityTypes` in the desktop entry, a list.
    public var activityTypes: [String]
    /// Whose activities it continues, and who continues its; `X-Baton-Team`.
    public var team: String?
    /// The activity types of its documents, by MIME type; `X-Baton-DocumentActivityTypes`, a list of `MIME=TYPE`. Several kinds of documents may
    /// have one activity type.
    public var documentTypes: [String: String]

    /// What a program says of itself.
    public init(activityTypes: [String] = [], team: String? = nil, documentTypes: [String: String] = [:]) {
        self.activityTypes = activityTypes
        self.team = team
        self.documentTypes = documentTypes
    }

    /// All types that it continues; those of documents need not be declared twice.
    public var continuableTypes: [String] {
        activityTypes + Set(documentTypes.values).subtracting(activityTypes).sorted()
    }

    /// Reads a desktop entry.
    ///
    /// - Parameter desktopEntry: The text of the file; only its group `[Desktop Entry]` counts, and there only the keys above. Empty elements of
    ///   lists and document types without `=` are passed over.
    public init(desktopEntry: String) {
        self.init()
        var isInGroup = false
        for line in desktopEntry.split(whereSeparator: \.isNewline) {
            let text = line.trimmingCharacters(in: .whitespaces)
            if text.hasPrefix("[") {
                isInGroup = text == "[Desktop Entry]"
            } else if isInGroup, let equals = text.firstIndex(of: "="), !text.hasPrefix("#") {
                let key = text[..<equals].trimmingCharacters(in: .whitespaces)
                take(key, text[text.index(after: equals)...].trimmingCharacters(in: .whitespaces))
            }
        }
    }

    private mutating func take(_ key: String, _ value: String) {
        let elements = value.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }.filter {
            !$0.isEmpty
        }
        switch key {
        case "X-Baton-ActivityTypes": activityTypes = elements
        case "X-Baton-Team": team = value.isEmpty ? nil : value
        case "X-Baton-DocumentActivityTypes":
            for element in elements {
                guard let equals = element.firstIndex(of: "=") else { continue }
                documentTypes[String(element[..<equals])] = String(element[element.index(after: equals)...])
            }
        default: break
        }
    }
}
