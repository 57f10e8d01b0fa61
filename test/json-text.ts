/** The JSON text of a body in which one field has this JSON text, or is left out. */
export function jsonWith(body: object, field: string, value?: string): string {
  const others = Object.entries(body).filter(([name]) => name !== field)
  const members = others.map(([name, one]) => `"${name}":${JSON.stringify(one)}`)
  if (value !== undefined) members.push(`"${field}":${value}`)
  return `{${members.join()}}`
}

/** What is said about a number where a text is wanted. */
export function sentAsNumber(field: string): string {
  return `${field} was sent as a number: send it as text, in quotes`
}
