import type { CollectedRequest } from './requests.ts'
import { variables } from './requests.ts'

/** A collection of Bruno: its files by their paths. */
export function writeBruno(requests: CollectedRequest[]): Map<string, string> {
  const ids = Object.entries(variables).filter(([name]) => !atHand.has(name))
  const files = new Map([
    ['bruno.json', `${JSON.stringify(collection, null, 2)}\n`],
    [
      'collection.bru',
      [
        block('auth', ['mode: bearer']),
        block('auth:bearer', ['token: {{apiKey}}']),
        block(
          'vars:pre-request',
          ids.map(([name]) => `${name}: `),
        ),
      ].join('\n'),
    ],
    [
      'environments/Sandbox.bru',
      block('vars', [`baseUrl: ${variables.baseUrl}`, `apiKey: ${variables.apiKey}`]),
    ],
  ])
  for (const [folder, ones] of Map.groupBy(requests, ({ folder }) => folder))
    for (const [index, request] of ones.entries())
      files.set(`${folder}/${request.name}.bru`, fileOf(request, index + 1))
  return files
}

const atHand = new Set(['baseUrl', 'apiKey'])

const collection = {
  version: '1',
  name: 'Passerelle',
  type: 'collection',
  ignore: ['node_modules', '.git'],
}

function fileOf(request: CollectedRequest, position: number): string {
  const { name, about, method, path, query, body, keeps } = request
  const parts = [
    block('meta', [`name: ${name}`, 'type: http', `seq: ${position}`]),
    block(method.toLowerCase(), [
      `url: {{baseUrl}}${path}`,
      `body: ${body === undefined ? 'none' : 'json'}`,
      'auth: inherit',
    ]),
    // A tilde: not sent unless it is switched on.
    ...(query.length === 0
      ? []
      : [
          block(
            'params:query',
            query.map((one) => `~${one.name}: `),
          ),
        ]),
    ...(body === undefined ? [] : [block('body:json', body.split('\n'))]),
    ...(keeps === undefined
      ? []
      : [
          block('script:post-response', [
            `if (res.status < 300) bru.setVar('${keeps.variable}', res.body.${keeps.from});`,
          ]),
        ]),
    block('docs', [about]),
  ]
  return parts.join('\n')
}

function block(name: string, lines: string[]): string {
  return [`${name} {`, ...lines.map((line) => `  ${line}`.trimEnd()), '}', ''].join('\n')
}
