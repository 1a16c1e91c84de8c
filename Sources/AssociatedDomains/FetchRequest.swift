// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What the daemon asks of `domain-fetcher`: one line of JSON.
public struct FetchRequest: Hashable, Sendable {
    /// The domain that is asked.
    public var domain: DomainName
    /// Which apps it may approve. They stay on this computer: the domain is not told of them.
    public var apps: [AppIdentifier]
    /// Whether the user has said that the domain is in a private network.
    public var mayBeLocal: Bool

    /// The longest line, in bytes.
    public static let maximumLength = 65_536
    /// The most apps.
    public static let maximumApps = 64

    /// A request. Apps after the first ``maximumApps`` do not count.
    public init(domain: DomainName, apps: [AppIdentifier], mayBeLocal: Bool = false) {
        self.domain = domain
        self.apps = Array(apps.prefix(Self.maximumApps))
        self.mayBeLocal = mayBeLocal
    }

    private struct Form: Codable {
        var domain: String
        var apps: [String]
        var mayBeLocal: Bool
    }

    /// The line, without its end.
    public var line: [UInt8] {
        let form = Form(domain: domain.description, apps: apps.map(\.description), mayBeLocal: mayBeLocal)
        // Texts and lists of texts can always be written.
        return Array((try? JSONEncoder().encode(form)) ?? Data())
    }

    /// Reads a line; nil for what is none.
    public init?(line: [UInt8]) {
        guard line.count <= Self.maximumLength, let form = try? JSONDecoder().decode(Form.self, from: Data(line)),
            let domain = DomainName(form.domain), form.apps.count <= Self.maximumApps
        else { return nil }
        self.init(domain: domain, apps: form.apps.compactMap { AppIdentifier($0) }, mayBeLocal: form.mayBeLocal)
    }
}
