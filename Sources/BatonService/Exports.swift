// SPDX-License-Identifier: Apache-2.0

// What a service takes and tells is what programs hold.
@_exported public import HandoffModel
