// SPDX-License-Identifier: Apache-2.0

import Diagnosis

extension FailureCode {
    /// The words about the domains whose pages apps want to continue.
    var domainsWords: Words? { domainWords ?? domainFileWords ?? claimWords ?? fetcherWords }

    /// The words for domains that did not answer, or not with a file.
    private var domainWords: Words? {
        let (later, owner) = (mark("Try again later."), mark("Tell the owner of the domain."))
        return switch self {
        case .domainWithoutAddress: Words(mark("{domain} has no address that Baton could ask."), later)
        case .domainPrivate:
            Words(
                mark("{domain} is in a private network."),
                mark("To allow that, write \"domains.private = {domain}\" into baton.conf."))
        case .domainUnknown: Words(mark("The name {domain} was not found ({message})."), later)
        case .domainLate: Words(mark("{domain} did not answer in time."), later)
        case .domainUnproved:
            Words(
                mark(
                    "{domain} did not prove its name. Its certificate is for another name, has expired, or is of an authority that this laptop does not trust ({message})."
                ), mark("Try again in another network."))
        case .domainUnreached: Words(mark("{domain} could not be reached ({message})."), later)
        case .domainStatus: Words(mark("{domain} answered with the status {status}."), later)
        case .domainWithoutFile: Words(mark("{domain} has no file apple-app-site-association."), owner)
        case .domainRedirects:
            Words(mark("{domain} redirects to another address, which Baton does not follow."), owner)
        case .domainAgreementOld:
            Words(
                mark("The last answer of {domain} is more than 30 days old."),
                terminal: mark("Run \"baton domains check {domain}\" to ask it now."),
                window: mark("Baton asks again by itself."))
        default: nil
        }
    }

    private var domainFileWords: Words? {
        let owner = mark("Tell the owner of the domain.")
        return switch self {
        case .domainFileCompressed: Words(mark("The file of {domain} is compressed."), owner)
        case .domainFileTooLarge: Words(mark("The file of {domain} has more than 128 KiB."), owner)
        case .domainFileSigned:
            Words(mark("The file of {domain} is signed (PKCS #7), and Baton reads only JSON."), owner)
        case .domainFileNotJSON: Words(mark("The file of {domain} is not JSON."), owner)
        case .domainFileWithoutApps:
            Words(mark("The file of {domain} has no list activitycontinuation.apps."), owner)
        case .domainFileWithoutApp: Words(mark("The file of {domain} does not list {app}."), owner)
        default: nil
        }
    }

    private var claimWords: Words? {
        let maker = mark("Report this to the maker of the app.")
        return switch self {
        case .claimOfOtherService:
            Words(mark("The claim is for another service than activitycontinuation."), maker)
        case .claimWithoutDomain:
            Words(
                mark("The claim does not name a domain as activitycontinuation:example.com does."), maker)
        case .claimWithoutTeam:
            Words(
                mark("The app has no X-Baton-Team, or one with a dot, or is sandboxed and was not granted its team."),
                maker)
        case .tooManyClaims:
            Words(mark("The app names more than {limit} domains, and Baton ignores this one."), maker)
        case .tooManyDomains:
            Words(
                mark("The apps here name more than {limit} domains, and Baton ignores this one."),
                mark("Remove an app that you do not need."))
        default: nil
        }
    }

    /// The words for the program that asks domains.
    private var fetcherWords: Words? {
        let again = mark("Install Baton again.")
        return switch self {
        case .fetcherMissing: Words(mark("The program domain-fetcher is missing."), again)
        case .fetcherNotStarted: Words(mark("The program domain-fetcher could not be started ({reason})."), again)
        case .fetcherUnreached:
            Words(
                mark("The program domain-fetcher cannot be reached ({reason})."),
                terminal: mark("Run \"systemctl --user status baton-domain-fetcher.socket\" to see why."),
                window: mark("Log out, and log in again."))
        case .fetcherFailed:
            Words(
                mark("The program domain-fetcher failed."),
                terminal: mark("Run \"journalctl --user\" to see why."), window: mark("Try again later."))
        default: nil
        }
    }
}
