/** Texts that stop a program which takes them for anything but a text. */
export const hostileTexts: string[] = [
  'commande 5',
  `'"\``,
  `'); drop table transactions; --`,
  '{"batchId":',
  '{"batchId":"x","line":1e999}',
  '{"a":"\\u0000","b":"\\ud800"}',
  '\\u0000\\x00',
  '{}',
  '[]',
  'null',
  '"__proto__"',
  '__proto__',
  'NaN',
  '-0',
  '1e999',
  '9223372036854775808',
  '0001-13-45T99:99:99Z',
  '2026-13-01',
  'infinity',
  '00000000-0000-0000-0000-00000000000g',
  '------------------------------------',
  '%s %I %n %00 %',
  '$1 ${x} {name} {{7*7}}',
  '=1+1',
  '@SUM(1+1)|a',
  '\u202egnp.exe \u200f\u2066',
  'a\u0301\u{1f469}\u200d\u{1f469}\u200d\u{1f467} \ufffd\ufeff',
  '<script>__xss=1</script>',
  'x'.repeat(499),
  '\u{1f600}'.repeat(60),
  'a\nb\r\nc\td;e,f|g',
]

/** Addresses of pages and mailboxes that may be given where one is asked for. */
export const hostileAddresses: string[] = [
  'https://shop.example/?"}={%00&%ud800&a=%zz#\'',
  'https://shop.example/null/__proto__?=1+1',
  `https://shop.example/${'x'.repeat(400)}`,
  `=1+1'{}%s@shop.example`,
]

/** Texts that no field may keep: PostgreSQL cannot store them. */
export const unstorableTexts: string[] = ['a\0b', 'a\ud800b']

/** A JSON schema, as far as descriptions of requests go. */
export interface BodySchema {
  $ref?: string
  type?: string
  enum?: unknown[]
  'x-extensible-enum'?: unknown[]
  pattern?: string
  properties?: Record<string, BodySchema>
}

/** The names of a body's fields that take any text. */
export function freeFields(schema: BodySchema, components: Record<string, BodySchema>): string[] {
  const fields = Object.entries(resolved(schema, components).properties ?? {})
  return fields.flatMap(([name, one]) => {
    const { type, pattern, ...more } = resolved(one, components)
    const values = more.enum ?? more['x-extensible-enum']
    // A field of another shape has texts that this would pass over.
    if (type === 'object' || type === undefined) throw new Error(`${name} has no simple type`)
    return type === 'string' && values === undefined && pattern === undefined ? [name] : []
  })
}

function resolved(schema: BodySchema, components: Record<string, BodySchema>): BodySchema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : (components[name] ?? {})
}

/** A form of a page: where it leads, what it sends, and which of it may be any text. */
export interface FoundForm {
  method: 'GET' | 'POST'
  action: string
  values: Record<string, string>
  free: string[]
}

/** The forms of a page that take any text. */
export function formsIn(text: string, address: string): FoundForm[] {
  return [...text.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].flatMap(
    ([, attributes = '', content = '']) => {
      if (/enctype="multipart/.test(attributes)) return []
      const values: Record<string, string> = {}
      const free: string[] = []
      for (const [tag, kind = ''] of content.matchAll(/<(input|textarea|select|button)\b[^>]*>/g)) {
        const name = attributeOf(tag, 'name')
        // Whoever sends the form gives it a token of its own.
        if (name === undefined || name === 'token') continue
        const type = attributeOf(tag, 'type') ?? 'text'
        const isTicked = !['checkbox', 'radio'].includes(type) || / checked\b/.test(tag)
        if (kind === 'select') values[name] = choiceOf(content, name)
        else if (isTicked || (type === 'radio' && values[name] === undefined))
          values[name] = attributeOf(tag, 'value') || (/ required\b/.test(tag) ? sampleOf(tag) : '')
        // Hidden fields and choices too: nothing keeps a merchant from sending others.
        const isText = ['text', 'search', 'email', 'url', 'tel', 'hidden'].includes(type)
        const isOpen = kind !== 'button' && (kind !== 'input' || isText)
        if (isOpen && attributeOf(tag, 'pattern') === undefined) free.push(name)
      }
      const method = attributeOf(attributes, 'method')?.toUpperCase() === 'POST' ? 'POST' : 'GET'
      const action = attributeOf(attributes, 'action') ?? address
      return free.length === 0 ? [] : [{ method, action, values, free }]
    },
  )
}

/** What a field that must be filled in takes. */
function sampleOf(tag: string): string {
  if (attributeOf(tag, 'type') === 'email') return 'sample@shop.example'
  return attributeOf(tag, 'inputmode') === undefined ? 'sample' : '771234567'
}

function choiceOf(content: string, name: string): string {
  const [, options = ''] =
    new RegExp(`<select[^>]* name="${name}"[^>]*>(.*?)</select>`, 's').exec(content) ?? []
  const all = [...options.matchAll(/<option\b[^>]*>/g)].map(([tag]) => tag)
  const chosen = all.find((tag) => / selected\b/.test(tag)) ?? all[0] ?? ''
  return attributeOf(chosen, 'value') ?? ''
}

function attributeOf(tag: string, name: string): string | undefined {
  const [, value] = new RegExp(`\\b${name}="([^"]*)"`).exec(tag) ?? []
  return value
    ?.replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
