import { englishWords } from './english.ts'
import type { Words } from './french.ts'
import { frenchWords } from './french.ts'
import type { Language } from './language.ts'

/** All that the page says, in one language. */
export function wordsOf(language: Language): Words {
  return language === 'fr' ? frenchWords : englishWords
}
