import { type Language, languages, readAcceptLanguage } from '#base/kit/language.ts'

/** The language of the address (`?lang=`), else the link's, else the browser's, else French. */
export function chooseLanguage(
  langParameter: unknown,
  linkLanguage: Language | null | undefined,
  acceptLanguage: string | undefined,
): Language {
  return (
    readLangParameter(langParameter) ??
    linkLanguage ??
    readAcceptLanguage(acceptLanguage, { fallback: 'fr', tie: 'first' })
  )
}

/** The language that `?lang=` names; undefined for anything but `fr` and `en`. */
export function readLangParameter(parameter: unknown): Language | undefined {
  return languages.find((language) => language === parameter)
}
