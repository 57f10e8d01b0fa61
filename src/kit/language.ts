/** The languages people are written to in. */
export type Language = 'fr' | 'en'
