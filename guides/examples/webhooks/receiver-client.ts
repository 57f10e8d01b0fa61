import { createServer } from 'node:http'
import { verifyWebhook } from '@passerelle/client'

const { PASSERELLE_WEBHOOK_SECRET = '' } = process.env

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray())
  try {
    const event = await verifyWebhook(body, request.headers, PASSERELLE_WEBHOOK_SECRET)
    console.log(event.STATUS, event.AMOUNT, event.externalTransactionId)
    response.writeHead(200).end()
  } catch {
    response.writeHead(400).end()
  }
}).listen(9000, '127.0.0.1')
