import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import { after } from 'node:test'
import { listen } from './listen.ts'

/** A proxy between gateway and lab that records requests and can lose, replace or refuse them. */
export async function openProxy(labUrl: string) {
  const agent = new Agent({ keepAlive: true })
  const proxy = {
    url: '',
    /** `POST /gsma/WALLETA/SN/transactions/type/merchantpay`, in the order they came. */
    requests: [] as string[],
    /** The bodies of those requests. */
    bodies: [] as string[],
    /** Whether the lab gets a request whose answer is then lost with the connection. */
    losesAnswerTo: (_request: string) => false,
    /** The answer to a request that the lab never gets; undefined: the lab answers. */
    answerInstead: (_request: string): [status: number, body: string] | undefined => undefined,
    /** Stops listening, so that the gateway cannot connect. */
    refuseConnections: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
    /** Listens again, on the same port. */
    acceptConnections: () => listen(server, Number(new URL(proxy.url).port)),
  }
  const server = createServer((from, to) => {
    const name = `${from.method} ${from.url}`
    proxy.requests.push(name)
    const parts: Buffer[] = []
    from.on('data', (part: Buffer) => void parts.push(part))
    from.on('end', () => void proxy.bodies.push(Buffer.concat(parts).toString()))
    const canned = proxy.answerInstead(name)
    if (canned !== undefined) {
      to.writeHead(canned[0], { 'content-type': 'application/json' }).end(canned[1])
      return
    }
    const { method, headers } = from
    const forwarded = request(`${labUrl}${from.url}`, { method, headers, agent }, (answer) => {
      if (proxy.losesAnswerTo(name)) from.socket.destroy()
      to.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(to)
    })
    forwarded.on('error', () => from.socket.destroy())
    from.pipe(forwarded)
  })
  proxy.url = await listen(server, 0)
  after(() => {
    agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  return proxy
}
