// SPDX-License-Identifier: Apache-2.0

// The bus carries the types of HandoffModel.
@_exported public import HandoffModel
