import { type Html, raw } from '#base/kit/html.ts'

const dots = 'M8.5 10v.1M12 10v.1M15.5 10v.1'

/** Icons in the colour of the text around them; decorative, hidden from screen readers. */
export const icons = {
  lock: draw(
    'M8 11V7.5a4 4 0 0 1 8 0V11M7 11h10a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2v-6z',
  ),
  phone: draw('M8.5 2.5h7a2 2 0 0 1 2 2v15a2 2 0 0 1-2 2h-7a2 2 0 0 1-2-2v-15zM10.5 18.5h3'),
  check: draw('m5 12.5 4.5 4.5L19 7.5'),
  cross: draw('m7 7 10 10M17 7 7 17'),
  clock: draw('M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 7v5l3.5 2'),
  info: draw('M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 11v5M12 7.8v.1'),
  out: draw('M14 5h5v5M19 5l-8 8M17 14v4a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 5 18V9h5'),
  code: draw('M6.5 4h11A2.5 2.5 0 0 1 20 6.5v7a2.5 2.5 0 0 1-2.5 2.5H11l-5 4v-4H4v-9.5z' + dots),
}

function draw(path: string): Html {
  return raw(`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`)
}
