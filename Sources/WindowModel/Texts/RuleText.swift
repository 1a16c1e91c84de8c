// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Wording

/// Rules as sentences. A rule that has no sentence is shown as it is written.
struct RuleText {
    private let action: String
    private var conditions: [String: String] = [:]

    init(_ rule: String) {
        let words = rule.split(separator: " ").map(String.init)
        action = words.first ?? ""
        for word in words.dropFirst() {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            if parts.count == 2 { conditions[parts[0]] = parts[1] }
        }
    }

    /// Returns the rule that automatically continues a laptop's offers when the laptop is near.
    static func near(device: String) -> String { "near device=\(device)" }

    /// Returns whether a rule automatically continues all offers of a laptop when the laptop is
    /// near.
    static func isNear(_ rule: String, device: String) -> Bool {
        let text = RuleText(rule)
        return text.action == "near" && text.conditions["device"] == device
            && text.conditions["type"] == nil && text.conditions["app"] == nil
    }

    /// Returns the sentence for a rule, or the rule as it is written if there is none.
    static func sentence(_ rule: String, members: [CircleMember], apps: InstalledApps) -> String {
        RuleText(rule).sentence(members: members, apps: apps) ?? ShownText.reason(rule)
    }

    private func sentence(members: [CircleMember], apps: InstalledApps) -> String? {
        let laptop = conditions["device"].map { MemberText.name(of: $0, in: members) }
        let what = conditions["app"].map { apps.name(of: $0) } ?? conditions["type"]
        switch (action, laptop, what.map(ShownText.name)) {
        case ("near", let laptop?, nil):
            return tr("When “{laptop}” is near, automatically continue what it offers", ["laptop": laptop])
        case ("near", let laptop?, let what?):
            return tr(
                "When “{laptop}” is near, automatically continue {what} from it", ["laptop": laptop, "what": what])
        case ("near", nil, nil): return tr("When a laptop is near, automatically continue what it offers")
        case ("near", nil, let what?): return tr("When a laptop is near, automatically continue {what}", ["what": what])
        case ("never", nil, nil): return tr("Show nothing from other laptops")
        case ("never", let laptop?, nil): return tr("Show nothing from “{laptop}”", ["laptop": laptop])
        case ("never", let laptop?, let what?):
            return tr("Do not show {what} from “{laptop}”", ["laptop": laptop, "what": what])
        case ("never", nil, let what?): return tr("Do not show {what} from other laptops", ["what": what])
        case ("hide", nil, let what?): return tr("Keep {what} on this laptop", ["what": what])
        case ("hide", nil, nil): return tr("Offer nothing of this laptop")
        case ("ask", nil, nil): return tr("Show what other laptops offer")
        case ("ask", let laptop?, nil): return tr("Show what “{laptop}” offers", ["laptop": laptop])
        case ("ask", let laptop?, let what?):
            return tr("Show {what} from “{laptop}”", ["laptop": laptop, "what": what])
        case ("ask", nil, let what?): return tr("Show {what} from other laptops", ["what": what])
        default: return nil
        }
    }
}

extension InstalledApps {
    /// Returns the name of an app or adapter, or its id if it is not installed.
    func name(of id: String) -> String {
        adapters.first { $0.adapter == id }?.name ?? apps.first { $0.application == id }?.name ?? id
    }
}
