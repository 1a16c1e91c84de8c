// SPDX-License-Identifier: Apache-2.0

/// A key file: groups of `key=value` lines, the syntax of desktop entries.
///
/// Source: Desktop Entry Specification 1.5, "Basic format of the file". What is no such line is
/// passed over, for one bad line must not take an app away.
package struct KeyFile {
    private var groups: [String: [String: String]] = [:]

    /// Reads a file's text. Of a group or a key that is there twice, the first counts.
    package init(_ text: String) {
        var group: String?
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmingSpaces()
            if line.hasPrefix("#") { continue }
            if line.hasPrefix("["), line.hasSuffix("]") {
                let name = String(line.dropFirst().dropLast())
                // A second group of a name is no part of the first.
                group = groups[name] == nil ? name : nil
                if let group { groups[group] = [:] }
            } else if let group, let equals = line.firstIndex(of: "=") {
                let key = String(line[..<equals].trimmingSpaces())
                if groups[group]?[key] == nil {
                    groups[group]?[key] = String(line[line.index(after: equals)...].trimmingSpaces())
                }
            }
        }
    }

    /// The value as it stands in the file; nil when there is none.
    package func raw(_ key: String, in group: String) -> String? { groups[group]?[key] }

    /// All values of a group as they stand in the file, by their keys; empty without the group.
    func values(in group: String) -> [String: String] { groups[group] ?? [:] }

    /// Whether there is such a group.
    package func has(_ group: String) -> Bool { groups[group] != nil }

    /// A string with its escapes undone: `\s \n \t \r \\`.
    static func unescape(_ value: some StringProtocol) -> String {
        var result = ""
        var isEscaped = false
        for character in value {
            guard isEscaped else {
                if character == "\\" { isEscaped = true } else { result.append(character) }
                continue
            }
            isEscaped = false
            switch character {
            case "s": result.append(" ")
            case "n": result.append("\n")
            case "t": result.append("\t")
            case "r": result.append("\r")
            case "\\": result.append("\\")
            default: result += "\\\(character)"
            }
        }
        return isEscaped ? result + "\\" : result
    }

    /// The elements of a list, which `;` separates and `\;` does not; empty ones are left out.
    static func list(_ value: String) -> [String] {
        var elements = [""]
        var isEscaped = false
        for character in value {
            if isEscaped {
                elements[elements.count - 1] += character == ";" ? ";" : "\\\(character)"
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == ";" {
                elements.append("")
            } else {
                elements[elements.count - 1].append(character)
            }
        }
        return elements.map { unescape($0.trimmingSpaces()) }.filter { !$0.isEmpty }
    }
}

extension StringProtocol {
    /// Without spaces and tabs at both ends.
    func trimmingSpaces() -> SubSequence {
        guard let first = firstIndex(where: { $0 != " " && $0 != "\t" }),
            let last = lastIndex(where: { $0 != " " && $0 != "\t" })
        else { return self[endIndex..<endIndex] }
        return self[first...last]
    }
}
