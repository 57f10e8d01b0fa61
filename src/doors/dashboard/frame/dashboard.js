// What makes pages livelier; each of them works without it.

// Buttons that need a script; those that copy are shown only where copying is possible.
function showButtons() {
  for (const button of document.querySelectorAll('button.scripted')) button.hidden = false
  const hasPasskeys = window.PublicKeyCredential?.parseCreationOptionsFromJSON !== undefined
  for (const part of document.querySelectorAll('[data-passkey], .with-passkeys'))
    part.hidden = !hasPasskeys
  // Tabs may be wider than a phone: the one that is shown comes into view.
  for (const tab of document.querySelectorAll('.tabs [aria-current]'))
    tab.parentElement.scrollLeft = tab.offsetLeft - 60
  if (!navigator.clipboard) return
  for (const button of document.querySelectorAll('button.copy')) button.hidden = false
}

async function copy(button) {
  await navigator.clipboard.writeText(button.dataset.copy)
  // Kept from the first press: at a second one the button may still say that it has copied.
  const text = button.querySelector('span')
  const label = (button.dataset.label ??= text.textContent)
  text.textContent = button.dataset.copied
  button.classList.add('copied')
  setTimeout(() => {
    text.textContent = label
    button.classList.remove('copied')
  }, 1500)
}

document.addEventListener('click', (event) => {
  const button = event.target.closest('button.copy')
  if (button) void copy(button)
  if (event.target.closest('[data-print]')) print()
  closeMenus((menu) => !menu.contains(event.target))
})

// Menus lie above the page: a press elsewhere closes them, and so does Escape.
function closeMenus(isClosed) {
  for (const menu of document.querySelectorAll('details.drop[open], .bottom details[open]'))
    if (isClosed(menu)) menu.open = false
}
document.addEventListener('keydown', ({ key, target }) => {
  if (key !== 'Escape') return
  const menu = target.closest('details.drop[open], .bottom details[open]')
  closeMenus(() => true)
  menu?.querySelector('summary').focus()
})

// The device confirms with a passkey, or makes one; what it says is sent with the form.
const confirming = new WeakSet()
async function confirmWithPasskey(form) {
  // A device confirms one thing at a time.
  if (confirming.has(form)) return
  confirming.add(form)
  const refused = form.querySelector('[data-refused]')
  refused.hidden = true
  try {
    const options = JSON.parse(form.dataset.passkey)
    const credential = await (options.rp
      ? navigator.credentials.create({
          publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
        })
      : navigator.credentials.get({
          publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
        }))
    form.querySelector('[data-credential]').value = JSON.stringify(credential)
    form.requestSubmit()
  } catch {
    refused.hidden = false
  } finally {
    confirming.delete(form)
  }
}

// A form is sent once by a click; the server sees to the rest.
document.addEventListener('submit', (event) => {
  closeMenus(() => true)
  if (isShrinking(event)) return
  const credential = event.target.querySelector('[data-credential]')
  if (credential && credential.value === '') {
    event.preventDefault()
    void confirmWithPasskey(event.target)
    return
  }
  const button = event.target.querySelector('button:not([type=button])')
  if (button) setTimeout(() => (button.disabled = true))
})
document.addEventListener('turbo:submit-end', ({ target, detail }) => {
  // No page follows: it can be sent again.
  if (detail.fetchResponse) return
  for (const button of target.querySelectorAll('button[disabled]')) button.disabled = false
})
addEventListener('pageshow', () => {
  for (const button of document.querySelectorAll('button[disabled]')) button.disabled = false
})

document.addEventListener('turbo:load', showButtons)
document.addEventListener('turbo:render', showButtons)
showButtons()

// A page that follows what it shows asks every few seconds whether that has changed, while somebody
// looks at it.
let asksAtMs = 0
let isAsking = false
let failures = 0
let timer
function followed() {
  const place = document.querySelector('[data-follow]')
  return place && !document.hidden ? place : undefined
}

function follow() {
  clearTimeout(timer)
  if (followed() && !isAsking) timer = setTimeout(ask, Math.max(0, asksAtMs - performance.now()))
}

async function ask() {
  const { follow: address, seconds } = followed()?.dataset ?? {}
  if (!address) return
  isAsking = true
  const answer = await window.fetch(address, { redirect: 'error' }).catch(() => undefined)
  isAsking = false
  const isHeard = answer?.ok === true
  failures = isHeard ? 0 : Math.min(failures + 1, 4)
  const later = isHeard && answer.headers.get('retry-after')
  const pause = later || seconds * 2 ** failures
  // Not all pages at once.
  asksAtMs = performance.now() + pause * (900 + Math.random() * 200)
  const place = followed()
  if (place?.dataset.follow === address) {
    place.hidden = !isHeard
    const lost = document.getElementById('lost')
    if (lost) lost.hidden = isHeard
    if (answer?.status === 205) refresh()
  }
  follow()
}

