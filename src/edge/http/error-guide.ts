import type { Language } from '#base/kit/language.ts'
import { type ErrorCode, errorCodes } from '#edge/wire/error-codes.ts'
import { statusOf } from './errors.ts'

const heads: Record<Language, string> = {
  en: '| Code | Status | Cause | What to do |',
  fr: '| Code | Statut | Cause | Que faire |',
}

/** A table in Markdown of every `code`: its status, its cause and what to do about it. */
export function errorTable(language: Language): string {
  const rows = Object.entries(errorCodes).map(([code, texts]) => {
    const [cause, cure] = texts[language]
    return `| \`${code}\` | ${statusOfCode(code as ErrorCode)} | ${cause} | ${cure} |`
  })
  return [heads[language], '|---|---|---|---|', ...rows].join('\n')
}

function statusOfCode(code: ErrorCode): number {
  const statuses = new Map<string, number>(Object.entries(statusOf))
  return statuses.get(code.toLowerCase()) ?? 500
}
