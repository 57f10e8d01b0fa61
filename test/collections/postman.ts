import type { CollectedRequest } from './requests.ts'
import { variables } from './requests.ts'

/** A collection in the format 2.1.0 of Postman. */
export function writePostman(requests: CollectedRequest[]): string {
  const folders = Map.groupBy(requests, ({ folder }) => folder)
  const collection = {
    info: {
      name: 'Passerelle',
      description: 'Set `baseUrl` and `apiKey`. Requests that create something keep its id.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{apiKey}}', type: 'string' }] },
    variable: Object.entries(variables).map(([key, value]) => ({ key, value, type: 'string' })),
    item: [...folders].map(([name, ones]) => ({ name, item: ones.map(itemOf) })),
  }
  return `${JSON.stringify(collection, null, 2)}\n`
}

function itemOf({ name, about, method, path, query, body, keeps }: CollectedRequest) {
  return {
    name,
    ...(keeps === undefined ? {} : { event: [{ listen: 'test', script: scriptOf(keeps) }] }),
    request: {
      method,
      description: about,
      header: body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }],
      url: {
        raw: `{{baseUrl}}${path}`,
        host: ['{{baseUrl}}'],
        path: path.slice(1).split('/'),
        ...(query.length === 0 ? {} : { query: query.map(parameterOf) }),
      },
      ...(body === undefined ? {} : { body: bodyOf(body) }),
    },
    response: [],
  }
}

function scriptOf({ variable, from }: NonNullable<CollectedRequest['keeps']>) {
  return {
    type: 'text/javascript',
    exec: [
      'if (pm.response.code < 300)',
      `  pm.collectionVariables.set('${variable}', pm.response.json().${from});`,
    ],
  }
}

function parameterOf({ name, about }: CollectedRequest['query'][number]) {
  return { key: name, value: '', description: about, disabled: true }
}

function bodyOf(raw: string) {
  return { mode: 'raw', raw, options: { raw: { language: 'json' } } }
}
