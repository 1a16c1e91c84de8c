;;; 50baton.el --- Baton in every Emacs of this machine  -*- lexical-binding: t -*-
;; SPDX-License-Identifier: Apache-2.0
;; This file stays after the package was removed and not purged.
(when (and (not noninteractive) (require 'baton nil t))
  (baton-mode 1))
