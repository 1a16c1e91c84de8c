// SPDX-License-Identifier: Apache-2.0

// The service's parameters and results are HandoffModel's types, so this module exports them.
@_exported public import HandoffModel
