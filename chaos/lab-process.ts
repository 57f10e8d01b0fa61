import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { startChild } from './child.ts'

/** The provider lab, in a process of its own that is never killed. */
export interface LabProcess {
  url: string
  /** Calls one of its control routes. */
  post(path: string, body: object): Promise<void>
  /** Has it carry out, and write to its journal, what is due and nobody has asked for. */
  bringUpToDate(): Promise<void>
  end(): Promise<void>
}

interface LabOptions {
  folder: string
  port: number
  seed: number
  pace: number
}

const main = fileURLToPath(new URL('../lab/main.ts', import.meta.url))

/** Starts a lab that keeps its books in the folder `lab`, and waits until it answers. */
export async function startLab({ folder, port, seed, pace }: LabOptions): Promise<LabProcess> {
  const url = `http://127.0.0.1:${port}`
  const options = ['--port', String(port), '--pace', String(pace), '--seed', String(seed)]
  const lab = startChild({
    name: 'lab',
    command: [process.execPath, '--max-old-space-size=8192', main, ...options],
    env: { PATH: process.env.PATH, LAB_DATA: join(folder, 'lab') },
    logPath: join(folder, 'lab.log'),
  })
  const get = async (path: string, timeoutMs: number) => {
    const limits = { bodyTimeout: timeoutMs, headersTimeout: timeoutMs }
    const { statusCode, body } = await request(url + path, limits)
    await body.text()
    return statusCode
  }
  while ((await get('/lab', 3000).catch(() => 0)) !== 200) {
    if (!lab.isRunning()) throw new Error(`the lab ended: see ${folder}/lab.log`)
    await sleep(25)
  }
  return {
    url,
    post: async (path, content) => {
      const headers = { 'content-type': 'application/json' }
      const sent = { method: 'POST' as const, headers, body: JSON.stringify(content) }
      const { statusCode, body } = await request(url + path, sent)
      const text = await body.text()
      if (statusCode !== 200) throw new Error(`the lab refuses ${path}: ${text}`)
    },
    bringUpToDate: async () => void (await get('/lab/books?since=9000000000000000', 300_000)),
    end: () => lab.end('SIGKILL'),
  }
}
