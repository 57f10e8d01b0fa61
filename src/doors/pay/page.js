// Optional: every step of the page also works without this script. It follows the state of the
// link, by a stream or by polling, and replaces <main> when the state has changed.
;(() => {
  const find = (selector, within = document) => within.querySelector(selector)
  const on = (names, act) => names.split(' ').forEach((name) => addEventListener(name, act))
  const offline = find('#offline')
  let main = find('main')
  let version = main.dataset.version
  // Without what only the payer's own address says: this one is shared.
  const page = new URL(main.dataset.page || '', location.href)
  page.searchParams.delete('payer')
  let pollMs, streamsLeft, source, timer, polling, isReached, countdown, held
  let newest
  let asked = 0
  let shown = 0

  const isOver = () => !version || /paid|failed|expired/.test(main.dataset.kind)
  // Gives up after 12 s, or when by.abort() is called.
  const get = (path, by = {}) => {
    const request = new AbortController()
    const abort = (by.abort = () => request.abort())
    setTimeout(abort, 12000)
    return fetch(path, { cache: 'no-store', signal: request.signal })
  }

  async function poll(isAnew) {
    if ((polling && !isAnew) || isOver()) return
    if (polling) polling.abort()
    const mine = (polling = {})
    try {
      const answer = await get(page.pathname + '/state', mine)
      if (answer.ok) await update((await answer.json()).version, mine)
      // In the time of the server: the clock of a phone may be wrong.
      const looked = answer.ok && find('#looked')
      const date = new Date(answer.headers.get('date'))
      if (looked) looked.textContent = date.toISOString().slice(11, 19)
      offline.hidden = true
      release()
    } catch {
      if (mine === polling) offline.hidden = false
    }
    if (mine === polling) polling = 0
  }

  async function update(newVersion, by) {
    newest = newVersion
    if (newest === version) return
    const mine = (asked += 1)
    const query = new URLSearchParams(page.search)
    // Who saw it under way is its payer; who only looked at the form is not.
    if (!/choose|closed/.test(main.dataset.kind)) query.set('payer', 1)
    query.set('part', 'main')
    const answer = await get(page.pathname + '?' + query, by)
    if (!answer.ok) return
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
    // Answers may come out of order; what was asked for later is never older.
    if (mine < shown) return
    shown = mine
    const next = find('main', fresh)
    version = next.dataset.version
    // A form with its input stays as long as the new state shows the same form.
    const { kind } = next.dataset
    if (kind === main.dataset.kind && /choose|otp/.test(kind)) return
    const hadFocus = main.contains(document.activeElement)
    history.replaceState(null, '', page)
    main.replaceWith(next)
    main = next
    document.title = fresh.title
    const title = find('#title')
    find('#live').textContent = title.textContent
    if (hadFocus) title.focus()
    scrollTo(0, 0)
    enhance()
  }

  // Opens a stream if the browser can. Polls until it is open and what it told is shown, and every
  // 30 s from then on.
  function follow() {
    if (isOver() || document.hidden) return stop()
    if (!source && streamsLeft && window.EventSource) {
      streamsLeft -= 1
      source = new EventSource(page.pathname + '/events')
      source.addEventListener('event', ({ data }) => {
        pollMs = 2000
        update(JSON.parse(data).version).then(follow, follow)
      })
      source.onerror = () => {
        stop()
        pollLater()
      }
    }
    pollLater()
  }

  function pollLater() {
    clearTimeout(timer)
    const isFollowed = source && source.readyState === 1 && newest === version
    const delayMs = isFollowed ? 30000 : pollMs * (0.75 + Math.random() / 2)
    pollMs = Math.min(15000, pollMs * 1.5)
    timer = setTimeout(() => poll().then(follow), delayMs)
  }

  function stop() {
    clearTimeout(timer)
    if (source) source.close()
    source = 0
  }

  // A request from before may hold an old state, or wait on a network that is gone.
  function wake() {
    pollMs = 2000
    streamsLeft = 4
    if (document.hidden) stop()
    else poll(true).then(follow)
  }

  function enhance() {
    main.querySelectorAll('.scripted').forEach((one) => (one.hidden = false))
    main.querySelectorAll('.plain').forEach((one) => (one.hidden = true))
    const print = find('.print', main)
    if (print) print.onclick = () => window.print()
    share(find('.share', main))
    goBack(find('.auto', main))
    try {
      remember(localStorage)
    } catch {}
  }

  // Shares the address of the receipt, or copies it where the browser cannot share.
  function share(button) {
    const { clipboard } = navigator
    if (!button || !(navigator.share || clipboard)) return
    button.hidden = false
    button.onclick = async () => {
      try {
        if (navigator.share) return await navigator.share({ title: document.title, url: page.href })
        await clipboard.writeText(page.href)
        button.textContent = find('#live').textContent = button.dataset.copied
      } catch {}
    }
  }

  // Preselects the wallet that last paid on this device; the number is not stored.
  function remember(storage) {
    const paid = find('[data-wallet]', main)
    if (paid) storage.payWith = paid.dataset.wallet
    const last = find('[value="' + storage.payWith + '"]:enabled', main)
    if (last && !find('[name=serviceCode]:checked', main)) last.checked = true
  }

  // Returns to the shop after a countdown; any touch or key of the payer stops it. The address that
  // is left behind is the one for everybody, so that going back or sending it on starts none.
  function goBack(box) {
    if (isOver()) history.replaceState(null, '', page)
    if (!box) return
    let seconds = +box.dataset.seconds
    const halt = () => {
      clearInterval(countdown)
      box.hidden = true
    }
    const showSeconds = () => (find('b', box).textContent = seconds)
    showSeconds()
    box.hidden = false
    on('pointerdown keydown beforeprint', halt)
    countdown = setInterval(() => {
      if (document.hidden) return
      seconds -= 1
      showSeconds()
      if (seconds) return
      halt()
      location.href = find('.return a').href
    }, 1000)
  }

  // A form that is sent while offline waits, with its input, until the page reaches the server.
  function hold(event) {
    event.preventDefault()
    held = event
    showHeld(true)
    poll()
  }

  function release() {
    const { target: form, submitter } = held || {}
    held = 0
    showHeld(false)
    // The state of the link may have replaced it.
    if (!form || !form.isConnected) return
    delete form.dataset.sent
    // The server has just answered, even if the browser takes itself for offline.
    isReached = 1
    if (form.requestSubmit) form.requestSubmit(submitter)
    else form.submit()
    isReached = 0
  }

  function showHeld(isHeld) {
    const [resumes, waits] = offline.querySelectorAll('span')
    resumes.hidden = isHeld
    waits.hidden = !isHeld
  }

  // A form is sent once; a page restored from the back/forward cache can be sent again.
  on('submit', (event) => {
    const { dataset } = event.target
    if (dataset.sent) return event.preventDefault()
    dataset.sent = 1
    if (!isReached && (!navigator.onLine || !offline.hidden)) hold(event)
  })
  on('pageshow', () => {
    for (const form of document.forms) delete form.dataset.sent
  })
  on('pageshow online', wake)
  on('offline', () => (offline.hidden = false))
  document.addEventListener('visibilitychange', wake)
  enhance()
})()
