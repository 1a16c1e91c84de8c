// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The daemon's request to `domain-fetcher`: one line of JSON.
public struct FetchRequest: Hashable, Sendable {
    /// The domain to ask.
    public var domain: DomainName
    /// The apps that the domain may approve. The domain does not learn them, because
    /// `domain-fetcher` looks for them in the domain's file on this computer.
    public var apps: [AppIdentifier]
    /// Whether the user allows the domain to be in a private network.
    public var mayBeLocal: Bool

    /// The maximum length of a line, in bytes.
    public static let maximumLength = 65_536
    /// The maximum number of apps.
    public static let maximumApps = 64

    /// Creates a request with at most ``maximumApps`` apps. Further apps are dropped.
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

    /// The line without its newline.
    public var line: [UInt8] {
        let form = Form(domain: domain.description, apps: apps.map(\.description), mayBeLocal: mayBeLocal)
        // Encoding strings and a Boolean cannot fail.
        return Array((try? JSONEncoder().encode(form)) ?? Data())
    }

    /// Reads a line. Returns nil if the line is invalid.
    public init?(line: [UInt8]) {
        guard line.count <= Self.maximumLength, let form = try? JSONDecoder().decode(Form.self, from: Data(line)),
            let domain = DomainName(form.domain), form.apps.count <= Self.maximumApps
        else { return nil }
        self.init(domain: domain, apps: form.apps.compactMap { AppIdentifier($0) }, mayBeLocal: form.mayBeLocal)
    }
}
