;;; 50baton.el --- Baton in every Emacs of this machine  -*- lexical-binding: t -*-
;; SPDX-License-Identifier: Apache-2.0
;; A package that was removed and not purged leaves this file.
(when (and (not noninteractive) (require 'baton nil t))
  (baton-mode 1))
