// Only makes the page more comfortable: everything on it also works without this script.
;(() => {
  const find = (selector, where = document) => where.querySelector(selector)
  const live = find('#live')
  const offline = find('#offline')
  const finals = ['paid', 'failed', 'expired', 'alone']
  const shortestMs = 2000
  const longestMs = 15000
  let main = find('main')
  let version = main.dataset.version
  let waitMs = shortestMs
  let streamsLeft = 5
  let isAsking, source, timer, counting

  const page = version && new URL(main.dataset.page, location.href)
  const address = (name) => page.origin + page.pathname + '/' + name

  async function ask() {
    if (isAsking || isOver()) return
    isAsking = true
    try {
      const answer = await fetch(address('state'), { cache: 'no-store' })
      offline.hidden = true
      if (answer.ok) await hear((await answer.json()).version)
    } catch {
      offline.hidden = false
    }
    isAsking = false
  }

  async function hear(news) {
    if (news === version) return
    const answer = await fetch(page.href, { cache: 'no-store' })
    if (!answer.ok) return
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const next = find('main', fresh)
    version = next.dataset.version
    // What is being typed stays, unless there is nothing left to type it for.
    if (next.dataset.kind === main.dataset.kind && find('form [name]', main)) return
    const hadFocus = main.contains(document.activeElement)
    history.replaceState(null, '', page.href)
    main.replaceWith(document.adoptNode(next))
    main = next
    document.title = fresh.title
    const title = find('#title')
    live.textContent = title.textContent
    if (hadFocus) title.focus()
    scrollTo(0, 0)
    enhance()
  }

  const isOver = () => !version || finals.includes(main.dataset.kind)

  function follow() {
    clearTimeout(timer)
    if (isOver()) return stop()
    if (source || !window.EventSource || !streamsLeft) return poll()
    streamsLeft -= 1
    source = new EventSource(address('events'))
    source.addEventListener('event', (event) => {
      streamsLeft = 5
      waitMs = shortestMs
      hear(JSON.parse(event.data).version).then(follow, poll)
    })
    source.onerror = () => {
      stop()
      poll()
    }
  }

  function stop() {
    if (source) source.close()
    source = undefined
  }

  function poll() {
    clearTimeout(timer)
    // An open stream tells by itself.
    if ((source && source.readyState === 1) || isOver() || document.hidden) return
    timer = setTimeout(() => ask().then(follow), waitMs * (0.75 + Math.random() / 2))
    waitMs = Math.min(longestMs, waitMs * 1.5)
  }

  function wake() {
    if (document.hidden) return
    waitMs = shortestMs
    streamsLeft = 5
    ask().then(follow)
  }

  function enhance() {
    const hint = find('.live', main)
    if (hint) hint.hidden = false
    const print = find('.print', main)
    if (print) {
      print.hidden = false
      print.onclick = () => window.print()
    }
    remember()
    countDown(find('.auto', main))
  }

  // The wallet that worked last on this phone is the likely one; the number is not kept.
  function remember() {
    try {
      const paid = find('[data-wallet]', main)
      if (paid) localStorage.wallet = paid.dataset.wallet
      const last = find('[name=serviceCode][value="' + localStorage.wallet + '"]:enabled', main)
      if (!last || find('[name=serviceCode]:checked', main) || find('.notice', main)) return
      last.checked = true
      const country = find(
        '[name=country][value="' + localStorage.wallet.split('_')[1] + '"]',
        main,
      )
      if (country) country.checked = true
    } catch {}
  }

  // Goes back to the shop once, and not at all once the payer touches anything.
  function countDown(box) {
    clearInterval(counting)
    let seconds = box && +box.dataset.seconds
    const key = 'back ' + (page && page.pathname)
    if (!seconds || sessionStorage[key]) return
    const left = find('b', box)
    const halt = () => {
      clearInterval(counting)
      box.hidden = true
    }
    left.textContent = seconds
    box.hidden = false
    for (const what of ['pointerdown', 'keydown', 'beforeprint'])
      addEventListener(what, halt, { once: true })
    counting = setInterval(() => {
      if (document.hidden) return
      seconds -= 1
      left.textContent = seconds
      if (seconds > 0) return
      halt()
      sessionStorage[key] = 1
      location.href = find('.return a').href
    }, 1000)
  }

  addEventListener('submit', ({ target }) => {
    const button = find('button', target)
    if (target.dataset.sent) return event.preventDefault()
    target.dataset.sent = 1
    button.setAttribute('aria-busy', true)
  })
  addEventListener('pageshow', () => {
    for (const form of document.forms) {
      delete form.dataset.sent
      const button = find('button', form)
      if (button) button.removeAttribute('aria-busy')
    }
    wake()
  })
  document.addEventListener('visibilitychange', wake)
  addEventListener('online', wake)
  addEventListener('offline', () => {
    offline.hidden = false
  })
  enhance()
})()
