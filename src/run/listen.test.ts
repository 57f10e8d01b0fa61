import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { pino } from 'pino'
import { freePort } from '../../test/listen.ts'
import { eventually } from '../../test/wait.ts'
import { openHttp } from '../http/server.ts'
import { monotonicMs } from '../kit/clock.ts'
import { checkAddress, listenWithManySockets } from './listen.ts'

const program = `
  import { createServer } from 'node:http'
  import { listenAt, listenerOf } from '${new URL('listen.ts', import.meta.url).href}'
  console.log(await listenAt(listenerOf(createServer()), { host: '127.0.0.1', port: 0 }))`

const open = () =>
  openHttp({
    log: pino({ level: 'silent' }),
    isHttps: false,
    trustedProxies: [],
    redisUrl: null,
  })

it('a thousand connections are kept for a process that is too busy to take them', async () => {
  const server = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const sockets: Socket[] = []
  try {
    const [url] = (await once(createInterface({ input: server.stdout }), 'line')) as [string]
    server.kill('SIGSTOP')
    let connected = 0
    for (let count = 0; count < 1000; count += 1) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket.on('error', () => {})
      socket.once('connect', () => void (connected += 1))
      sockets.push(socket)
    }
    await eventually('all are connected', async () => connected === sockets.length)
  } finally {
    for (const socket of sockets) socket.destroy()
    server.kill('SIGKILL')
    await once(server, 'exit')
  }
  assert.equal(server.signalCode, 'SIGKILL')
})

it('a process whose turns are long takes dozens of new connections in each', async () => {
  const http = await open()
  const { port } = new URL(await listenWithManySockets(http, { host: '127.0.0.1', port: 0 }))
  const connections = 600
  // A thread of its own, which connects while this one is busy.
  const client = new Worker(
    `const { connect } = require('node:net')
    for (let count = 0; count < ${connections}; count += 1) connect(${port}, '127.0.0.1')`,
    { eval: true },
  )
  try {
    await once(client, 'online')
    let turns = 0
    const sinceMs = monotonicMs()
    while (http.connections.accepted < connections && monotonicMs() - sinceMs < 60_000) {
      const busyUntilMs = monotonicMs() + 20
      while (monotonicMs() < busyUntilMs);
      turns += http.connections.accepted > 0 ? 1 : 0
      await nextTurn()
    }
    assert.equal(http.connections.accepted, connections)
    assert.ok(turns < connections / 10, `${turns} turns`)
  } finally {
    await client.terminate()
    await http.close()
  }
})

const onLinux = { skip: process.platform !== 'linux' }

it('one socket is left when it drains, after the others have taken theirs', onLinux, async () => {
  const http = await open()
  const { port } = new URL(await listenWithManySockets(http, { host: '127.0.0.1', port: 0 }))
  const connections = 600
  // How many are connected, and whether they may begin.
  const shared = new Int32Array(new SharedArrayBuffer(8))
  const client = new Worker(
    `const { connect } = require('node:net')
    const { parentPort, workerData: shared } = require('node:worker_threads')
    const add = () => void Atomics.add(shared, 0, 1)
    Atomics.wait(shared, 1, 0)
    for (let count = 0; count < ${connections}; count += 1)
      connect(${port}, '127.0.0.1', add).on('error', () => parentPort.postMessage('lost'))`,
    { eval: true, workerData: shared },
  )
  const said: unknown[] = []
  client.on('message', (word) => said.push(word))
  try {
    assert.ok(listening(port) > 1)
    await once(client, 'online')
    // They wait in the queues of the sockets until this turn is over.
    Atomics.store(shared, 1, 1)
    Atomics.notify(shared, 1)
    const busyUntilMs = monotonicMs() + 60_000
    while (Atomics.load(shared, 0) < connections && monotonicMs() < busyUntilMs);
    http.drain()
    await eventually('one listens', async () => listening(port) === 1)
    await eventually('all are taken or lost', async () => {
      return http.connections.accepted + said.length >= connections
    })
    assert.deepEqual(said, [])
  } finally {
    await client.terminate()
    await http.close()
  }
  assert.equal(listening(port), 0)
})

/** How many sockets listen on that port of 127.0.0.1. */
function listening(port: string): number {
  const at = `0100007F:${Number(port).toString(16).toUpperCase().padStart(4, '0')}`
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n')
  return lines.filter((line) => line.includes(`${at} 00000000:0000 0A`)).length
}

it('those who connect while a process begins to listen are not reset', async () => {
  const port = await freePort()
  const client = new Worker(
    `const { connect } = require('node:net')
    const { parentPort } = require('node:worker_threads')
    let refused = 0
    const again = (problem) => {
      if (problem?.code === 'ECONNREFUSED') refused += 1
      if (refused === 500) parentPort.postMessage('refused')
      if (problem?.code === 'ECONNRESET') parentPort.postMessage('reset')
      connect(${port}, '127.0.0.1').once('error', again)
    }
    for (let caller = 0; caller < 32; caller += 1) again()`,
    { eval: true },
  )
  const said: unknown[] = []
  client.on('message', (word) => said.push(word))
  const http = await open()
  try {
    await eventually('they try again and again', () => said.length > 0)
    const at = { host: '127.0.0.1', port }
    for (let times = 0; times < 300; times += 1) await checkAddress(at)
    await listenWithManySockets(http, at)
    // Each of them is connected for good, to the process that listens.
    await eventually('all are connected', () => http.connections.accepted === 32)
    assert.deepEqual(said, ['refused'])
  } finally {
    await client.terminate()
    await http.close()
  }
})

it('a second process cannot share the port', async () => {
  const [one, other] = [await open(), await open()]
  try {
    const { port } = new URL(await listenWithManySockets(one, { host: '127.0.0.1', port: 0 }))
    const again = listenWithManySockets(other, { host: '127.0.0.1', port: Number(port) })
    await assert.rejects(again, /^Problem: Port \d+ is taken by process \d+ /)
  } finally {
    await Promise.all([one.close(), other.close()])
  }
})
