/** A statement from texts of a test's table; a parameter goes between two of them. */
export function statement(...parts: string[]): TemplateStringsArray {
  return Object.assign(parts, { raw: parts })
}
