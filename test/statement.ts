/** A statement from texts that a test has in a table; between two of them goes a parameter. */
export function statement(...parts: string[]): TemplateStringsArray {
  return Object.assign(parts, { raw: parts })
}
