;;; jobs.el --- The jobs of test_editor_forms in Emacs  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Runs each job of $JOBS, and writes its result as a line of $RESULTS.

;;; Code:

(require 'baton)

(defun jobs-copy (job)
  "The copy of JOB arrives, and is saved."
  (let ((text (with-temp-buffer (baton--read (plist-get job :text) job) (buffer-string))))
    (switch-to-buffer (generate-new-buffer "copy"))
    (baton--put text job)
    (write-file (plist-get job :out))
    nil))

(defun jobs-send (job)
  "The file of JOB is changed, is sent, and is saved."
  (let ((coding-system-for-read (intern-soft (or (plist-get job :encoding) ""))))
    (find-file (plist-get job :file)))
  (goto-char (point-min))
  (insert (plist-get job :insert))
  (let ((state (baton--state)))
    (setq state (append (if (plist-get job :isAutoSaving) (jobs-write-meanwhile job)
                          (baton--write (plist-get job :text) (plist-get job :ask)))
                        state))
    ;; Emacs asks about characters that the encoding cannot represent.
    (let ((coding-system-for-write (when (plist-get state :isRecoded) 'utf-8)))
      (write-file (plist-get job :out)))
    state))

(defun jobs-write-meanwhile (job)
  "Write the text of JOB while Emacs saves the buffer by itself."
  (let (said)
    (add-hook 'write-region-annotate-functions
              (lambda (&rest _) (ignore (unless said (setq said (baton--write (plist-get job :text) nil))))) nil t)
    (auto-save-mode 1)
    (do-auto-save t)
    (kill-local-variable 'write-region-annotate-functions)
    said))

(defun jobs-do (job)
  "Do JOB, a line of JSON."
  (let ((job (json-parse-string job :object-type 'plist :null-object nil :false-object nil)))
    (condition-case problem
        (json-serialize (or (funcall (intern (concat "jobs-" (plist-get job :do))) job) '(:done t)))
      (error (json-serialize (list :error (error-message-string problem)))))))

(setq baton-without-auto-save t create-lockfiles nil make-backup-files nil enable-local-variables nil
      inhibit-message t)
(let* ((jobs (with-temp-buffer (insert-file-contents (getenv "JOBS")) (split-string (buffer-string) "\n" t)))
       (results (mapconcat #'jobs-do jobs "\n")))
  (with-temp-file (getenv "RESULTS") (insert results "\n")))

(provide 'jobs)
;;; jobs.el ends here
