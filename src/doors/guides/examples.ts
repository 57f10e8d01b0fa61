import { readFile } from 'node:fs/promises'

/**
 * A link to an example, alone on its line: [collect.sh](../examples/first-payment/collect.sh
 * "after=setup until=SUCCESS"). Both languages show the same files, and a test runs them.
 */
export interface ExampleLink {
  /** The line as it is written. */
  line: string
  guide: string
  /** A request; the JSON file of the same name is its answer. */
  id: string
  extension: string
  /** The example that readers run before it, as `setup` or `first-payment/setup`. */
  after: string | undefined
  /** A text that its output has sooner or later. */
  until: string | undefined
}

const pattern = /^\[([\w-]+)\.(\w+)\]\(\.\.\/examples\/([\w-]+)\/\1\.\2(?: "([^"]*)")?\)$/gm

/** The examples that a guide shows, in their order. */
export function exampleLinks(source: string): ExampleLink[] {
  return [...source.matchAll(pattern)].map((found) => {
    const [line, id = '', extension = '', guide = '', conditions = ''] = found
    const [, after] = /\bafter=(\S+)/.exec(conditions) ?? []
    const [, until] = /\buntil=(.+)$/.exec(conditions) ?? []
    return { line, guide, id, extension, after, until }
  })
}

/** The text of a guide with each example in place of its link. */
export async function fillInExamples(source: string, folder: URL): Promise<string> {
  let text = source
  for (const link of exampleLinks(source)) {
    const { line, guide, id, extension, after } = link
    const code = await readFile(new URL(`examples/${guide}/${id}.${extension}`, folder), 'utf8')
    const info =
      extension === 'json' ? `answers=${id}` : `id=${id}${after ? ` after=${after}` : ''}`
    const syntax = extension === 'py' ? 'python' : extension
    text = text.replace(line, () => `\`\`\`${syntax} ${info}\n${code}\`\`\``)
  }
  return text
}
