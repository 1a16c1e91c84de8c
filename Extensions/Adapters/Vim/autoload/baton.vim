" SPDX-License-Identifier: Apache-2.0
" JSON lines to and from the socket of the adapters (Documentation/Editors.md).

let s:cpo = &cpo
set cpo&vim

let s:version = 2 " of what is said at the socket
let s:retry = 10 " seconds until the socket is tried again

let s:channel = v:null
let s:directory = '' " of the socket that the channel leads to
let s:tried = 0
let s:rest = '' " of a line that is not whole yet, in Neovim
let s:told = ''

" --- The socket ----------------------------------------------------------------------------------

function! s:connect(hello) abort
  let s:tried = localtime()
  let s:directory = baton#own#directory()
  let l:path = s:directory .. '/socket'
  if empty(s:directory) || !baton#own#is_own(l:path, 'socket', 'rw-------')
    return v:false
  endif
  let s:rest = ''
  let s:told = ''
  try
    if has('nvim')
      let s:channel = sockconnect('pipe', l:path, {'on_data': function('s:received')})
    else
      let l:channel = ch_open('unix:' .. l:path, {'mode': 'nl',
            \ 'callback': {_, line -> s:heard(line)}, 'close_cb': {-> s:closed()}})
      let s:channel = ch_status(l:channel) ==# 'open' ? l:channel : v:null
    endif
  catch
    let s:channel = v:null
  endtry
  call s:send(extend({'version': s:version, 'editor': has('nvim') ? 'nvim' : 'vim'}, a:hello))
  return s:channel isnot v:null
endfunction

function! s:closed() abort
  let s:channel = v:null
endfunction

function! s:send(message) abort
  if s:channel is v:null
    return
  endif
  try
    if has('nvim')
      call chansend(s:channel, json_encode(a:message) .. "\n")
    else
      call ch_sendraw(s:channel, json_encode(a:message) .. "\n")
    endif
  catch
    call s:closed()
  endtry
endfunction

" Neovim passes pieces: the first one continues the previous line, and the last one is incomplete.
function! s:received(channel, pieces, name) abort
  if a:pieces ==# ['']
    return s:closed()
  endif
  let l:lines = copy(a:pieces)
  let l:lines[0] = s:rest .. l:lines[0]
  let s:rest = remove(l:lines, -1)
  for l:line in l:lines
    call s:heard(l:line)
  endfor
endfunction

function! s:heard(line) abort
  let l:message = json_decode(a:line)
  if has_key(l:message, 'ask')
    call s:answer(l:message)
  elseif has_key(l:message, 'open')
    " Later, because it may ask the user.
    call timer_start(0, {-> s:open(l:message.open)})
  endif
endfunction

" --- The text in front ---------------------------------------------------------------------------

" Tells the adapters that another text is in front, or that this editor has come to the front.
function! baton#tell() abort
  if s:channel is v:null && (localtime() - s:tried < s:retry || !s:connect({}))
    return
  endif
  let l:state = s:state()
  if l:state is v:null && s:told ==# 'null'
    return
  endif
  let s:told = l:state is v:null ? 'null' : 'state'
  call s:send({'state': l:state})
endfunction

