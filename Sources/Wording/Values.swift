// SPDX-License-Identifier: Apache-2.0

import Diagnosis

extension Reason.Value {
    /// The placeholder for the time that this laptop's clock shows. The text includes the date even
    /// for today, because the date may be wrong.
    private static let clock = "clock"
    /// The placeholder for an error number of the system.
    private static let errno = "errno"

    /// Returns the value as a text for people.
    ///
    /// - Parameters:
    ///   - place: The name of the placeholder that shows the value.
    ///   - isolating: Whether names are isolated (``ForeignText``).
    func text(at place: String, in language: Language, isolating: Bool = false) -> String {
        switch self {
        case .text(let text): isolating ? ForeignText.isolated(text) : text
        case .count(let number) where place == Self.errno:
            SystemMessage.text(Int32(clamping: number), in: language)
        case .count(let count): String(count)
        case .time(let seconds):
            LocalMoment(seconds).text(now: place == Self.clock ? nil : .now, in: language)
        case .duration(let duration): Self.text(seconds: duration.components.seconds, in: language)
        case .list(let names): JoinedText.list(isolating ? names.map(ForeignText.isolated) : names, in: language)
        case .reason(let reason): reason.clause(in: language, isolating: isolating)
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
        return unit.text.filled(with: ["count": .count(count)], in: language, isolating: false) ?? ""
    }
}

extension Reason {
    /// Returns what happened without the full stop, for the parentheses in another sentence.
    fileprivate func clause(in language: Language, isolating: Bool) -> String {
        let surface = isolating ? Surface.notification : .window
        let sentence = inWords(on: surface, in: language, command: nil)?.sentence ?? code
        return sentence.last.map { ".。".contains($0) } == true ? String(sentence.dropLast()) : sentence
    }
}
