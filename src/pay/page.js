// Only makes the page more comfortable: everything on it also works without this script.
;(() => {
  const find = (selector, within = document) => within.querySelector(selector)
  const on = (names, act) => names.split(' ').forEach((name) => addEventListener(name, act))
  const offline = find('#offline')
  let main = find('main')
  let version = main.dataset.version
  const page = new URL(main.dataset.page || '', location.href)
  let waitMs, streams, source, timer, isAsking, countdown

  const isOver = () => !version || /paid|failed|expired/.test(main.dataset.kind)
  const get = (path) => {
    const late = new AbortController()
    setTimeout(() => late.abort(), 12000)
    return fetch(path, { cache: 'no-store', signal: late.signal })
  }

  async function ask() {
    if (isAsking || isOver()) return
    isAsking = true
    try {
      const answer = await get(page.pathname + '/state')
      if (answer.ok) await hear((await answer.json()).version)
      offline.hidden = true
    } catch {
      offline.hidden = false
    }
    isAsking = false
  }

  async function hear(news) {
    if (news === version) return
    const answer = await get(page.href + (page.search ? '&' : '?') + 'part=main')
    if (!answer.ok) return
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const next = find('main', fresh)
    version = next.dataset.version
    // What is being typed stays, unless there is nothing left to type it for.
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

  // A stream where there can be one; questions until it is open, and seldom while it is.
  function follow() {
    if (isOver() || document.hidden) return stop()
    if (!source && streams && window.EventSource) {
      streams -= 1
      source = new EventSource(page.pathname + '/events')
      source.addEventListener('event', ({ data }) => {
        hear(JSON.parse(data).version).then(follow, follow)
      })
      source.onerror = () => {
        stop()
        askAgain()
      }
    }
    askAgain()
  }

  function askAgain() {
    clearTimeout(timer)
    const isOpen = source && source.readyState === 1
    const delayMs = isOpen ? 30000 : waitMs * (0.75 + Math.random() / 2)
    waitMs = Math.min(15000, waitMs * 1.5)
    timer = setTimeout(() => ask().then(follow), delayMs)
  }

  function stop() {
    clearTimeout(timer)
    if (source) source.close()
    source = 0
  }

  function wake() {
    waitMs = 2000
    streams = 4
    if (document.hidden) stop()
    else ask().then(follow)
  }

  function enhance() {
    main.querySelectorAll('.scripted').forEach((one) => (one.hidden = false))
    const print = find('.print', main)
    if (print) print.onclick = () => window.print()
    try {
      remember(localStorage)
      goBack(find('.auto', main), sessionStorage)
    } catch {}
  }

  // The wallet that last worked on this phone is the likely one; the number is not kept.
  function remember(kept) {
    const paid = find('[data-wallet]', main)
    if (paid) kept.payWith = paid.dataset.wallet
    const last = find('[value="' + kept.payWith + '"]:enabled', main)
    if (!last || find('[name=serviceCode]:checked', main) || find('.notice', main)) return
    last.checked = true
    const { country } = last.closest('.wallets').dataset
    if (country) find('[value=' + country + ']', main).checked = true
  }

  // Back to the shop: once, and not at all if the payer does anything here.
  function goBack(box, kept) {
    if (!box || kept[page.pathname]) return
    let seconds = +box.dataset.seconds
    const halt = () => {
      clearInterval(countdown)
      box.hidden = true
    }
    const tell = () => (find('b', box).textContent = seconds)
    tell()
    box.hidden = false
    on('pointerdown keydown beforeprint', halt)
    countdown = setInterval(() => {
      if (document.hidden) return
      seconds -= 1
      tell()
      if (seconds) return
      halt()
      kept[page.pathname] = 1
      location.href = find('.return a').href
    }, 1000)
  }

  on('submit', (event) => {
    const { dataset } = event.target
    if (dataset.sent) event.preventDefault()
    dataset.sent = 1
  })
  on('pageshow', () => {
    for (const form of document.forms) delete form.dataset.sent
  })
  on('pageshow online', wake)
  // What was chosen in another country is no longer seen.
  on('change', ({ target }) => {
    const chosen = target.name === 'country' && find('[name=serviceCode]:checked')
    if (chosen) chosen.checked = false
  })
  on('offline', () => (offline.hidden = false))
  document.addEventListener('visibilitychange', wake)
  enhance()
})()
