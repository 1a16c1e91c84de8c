// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import AssociatedDomains
public import BatonBus
import DesktopEntries
import FoundationEssentials
import Logging

/// The domains that are asked whether apps may continue their pages.
///
/// A domain is asked some time after an app that claims it came, and before its answer expires.
/// What another device offers plays no part in that: it would tell the domain who is near.
extension Desktop {
    /// What apps claim, and what the domains say.
    public var domains: [DomainStatus] {
        guard !settings.asksDomains else { return inquiries.summaries }
        return inquiries.summaries.map { domain in
            var domain = domain
            domain.next = nil
            return domain
        }
    }

    /// Asks a domain that an app here claims, now, as the user wants it.
    ///
    /// - Throws: ``BatonError``.
    public func checkDomain(_ text: String) async throws -> [DomainStatus] {
        guard settings.asksDomains else {
            throw BatonError(.failed, "'domains = off' in baton.conf: no domain is asked")
        }
        let domain = try inquiries.claimed(text)
        await ask(domain)
        return domains.filter { $0.domain == domain.description }
    }

    /// Asks domains when their time comes, until the task is cancelled.
    func followDomains() async {
        while !Task.isCancelled {
            if settings.asksDomains, let domain = inquiries.due() { await ask(domain) }
            await inquiries.clock.wait(settings.asksDomains ? inquiries.untilNext : DomainInquiries.interval)
        }
    }

    private func ask(_ domain: DomainName) async {
        let mayBeLocal = settings.privateDomains.contains(domain.description)
        guard let request = inquiries.begin(domain, mayBeLocal: mayBeLocal) else { return }
        let answer = await environment.asker.ask(request)
        inquiries.ended(request, with: answer)
        switch answer {
        case .answered(let approved, _):
            logger.info("\(domain) approves \(approved.count) of \(request.apps.count) apps")
        case .refused(let reason, _): logger.info("\(domain) approves no app: \(reason)")
        case .unreachable(let reason): logger.info("\(domain) could not be asked: \(reason)")
        }
    }
}
