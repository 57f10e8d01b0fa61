// Adds a button to each snippet that copies it; without a script the text can be selected.
async function copy(button) {
  // Kept from the first press: at a second one the button may still say that it has copied.
  const label = (button.dataset.label ??= button.textContent)
  await navigator.clipboard.writeText(button.closest('figure').querySelector('pre').textContent)
  button.textContent = button.dataset.copied
  setTimeout(() => {
    button.textContent = label
  }, 2000)
}

if (navigator.clipboard)
  for (const button of document.querySelectorAll('.snippet button')) {
    button.hidden = false
    button.addEventListener('click', () => void copy(button))
  }
