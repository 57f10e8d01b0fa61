// What makes pages livelier; each of them works without it.

// Buttons that need a script; those that copy are shown only where copying is possible.
function showButtons() {
  for (const button of document.querySelectorAll('button.scripted')) button.hidden = false
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

// A form is sent once by a click; the server sees to the rest.
document.addEventListener('submit', (event) => {
  const button = event.target.querySelector('button:not([type=button])')
  if (button) setTimeout(() => (button.disabled = true))
})
addEventListener('pageshow', () => {
  for (const button of document.querySelectorAll('button[disabled]')) button.disabled = false
})

document.addEventListener('turbo:load', showButtons)
document.addEventListener('turbo:render', showButtons)
showButtons()
