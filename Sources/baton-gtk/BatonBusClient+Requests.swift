// SPDX-License-Identifier: Apache-2.0

import BatonBus
import WindowModel

extension BatonBusClient {
    /// Carries a request of the window out.
    ///
    /// - Parameter report: The report that the window shows.
    func answer(_ request: BusRequest, report: String?) async throws -> BusAnswer {
        switch request {
        case .start: _ = try await status()
        case .set(let key, let value): try await set(key, to: value)
        case .readHistory: return .history(try await history())
        case .forgetHistory: try await forgetHistory()
        case .addRule(let rule, let number): try await addRule(rule, at: number)
        case .removeRule(let number): try await removeRule(number)
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
