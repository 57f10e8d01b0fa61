import { pngOf } from '#test/pictures.ts'
import { workbook, zipOf } from '#test/tables.ts'
import type { AttackedRoute } from './routes.ts'

/** What is sent to an address beside who sends it. */
export interface Input {
  /** In reports: the shape and how large it is. */
  name: string
  /** Which of the addresses that are known of a route; left out: the first. */
  variant?: number
  /** Beside the parameters that the address has already. */
  query?: string
  /** In their place. */
  isReplaced?: boolean
  headers?: Record<string, string>
  type?: string
  body?: Buffer
  /** Only the first byte of its body is sent, then one a second. */
  isDripped?: boolean
}

const slowBodyShape = 'slow body'
/** The name of the input whose body never ends. */
export const slowBody = `${slowBodyShape}, 4000`

const form = 'application/x-www-form-urlencoded'
const json = 'application/json'
// What any proxy lets through in the head of a request.
const headBytesMax = 15_000

type Made = Omit<Input, 'name'>
type Shape = [name: string, sizes: number[], make: (size: number, token: string) => Made]

/** What pages and lists read from their query. */
export const parameters = (
  'q after before from to then back lang page limit status form kind provider state type service ' +
  'number sub_merchant_id externalTransactionIdPrefix hide step show sent who group amount ' +
  'person age country file tab review'
).split(' ')
const oddValues = [
  '%00',
  '%0d%0aset-cookie:%20a=b',
  '9e99',
  '-1',
  '%ED%A0%80',
  '%F0%9F%98%80',
  '[]=1',
]

const oddQuery = (value: string) => parameters.map((name) => `${name}=${value}`).join('&')
// What lists and files search for, and all of it.
const wideQueries = [
  'q=77&from=2020-01-01&to=2030-12-31&limit=100',
  'q=%25_%25&from=2020-01-01&limit=100',
  'number=771234567&limit=100&page=100000',
  'externalTransactionIdPrefix=c&status=SUCCESS&limit=100',
]

const ofHeads: Shape[] = [
  ['nothing', [0], () => ({})],
  ['query of many parameters', [300, 3000], (count) => ({ query: fields(count).slice(0, 14_000) })],
  ['long parameter', [1000, 14_000], (length) => ({ query: `q=${'%C3%A9'.repeat(length / 6)}` })],
  ['wide search', wideQueries.map((_, at) => at), (at) => ({ query: wideQueries[at] ?? '' })],
  ['odd values', oddValues.map((_, at) => at), (at) => ({ query: oddQuery(oddValues[at] ?? '') })],
  [
    'nothing but odd values',
    oddValues.map((_, at) => at),
    (at) => ({ query: oddQuery(oddValues[at] ?? ''), isReplaced: true }),
  ],
  [
    'many headers',
    [100, 1000],
    (count) => ({ headers: Object.fromEntries(numbered(count, (at) => [`x-${at}`, 'x'])) }),
  ],
  ['many cookies', [3000], (count) => ({ headers: { cookie: cookies(count) } })],
]

const ofForms: Shape[] = [
  ['many fields', [50, 1000, 14_000], (count, token) => formOf(fields(count), token)],
  [
    'few long fields',
    [8000, 90_000],
    (length, token) => formOf(`email=${'%41'.repeat(length / 3)}`, token),
  ],
  ['field of spaces', [8000, 90_000], (length, token) => formOf(`q=${'+'.repeat(length)}x`, token)],
  [
    'parts',
    [1000],
    (count, token) =>
      multipart(
        token,
        numbered(count, (at) => part(`f${at}`, 'x')),
      ),
  ],
]

const ofJson: Shape[] = [
  ['deep lists', [100, 50_000], (depth) => jsonOf('['.repeat(depth) + ']'.repeat(depth))],
  ['deep objects', [10_000], (depth) => jsonOf(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)],
  ['many keys', [1000, 7000], (count) => jsonOf(JSON.stringify(manyKeys(count)))],
  ['many items', [100, 30_000], (count) => jsonOf(JSON.stringify(numbered(count, () => ({}))))],
  [
    'long text',
    [90_000],
    (length) => jsonOf(JSON.stringify({ callBackURL: 'é'.repeat(length / 2) })),
  ],
  ['long number', [90_000], (length) => jsonOf(`{"amount":${'9'.repeat(length)}}`)],
  [slowBodyShape, [4000], (length) => ({ ...jsonOf(' '.repeat(length)), isDripped: true })],
]

/** A file that costs more to read than to send. */
export interface HostileFile {
  name: string
  type: string
  bytes: Buffer
}

