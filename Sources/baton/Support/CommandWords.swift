// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DesktopEntries

/// The words of a command line that name a command, such as `circle invite`.
struct CommandWords {
    /// The words that name the command, the tool's own first.
    private(set) var path: [String]
    /// The first word that names none, where a command has to stand.
    private(set) var unknown: String?
    /// What was meant as a number, perhaps: the argument parser takes it for an option.
    private let negative: String?
    private let arguments: [String]
    private let isHelpOfHelp: Bool
    private var command: any ParsableCommand.Type

    /// Looks at the words before the first option.
    ///
    /// - Parameters:
    ///   - arguments: The command line without the program.
    ///   - root: The tool.
    init(_ arguments: [String], of root: any ParsableCommand.Type) {
        (self.arguments, command) = (arguments, root)
        path = [root._commandName]
        negative = arguments.prefix { $0 != "--" }.first { $0.wholeMatch(of: /-[0-9]+/) != nil }
        var words = arguments.prefix { !$0.hasPrefix("-") }[...]
        // The argument parser's own command is about the commands that follow it, and takes any.
        let isAboutHelp = words.first == "help"
        if isAboutHelp { words.removeFirst() }
        // Of itself there is no more to say than of the tool.
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

    /// What the argument parser is to parse: nil for the command line as it is.
    ///
    /// A negative number where no option wants a value is what the command takes, whose own words
    /// say what is allowed.
    var parsed: [String]? {
        if isHelpOfHelp { return ["--help"] }
        guard let negative, arguments.last == negative, case let words = arguments.dropLast(),
            let before = words.last, !before.hasPrefix("-")
        else { return nil }
        return words + ["--", negative]
    }

    /// How to read more about it.
    var help: String { "see: \(path.joined(separator: " ")) --help" }

    /// What follows what is said of a wrong use.
    func hint(after text: String) -> String {
        // The argument parser has some of its own, and quotes others.
        let unknown = options.unknown.flatMap { name in
            ["'\(name)'", "\(name)="].contains(where: text.contains) ? nil : "; there is no option \(name)"
        }
        let negative = negative.flatMap { text.contains("'\($0)'") ? nil : "; \($0) was read as an option" }
        return (negative ?? "") + (unknown ?? "") + "; \(help)"
    }

    /// Refuses bytes that are no text, also in what names the user's directories: what they would
    /// be read as is another name, or another file.
    static func checkEncoding() throws {
        for index in 0..<Int(CommandLine.argc) {
            guard let word = CommandLine.unsafeArgv[index], String(validatingCString: word) == nil else { continue }
            throw ToolFailure("argument \(index) is not UTF-8; give it as text in that encoding", status: .usage)
        }
        if let flaw = BaseDirectories.flaw { throw ToolFailure(flaw, status: .usage) }
    }

    /// Refuses a word that names no command, and an option that is given twice.
    func check() throws {
        guard let unknown else { return try options.check(help) }
        throw ToolFailure(
            "there is no command '\((path.dropFirst() + [unknown]).joined(separator: " "))'; \(help)", status: .usage)
    }
}
