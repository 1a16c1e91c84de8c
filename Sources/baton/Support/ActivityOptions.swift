// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import ArgumentParser
import FoundationEssentials
import UserInfoJSON

struct ActivityOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The activity's type, such as org.example.editor.edit.", valueName: "type"),
        completion: .type)
    var type: String

    @Option(help: ArgumentHelp("A title to show to people.", valueName: "title"))
    var title: String?

    @Option(help: ArgumentHelp("A userInfo entry whose value is a string; may be repeated.", valueName: "key=value"))
    var info: [String] = []

    @Option(
        help: ArgumentHelp(
            "A file with the userInfo in typed JSON (Documentation/UserInfoJSON.md), or - for standard input. It may have values of every type.",
            valueName: "file"), completion: .file())
    var infoJson: String?

    @Option(help: ArgumentHelp("The http or https address of a web page that shows the same thing.", valueName: "url"))
    var webpage: String?

    /// The name of the option that gives the userInfo, or `nil` if no option does.
    var infoOption: String? { infoJson != nil ? "--info-json" : info.isEmpty ? nil : "--info" }

    func validate() throws {
        if title?.isEmpty == true { throw ValidationError("--title is empty; give a title, or leave it out") }
        if webpage?.isEmpty == true { throw ValidationError("--webpage is empty; give an address of http or https") }
        if infoJson?.isEmpty == true { throw ValidationError("--info-json is empty; give a file, or -") }
    }

    /// Returns the activity's state from these options.
    ///
    /// - Throws: ``ToolFailure`` that names the wrong option.
    func state() throws -> ActivityState {
        var state = ActivityState(activityType: type, title: title, userInfo: try userInfo())
        if let webpage {
            guard let url = URL(string: webpage, encodingInvalidCharacters: false) else {
                throw ToolFailure(
                    "--webpage is not a URL: \(webpage); blanks and letters beyond ASCII are percent-encoded (%20), in the host's name as xn--",
                    status: .usage)
            }
            state.webpageURL = url
        }
        do {
            return try state.validated()
        } catch let error as UserActivityError {
            let option = ["activityType": "--type", "webpageURL": "--webpage"][error.property] ?? "--info-json"
            throw ToolFailure(
                "\(option) \(error.path.isEmpty ? "" : error.path + " ")\(error.message)",
                status: option == "--info-json" ? .badContents : .usage)
        }
    }

    private func userInfo() throws -> UserInfo {
        var userInfo = try infoJson.map(Self.read) ?? [:]
        for entry in info {
            guard let equals = entry.firstIndex(of: "="), equals != entry.startIndex else {
                throw ToolFailure("--info takes KEY=VALUE, not '\(entry)'", status: .usage)
            }
            let key = String(entry[..<equals])
            let value = UserInfoValue.string(String(entry[entry.index(after: equals)...]))
            guard userInfo.updateValue(value, forKey: .string(key)) == nil else {
                throw ToolFailure(
                    "--info \(key)=… gives a key that is there already; give each key once", status: .usage)
            }
        }
        return userInfo
    }

    private static func read(_ path: String) throws -> UserInfo {
        let descriptor = try Descriptor.opened(path)
        do {
            return try UserInfoJSON.userInfo(
                parsing: try Descriptor.readAll(
                    from: descriptor.number, called: path, limit: UserInfoJSON.maximumSize))
        } catch let error as UserInfoJSONError {
            throw ToolFailure("--info-json \(path): \(error)", status: .badContents)
        }
    }
}
