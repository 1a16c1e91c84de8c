// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Wording

/// The page on which the user puts a rule together from choices.
struct RulePage {
    let draft: RuleDraft
    let members: [CircleMember]
    let apps: InstalledApps

    var page: Page {
        let sentence = RuleText.sentence(draft.rule, members: members, apps: apps)
        let save = PageButton(
            draft.replaced == nil ? tr("Add the Rule") : tr("Save the Rule"), .saveRule, style: .suggested)
        let rows = [
            actionRow, draft.action == .hide ? nil : laptopRow, appRow, draft.action == .near ? distanceRow : nil,
        ]
        return Page(
            title: tr("Rule"), header: .text(sentence), buttons: [save],
            sections: [Page.Section(id: "rule", rows: rows.compactMap(\.self))])
    }

    private var actionRow: Row {
        let texts: [RuleDraft.Action: String] = [
            .near: tr("Continue by itself"), .never: tr("Do not show"), .ask: tr("Show"),
            .hide: tr("Keep on this laptop"),
        ]
        let actions = RuleDraft.Action.allCases
        return row("action", tr("What happens"), actions, draft.action, { texts[$0] ?? "" }) { $0.action = $1 }
    }

    private var laptopRow: Row {
        let others = members.filter { !$0.isThisDevice }.prefix(WindowModel.maximumRows).map { Optional($0.device) }
        let known = draft.device.map { device in others.contains(device) ? [] : [Optional(device)] } ?? []
        return row("laptop", tr("From which laptop"), [nil] + others + known, draft.device) { device in
            device.map { MemberText.name(of: $0, in: members) } ?? tr("Any laptop")
        } set: {
            $0.device = $1
        }
    }

    private var appRow: Row {
        // Web pages are never continued without a click, so no such rule names a browser, which
        // continues nothing else.
        let own = apps.apps.filter { $0.adapter == nil && (draft.action != .near || !$0.types.isEmpty) }
        let choices =
            apps.adapters.map { (id: $0.adapter, name: $0.name) } + own.map { (id: $0.application, name: $0.name) }
        let shown = choices.prefix(WindowModel.maximumRows)
        let names = Dictionary(shown.map { ($0.id, $0.name) }) { first, _ in first }
        let ids = shown.map { Optional($0.id) }
        let known = draft.app.map { app in ids.contains(app) ? [] : [Optional(app)] } ?? []
        return row("app", tr("Of which app"), [nil] + ids + known, draft.app) { app in
            app.map { ShownText.name(names[$0] ?? $0) } ?? tr("Any app")
        } set: {
            $0.app = $1
        }
    }

    private var distanceRow: Row {
        let texts = [-45: tr("Beside this laptop"), -60: tr("On the same desk"), -75: tr("In the same room")]
        let chosen = draft.signal ?? RuleDraft.usualDistance
        return row("distance", tr("How near"), RuleDraft.distances, chosen, { texts[$0] ?? "" }) {
            $0.signal = $1 == RuleDraft.usualDistance ? nil : $1
        }
    }

    private func row<Value: Equatable>(
        _ id: String, _ title: String, _ values: [Value], _ chosen: Value, _ text: (Value) -> String,
        set: (inout RuleDraft, Value) -> Void
    ) -> Row {
        let changes = values.map { value in
            var changed = draft
            set(&changed, value)
            return WindowAction.changeRule(changed)
        }
        return Row(
            id: id, title: title,
            control: .choice(values.map(text), selected: values.firstIndex(of: chosen) ?? 0, changes))
    }
}
