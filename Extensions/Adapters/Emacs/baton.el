;;; baton.el --- Go on with a text on another laptop  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Tells the session's adapters of Baton where the user is, and goes on with what comes from another
;; laptop (Documentation/Editors.md).  Nothing happens where they do not run.

;;; Code:

(require 'subr-x)

(defgroup baton nil
  "Going on with a text on another laptop."
  :group 'files)

(defcustom baton-without-auto-save nil
  "Whether files are handed over that Emacs does not save by itself.
Those have passwords and the like, unless auto-saving is off for all of them."
  :type 'boolean)

(defconst baton--version 2 "Of what is said at the socket.")
(defconst baton--retry 10 "Seconds until the socket is tried again.")
(defvar baton--process nil)
(defvar baton--directory nil "Of the socket that the process leads to.")
(defvar baton--tried 0)
(defvar baton--rest "" "Of a line that is not whole yet.")
(defvar baton--timer nil)

;;; The socket

(defun baton--is-own (path modes)
  "Whether the file at PATH is this user's, who is not root, and has these MODES.
A symbolic link is none, wherever it leads."
  (let* ((file-name-handler-alist nil)
         (attributes (file-attributes path 'integer)))
    (and (eql (file-attribute-user-id attributes) (user-uid))
         (/= (user-uid) 0)
         (string-match-p modes (file-attribute-modes attributes)))))

(defun baton--directory ()
  "The directory of the socket, without symbolic links, or nil.
It must be this user's own: `su' and `sudo -E' keep another user's
XDG_RUNTIME_DIR."
  (let ((file-name-handler-alist nil)
        (runtime (or (getenv "XDG_RUNTIME_DIR") "")))
    (when (file-name-absolute-p runtime)
      (let* ((runtime (directory-file-name (file-truename runtime)))
             (directory (concat runtime "/baton/editors")))
        (and (baton--is-own runtime "\\`drwx------")
             (baton--is-own directory "\\`drwx------")
             directory)))))

(defun baton--file (name)
  "The path of the file NAME in the directory of the socket."
  (let ((path (concat baton--directory "/" name)))
    (when (or (string-match-p "/" name) (not (baton--is-own path "\\`-")))
      (error "What came is in no file of this user"))
    path))

(defun baton--connect (hello)
  "Connect to the socket, and say HELLO.  Return nil when there is none."
  (setq baton--tried (float-time) baton--rest "" baton--directory (baton--directory))
  (when-let* ((directory baton--directory)
              (path (concat directory "/socket"))
              ((baton--is-own path "\\`s")))
    (setq baton--process
          (ignore-errors
            (make-network-process :name "baton" :family 'local :service path :coding 'utf-8 :noquery t
                                  :filter #'baton--received :sentinel #'baton--changed)))
    (baton--send (append (list :version baton--version :editor "emacs") hello))
    baton--process))

(defun baton--changed (process _event)
  "Forget PROCESS when it has ended."
  (unless (process-live-p process)
    (setq baton--process nil)))

(defun baton--send (message)
  "Send MESSAGE, a property list."
  (when (process-live-p baton--process)
    (ignore-errors (process-send-string baton--process (concat (json-serialize message) "\n")))))

(defun baton--received (_process text)
  "Hear the lines that are whole with TEXT."
  (let ((lines (split-string (concat baton--rest text) "\n")))
    (setq baton--rest (car (last lines)))
    (dolist (line (butlast lines))
      (baton--heard (json-parse-string line :object-type 'plist :null-object nil :false-object nil)))))

(defun baton--heard (message)
  "Do what MESSAGE says."
  (cond ((plist-get message :ask) (baton--answer message))
        ;; Not in a filter: it may ask the user.
        ((plist-get message :open) (run-at-time 0 nil #'baton--open (plist-get message :open)))))

;;; What is in front

(defun baton-tell (&rest _)
  "Tell when it is another text, or this editor has come to the front."
  (when (or (process-live-p baton--process)
            (and (> (- (float-time) baton--tried) baton--retry) (baton--connect nil)))
    (baton--send (list :state (or (baton--state) :null)))))

(defun baton--is-text ()
  "Whether the buffer is one of the user's, and not kept out of auto-saving."
  (if buffer-file-name
      (and (not (file-remote-p buffer-file-name)) (or buffer-auto-save-file-name baton-without-auto-save))
    (and (buffer-modified-p) (not (string-match-p "\\`[ *]" (buffer-name))) (not (derived-mode-p 'special-mode)))))

(defun baton--state ()
  "Where the user is; nil in what is not handed over."
  (with-current-buffer (window-buffer (selected-window))
    (when (baton--is-text)
      (save-restriction
        (widen)
        (append
         (baton--said-path (and buffer-file-name (expand-file-name buffer-file-name)))
         (list :line (line-number-at-pos nil t)
               :column (1+ (- (point) (line-beginning-position)))
               :top (line-number-at-pos (window-start) t)
               :unsaved (if (buffer-modified-p) t :false)
               :encoding (or (baton--encoding) :null)
               :mark (if (coding-system-get buffer-file-coding-system :bom) t :false)
               :ends (or (cdr (assq (coding-system-eol-type buffer-file-coding-system) '((1 . "crlf") (2 . "cr")))) "lf")))))))

(defun baton--file-coding ()
  "The coding system of file names."
  (or file-name-coding-system default-file-name-coding-system 'utf-8-unix))

(defun baton--said-path (path)
  "PATH, or nil, as it is told.
JSON has no place for one that is not UTF-8: its bytes stand as
hexadecimal digits under a key of their own."
  (let* ((bytes (and path (encode-coding-string path (baton--file-coding))))
         (text (and path (decode-coding-string bytes 'utf-8-unix))))
    (if (and text (string-match-p "[\x3fff80-\x3fffff]" text)) ; bytes that are none of a character
        (list :file :null :fileBytes (mapconcat (lambda (byte) (format "%02x" byte)) bytes ""))
      (list :file (or text :null)))))

(defun baton--heard-path (it)
  "The path of the file that IT is about, or nil."
  (let ((bytes (plist-get it :fileBytes)) (text (plist-get it :file)))
    (if bytes
        (decode-coding-string (apply #'unibyte-string (mapcar (lambda (at) (string-to-number (substring bytes at (+ at 2)) 16))
                                                              (number-sequence 0 (- (length bytes) 2) 2)))
                              (baton--file-coding))
      (and text (decode-coding-string (encode-coding-string text 'utf-8-unix) (baton--file-coding))))))

(defun baton--encoding ()
  "The name of the encoding that the buffer's file has, if it has one."
  (when-let ((charset (coding-system-get buffer-file-coding-system :mime-charset)))
    (if (eq charset 'utf-16)
        (if (eq (coding-system-get buffer-file-coding-system :endian) 'little) "utf-16le" "utf-16be")
      (symbol-name charset))))

(defun baton--answer (message)
  "Say where the user is, and write what is not saved to the file in MESSAGE."
  (let ((state (baton--state)))
    (with-current-buffer (window-buffer (selected-window))
      (when (and (eq (plist-get state :unsaved) t)
                 (<= (bufferpos-to-filepos (1+ (buffer-size)) 'approximate 'utf-8-unix) (plist-get message :limit)))
        (ignore-errors
          (baton--write (baton--file (plist-get message :text)))
          (setq state (append state '(:sent t))))))
    (baton--send (list :answer (plist-get message :ask) :state (or state :null)))))

(defun baton--write (path)
  "Write all of the buffer to PATH, which is there."
  (let ((coding-system-for-write 'utf-8-unix) (write-region-inhibit-fsync t) (create-lockfiles nil)
        (write-region-annotate-functions nil) (file-name-handler-alist nil))
    (write-region nil nil path nil 'silent)))

;;; What comes

(defun baton-continue ()
  "Ask for what this Emacs was started for, by the ticket on its command line."
  (unless (baton--connect (list :ticket (pop command-line-args-left)))
    (message "Baton: its adapters do not run")))

(defun baton--open (it)
  "Go on with IT, a text of another laptop."
  (condition-case problem
      (let* ((name (plist-get it :text))
             (file (baton--heard-path it))
             (text (and name (with-temp-buffer (baton--read (baton--file name)) (buffer-string))))
             (doubt (and file (stringp (file-locked-p file)) "is changed and not saved in another Emacs here")))
        (switch-to-buffer (if file (baton--visit file) (baton--nameless it)))
        (baton--send '(:opened t))
        (when text
          (when (and file (or doubt (not (plist-get it :isSame))))
            (baton--ask-where it (if (plist-get it :isSame) doubt
                                   (format "differs here from what it is on %s" (plist-get it :device))))
            (setq doubt nil))
          (baton--put text it))
        (when (plist-get it :isCopy)
          (set-buffer-modified-p nil)
          (setq buffer-read-only t))
        (baton--go it)
        (baton--note it doubt))
    (error (baton--send (list :failed (error-message-string problem)))
           (message "Baton: %s" (error-message-string problem))))
  (baton-tell))

(defun baton--visit (path)
  "A buffer of the file at PATH, which sets no variables, on this machine."
  (when (file-remote-p path)
    (error "The file's name stands for another machine"))
  ;; Nor is anybody asked whether it is too large: it was opened by a click.
  (let ((enable-local-variables nil) (enable-dir-local-variables nil) (large-file-warning-threshold nil))
    (find-file-noselect path)))

(defun baton--note (it doubt)
  "Tell the user what is special about IT, DOUBT among it."
  (let ((notes (delete "" (list (plist-get it :note) (if doubt (format "%s %s" (plist-get it :name) doubt) "")))))
    (when notes
      (message "Baton: %s" (string-join notes "; ")))))

(defun baton--nameless (it)
  "A buffer for IT that is not a file yet: saving it asks where."
  (let ((buffer (generate-new-buffer (format "%s from %s" (plist-get it :name) (plist-get it :device)))))
    (with-current-buffer buffer
      (setq default-directory (expand-file-name "~/"))
      (let ((buffer-file-name (concat default-directory (plist-get it :name))) (enable-local-variables nil))
        (set-auto-mode))
      (setq buffer-offer-save t))
    buffer))

(defun baton--ask-where (it doubt)
  "Ask whether unsaved text of IT goes into the file's buffer, in spite of DOUBT."
  (unless (y-or-n-p (format "%s %s.  Put what is not saved on %s into its buffer? "
                            (plist-get it :name) doubt (plist-get it :device)))
    (switch-to-buffer (baton--nameless it))))

(defun baton--read (path)
  "Insert what the file at PATH has."
  (let ((file-name-handler-alist nil))
    (insert-file-contents-literally path)
    (decode-coding-region (point-min) (point-max) 'utf-8-unix)))

(defun baton--put (text it)
  "Have the buffer say TEXT, by one change that can be undone.
It is saved in the form that IT says.  Whether another Emacs has the file
was asked before."
  (setq buffer-file-coding-system (baton--coding it))
  (unless (string-suffix-p "\n" text)
    (setq-local require-final-newline nil)) ; it would be another file
  (let ((create-lockfiles (and create-lockfiles (not (stringp (file-locked-p (or buffer-file-name "")))))))
    (atomic-change-group
      (erase-buffer)
      (insert text))))

(defun baton--coding (it)
  "The coding system of a file in the form that IT says."
  (let ((name (intern-soft (concat (plist-get it :encoding) (if (plist-get it :mark) "-with-signature")))))
    (coding-system-change-eol-conversion (if (coding-system-p name) name 'utf-8)
                                         (or (cdr (assoc (plist-get it :ends) '(("crlf" . dos) ("cr" . mac)))) 'unix))))

(defun baton--go (it)
  "Go where IT says."
  (let ((inhibit-read-only t))
    (goto-char (point-min))
    (forward-line (1- (plist-get it :top)))
    (set-window-start nil (line-beginning-position))
    (goto-char (point-min))
    (forward-line (1- (plist-get it :line)))
    (goto-char (min (+ (point) (1- (plist-get it :column))) (line-end-position)))))

;;;###autoload
(define-minor-mode baton-mode
  "Hand over what is edited to your other laptops."
  :global t
  (when baton--timer
    (cancel-timer baton--timer)
    (setq baton--timer nil))
  (remove-hook 'window-selection-change-functions #'baton-tell)
  (remove-hook 'window-buffer-change-functions #'baton-tell)
  (remove-hook 'after-save-hook #'baton-tell)
  (remove-function after-focus-change-function #'baton-tell)
  (if (not (and baton-mode (fboundp 'json-serialize) (featurep 'make-network-process '(:family local))))
      (when baton--process (delete-process baton--process))
    (add-hook 'window-selection-change-functions #'baton-tell)
    (add-hook 'window-buffer-change-functions #'baton-tell)
    (add-hook 'after-save-hook #'baton-tell)
    (add-function :after after-focus-change-function #'baton-tell)
    (setq baton--timer (run-with-idle-timer 4 t #'baton-tell))))

(provide 'baton)
;;; baton.el ends here
