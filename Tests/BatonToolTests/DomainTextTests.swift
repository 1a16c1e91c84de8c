// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
import Foundation
import Testing
import UserInfoJSON

@testable import baton

/// Tests the output of `baton domains`.
@Suite struct DomainTextTests {
    private let agreed = DomainStatus(
        application: "org.example.App", claim: "*.example.com", domain: "example.com", identifier: "T.org.example.App",
        state: .agreed, answered: Date(timeIntervalSince1970: 1_800_000_000),
        next: Date(timeIntervalSince1970: 1_800_086_400))

    private static let reason = Finding(
        Reason(.domainFileWithoutApp, ["domain": "b", "app": "a"]), command: nil, reported: nil)

    @Test("The JSON always has all fields, and times in ISO 8601")
    func json() throws {
        #expect(
            try DomainText.node(agreed).text()
                == #"{"answered":"2027-01-15T08:00:00Z","application":"org.example.App","claim":"*.example.com","#
                + #""domain":"example.com","identifier":"T.org.example.App","next":"2027-01-16T08:00:00Z","#
                + #""reason":null,"state":"agreed"}"#)
        let refused = DomainStatus(application: "a", claim: "b", state: .refused, reason: Self.reason)
        #expect(
            try DomainText.node(refused).text()
                == #"{"answered":null,"application":"a","claim":"b","domain":null,"identifier":null,"next":null,"#
                + #""reason":"The file of b does not list a. Tell the owner of the domain.","state":"refused"}"#)
    }

    @Test("A domain that could not be asked does not count as having refused")
    func failures() {
        func claim(_ state: DomainStatus.State, _ reason: Finding? = nil) -> DomainStatus {
            DomainStatus(application: "a", claim: "b", state: state, reason: reason)
        }
        func failure(_ claims: [DomainStatus]) -> ToolFailure? { DomainText.failure(of: "example.com", claims) }
        #expect(failure([claim(.refused), agreed]) == nil)
        let refused = failure([claim(.refused, Self.reason)])
        #expect(refused?.status == .refused && refused?.description == "example.com approves no app here.")
        let late = Finding(Reason(.domainLate, ["domain": "example.com"]), command: nil, reported: nil)
        let silent = failure([claim(.unreachable, late)])
        #expect(silent?.status == .unreachable)
        #expect(silent?.description == "example.com did not answer in time. Try again later.")
    }

    @Test("A line shows a claim's state, its app and the reason")
    func lines() {
        let line = DomainText.line(agreed)
        #expect(line.hasPrefix("agreed  *.example.com  org.example.App  (answered 2027-01-15 "), "\(line)")
        #expect(line.contains(", to be asked again 2027-01-1") && line.hasSuffix(")"), "\(line)")
        let refused = DomainStatus(application: "a", claim: "b", state: .refused, reason: Self.reason)
        #expect(
            DomainText.line(refused) == "refused  b  a  The file of b does not list a. Tell the owner of the domain.")
    }
}
