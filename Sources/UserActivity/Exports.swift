// SPDX-License-Identifier: Apache-2.0

// Apps import this module only, and its interface uses the types of ActivityModel (Decision 0053).
@_exported public import ActivityModel