" Returns v:null for a buffer that is not the user's text, and for one without a swap file.
function! s:state() abort
  let l:file = empty(bufname()) || &buftype ==# 'acwrite' ? v:null : fnamemodify(bufname(), ':p')
  let l:is_text = empty(&buftype) && !exists('w:quickfix_title') || exists('b:baton')
  if !l:is_text || (!&swapfile && !get(g:, 'baton_without_swap')) || (l:file isnot v:null && l:file !~# '^/')
    return v:null
  endif
  return extend(extend(baton#text#form(), baton#path#say(l:file)), {'line': line('.'), 'top': line('w0'),
        \ 'column': strchars(strpart(getline('.'), 0, col('.') - 1)) + 1, 'unsaved': &modified ? v:true : v:false})
endfunction

function! s:answer(message) abort
  let l:state = s:state()
  if l:state isnot v:null && l:state.unsaved && line2byte(line('$') + 1) <= a:message.limit
    try
      call extend(l:state, baton#text#write(baton#own#file(s:directory, a:message.text), get(a:message, 'encoding', '')))
    catch
    endtry
  endif
  call s:send({'answer': a:message.ask, 'state': l:state})
endfunction

" --- Texts from other laptops --------------------------------------------------------------------

function! baton#continue(ticket) abort
  if !s:connect({'ticket': a:ticket})
    echohl ErrorMsg | echomsg 'Baton: its adapters do not run' | echohl None
  endif
endfunction

function! s:open(it) abort
  let l:doubt = ''
  try
    let l:text = a:it.text is v:null ? v:null : baton#text#read(baton#own#file(s:directory, a:it.text), a:it)
    let l:file = baton#path#hear(a:it)
    if l:file isnot v:null
      let l:doubt = s:edit(l:file, a:it.fileForm) ? '"' .. a:it.name .. '" has a swap file here. Another Vim has it open, or crashed.' : ''
    else
      enew
      call s:nameless(a:it)
    endif
    call s:send({'opened': v:true})
    if l:text isnot v:null
      if l:file isnot v:null && (!a:it.isSame || !empty(l:doubt))
        call s:ask_where(a:it, a:it.isSame ? l:doubt : printf('"%s" differs here from the file on "%s".', a:it.name, a:it.device))
        let l:doubt = ''
      endif
      call baton#text#put(l:text, a:it)
    endif
    if a:it.isCopy
      setlocal nomodified nomodifiable " and not readonly, with which :w fails before it asks
    endif
    call s:go(a:it)
    call s:note(a:it, l:doubt)
  catch
    call s:send({'failed': v:exception})
    echohl ErrorMsg | echomsg 'Baton: ' .. v:exception | echohl None
  endtry
  call baton#tell()
endfunction

" Opens a file. Its name is not part of a command, and modelines are not read. Vim's own question about
" a swap file would make the command fail, and nobody may be there to answer it. Returns whether there
" is a swap file.
function! s:edit(path, form) abort
  let l:options = extend({'modeline': v:false}, a:form is v:null ? {} : baton#text#options(a:form))
  let l:before = s:set(l:options)
  let s:has_swap_file = v:false
  augroup baton_edit
    autocmd SwapExists * let s:has_swap_file = v:true | let v:swapchoice = 'e'
  augroup END
  try
    let l:buffer = bufadd(a:path)
    call setbufvar(l:buffer, '&buflisted', 1)
    execute 'buffer' l:buffer
  finally
    autocmd! baton_edit
    call s:set(l:before)
  endtry
  if a:form isnot v:null
    call baton#text#keep_end(a:form)
  endif
  return s:has_swap_file
endfunction

" Sets options for the next file that is opened. Returns their previous values.
function! s:set(options) abort
  let l:before = {}
  for [l:name, l:value] in items(a:options)
    let l:before[l:name] = eval('&g:' .. l:name)
    execute 'let &g:' .. l:name .. ' = l:value'
  endfor
  return l:before
endfunction

" Tells the user what is special about the text.
function! s:note(it, doubt) abort
  let l:notes = filter([a:it.note, a:doubt], '!empty(v:val)')
  if !empty(l:notes)
    redraw " the question goes, and no key is waited for
    echomsg 'Baton: ' .. join(l:notes, ' ')
  endif
endfunction

" Opens a text that is not a file yet. Saving it asks for a name.
function! s:nameless(it) abort
  let b:baton = {'name': a:it.name}
  setlocal buftype=acwrite
  silent execute 'file' fnameescape(printf('%s from %s [%d]', a:it.name, a:it.device, bufnr()))
  if exists('#filetypedetect#BufRead')
    execute 'doautocmd <nomodeline> filetypedetect BufRead' fnameescape(a:it.name)
  endif
  autocmd BufWriteCmd <buffer> call s:save(expand('<afile>'))
endfunction

function! s:save(name) abort
  let l:path = a:name ==# bufname() ? input('Save as: ', getcwd() .. '/' .. b:baton.name, 'file') : a:name
  if empty(l:path)
    return
  endif
  setlocal buftype= modifiable
  try
    " This fails if the file exists.
    execute 'saveas' fnameescape(fnamemodify(l:path, ':p'))
    autocmd! BufWriteCmd <buffer>
    unlet b:baton
  catch
    setlocal buftype=acwrite
    echohl ErrorMsg | echomsg v:exception | echohl None
  endtry
endfunction

" Asks the user before unsaved text replaces a file that differs or is open elsewhere.
function! s:ask_where(it, doubt) abort
  let l:question = printf('%s Where does the text go that is not saved on "%s"?', a:doubt, a:it.device)
  if confirm(l:question, "a &new buffer\nthis &file's buffer", 1) != 2
    enew
    call s:nameless(a:it)
  endif
endfunction

function! s:go(it) abort
  let l:line = min([a:it.line, line('$')])
  let l:byte = byteidxcomp(getline(l:line), a:it.column - 1)
  call winrestview({'lnum': l:line, 'col': l:byte < 0 ? col([l:line, '$']) : l:byte, 'coladd': 0, 'topline': min([a:it.top, l:line])})
  normal! zv
endfunction

let &cpo = s:cpo
unlet s:cpo
