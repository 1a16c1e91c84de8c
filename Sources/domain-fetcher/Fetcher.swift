// SPDX-License-Identifier: Apache-2.0

import AssociatedDomains
import AsyncHTTPClient
import Diagnosis
import NIOCore
import NIOHTTP1
import NIOSSL

/// Asks one domain over https. The request contains nothing about the user.
///
/// Only a response over a connection with a valid certificate of the domain counts as the domain's
/// answer. Anything else, such as a response with a false certificate, may come from a network in
/// between and says nothing about the domain.
struct Fetcher {
    let options: Options

    private static let answering = TimeAmount.seconds(10)
    /// The time limit for a connection to one address while others are left to try.
    private static let connecting = TimeAmount.seconds(4)

    func answer(_ request: FetchRequest) async -> FetchAnswer {
        let place = options.places[request.domain]
        let addresses: [SocketAddress]
        do throws(DomainProblem) {
            addresses = try Resolver.addresses(of: request.domain, at: place, mayBeLocal: request.mayBeLocal)
        } catch {
            return .unreachable(error)
        }
        var last = FetchAnswer.unreachable(DomainProblem(.domainWithoutAddress))
        for address in addresses {
            last = await answer(request, at: address, within: addresses.count > 1 ? Self.connecting : Self.answering)
            guard case .unreachable = last else { break }
        }
        return last
    }

    private func answer(
        _ request: FetchRequest, at address: SocketAddress, within connecting: TimeAmount
    ) async -> FetchAnswer {
        guard let text = address.ipAddress, let port = address.port else {
            return .unreachable(DomainProblem(.domainWithoutAddress))
        }
        var configuration = Self.configuration(trusting: options.authority)
        configuration.timeout.connect = connecting
        configuration.dnsOverride = [request.domain.description: text]
        let client = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
        let answer: FetchAnswer
        do {
            let site = "https://\(request.domain)" + (port == 443 ? "" : ":\(port)")
            answer = try await self.answer(request, from: site, client)
        } catch {
            answer = .unreachable(Self.problem(error))
        }
        try? await client.shutdown()
        return answer
    }

    private func answer(_ request: FetchRequest, from site: String, _ client: HTTPClient) async throws -> FetchAnswer {
        var answer = FetchAnswer.refused(DomainProblem(.domainWithoutFile), lifetime: 0)
        for path in SiteAssociation.paths {
            var question = HTTPClientRequest(url: site + path)
            question.headers = ["accept": "application/json", "accept-encoding": "identity", "user-agent": "Baton"]
            let response = try await client.execute(question, timeout: Self.answering)
            let status = Int(response.status.code)
            switch status {
            case 200: return try await Self.read(response, for: request)
            case 300..<400: return .refused(DomainProblem(.domainRedirects), lifetime: 0)
            case 408, 425, 429, 500...: return .unreachable(DomainProblem(.domainStatus, status: status))
            case 400..<500:
                answer = .refused(
                    DomainProblem(.domainWithoutFile, status: status), lifetime: Self.lifetime(response))
            default: return .refused(DomainProblem(.domainStatus, status: status), lifetime: 0)
            }
        }
        return answer
    }

    private static func read(_ response: HTTPClientResponse, for request: FetchRequest) async throws -> FetchAnswer {
        let lifetime = lifetime(response)
        do {
            let encoding = response.headers[canonicalForm: "content-encoding"].map { $0.lowercased() }
            guard encoding.allSatisfy({ $0 == "identity" }) else {
                return .refused(DomainProblem(.domainFileCompressed), lifetime: lifetime)
            }
            let said = response.headers.first(name: "content-length").flatMap { Int($0) } ?? 0
            guard said <= SiteAssociation.maximumSize else { throw SiteAssociation.Refusal.tooLarge }
            var bytes: [UInt8] = []
            for try await piece in response.body {
                bytes += piece.readableBytesView
                guard bytes.count <= SiteAssociation.maximumSize else { throw SiteAssociation.Refusal.tooLarge }
            }
            let file = try SiteAssociation(bytes, contentType: response.headers.first(name: "content-type"))
            return .answered(approved: request.apps.filter(file.apps.contains), lifetime: lifetime)
        } catch let refusal as SiteAssociation.Refusal {
            return .refused(refusal.problem, lifetime: lifetime)
        }
    }

    private static func lifetime(_ response: HTTPClientResponse) -> Int {
        Freshness.lifetime { response.headers[canonicalForm: $0].map(String.init) }
    }

    private static func configuration(trusting authority: String?) -> HTTPClient.Configuration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let authority { tls.trustRoots = .file(authority) }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(read: answering), decompression: .disabled)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    private static let timeouts = [
        HTTPClientError.connectTimeout, .readTimeout, .deadlineExceeded, .tlsHandshakeTimeout,
    ]

    private static func problem(_ error: any Error) -> DomainProblem {
        switch error {
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            DomainProblem(.domainUnproved, message: "\(error)")
        case let error as HTTPClientError where timeouts.contains(error): DomainProblem(.domainLate)
        default: DomainProblem(.domainUnreached, message: "\(error)")
        }
    }
}
