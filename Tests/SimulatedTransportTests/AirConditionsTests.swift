// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import Foundation
import Testing

@testable import SimulatedTransport

struct AirConditionsTests {
    private let air: TemporaryAir

    init() throws { air = try TemporaryAir() }

    @Test("A conditions file with an empty object means that nothing disturbs the air")
    func defaults() throws {
        let conditions = try JSONDecoder().decode(AirConditions.self, from: Data("{}".utf8))
        #expect(conditions == AirConditions())
        let reach = conditions.reach(from: "a", to: "b")
        #expect(reach == AirConditions.Reach(signal: -50, loss: 0, advertisementDelay: 0, channelDelay: 0))
    }

    @Test("The example in the documentation is read as the documentation says")
    func documentedExample() throws {
        let text = """
            { "signal": -60, "loss": 0.1, "advertisementDelay": 20, "channelDelay": 5,
              "paths": [ { "from": "desk", "to": "sofa", "signal": -85 },
                         { "from": "desk", "to": "cellar", "signal": -120, "directed": true } ] }
            """
        let conditions = try JSONDecoder().decode(AirConditions.self, from: Data(text.utf8))
        #expect(conditions.flaw == nil)
        #expect(conditions.reach(from: "sofa", to: "desk").signal == -85)
        #expect(conditions.reach(from: "sofa", to: "desk").loss == 0.1)
        #expect(!conditions.reach(from: "desk", to: "cellar").isInRange)
        #expect(conditions.reach(from: "cellar", to: "desk").isInRange)
        #expect(!conditions.canConnect("cellar", "desk"))
    }

    @Test("An advertisement of -100 dBm is heard, and one of -101 dBm is not")
    func sensitivity() {
        var conditions = AirConditions()
        conditions.signal = -100
        #expect(conditions.reach(from: "a", to: "b").isInRange)
        conditions.signal = -101
        #expect(!conditions.reach(from: "a", to: "b").isInRange)
    }

    @Test(
        "Values out of range are refused, by the file's reader and by the writer",
        arguments: [
            #"{"signal": 21}"#, #"{"signal": -128}"#, #"{"loss": 1.5}"#, #"{"loss": -0.1}"#,
            #"{"advertisementDelay": 60001}"#, #"{"channelDelay": -1}"#, #"{"paths": [{"from": "../a", "to": "b"}]}"#,
            #"{"paths": [{"from": "a", "to": "b", "loss": 2}]}"#,
        ])
    func rangesAreChecked(_ text: String) throws {
        let conditions = try JSONDecoder().decode(AirConditions.self, from: Data(text.utf8))
        #expect(throws: TransportError.self) { try SimulatedAir(directory: air.path).set(conditions) }
        try air.write(text, to: "conditions.json")
        var file = ConditionsFile(path: "\(air.path)/conditions.json")
        let look = file.refresh()
        guard case .malformed = look else {
            Issue.record("taken: \(text)")
            return
        }
        #expect(file.conditions == AirConditions())
    }

    @Test("Malformed conditions are reported once, and the last valid ones stay in force")
    func malformedConditionsKeepTheLastGood() throws {
        var file = ConditionsFile(path: "\(air.path)/conditions.json")
        let look1 = file.refresh()
        #expect(look1 == .none)
        var conditions = AirConditions()
        conditions.signal = -77
        try SimulatedAir(directory: air.path).set(conditions)
        let look2 = file.refresh()
        #expect(look2 == .changed)
        for bad in ["", "{", "[]", #"{"signal": "loud"}"#, #"{"paths": [{"from": "a"}]}"#, #"{"signal": 1e400}"#] {
            try air.write(bad, to: "conditions.json")
            let look = file.refresh()
            guard case .malformed = look else {
                Issue.record("taken: \(bad)")
                continue
            }
            let look3 = file.refresh()
            #expect(look3 == .none)
            #expect(file.conditions == conditions)
        }
        SimulatedAir(directory: air.path).clear()
        let look4 = file.refresh()
        #expect(look4 == .changed)
        #expect(file.conditions == AirConditions())
    }

    @Test("A conditions file of more than 1 MiB, or with more than 4,096 paths, is refused")
    func conditionsAreLimited() throws {
        var file = ConditionsFile(path: "\(air.path)/conditions.json")
        try air.write("{}" + String(repeating: " ", count: 1 << 20), to: "conditions.json")
        let look5 = file.refresh()
        #expect(look5 == .malformed("it is larger than 1 MiB"))
        var many = AirConditions()
        many.paths = (0...4_096).map { AirConditions.Path(from: "a\($0)", to: "b") }
        #expect(many.flaw != nil)
        many.paths.removeLast()
        #expect(many.flaw == nil)
    }
}
