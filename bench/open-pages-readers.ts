import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '#data/db/db.ts'
import { clientIdOf } from '#merchants/clients/clients.ts'
import { addPerson, signIn } from '#test/dashboard.ts'

/** Somebody who is signed in, with pages of a merchant open. */
export interface Reader {
  clientId: number
  cookie: string
}

/** As many people of the first merchant as there are others, and one of each other. */
export async function signReadersIn(db: Db, url: string, others: number): Promise<Reader[]> {
  const readers: Reader[] = []
  for (let index = 0; index < 2 * others; index += 1) {
    const merchant = Math.max(0, index - others + 1)
    const clientId = await clientIdOf(db, `Banc pages ${merchant}`)
    const { cookie } = await signIn(url, await addPerson({ db }, { clientId, role: 'owner' }))
    readers.push({ clientId, cookie })
  }
  return readers
}

/** Where a page asks, and after how many seconds each time. */
interface Follow {
  address: string
  seconds: number
}

/**
 * Keeps all pages open, as many for each reader, until the end: each asks as a browser does, and
 * reads itself again when it is told to.
 */
export async function openPages(url: string, readers: Reader[], pages: number) {
  const stop = new AbortController()
  const counts = { questions: 0, refreshes: 0, refused: 0 }
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  const open: Promise<void>[] = []
  for (const { cookie } of readers) {
    const fetchText = (path: string) => getText(agent, url + path, cookie)
    const paths = ['/dashboard', '/dashboard/transactions']
    const first: Follow[] = []
    for (const path of paths) first.push(followIn((await fetchText(path)).text))
    const follow = async (index: number) => {
      const path = paths[index % 2] ?? ''
      let { address, seconds } = first[index % 2] as Follow
      let pauseMs = seconds * 1000 * Math.random()
      let failures = 0
      while (await goesOnAfter(pauseMs, stop.signal)) {
        const { status, retryAfter } = await fetchText(address)
        counts.questions += 1
        failures = status === 503 ? Math.min(failures + 1, 4) : 0
        const pause = failures === 0 ? (retryAfter ?? seconds) : seconds * 2 ** failures
        pauseMs = pause * (900 + 200 * Math.random())
        counts.refused += failures === 0 ? 0 : 1
        if (status !== 205) continue
        counts.refreshes += 1
        const page = await fetchText(path)
        if (page.status === 503) counts.refused += 1
        else ({ address, seconds } = followIn(page.text))
      }
    }
    const count = Math.ceil(pages / readers.length)
    open.push(...Array.from({ length: count }, (_, index) => follow(index)))
  }
  const all = Promise.all(open)
  // Thrown at the end.
  all.catch(() => {})
  const end = async () => {
    stop.abort()
    await all
    agent.destroy()
    const { questions, refreshes, refused } = counts
    console.log(`${questions} questions, ${refreshes} pages read again, ${refused} of both refused`)
  }
  return { end }
}

function goesOnAfter(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, true, { signal }).catch(() => false)
}

function followIn(text: string): Follow {
  const [, address, seconds] = /data-follow="([^"]+)" data-seconds="([^"]+)"/.exec(text) ?? []
  if (address === undefined) throw new Error('a page follows nothing')
  return { address: address.replaceAll('&amp;', '&'), seconds: Number(seconds) }
}

interface Answer {
  status: number
  retryAfter: number | undefined
  text: string
}

function getText(agent: Agent, url: string, cookie: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, headers: { cookie } }, (answer) => {
      let text = ''
      answer.on('data', (part: Buffer) => {
        text += part.toString()
      })
      answer.on('error', reject)
      answer.on('end', () => {
        const { statusCode: status = 0, headers } = answer
        if (status >= 300 && status !== 503) return reject(new Error(`status ${status}`))
        const retry = headers['retry-after']
        resolve({ status, retryAfter: retry === undefined ? undefined : Number(retry), text })
      })
    })
    request.on('error', reject)
  })
}
