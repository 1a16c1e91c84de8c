// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials

/// The options of a command line, for what the argument parser passes over: of an option that
/// stands there twice it takes the last, and where another is missing it does not tell of one that
/// is misspelt.
struct CommandOptions {
    /// The first that stands there again, although it has one value.
    private(set) var repeated: String?
    /// The first that the command does not have.
    private(set) var unknown: String?

    /// Looks at the words up to `--`.
    ///
    /// - Parameters:
    ///   - arguments: What stands behind the command.
    ///   - command: The command.
    init(_ arguments: some Sequence<String>, of command: any ParsableCommand.Type) {
        let known = Self.options(of: command)
        var seen: Set<[Option.Name]> = []
        var words = Array(arguments)[...]
        while let word = words.popFirst(), word != "--" {
            guard word.hasPrefix("-"), word != "-" else { continue }
            let name = word.hasPrefix("--") ? String(word.prefix { $0 != "=" }) : String(word.prefix(2))
            guard let option = known[name] else {
                // A number with a sign is told in its own words.
                if name.wholeMatch(of: /-[0-9]/) == nil { unknown = unknown ?? name }
                continue
            }
            guard option.kind == "option" else { continue }
            if !option.isRepeating, !seen.insert(option.names ?? []).inserted { repeated = repeated ?? name }
            if name == word { words = words.dropFirst() }
        }
    }

    /// Refuses an option of which one value would be lost.
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

    /// What the argument parser says of a command, by the words that stand for it.
    private static func options(of command: any ParsableCommand.Type) -> [String: Option] {
        let text = Data(command._dumpHelp().utf8)
        let options = (try? JSONDecoder().decode(Description.self, from: text))?.command.arguments ?? []
        return Dictionary(options.flatMap { option in (option.names ?? []).map { ($0.word, option) } }) { first, _ in
            first
        }
    }
}
