// SPDX-License-Identifier: Apache-2.0

import AssociatedDomains
import Testing

/// Tests how long an answer is fresh.
@Suite struct FreshnessTests {
    private let day = 86_400
    private let month = 30 * 86_400

    private func lifetime(_ headers: (String, String)...) -> Int {
        Freshness.lifetime { name in headers.filter { $0.0 == name }.map(\.1) }
    }

    @Test("The lifetime is max-age, minus the age of the answer")
    func maxAge() {
        #expect(lifetime(("cache-control", "public, Max-Age=200000")) == 200_000)
        #expect(lifetime(("cache-control", "public"), ("cache-control", "max-age=\"200000\"")) == 200_000)
        #expect(lifetime(("cache-control", "max-age=200000"), ("age", "100000")) == 100_000)
        #expect(lifetime(("cache-control", "max-age=200000"), ("expires", "0")) == 200_000)
    }

    @Test("The lifetime is the time from the server's own date to Expires")
    func expires() {
        let date = ("date", "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(lifetime(date, ("expires", "Tue, 08 Nov 1994 08:49:38 GMT")) == 2 * day + 1)
        #expect(lifetime(date, ("expires", "Wed, 01 Mar 1995 00:00:00 GMT")) == month)
        #expect(lifetime(("expires", "Tue, 08 Nov 2094 08:49:38 GMT")) == day)
        let (before, after) = ("Tue, 27 Feb 2024 00:00:00 GMT", "Fri, 01 Mar 2024 00:00:00 GMT")
        #expect(lifetime(("date", before), ("expires", after)) == 3 * day)
    }

    @Test("The lifetime is from one to thirty days, even if the headers are missing or malformed")
    func bounds() {
        for value in [
            "no-store", "no-cache, max-age=999999", "max-age=0", "max-age=-5", "max-age", "", ",,=,", "max-age=x",
        ] {
            #expect(lifetime(("cache-control", value)) == day, "\(value)")
        }
        #expect(lifetime() == day)
        #expect(lifetime(("cache-control", "max-age=31536000")) == month)
        #expect(lifetime(("cache-control", "max-age=" + String(repeating: "9", count: 10_000))) == month)
        #expect(lifetime(("cache-control", "max-age=200000"), ("age", String(repeating: "9", count: 99))) == day)
        for text in ["", "Sun, 06 Nov 1994", "Sun, 06 Nov 0000 08:49:37 GMT", "Sun, 06 XXX 1994 08:49:37 GMT", "-1"] {
            #expect(lifetime(("date", text), ("expires", "Tue, 08 Nov 2094 08:49:38 GMT")) == day, "\(text)")
        }
    }
}
