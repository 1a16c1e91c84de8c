// SPDX-License-Identifier: GPL-3.0-or-later

import Diagnosis
import Testing

@testable import BlueZTransport

/// Tests the findings about bluetoothd's version and configuration. Unknown facts give no finding.
@Suite struct BluetoothdFindingsTests {
    private let old = BluetoothdVersion(5, 66)

    private func codes(
        _ version: BluetoothdVersion?, _ options: BluetoothdOptions?, monitors: Bool = true
    ) -> [String] {
        BluetoothdFindings(version: version, setup: BluetoothdSetup(options: options), monitors: monitors).all
            .map(\.code)
    }

    private func options(_ text: String = "", isExperimental: Bool = true) -> BluetoothdOptions {
        var options = BluetoothdOptions(configuration: text)
        options.isExperimental = isExperimental
        return options
    }

    @Test("Only a version that is known to be older than 5.66 is reported as old")
    func anOldVersionIsFound() {
        #expect(codes(BluetoothdVersion(5, 65), nil) == ["bluetoothd-old"])
        #expect(codes(old, nil).isEmpty && codes(BluetoothdVersion(6, 0), nil).isEmpty && codes(nil, nil).isEmpty)
    }

    @Test("A bluetoothd without monitors of advertisements gives a finding")
    func missingMonitorsAreFound() {
        #expect(codes(nil, nil, monitors: false) == ["bluetooth-plain"])
        let broken = BluetoothdFindings(version: BluetoothdVersion(5, 70), monitors: false).all
        #expect(broken == [Finding(.bluetoothPlain, ["outdated": "5.70"])])
    }

    @Test("A fixed interval is reported before 5.77, unless --experimental or main.conf changes it")
    func slowAdvertising() {
        let slow = ["advertising-slow"]
        let one = "[GATT]\nChannels=1\n"
        #expect(codes(old, options(one, isExperimental: false)) == slow)
        #expect(codes(BluetoothdVersion(5, 76), options(isExperimental: false)) == slow)
        #expect(codes(BluetoothdVersion(5, 77), options(isExperimental: false)).isEmpty)
        #expect(codes(old, options(one)).isEmpty)
        #expect(codes(old, options(one + "[LE]\nMinAdvertisementInterval=160\n", isExperimental: false)).isEmpty)
        #expect(codes(nil, options(one, isExperimental: false)).isEmpty)
        #expect(codes(old, nil).isEmpty)
    }

    @Test("EATT is reported if main.conf enables it, and by default before 5.67")
    func enhancedChannels() {
        #expect(codes(old, options()) == ["eatt-on"])
        #expect(codes(BluetoothdVersion(5, 67), options()).isEmpty)
        #expect(codes(nil, options()).isEmpty)
        for (channels, isOn) in [("1", false), ("2", true), ("6", true)] {
            #expect(
                codes(BluetoothdVersion(5, 80), options("[GATT]\nChannels=\(channels)")) == (isOn ? ["eatt-on"] : []))
        }
        #expect(codes(old, nil).isEmpty)
    }

    @Test("Each finding has the command that enables the drop-in")
    func command() {
        var findings = BluetoothdFindings(
            version: old, setup: BluetoothdSetup(options: options(isExperimental: false)), monitors: false)
        findings.setup.dropIn = "mend"
        #expect(findings.all.map(\.code) == ["bluetooth-plain", "advertising-slow", "eatt-on"])
        #expect(findings.all.allSatisfy { $0.command == "mend" })
    }

    @Test(
        "The version is read from a valid modalias only",
        arguments: [
            ("usb:v1D6Bp0246d0542", "5.66"), ("usb:v1D6Bp0246d0557", "5.87"), ("usb:v1D6Bp0246d0600", "6.0"),
            ("bluetooth:v1D6Bp0246d0542", nil), ("usb:v1D6Bp0247d0542", nil), ("usb:v1D6Bp0246d542", nil),
            ("usb:v1D6Bp0246d+542", nil), ("usb:v1D6Bp0246d05421", nil), ("", nil),
        ] as [(String, String?)])
    func theVersionIsInTheModalias(_ modalias: String, _ version: String?) {
        #expect(BluetoothdVersion(modalias: modalias)?.description == version)
    }
}
