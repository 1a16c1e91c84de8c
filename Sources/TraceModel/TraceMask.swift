// SPDX-License-Identifier: Apache-2.0

/// Replaces private facts in a trace by other words.
///
/// The same fact always gets the same word. So a reader can follow a device through the trace
/// without learning its name.
struct TraceMask: Sendable {
    /// The maximum number of words for each kind of fact. Further facts share one word.
    static let maximum = 256

    private let details: Set<TraceDetail>
    private var words: [String: [String: String]] = [:]

    init(revealing details: Set<TraceDetail>) { self.details = details }

    /// Returns the facts of the fields by name, with the private facts replaced.
    mutating func about(_ fields: [TraceField]) -> [String: String] {
        var about: [String: String] = [:]
        for field in fields {
            switch field {
            case .device(let id, let name):
                about["device"] = details.contains(.names) ? name : word(for: id, of: "device")
            case .address(let address): about["address"] = said(address, .addresses, of: "address")
            case .type(let type): about["type"] = type.map { said($0, .types, of: "type") }
            case .offer(let id): about["offer"] = word(for: id, of: "offer")
            case .title(let title): about["title"] = details.contains(.titles) ? title : nil
            case .plain(let name, let value): about[name] = value
            case .failure(let code, let detail):
                about["failure"] = code
                about["detail"] = details.contains(.addresses) ? detail : nil
            }
        }
        return about
    }

    private mutating func said(_ text: String, _ detail: TraceDetail, of kind: String) -> String {
        details.contains(detail) ? text : word(for: text, of: kind)
    }

    private mutating func word(for text: String, of kind: String) -> String {
        if let word = words[kind]?[text] { return word }
        let count = words[kind]?.count ?? 0
        guard count < Self.maximum else { return "another" }
        let word = Self.letters(count)
        words[kind, default: [:]][text] = word
        return word
    }

    /// Returns letters for a number: A to Z, AA to AZ, BA and so on.
    private static func letters(_ number: Int) -> String {
        let letter = String(UnicodeScalar(UInt8(ascii: "A") + UInt8(number % 26)))
        return number < 26 ? letter : letters(number / 26 - 1) + letter
    }
}
