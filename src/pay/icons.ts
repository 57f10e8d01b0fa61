import type { Html } from '../kit/html.ts'
import { raw } from '../kit/html.ts'

/** Small drawings in the colour of the text around them; they say nothing that words do not. */
export const icons = {
  lock: draw(
    '<rect x="5" y="11" width="14" height="10" rx="2.5"/><path d="M8 11V7.5a4 4 0 0 1 8 0V11"/>',
  ),
  phone: draw('<rect x="6.5" y="2.5" width="11" height="19" rx="2.5"/><path d="M10.5 18.5h3"/>'),
  check: draw('<path d="m5 12.5 4.5 4.5L19 7.5"/>'),
  cross: draw('<path d="m7 7 10 10M17 7 7 17"/>'),
  clock: draw('<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3.5 2"/>'),
  info: draw('<circle cx="12" cy="12" r="9"/><path d="M12 11v5M12 7.8v.1"/>'),
  out: draw(
    '<path d="M14 5h5v5M19 5l-8 8M17 14v4a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 5 18V9a1.5 1.5 0 0 1 1.5-1.5H10"/>',
  ),
  code: draw(
    '<path d="M4 6.5A2.5 2.5 0 0 1 6.5 4h11A2.5 2.5 0 0 1 20 6.5v7a2.5 2.5 0 0 1-2.5 2.5H11l-5 4v-4.2a2.5 2.5 0 0 1-2-2.4z"/><path d="M8.5 10v.1M12 10v.1M15.5 10v.1"/>',
  ),
}

function draw(shapes: string): Html {
  return raw(`<svg viewBox="0 0 24 24" aria-hidden="true">${shapes}</svg>`)
}
