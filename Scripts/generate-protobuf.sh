#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Generates BatonProtocol/Generated from the .proto files, which are beside the code that they describe. It needs protoc (Debian:
# protobuf-compiler) and a protoc-gen-swift of the swift-protobuf version in Package.swift. PROTOC_GEN_SWIFT names that program;
# otherwise it is built from the package's own checkout.
set -eu
cd "$(dirname "$0")/.."

plugin=${PROTOC_GEN_SWIFT:-}
if [ -z "$plugin" ]; then
    swift package resolve
    checkout=.build/checkouts/swift-protobuf
    swift build --package-path "$checkout" -c debug --product protoc-gen-swift
    plugin=$(swift build --package-path "$checkout" -c debug --show-bin-path)/protoc-gen-swift
fi

sources=Sources/BatonProtocol
for folder in Circle Pairing Wire; do
    protoc --plugin=protoc-gen-swift="$plugin" --proto_path="$sources/$folder" \
        --swift_opt=Visibility=Internal --swift_opt=UseAccessLevelOnImports=true --swift_out="$sources/Generated" \
        "$sources/$folder"/*.proto
done

# Every file begins with the licence line.
for file in "$sources"/Generated/*.pb.swift; do
    head -n 1 "$file" | grep -q SPDX || sed -i '1i // SPDX-License-Identifier: Apache-2.0\n' "$file"
done
