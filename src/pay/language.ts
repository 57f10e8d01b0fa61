export type Language = 'fr' | 'en'

/** The language asked for in the address, then the link's, then the browser's, then French. */
export function chooseLanguage(
  asked: unknown,
  ofLink: Language | null | undefined,
  acceptLanguage: string | undefined,
): Language {
  return readLang(asked) ?? ofLink ?? preferred(acceptLanguage ?? '')
}

/** A language we speak, or nothing. */
export function readLang(asked: unknown): Language | undefined {
  return asked === 'fr' || asked === 'en' ? asked : undefined
}

/** English only for those who want it more than French: others read French rather than English. */
function preferred(acceptLanguage: string): Language {
  const wishes = acceptLanguage.slice(0, 500).split(',').map(readWish)
  const best = (language: string) =>
    Math.max(0, ...wishes.filter((wish) => wish.language === language).map((wish) => wish.weight))
  return best('en') > best('fr') ? 'en' : 'fr'
}

function readWish(text: string, place: number): { language: string; weight: number } {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const quality = parameters.find((part) => part.startsWith('q='))?.slice(2) ?? '1'
  const weight = /^(0(\.\d*)?|1(\.0*)?)$/.test(quality) ? Number(quality) : 0
  // Of two that are wanted alike, the first.
  return { language: range.split('-')[0] ?? '', weight: weight === 0 ? 0 : weight - place / 1e6 }
}