// At once: Turbo's own action waits for a moment, and then would not see that a form is being sent.
// What is left out is told at the next question again.
function refresh() {
  const { navigator, visit } = window.Turbo
  if (navigator.currentVisit || sending) return
  visit(document.baseURI, { action: 'replace', shouldCacheSnapshot: false })
}

// A refresh would end the request of a form, until the page that follows is shown or none will.
let sending
document.addEventListener('turbo:submit-start', ({ detail }) => {
  sending = detail.formSubmission
})
document.addEventListener('turbo:submit-end', ({ detail }) => {
  const { formSubmission, fetchResponse } = detail
  if (formSubmission === sending && !fetchResponse?.isHTML) sending = undefined
})

function showProblem() {
  const field = document.querySelector('main [aria-invalid=true]')
  const problem = field ?? document.querySelector('main [role=alert]')
  problem?.scrollIntoView({ block: 'center' })
  field?.focus({ preventScroll: true })
}

document.addEventListener('turbo:load', follow)
document.addEventListener('turbo:render', () => {
  // A page that is morphed stays where it was scrolled to, which on a phone is below what is wrong.
  if (sending) showProblem()
  sending = undefined
  follow()
})
document.addEventListener('visibilitychange', follow)
follow()

// What a person has typed and not sent yet.
const typed = new WeakSet()
document.addEventListener('input', ({ target }) => {
  // To choose one radio button is to leave the others.
  const isOneOf = target.type === 'radio'
  for (const one of isOneOf ? document.getElementsByName(target.name) : [target]) typed.add(one)
})
document.addEventListener('turbo:submit-end', ({ target, detail }) => {
  // The page that follows says what the fields of this form hold.
  if (detail.fetchResponse) for (const field of target.elements) typed.delete(field)
})

// What a person has opened stays open when the page is read again, what is typed stays as it is, and
// the mark of a page that follows shown.
document.addEventListener('turbo:before-morph-attribute', (event) => {
  const { attributeName, mutationType } = event.detail
  const isMark = attributeName === 'hidden' && event.target.matches('[data-follow]')
  const isInput = ['value', 'checked', 'selected'].includes(attributeName)
  const isTyped = isInput && typed.has(event.target.closest('input, select, textarea'))
  // What the page itself opens, such as the part with a wrong field, opens.
  const isOpened = attributeName === 'open' && mutationType === 'remove'
  if (isOpened || isMark || isTyped) event.preventDefault()
})
// A browser says nothing of a wrong field that is folded away.
document.addEventListener(
  'invalid',
  ({ target }) => target.closest('details:not([open])')?.setAttribute('open', ''),
  true,
)
// What an action has told is said once by the server, and stays until another page is shown.
document.addEventListener('turbo:before-morph-element', (event) => {
  if (event.target.id === 'told' && !event.detail.newElement) event.preventDefault()
})

// A picture that is too large for a form is made smaller before it is sent.
document.addEventListener('change', ({ target }) => {
  if (!target.dataset.bytesMax || !target.files[0]) return
  const work = shrink(target)
    .catch(() => {})
    .finally(() => pictures.get(target) === work && pictures.delete(target))
  pictures.set(target, work)
})

// Fields whose pictures are being made smaller, and forms that wait for theirs.
const pictures = new WeakMap()
const waiting = new WeakSet()
function isShrinking(event) {
  const { target: form, submitter } = event
  const input = [...form.elements].find((one) => pictures.has(one))
  if (!input) return false
  event.preventDefault()
  if (waiting.has(form)) return true
  waiting.add(form)
  void sendAfter(pictures.get(input), form, submitter)
  return true
}

async function sendAfter(work, form, submitter) {
  await work
  waiting.delete(form)
  form.requestSubmit(submitter)
}

async function shrink(input) {
  const [file] = input.files
  const { bytesMax, sideMax } = input.dataset
  const picture = await createImageBitmap(file).catch(() => undefined)
  if (!picture) return
  const side = Math.max(picture.width, picture.height)
  if (file.size <= bytesMax && side <= sideMax) return
  for (let most = 512; most > 32; most *= 0.7) {
    const scale = Math.min(1, most / side)
    const width = Math.ceil(picture.width * scale)
    const height = Math.ceil(picture.height * scale)
    const canvas = new OffscreenCanvas(width, height)
    canvas.getContext('2d').drawImage(picture, 0, 0, width, height)
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.9 })
    if (blob.size > bytesMax) continue
    // Another one was chosen meanwhile.
    if (input.files[0] !== file) return
    const sent = new DataTransfer()
    sent.items.add(new File([blob], file.name, { type: blob.type }))
    input.files = sent.files
    return
  }
}
