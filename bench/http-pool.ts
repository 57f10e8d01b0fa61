import { Pool } from 'undici'

/** A request as it is sent. */
export interface SentRequest {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: string | null
}

/** The response to a request; without one the status is 0 and `problem` names the cause. */
export interface HttpResponse {
  status: number
  body: string
  problem: string | undefined
}

/** A pool of keep-alive connections to one server. */
export interface HttpPool {
  /** Sends a request once, or queues it until a connection is free. */
  send(request: SentRequest): Promise<HttpResponse>
  /** Closes the connections after the requests that were given to it. */
  close(): void
}

const responseTimeoutMs = 300_000

/** Opens connections on demand, at most `connections`, from an address of this machine if given. */
export function openHttpPool(url: string, connections: number, localAddress?: string): HttpPool {
  const timeouts = { headersTimeout: responseTimeoutMs, bodyTimeout: responseTimeoutMs }
  const from = localAddress === undefined ? {} : { localAddress }
  const pool = new Pool(new URL(url).origin, { connections, pipelining: 1, ...timeouts, ...from })
  return {
    send: async (sent) => {
      try {
        const { statusCode, body } = await pool.request(sent)
        return { status: statusCode, body: await body.text(), problem: undefined }
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException
        return { status: 0, body: '', problem: code ?? message }
      }
    },
    close: () => void pool.close(),
  }
}
