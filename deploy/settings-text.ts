import { secretNames } from '#base/config/secret-files.ts'
import { type Setting, settings } from '#base/config/settings.ts'

const all = Object.entries<Setting>(settings)
const widest = 92

/** The table of docs/configuration.md. */
export function settingsTable(): string {
  const rows = all.map(
    ([name, { otherwise, meaning }]) => `| \`${name}\` | ${otherwise} | ${meaning} |`,
  )
  return ['| Name | Default | Meaning |', '|---|---|---|', ...rows, ''].join('\n')
}

/** A file of environment variables in which every setting is explained and none is set. */
export function envExample(): string {
  const parts = all.map(([name, { otherwise, meaning, example }]) => {
    const words = `${plain(meaning)}. Default: ${plain(otherwise)}.`
    return [...wrapped(words).map((line) => `# ${line}`), `#${name}=${example}`, ''].join('\n')
  })
  return [header, ...parts].join('\n')
}

const header = `# The settings of Passerelle, made by: npm run write settings
# Uncomment what you change. Docker and systemd read this file as it is; do not quote values.
# docs/configuration.md has the whole story, and what MODE=live requires.
#
# Secrets need not be here. For each of these, NAME_FILE names a file with the value:
# ${secretNames.join(', ')}
`

/** Without the marks of Markdown, and with the pages that links lead to. */
function plain(text: string): string {
  return text
    .replaceAll(/\[([^\]]+)\]\(#[^)]+\)/g, 'docs/configuration.md')
    .replaceAll(/\[([^\]]+)\]\(([^)#]+)(#[^)]+)?\)/g, '$1 (docs/$2)')
    .replaceAll(/[`*]/g, '')
}

function wrapped(text: string): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = `${lines.at(-1)} ${word}`.trimStart()
    if (line.length <= widest) lines[lines.length - 1] = line
    else lines.push(word)
  }
  return lines
}

/** docs/configuration.md with its table made anew. */
export function withTable(document: string): string {
  return document.replace(/\| Name \| Default \| Meaning \|\n(\|.*\n)+/, () => settingsTable())
}
