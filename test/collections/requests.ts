import type { Description } from '../openapi/compare.ts'

/** A request of the interface, as both kinds of collections show it. */
export interface CollectedRequest {
  operation: string
  folder: string
  name: string
  about: string
  method: string
  /** With a variable for each part that differs: `/api/v1/transaction/{{transactionId}}`. */
  path: string
  query: { name: string; about: string }[]
  /** An example, as text. */
  body: string | undefined
  /** What the answer tells that later requests need. */
  keeps: { variable: string; from: string } | undefined
}

export const variables = {
  baseUrl: 'http://127.0.0.1:8080',
  apiKey: 'sk_sandbox_demo_standard',
  transactionId: '',
  linkId: '',
  subMerchantId: '',
  eventId: '',
}

const kept: Record<string, CollectedRequest['keeps']> = {
  initTransaction: { variable: 'transactionId', from: 'transaction.transactionId' },
  createLink: { variable: 'linkId', from: 'transactionId' },
  createSubMerchant: { variable: 'subMerchantId', from: 'data.subMerchantId' },
  listEvents: { variable: 'eventId', from: 'events[0]?.id' },
}

interface Operation {
  operationId: string
  summary: string
  description: string
  tags: [string]
  parameters?: { name?: string; in?: string; description?: string }[]
  requestBody?: { content: Record<string, { example?: Record<string, unknown> }> }
  responses: Record<string, { content?: Record<string, unknown> }>
}

/** Every request of a description but the stream, whose answer does not end. */
export function collectRequests({ paths }: Description): CollectedRequest[] {
  const requests = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as unknown as Record<string, Operation>)
      .filter(([, operation]) => !isStream(operation))
      .map(([method, operation]) => collect(path, method, operation)),
  )
  const folders = Map.groupBy(requests, ({ folder }) => folder)
  return [...folders.values()].flatMap((ones) => ones.map((one) => withOwnName(one, ones)))
}

/** Files are named after requests: one that another is called like has its operation added. */
function withOwnName(request: CollectedRequest, others: CollectedRequest[]): CollectedRequest {
  const first = others.find(({ name }) => name === request.name)
  return first === request
    ? request
    : { ...request, name: `${request.name} (${request.operation})` }
}

function isStream({ responses }: Operation): boolean {
  return Object.values(responses).some(({ content = {} }) => 'text/event-stream' in content)
}

function collect(path: string, method: string, operation: Operation): CollectedRequest {
  const { operationId, summary, description, tags, parameters = [] } = operation
  const example = operation.requestBody?.content['application/json']?.example
  const isLink = tags[0] === 'Payment links'
  return {
    operation: operationId,
    folder: tags[0],
    name: summary,
    about: description,
    method: method.toUpperCase(),
    path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `{{${variableOf(name, isLink)}}}`),
    query: parameters
      .filter((one) => one.in === 'query')
      .map(({ name = '', description: about = '' }) => ({ name, about })),
    body: example && JSON.stringify(withVariables(example), null, 2),
    keeps: kept[operationId],
  }
}

function variableOf(parameter: string, isLink: boolean): string {
  if (parameter === 'id') return 'eventId'
  return isLink && parameter === 'transactionId' ? 'linkId' : parameter
}

/** An id can be used once, so that each sending gets a new one; others are of earlier answers. */
function withVariables(example: Record<string, unknown>): Record<string, unknown> {
  return {
    ...example,
    ...('externalTransactionId' in example ? { externalTransactionId: '{{$guid}}' } : {}),
    ...('transactionId' in example ? { transactionId: '{{transactionId}}' } : {}),
  }
}