export interface Sizes {
  /** Every size of a shape, or the largest alone. */
  isThorough: boolean
  files: HostileFile[]
  /** What forms of people who are signed in carry. */
  token: string
  /** How many addresses are known of the route. */
  variants: number
  /** A body that its description gives as an example. */
  example: string | undefined
}

/** Every shape of input that an address is tried with, small ones first. */
export function inputsOf(
  { method }: AttackedRoute,
  { isThorough, files, token, variants, example }: Sizes,
): Input[] {
  const isRead = method === 'GET'
  const shapes = isRead ? ofHeads : [...ofHeads.slice(0, 2), ...ofForms, ...ofJson]
  const made = shapes.flatMap(([name, sizes, make]) =>
    sizes
      .slice(isThorough ? 0 : -1)
      .map((size) => ({ name: `${name}, ${size}`, ...make(size, token) })),
  )
  const linked = numbered(variants, (variant) => ({ name: `as linked, ${variant}`, variant }))
  if (isRead) return [...linked.slice(1), ...made]
  const examples = example === undefined ? [] : [{ name: 'example', ...jsonOf(example) }]
  const withFiles = files.map((file) => ({
    name: file.name,
    ...multipart(
      token,
      ['file', 'logo'].map((field) => part(field, file.bytes, file)),
    ),
  }))
  return [...made, ...examples, ...withFiles]
}

// More than any proxy lets through unless it is told to, such as nginx.
const bodyBytesMax = 2 ** 20

/** What only the shipped proxy is asked to hold back: slow and large input. */
export function isForTheProxy({ body, isDripped }: Input): boolean {
  return isDripped === true || (body?.length ?? 0) > bodyBytesMax
}

/** Files that are small to send: they are made once. */
export async function hostileFiles(): Promise<HostileFile[]> {
  const mebibyte = 2 ** 20
  const blanks = numbered(40, () => Buffer.alloc(mebibyte, ' '))
  const files: [name: string, type: string, bytes: Buffer][] = [
    ['lines of nothing.csv', 'text/csv', Buffer.from(';\n'.repeat(400_000))],
    ['payouts to one number.csv', 'text/csv', payouts(10_000)],
    ['quotes.csv', 'text/csv', Buffer.from('"";'.repeat(300_000))],
    ['empty rows.xlsx', 'application/zip', await workbook('<row/>'.repeat(400_000))],
    ['bomb.xlsx', 'application/zip', await zipOf({ 'xl/workbook.xml': blanks })],
    ['large.png', 'image/png', pngOf(20_000, 20_000)],
    ['tags.xml', 'text/xml', Buffer.from('<a b="">'.repeat(100_000))],
  ]
  return files.map(([name, type, bytes]) => ({ name, type, bytes }))
}

/** As many as a batch may have, which all may repeat an earlier one. */
function payouts(count: number): Buffer {
  const lines = numbered(count, (at) => `771234567;WALLETA_SN_CASHIN;${500 + at}`)
  return Buffer.from(`numero;service;montant\n${lines.join('\n')}`)
}

function numbered<One>(count: number, make: (at: number) => One): One[] {
  return Array.from({ length: count }, (_, at) => make(at))
}

const fields = (count: number) => numbered(count, (at) => `${at}=`).join('&')
const cookies = (count: number) =>
  numbered(count, (at) => `${at}=`)
    .join('; ')
    .slice(0, headBytesMax)
const manyKeys = (count: number) => Object.fromEntries(numbered(count, (at) => [`k${at}`, at]))
const formOf = (text: string, token: string) => ({
  type: form,
  body: Buffer.from(`token=${encodeURIComponent(token)}&${text}`),
})
const jsonOf = (text: string) => ({ type: json, body: Buffer.from(text) })

/** A form under another token of the same length: each that has led on counts once. */
export function withToken(body: Buffer, { from, to }: { from: string; to: string }): Buffer {
  const at = from === '' ? -1 : body.indexOf(from)
  if (at === -1 || from.length !== to.length) return body
  const copy = Buffer.from(body)
  copy.write(to, at)
  return copy
}

const boundary = 'between-the-parts'

/** A part of a form: a field, or a file. */
export function part(field: string, content: string | Buffer, file?: HostileFile): Buffer {
  const names = file === undefined ? '' : `; filename="${file.name}"\r\ncontent-type: ${file.type}`
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="${field}"${names}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), Buffer.from(content as string), Buffer.from('\r\n')])
}

/** A form with these parts. */
export function multipart(token: string, parts: Buffer[]): Pick<Input, 'type' | 'body'> {
  const body = Buffer.concat([part('token', token), ...parts, Buffer.from(`--${boundary}--\r\n`)])
  return { type: `multipart/form-data; boundary=${boundary}`, body }
}
