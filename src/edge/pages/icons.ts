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
  dash: draw('M5 12h14'),
  add: draw('M12 5v14M5 12h14'),
  pause: draw('M8 6v12M16 6v12'),
  exclamation: draw('M12 4v10M12 18v1'),
  notice: draw('M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 8v5M12 16v.1'),
  warning: draw('M12 4 2.5 20h19zM12 10v5M12 17.5v.1'),
  underWay: draw('M12 3a9 9 0 0 1 9 9M12 3v0'),
  play: draw('m9 6 9 6-9 6z'),
  pennant: draw('M6 20V5l6 3 6-3v15'),
  person: draw('M12 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM5 20a7 7 0 0 1 14 0'),
  more: draw('M5 12h.1M12 12h.1M19 12h.1'),
  glass: draw('M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM15.5 15.5 20 20'),
  house: draw('M4 11 12 4l8 7v9h-5v-6H9v6H4z'),
  exchange: draw('M7 4 3 8l4 4M3 8h14M17 12l4 4-4 4M21 16H7'),
  link: draw(
    'M9 15a4 4 0 0 0 5.7 0l4-4A4 4 0 0 0 13 5.3M15 9a4 4 0 0 0-5.7 0l-4 4A4 4 0 0 0 11 18.7',
  ),
  send: draw('m21 3-9 18-3-8-6-4zM9 13l5-4'),
  wallet: draw(
    'M4 7h14a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2h10M16 13.5v.1',
  ),
  list: draw('M4 6h16M4 11h16M4 16h8M15 18l2 2 4-5'),
  document: draw('M7 3h7l4 4v14H7zM14 3v4h4M10 12h5M10 16h5'),
  shop: draw('M4 10h16M5 10l1-5h12l1 5M6 10v9h12v-9M10 19v-5h4v5'),
  brackets: draw('m8 7-5 5 5 5M16 7l5 5-5 5M14 4l-4 16'),
  people: draw(
    'M9 5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM3 19a6 6 0 0 1 12 0M16 5a3.5 3.5 0 0 1 0 7',
  ),
  log: draw('M6 3h9l4 4v14H6zM9 11h7M9 15h7'),
  sliders: draw('M4 7h9M17 7h3M4 12h3M11 12h9M4 17h9M17 17h3M15 5v4M9 10v4M15 15v4'),
  pulse: draw('M3 12h4l3-7 4 14 3-7h4'),
  plug: draw('M8 4v5M16 4v5M6 9h12v3a6 6 0 0 1-12 0zM12 18v3'),
  approved: draw('M4 12a8 8 0 1 1 16 0 8 8 0 0 1-16 0zM8.5 12.5l2.5 2.5 4.5-5.5'),
  question: draw(
    'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM9.5 9.5a2.5 2.5 0 1 1 3.5 2.3l-1 2M12 17v.1',
  ),
  hourglass: draw('M7 4h10M7 20h10M8 4c0 5 8 5 8 8s-8 3-8 8M16 4c0 5-8 5-8 8s8 3 8 8'),
  book: draw('M5 4h12a2 2 0 0 1 2 2v14H7a2 2 0 0 1-2-2zM5 18a2 2 0 0 1 2-2h12M9 8h6'),
  compare: draw('M4 8h11M11 4l4 4-4 4M20 16H9M13 12l-4 4 4 4'),
  outgoing: draw('M4 12h11M11 8l4 4-4 4M19 5v14'),
  gauge: draw('M4 18a8 8 0 1 1 16 0M12 18l4-6'),
  waves: draw('M4 9c3-3 5 3 8 0s5 3 8 0M4 15c3-3 5 3 8 0s5 3 8 0'),
  wrench: draw('M14 6a4 4 0 0 0 5 5l-9 9-3-3 9-9a4 4 0 0 0-2-2zM5 5l4 4'),
  envelope: draw('M4 6h16v12H4zM4 7l8 6 8-6'),
  bin: draw('M5 7h14M10 4h4M7 7l1 13h8l1-13M10 11v5M14 11v5'),
  code: draw('M6.5 4h11A2.5 2.5 0 0 1 20 6.5v7a2.5 2.5 0 0 1-2.5 2.5H11l-5 4v-4H4v-9.5z' + dots),
}

export type IconName = keyof typeof icons

function draw(path: string): Html {
  return raw(`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`)
}
