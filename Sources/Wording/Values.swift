// SPDX-License-Identifier: Apache-2.0

import Diagnosis

extension Reason.Value {
    /// The place of what this laptop's clock shows. It has a date even for today, because the date
    /// may be wrong.
    private static let clock = "clock"
    /// The place of an error number of the system.
    private static let errno = "errno"

    /// Returns the value as a text for people.
    ///
    /// - Parameter place: The name of the place that shows it.
    func text(at place: String, in language: Language) -> String {
        switch self {
        case .text(let text): text
        case .count(let number) where place == Self.errno:
            SystemMessage.text(Int32(clamping: number), in: language)
        case .count(let count): String(count)
        case .time(let seconds):
            LocalMoment(seconds).text(now: place == Self.clock ? nil : .now, in: language)
        case .duration(let duration): Self.text(seconds: duration.components.seconds, in: language)
        case .list(let names): JoinedText.list(names, in: language)
        case .reason(let reason): reason.clause(in: language)
        }
    }

    /// Returns a length of time in its largest unit, rounded, and at least a minute.
    private static func text(seconds: Int64, in language: Language) -> String {
        let units: [(seconds: Int64, text: Words.Text)] = [
            (31_557_600, counted("{count} year", "{count} years", by: "count")),
            (86_400, counted("{count} day", "{count} days", by: "count")),
            (3_600, counted("{count} hour", "{count} hours", by: "count")),
            (60, counted("{count} minute", "{count} minutes", by: "count")),
        ]
        // A few seconds less than an hour still count as an hour.
        let unit = units.first { seconds + $0.seconds / 60 >= $0.seconds } ?? units[3]
        let count = max(1, Int((seconds + unit.seconds / 2) / unit.seconds))
        return unit.text.filled(with: ["count": .count(count)], in: language) ?? ""
    }
}

extension Reason {
    /// Returns what happened without the full stop, for the parentheses in another sentence.
    fileprivate func clause(in language: Language) -> String {
        let sentence = inWords(on: .window, in: language, command: nil)?.sentence ?? code
        return sentence.last.map { ".。".contains($0) } == true ? String(sentence.dropLast()) : sentence
    }
}
