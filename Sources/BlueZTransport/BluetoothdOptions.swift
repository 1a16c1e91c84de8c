// SPDX-License-Identifier: GPL-3.0-or-later

internal import Descriptors

/// The options from bluetoothd's command line and configuration file.
struct BluetoothdOptions: Hashable, Sendable {
    /// Whether bluetoothd was started with `--experimental`.
    var isExperimental = false
    /// The configured number of ATT channels, or `nil` for bluetoothd's default.
    var channels: Int?
    /// Whether the configuration sets the advertising interval.
    var setsInterval = false

    /// The configuration file that bluetoothd reads if the command line names no file.
    private static let defaultFile = "/etc/bluetooth/main.conf"

    /// Reads the options of a process. Returns `nil` if the options cannot be read or the process
    /// is not bluetoothd.
    init?(process: UInt32) {
        guard let line = FileContents.text("/proc/\(process)/cmdline") else { return nil }
        let words = line.split(separator: "\0").map(String.init)
        guard words.first?.split(separator: "/").last == "bluetoothd", let file = Self.file(named: words),
            let text = FileContents.text(file)
        else { return nil }
        self.init(configuration: text)
        isExperimental = words.contains { $0 == "--experimental" || Self.letters(of: $0).contains("E") }
    }

    /// Reads the text of a `main.conf`. If a key occurs several times, the last value counts, as in
    /// GKeyFile.
    init(configuration text: String) {
        var group = ""
        // Swift joins a carriage return and a newline to one Character, so this splits scalars.
        for line in text.unicodeScalars.split(separator: "\n") {
            let line = Self.trimmed(Substring(line))
            if line.hasPrefix("["), line.hasSuffix("]") {
                group = String(line.dropFirst().dropLast())
            } else if !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") {
                let value = Self.trimmed(line[line.index(after: equals)...])
                switch (group, Self.trimmed(line[..<equals])) {
                case ("GATT", "Channels"): channels = Int(value).flatMap { (1...6).contains($0) ? $0 : nil }
                case ("LE", "MinAdvertisementInterval"), ("LE", "MaxAdvertisementInterval"): setsInterval = true
                default: break
                }
            }
        }
    }

    /// Returns the configuration file that a command line names.
    ///
    /// The option has the forms `--configfile=F`, `--configfile F`, `-f F` and `-fF`.
    ///
    /// - Returns: The file, or the default file; `nil` for a relative path, because bluetoothd's
    ///   working directory is unknown.
    private static func file(named words: [String]) -> String? {
        let long = "--configfile"
        var file = defaultFile
        for (index, word) in words.enumerated() {
            if word == long || letters(of: word).last == "f" {
                file = words.indices.contains(index + 1) ? words[index + 1] : ""
            } else if word.hasPrefix(long + "=") {
                file = String(word.dropFirst(long.count + 1))
            } else if word.hasPrefix("-f") {
                file = String(word.dropFirst(2))
            }
        }
        return file.hasPrefix("/") ? file : nil
    }

    /// Returns the letters of a word such as `-nE`, or nothing for a word that contains a path.
    private static func letters(of word: String) -> Substring {
        word.hasPrefix("-") && !word.hasPrefix("--") && !word.contains("/") ? word.dropFirst() : ""
    }

    private static func trimmed(_ text: Substring) -> Substring {
        func isBlank(_ character: Character) -> Bool { character.isWhitespace }
        let head = text.drop(while: isBlank)
        return head.lastIndex { !isBlank($0) }.map { head[...$0] } ?? ""
    }
}
