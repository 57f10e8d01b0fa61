import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'

const secret = process.env.PASSERELLE_WEBHOOK_SECRET ?? ''
const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
// With an empty key anybody could sign.
if (key.length === 0) throw new Error('PASSERELLE_WEBHOOK_SECRET is not set')

function isGenuine(headers: IncomingHttpHeaders, body: Buffer): boolean {
  const time = String(headers['webhook-timestamp'])
  const ageSeconds = Math.abs(Date.now() / 1000 - Number(time))
  if (!(ageSeconds <= 300)) return false
  const start = `${String(headers['webhook-id'])}.${time}.`
  const expected = createHmac('sha256', key).update(start).update(body).digest()
  const signatures = String(headers['webhook-signature']).split(' ')
  return signatures.some((one) => {
    const given = Buffer.from(one.replace('v1,', ''), 'base64')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

const done = new Set<string>()

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray())
  if (!isGenuine(request.headers, body)) {
    response.writeHead(400).end()
    return
  }
  const id = String(request.headers['webhook-id'])
  const event = JSON.parse(body.toString())
  if (!done.has(id)) console.log(event.STATUS, event.AMOUNT, event.externalTransactionId)
  done.add(id)
  response.writeHead(200).end()
}).listen(9000, '127.0.0.1')
