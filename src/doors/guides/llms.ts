import type { Language } from '#base/kit/language.ts'
import { chapters } from './contents.ts'
import type { Guide } from './read-guide.ts'

/** The guides as a list of Markdown addresses (llmstxt.org), for programs that read. */
export function writeCatalogue(guides: Record<Language, Guide[]>, url: string): string {
  const lines = (language: Language) =>
    chapters.flatMap((chapter) => [
      `## ${chapter.title[language]}`,
      '',
      ...chapter.guides.map((name) => {
        const guide = guides[language].find((one) => one.name === name)
        return `- [${guide?.title}](${url}/docs/${language}/${name}.md): ${guide?.summary}`
      }),
      '',
    ])
  return [
    '# Passerelle',
    '',
    '> A payment gateway for francophone West Africa: mobile-money wallets, airtime, bills and',
    '> payment links behind one JSON API. Amounts are whole francs (F CFA).',
    '',
    `All English guides in one file: ${url}/llms-full.txt. OpenAPI 3.1: ${url}/openapi.json.`,
    '',
    ...lines('en'),
    ...lines('fr'),
  ].join('\n')
}

/** All guides of a language in one text. */
export function writeWhole(guides: Guide[]): string {
  return guides.map(({ text }) => text.trim()).join('\n\n---\n\n')
}
