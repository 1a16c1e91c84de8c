// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials

/// Finds mistakes in options that the argument parser ignores.
///
/// If an option appears twice, the parser silently uses the last value. If a required option is
/// missing, the parser reports only that, even if the user misspelt the option.
struct CommandOptions {
    /// The first repeated option that takes only one value.
    private(set) var repeated: String?
    private(set) var unknown: String?

    /// Examines the words up to `--`.
    ///
    /// - Parameters:
    ///   - arguments: The words after the command.
    ///   - command: The command.
    init(_ arguments: some Sequence<String>, of command: any ParsableCommand.Type) {
        let known = Self.options(of: command)
        var seen: Set<[Option.Name]> = []
        var words = Array(arguments)[...]
        while let word = words.popFirst(), word != "--" {
            guard word.hasPrefix("-"), word != "-" else { continue }
            let name = word.hasPrefix("--") ? String(word.prefix { $0 != "=" }) : String(word.prefix(2))
            guard let option = known[name] else {
                // ``CommandWords`` reports a negative number.
                if name.wholeMatch(of: /-[0-9]/) == nil { unknown = unknown ?? name }
                continue
            }
            guard option.kind == "option" else { continue }
            if !option.isRepeating, !seen.insert(option.names ?? []).inserted { repeated = repeated ?? name }
            if name == word { words = words.dropFirst() }
        }
    }

    /// Throws if an option is repeated, because one of its values would be lost.
    func check(_ help: String) throws {
        guard let repeated else { return }
        throw ToolFailure(
            "\(repeated) is given twice, and has one value; leave one of them out; \(help)", status: .usage)
    }

    private struct Description: Decodable {
        struct Command: Decodable { var arguments: [Option]? }
        var command: Command
    }

    private struct Option: Decodable {
        struct Name: Decodable, Hashable {
            var kind: String
            var name: String
            var word: String { (kind == "short" ? "-" : "--") + name }
        }
        var kind: String
        var isRepeating: Bool
        var names: [Name]?
    }

    /// Returns a command's options by name, as the argument parser describes them.
    private static func options(of command: any ParsableCommand.Type) -> [String: Option] {
        let text = Data(command._dumpHelp().utf8)
        let options = (try? JSONDecoder().decode(Description.self, from: text))?.command.arguments ?? []
        return Dictionary(options.flatMap { option in (option.names ?? []).map { ($0.word, option) } }) { first, _ in
            first
        }
    }
}
