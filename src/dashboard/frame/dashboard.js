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
  const before = button.textContent
  button.textContent = button.dataset.copied || before
  setTimeout(() => {
    button.textContent = before
  }, 1500)
}

document.addEventListener('click', (event) => {
  const button = event.target.closest('button.copy')
  if (button) void copy(button)
  if (event.target.closest('[data-print]')) print()
})

// The device confirms with a passkey, or makes one; what it says is sent with the form.
async function confirmWithPasskey(form) {
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
  }
}

// A form is sent once by a click; the server sees to the rest.
document.addEventListener('submit', (event) => {
  const credential = event.target.querySelector('[data-credential]')
  if (credential && credential.value === '') {
    event.preventDefault()
    void confirmWithPasskey(event.target)
    return
  }
  const button = event.target.querySelector('button:not([type=button])')
  if (button) setTimeout(() => (button.disabled = true))
})
addEventListener('pageshow', () => {
  for (const button of document.querySelectorAll('button[disabled]')) button.disabled = false
})

document.addEventListener('turbo:load', showButtons)
document.addEventListener('turbo:render', showButtons)
showButtons()

// A page that names a stream is kept up to date, while somebody looks at it.
let stream
function follow() {
  const place = document.querySelector('[data-live]')
  const address = place && !document.hidden ? place.dataset.live : undefined
  if (stream && stream.address === address && stream.place === place) return
  if (stream) stream.close()
  stream = address && openStream(place, address)
}

function openStream(place, address) {
  const source = new EventSource(address)
  const show = (isLive) => {
    place.hidden = !isLive
    const lost = document.getElementById('lost')
    if (lost) lost.hidden = isLive
  }
  let retry
  source.addEventListener('open', () => show(true))
  source.addEventListener('message', ({ data, lastEventId }) => {
    // Where the next stream begins, after a pause.
    place.dataset.live = opened.address = address.replace(/at=\d+/, `at=${lastEventId}`)
    window.Turbo.renderStreamMessage(data)
    setTimeout(() => {
      for (const row of [...document.querySelectorAll('#newest > tr')].slice(100)) row.remove()
      showButtons()
    }, 200)
  })
  source.addEventListener('error', () => {
    show(false)
    // The browser tries again by itself, unless it was refused.
    if (source.readyState !== EventSource.CLOSED) return
    retry = setTimeout(
      () => {
        stream = undefined
        follow()
      },
      10000 + Math.random() * 10000,
    )
  })
  const opened = {
    address,
    place,
    close: () => {
      clearTimeout(retry)
      source.close()
    },
  }
  return opened
}

document.addEventListener('turbo:load', follow)
document.addEventListener('turbo:render', follow)
document.addEventListener('visibilitychange', follow)
follow()

// What a person has opened stays open when the page is read again, and the mark of a stream shown.
document.addEventListener('turbo:before-morph-attribute', (event) => {
  const { attributeName } = event.detail
  const isMark = attributeName === 'hidden' && event.target.matches('[data-live]')
  if (attributeName === 'open' || isMark) event.preventDefault()
})

// A picture that is too large for a form is made smaller before it is sent.
document.addEventListener('change', ({ target }) => {
  if (target.dataset.bytesMax && target.files[0]) void shrink(target)
})

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
    const sent = new DataTransfer()
    sent.items.add(new File([blob], file.name, { type: blob.type }))
    input.files = sent.files
    return
  }
}
