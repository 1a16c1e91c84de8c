;;; baton.el --- Continue a text on another laptop  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Tells the session's adapters of Baton the user's place in a text, and opens texts from other
;; laptops (Documentation/Editors.md).  Nothing happens where the adapters do not run.

;;; Code:

(require 'subr-x)

(defgroup baton nil
  "Continue texts on another laptop."
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
  "Return the directory of the socket, without symbolic links, or nil.
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
  "Return the path of the file NAME in the directory of the socket."
  (let ((path (concat baton--directory "/" name)))
    (when (or (string-match-p "/" name) (not (baton--is-own path "\\`-")))
      (error "What came is in no file of this user"))
    path))

(defun baton--connect (hello)
  "Connect to the socket, and send HELLO.  Return nil if there is none."
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
  "Handle the lines that TEXT completes."
  (let ((lines (split-string (concat baton--rest text) "\n")))
    (setq baton--rest (car (last lines)))
    (dolist (line (butlast lines))
      (baton--heard (json-parse-string line :object-type 'plist :null-object nil :false-object nil)))))

(defun baton--heard (message)
  "Handle MESSAGE."
  (cond ((plist-get message :ask) (baton--answer message))
        ;; Not in a filter, because it may ask the user.
        ((plist-get message :open) (run-at-time 0 nil #'baton--open (plist-get message :open)))))

;;; The text in front

(defun baton-tell (&rest _)
  "Tell the adapters that another text or this editor is in front."
  (when (or (process-live-p baton--process)
            (and (> (- (float-time) baton--tried) baton--retry) (baton--connect nil)))
    (baton--send (list :state (or (baton--state) :null)))))

(defun baton--is-text ()
  "Return whether the buffer is a text of the user, with auto-saving."
  (if buffer-file-name
      (and (not (file-remote-p buffer-file-name)) (or buffer-auto-save-file-name baton-without-auto-save))
    (and (buffer-modified-p) (not (string-match-p "\\`[ *]" (buffer-name))) (not (derived-mode-p 'special-mode)))))

(defun baton--state ()
  "Return the user's place; nil in a text that is not handed over."
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
               :encoding (baton--encoding)
               :mark (if (coding-system-get buffer-file-coding-system :bom) t :false)
               :ends (or (cdr (assq (coding-system-eol-type buffer-file-coding-system) '((1 . "crlf") (2 . "cr")))) "lf")))))))

(defun baton--file-coding ()
  "Return the coding system of file names."
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
  "Return the path in the message IT, or nil."
  (let ((bytes (plist-get it :fileBytes)) (text (plist-get it :file)))
    (if bytes
        (decode-coding-string (apply #'unibyte-string (mapcar (lambda (at) (string-to-number (substring bytes at (+ at 2)) 16))
                                                              (number-sequence 0 (- (length bytes) 2) 2)))
                              (baton--file-coding))
      (and text (decode-coding-string (encode-coding-string text 'utf-8-unix) (baton--file-coding))))))

(defun baton--encoding ()
  "Return the name of the encoding in which the buffer is saved."
  (let ((charset (or (coding-system-get buffer-file-coding-system :mime-charset)
                     (unless (memq (coding-system-type buffer-file-coding-system) '(undecided raw-text utf-8))
                       (coding-system-base buffer-file-coding-system))
                     'utf-8)))
    (if (eq charset 'utf-16)
        (if (eq (coding-system-get buffer-file-coding-system :endian) 'little) "utf-16le" "utf-16be")
      (symbol-name charset))))

(defun baton--answer (message)
  "Send the user's place, and write unsaved text to the file in MESSAGE."
  (let ((state (baton--state)))
    (with-current-buffer (window-buffer (selected-window))
      (when (and (eq (plist-get state :unsaved) t)
                 (<= (bufferpos-to-filepos (1+ (buffer-size)) 'approximate 'utf-8-unix) (plist-get message :limit)))
        (ignore-errors
          (setq state (append (baton--write (baton--file (plist-get message :text)) (plist-get message :encoding))
                              state)))))
    (baton--send (list :answer (plist-get message :ask) :state (or state :null)))))

(defun baton--write (path encoding)
  "Write all of the buffer to PATH, which is there, as a save would.
With ENCODING it is UTF-8.  Return what is to be said of it.  What
Unicode has is written in UTF-8, all else in the buffer's own encoding."
  (let* ((text (save-restriction (widen) (buffer-substring-no-properties (point-min) (point-max))))
         (text (if (baton--ends-last-line text) (concat text "\n") text))
         (own (coding-system-change-eol-conversion buffer-file-coding-system 'unix))
         (is-unicode (string-prefix-p "utf" (baton--encoding)))
         (is-recoded (or encoding (not (or is-unicode (baton--is-encodable text own)))))
         ;; Write bytes, because Emacs would write text as UTF-8 during an automatic save.
         (bytes (encode-coding-string text (if (or is-unicode is-recoded) 'utf-8-unix own)))
         (coding-system-for-write 'no-conversion) (write-region-inhibit-fsync t) (create-lockfiles nil)
         (write-region-annotate-functions nil) (file-name-handler-alist nil))
    (write-region bytes nil path nil 'silent)
    (append '(:sent t) (when is-recoded '(:encoding "utf-8" :isRecoded t)))))

(defun baton--is-encodable (text coding)
  "Whether CODING has a place for the whole TEXT.
Bytes that are in no encoding stay what they are."
  (string= text (decode-coding-string (encode-coding-string text coding) coding)))

(defun baton--ends-last-line (text)
  "Whether a save ends the last line of TEXT, which has no end."
  (and (memq require-final-newline '(t visit-save))
       (not find-file-literally)
       (not buffer-read-only)
       (not (string-empty-p text))
       (not (string-suffix-p "\n" text))))

;;; Texts from other laptops

(defun baton-continue ()
  "Ask for the text whose ticket is on this Emacs's command line."
  (unless (baton--connect (list :ticket (pop command-line-args-left)))
    (message "Baton: its adapters do not run")))

(defun baton--open (it)
  "Open IT, a text from another laptop."
  (condition-case problem
      (let* ((name (plist-get it :text))
             (file (baton--heard-path it))
             (text (and name (with-temp-buffer (baton--read (baton--file name) it) (buffer-string))))
             (doubt (and file (stringp (file-locked-p file))
                         (format "\"%s\" is changed and not saved in another Emacs here." (plist-get it :name)))))
        (switch-to-buffer (if file (baton--visit file (plist-get it :fileForm)) (baton--nameless it)))
        (baton--send '(:opened t))
        (when text
          (when (and file (or doubt (not (plist-get it :isSame))))
            (baton--ask-where it (if (plist-get it :isSame) doubt
                                   (format "\"%s\" differs here from the file on \"%s\"." (plist-get it :name) (plist-get it :device))))
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

(defun baton--visit (path form)
  "A buffer of the file at PATH, which sets no variables, on this machine.
It is opened in FORM, or as ever where that is nil."
  (when (file-remote-p path)
    (error "The file's name stands for another machine"))
  ;; Do not ask whether the file is too large: the user clicked to open it.
  (let ((enable-local-variables nil) (enable-dir-local-variables nil) (large-file-warning-threshold nil)
        (coding-system-for-read (when form (baton--coding form))))
    (with-current-buffer (find-file-noselect path)
      (when form (baton--keep-end form))
      (current-buffer))))

(defun baton--note (it doubt)
  "Tell the user what is special about IT, DOUBT among it."
  (let ((notes (delete "" (list (plist-get it :note) (or doubt "")))))
    (when notes
      (message "Baton: %s" (string-join notes " ")))))

(defun baton--nameless (it)
  "Return a buffer for IT without a file.  Saving it asks for a name."
  (let ((buffer (generate-new-buffer (format "%s from %s" (plist-get it :name) (plist-get it :device)))))
    (with-current-buffer buffer
      (setq default-directory (expand-file-name "~/"))
      (let ((buffer-file-name (concat default-directory (plist-get it :name))) (enable-local-variables nil))
        (set-auto-mode))
      (setq buffer-offer-save t))
    buffer))

(defun baton--ask-where (it doubt)
  "Ask whether unsaved text of IT goes into the file's buffer, in spite of DOUBT."
  (unless (y-or-n-p (format "%s  Put what is not saved on \"%s\" into its buffer? " doubt (plist-get it :device)))
    (switch-to-buffer (baton--nameless it))))

(defun baton--read (path it)
  "Insert what the file at PATH has, in the encoding that IT says.
IT says another encoding afterwards if the file is not in that one."
  (let ((file-name-handler-alist nil)
        (own (coding-system-change-eol-conversion (intern-soft (plist-get it :encoding)) 'unix)))
    (insert-file-contents-literally path)
    (if (string-prefix-p "utf" (plist-get it :encoding))
        (decode-coding-region (point-min) (point-max) 'utf-8-unix)
      (decode-coding-region (point-min) (point-max) own)
      (when (unencodable-char-position (point-min) (point-max) own)
        (erase-buffer)
        (plist-put it :encoding "iso-8859-15") ; in which each byte is a character
        (baton--read path it)))))

(defun baton--put (text it)
  "Have the buffer say TEXT, by one change that can be undone.
It is saved in the form that IT says.  Whether another Emacs has the file
was asked before."
  (setq buffer-file-coding-system (baton--coding it))
  (baton--keep-end it)
  (let ((create-lockfiles (and create-lockfiles (not (stringp (file-locked-p (or buffer-file-name "")))))))
    (atomic-change-group
      (erase-buffer)
      (insert text))))

(defun baton--coding (form)
  "Return the coding system of a file in this FORM."
  (coding-system-change-eol-conversion
   (intern-soft (concat (plist-get form :encoding) (if (plist-get form :mark) "-with-signature")))
   (cdr (assoc (plist-get form :ends) '(("lf" . unix) ("crlf" . dos) ("cr" . mac))))))

(defun baton--keep-end (form)
  "Have the buffer be saved without an end of its last line, if FORM has none.
It would be another file.  Modes that the file's name stands for say
otherwise, and saving a copy sets them."
  (unless (plist-get form :hasLastEnd)
    (baton--end-no-line)
    (add-hook 'after-change-major-mode-hook #'baton--end-no-line nil t)))

(defun baton--end-no-line ()
  "Make saves of the buffer leave its last line unchanged."
  (setq-local require-final-newline nil))
(put 'baton--end-no-line 'permanent-local-hook t)

(defun baton--go (it)
  "Go to the place in IT."
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
