// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DesktopEntries

/// The words of a command line that name a command, such as `circle invite`.
struct CommandWords {
    /// The words that name the command, beginning with the tool's own name.
    private(set) var path: [String]
    /// The first word that is not a command although one is required.
    private(set) var unknown: String?
    /// An argument that may be a negative number, which the argument parser takes for an option.
    private let negative: String?
    private let arguments: [String]
    private let isHelpOfHelp: Bool
    private var command: any ParsableCommand.Type

    /// Examines the words before the first option.
    ///
    /// - Parameters:
    ///   - arguments: The command line without the program's name.
    ///   - root: The tool.
    init(_ arguments: [String], of root: any ParsableCommand.Type) {
        (self.arguments, command) = (arguments, root)
        path = [root._commandName]
        negative = arguments.prefix { $0 != "--" }.first { $0.wholeMatch(of: /-[0-9]+/) != nil }
        var words = arguments.prefix { !$0.hasPrefix("-") }[...]
        // The argument parser's `help` accepts any words, so they are checked here.
        let isAboutHelp = words.first == "help"
        if isAboutHelp { words.removeFirst() }
        // `help help` shows the help of the tool.
        isHelpOfHelp = isAboutHelp && words.first == "help" && words.count == 1
        if isHelpOfHelp { words.removeFirst() }
        while let word = words.popFirst() {
            let subcommands = command.configuration.subcommands
            guard let next = subcommands.first(where: { $0._commandName == word }) else {
                if !subcommands.isEmpty || isAboutHelp { unknown = word }
                return
            }
            command = next
            path.append(word)
        }
    }

    private var options: CommandOptions { CommandOptions(arguments.dropFirst(path.count - 1), of: command) }

    /// The words for the argument parser, or `nil` for the unchanged command line.
    ///
    /// A last word that is a negative number is passed as an argument unless it follows an option.
    /// The command's own message then explains the allowed values.
    var parsed: [String]? {
        if isHelpOfHelp { return ["--help"] }
        guard let negative, arguments.last == negative, case let words = arguments.dropLast(),
            let before = words.last, !before.hasPrefix("-")
        else { return nil }
        return words + ["--", negative]
    }

    /// A hint that names the command to get help with.
    var help: String { "see: \(path.joined(separator: " ")) --help" }

    /// Returns the text to add to the argument parser's message about wrong usage.
    func hint(after text: String) -> String {
        // The argument parser's message may already name the option.
        let unknown = options.unknown.flatMap { name in
            ["'\(name)'", "\(name)="].contains(where: text.contains) ? nil : "; there is no option \(name)"
        }
        let negative = negative.flatMap { text.contains("'\($0)'") ? nil : "; \($0) was read as an option" }
        return (negative ?? "") + (unknown ?? "") + "; \(help)"
    }

    /// Throws if an argument, or an environment variable that names one of the user's directories,
    /// is not UTF-8.
    ///
    /// Swift would silently read such bytes as a different name.
    static func checkEncoding() throws {
        for index in 0..<Int(CommandLine.argc) {
            guard let word = CommandLine.unsafeArgv[index], String(validatingCString: word) == nil else { continue }
            throw ToolFailure("argument \(index) is not UTF-8; give it as text in that encoding", status: .usage)
        }
        if let flaw = BaseDirectories.flaw { throw ToolFailure(flaw, status: .usage) }
    }

    /// Throws if a word names no command or an option is repeated.
    func check() throws {
        guard let unknown else { return try options.check(help) }
        throw ToolFailure(
            "there is no command '\((path.dropFirst() + [unknown]).joined(separator: " "))'; \(help)", status: .usage)
    }
}
