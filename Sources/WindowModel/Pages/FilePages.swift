// SPDX-License-Identifier: Apache-2.0

import BatonBus
import FoundationEssentials
import Wording

/// The page with the copies of documents that other laptops handed over.
struct CopiesPage {
    let copies: [DocumentCopy]
    let now: Date

    var page: Page {
        guard !copies.isEmpty else {
            return Page(
                title: tr("Copies"),
                header: .status(
                    icon: "folder-documents-symbolic", heading: tr("No copies yet"),
                    text: tr("A document that another laptop hands over becomes a copy here, if no folder is shared.")))
        }
        let rows = copies.prefix(WindowModel.maximumRows).map { copy in
            Row(
                id: copy.path, title: ShownText.title(copy.name),
                subtitle: tr("Changed: {time}", ["time": TimeText.moment(copy.changed, now: now)]),
                control: .buttons([
                    PageButton(tr("Open"), .openFile(copy.path)),
                    PageButton(tr("Move to the Bin"), .trash(copy.path), icon: "user-trash-symbolic"),
                ]))
        }
        return Page(
            title: tr("Copies"),
            sections: [
                Page.Section(
                    id: "copies", text: tr("Changes in a copy stay on this laptop. The latest copies are listed."),
                    rows: Array(rows))
            ])
    }
}

/// The page with the folders that the user's laptops share.
struct FoldersPage {
    let folders: [SharedFolder]

    var page: Page {
        let rows = folders.prefix(WindowModel.maximumRows).map { folder in
            Row(
                id: folder.name, title: ShownText.name(folder.name), subtitle: ShownText.reason(folder.path),
                icon: "folder-symbolic",
                control: .buttons([
                    PageButton(
                        tr("Remove"), .request(.setFolder(folder.name, path: "")), icon: "user-trash-symbolic")
                ]))
        }
        let add = Row(
            id: "add", title: tr("Add a folder"), icon: "list-add-symbolic", control: .open(.chooseFolder))
        let text = tr(
            "Another program keeps these folders the same on your laptops. Use the same names on all of them.")
        return Page(
            title: tr("Shared Folders"), sections: [Page.Section(id: "folders", text: text, rows: rows + [add])])
    }

    /// Returns the name under which to share a folder: its own name, with a number if that name is
    /// taken. Returns nil if its own name cannot be used.
    static func name(of path: String, among folders: [SharedFolder]) -> String? {
        let own = path.split(separator: "/").last.map { $0.filter { $0 != "=" }.trimmingBlanks } ?? ""
        guard !own.isEmpty, !own.hasPrefix("#") else { return nil }
        let taken = Set(folders.map(\.name))
        return ([own] + (2...99).map { "\(own) \($0)" }).first { !taken.contains($0) }
    }
}

extension String {
    fileprivate var trimmingBlanks: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
