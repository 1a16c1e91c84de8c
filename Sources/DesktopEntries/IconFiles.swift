// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Finds the files of an app's icon.
///
/// Source: Icon Theme Specification 0.13. Only the theme `hicolor` is searched, where apps install
/// their own icons, and `pixmaps`, where icons were before themes existed.
public enum IconFiles {
    /// The directories of a theme, the best for an icon of about 24 pixels first.
    private static let directories = ["48x48", "64x64", "scalable", "128x128", "32x32", "256x256", "24x24", "512x512"]
    private static let suffixes = [".png", ".svg"]

    /// Returns the existing files of an icon, the best first.
    ///
    /// - Parameters:
    ///   - icon: The icon from a desktop entry: a name in the theme, or the path of a file.
    ///   - places: The data directories, in order of precedence.
    /// - Returns: The paths. The contents of the files are not checked.
    public static func paths(of icon: String, in places: [URL] = DesktopEntryIndex.dataDirectories) -> [String] {
        guard !icon.utf8.contains(0) else { return [] }
        let paths =
            icon.hasPrefix("/") ? [icon] : icon.contains("/") ? [] : places.flatMap { candidates(icon, in: $0.path) }
        return paths.filter(FileManager.default.fileExists)
    }

    private static func candidates(_ name: String, in place: String) -> [String] {
        let themed = directories.flatMap { size in
            suffixes.map { "\(place)/icons/hicolor/\(size)/apps/\(name)\($0)" }
        }
        return themed + suffixes.map { "\(place)/pixmaps/\(name)\($0)" }
    }
}
