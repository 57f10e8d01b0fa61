import swagger from '@fastify/swagger'
import { cached } from '#base/kit/cached.ts'
import { ErrorWire } from '#edge/wire/error.ts'
import { limitPerNetwork } from './address-limit.ts'
import { addApiReference, referencePerMinute } from './api-reference.ts'
import { errorTable } from './error-guide.ts'
import type { Http } from './http.ts'
import { completeDescription } from './openapi-document.ts'
import { prepareFile, sendPrepared } from './prepared-file.ts'

const description = `
Collect from and pay out to mobile-money wallets, sell airtime, pay bills, and be told what became
of it.

Every request carries \`Authorization: Bearer <API_KEY>\`. Amounts are whole francs (FCFA). The same
paths also answer under \`/v1\` and without a prefix.

[Guides](/docs/en) explain each part with examples that run; [en français](/docs/fr).

## Errors

They list everything that is wrong in \`message\` and carry a stable \`code\`. A validation error
names the field of each message in \`params\`. \`Accept-Language: fr\` gives the messages in French.

${errorTable('en')}

## Erreurs

${errorTable('fr')}`

const tags = {
  Transactions: 'Collect, pay out, sell airtime, look up, refund',
  'Payment links': 'A page at which one payer pays',
  Bills: 'Water and electricity',
  'Sub-merchants': 'Shops of a merchant',
  Account: 'Services and balance',
  Events: 'What has ended, to read again or as a stream',
  Webhooks: 'What is sent to your server',
}

const errors: Record<string, string> = {
  400: 'Invalid parameters',
  401: 'Missing or invalid API key',
  403: 'API under maintenance, or not allowed for this key',
  429: 'Too many requests',
  500: 'Something went wrong on our side',
  503: 'Overloaded: try again after the seconds in Retry-After',
}

const cellErrors: Record<string, string> = { 421: 'The key belongs to another cell' }

const bodyErrors: Record<string, string> = {
  413: 'The body is too large',
  415: 'The body is not JSON',
}

const postErrors: Record<string, string> = {
  409: 'The first request with this Idempotency-Key is still running',
  422: 'This Idempotency-Key was used with another request',
}

/**
 * Serves the OpenAPI description, generated from the schemas of the routes, at /openapi.json, and a
 * reference to try it at /docs/try. Must be called before the routes are registered.
 */
export async function addOpenApi(
  http: Http,
  { publicUrl, cell, demoKey }: { publicUrl: string; cell: string | null; demoKey?: string },
): Promise<void> {
  await http.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Passerelle',
        version: '1.0.0',
        description,
        license: { name: 'MIT', identifier: 'MIT' },
        contact: { name: 'The operator of this gateway', url: publicUrl },
      },
      tags: Object.entries(tags).map(([name, about]) => ({ name, description: about })),
      servers: [{ url: publicUrl }],
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer', description: 'Your API key' },
        },
      },
      security: [{ apiKey: [] }],
    },
  })
  http.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/api/') || route.schema === undefined) return
    const isReadOnly = [route.method].flat().every((method) => ['GET', 'HEAD'].includes(method))
    const possible = {
      ...errors,
      ...(cell === null ? {} : cellErrors),
      ...(isReadOnly ? {} : bodyErrors),
      ...(route.method === 'POST' ? postErrors : {}),
      ...(route.url.includes(':')
        ? { 404: 'There is no such record, or the key does not see it' }
        : {}),
    }
    const rights = (route.config?.rights ?? ['read']).map((right) => `\`${right}\``)
    const needs = `Needs the right ${rights.join(' or ')} of its key.`
    route.schema.description = `${route.schema.description ?? ''} ${needs}`
    const answers = Object.entries(possible).map(([status, text]) => [
      status,
      { ...ErrorWire, description: text },
    ])
    route.schema.response = {
      ...Object.fromEntries(answers),
      ...(route.schema.response as Record<string, unknown>),
    }
  })
  const described = cached(Number.POSITIVE_INFINITY, (_key: 'once') =>
    prepareFile(
      'application/json; charset=utf-8',
      Buffer.from(JSON.stringify(completeDescription(http.swagger()))),
    ),
  )
  const options = {
    schema: { hide: true },
    config: { isPrepared: true },
    onRequest: limitPerNetwork(referencePerMinute),
  }
  http.get('/openapi.json', options, async (request, reply) => {
    reply.header('Cross-Origin-Resource-Policy', 'cross-origin')
    reply.header('Access-Control-Allow-Origin', '*')
    return sendPrepared(request, reply, await described('once'))
  })
  addApiReference(http, demoKey)
}
