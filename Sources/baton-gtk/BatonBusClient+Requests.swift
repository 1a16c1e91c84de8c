// SPDX-License-Identifier: Apache-2.0

import BatonBus
import WindowModel

extension BatonBusClient {
    /// Carries out a request of the window.
    ///
    /// - Parameter report: The report that the window shows.
    func answer(_ request: BusRequest, report: String?) async throws -> BusAnswer {
        switch request {
        case .start: _ = try await status()
        case .set(let key, let value): try await set(key, to: value)
        case .readApps: return .apps(try await installedApps())
        case .forgetHistory: try await forgetHistory()
        case .switchAdapter(let adapter, let isOn): try await switchAdapter(adapter, on: isOn)
        case .answerAdapter(let adapter, true): try await allowAdapter(adapter)
        case .answerAdapter(let adapter, false): try await refuseAdapter(adapter)
        case .answerGrant(let grant, true): try await allow(grant)
        case .answerGrant(let grant, false): try await refuse(grant)
        case .addRule(let rule, let number): try await addRule(rule, at: number)
        case .removeRule(let number): try await removeRule(number)
        case .replaceRule(let number, let rule):
            // Add the new rule first. If the new rule has a mistake, the old rule stays.
            try await addRule(rule, at: number)
            try await removeRule(number + 1)
        case .moveRule(let rule, let old, let new):
            try await addRule(rule, at: new)
            try await removeRule(new <= old ? old + 1 : old)
        case .setFolder(let name, ""): try await removeFolder(name)
        case .setFolder(let name, let path): try await setFolder(name, to: path)
        case .lookForPairing(let isWanted): try await lookForPairing(isWanted)
        case .knowNetworks: _ = try await knowNetworks()
        case .open(let offer): _ = try await openOffer(offer)
        case .cancel(let offer): try await cancel(offer)
        case .pause(let seconds): try await pause(for: seconds.map { .seconds($0) })
        case .resume: try await resume()
        case .rename(let name): try await rename(to: name)
        case .remove(let device): _ = try await removeDevice(device)
        case .leave: _ = try await leaveCircle()
        case .stop(let device): _ = try await stopDevice(device)
        case .allow(let device): _ = try await allowDevice(device)
        case .probe(let device): return .probe(try await probe(device))
        case .makeReport: return .report(await Report.make(for: self))
        case .saveReport(let path): try Report.save(report ?? "", to: path)
        case .pair, .showCode, .join, .confirm, .endPairing: break
        }
        return .done
    }
}
