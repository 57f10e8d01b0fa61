import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it, mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { openLog } from '#base/log/log.ts'
import { occupyThreads } from '#test/busy-threads.ts'
import { fakeMonotonicClock } from '#test/fake-time.ts'
import { openNameServer } from '#test/name-server.ts'
import { eventually } from '#test/wait.ts'
import { openHostsFile } from './hosts-file.ts'
import { openMerchantNames } from './merchant-names.ts'
import { openProviderNames } from './provider-names.ts'
import { NotTried } from './shares.ts'

const clock = fakeMonotonicClock()

/** Answers of a name server by name; what is under `silent.test` gets none. */
async function openNames(table: Parameters<typeof openNameServer>[0] = () => undefined) {
  const server = await openNameServer((name) =>
    name.endsWith('silent.test') ? 'silence' : table(name),
  )
  return { server, resolve: openMerchantNames([server.address]) }
}

describe("names in merchants' URLs", () => {
  it('give all addresses of both kinds, and ask no more than once for each kind', async () => {
    const { server, resolve } = await openNames(() => ['192.0.2.7', '192.0.2.8', '2001:db8::7'])
    const answers = await Promise.all([
      resolve('shop.test', '1'),
      resolve('SHOP.test.', '1'),
      resolve('shop.test', '2'),
    ])
    const found = [
      { address: '192.0.2.7', family: 4 },
      { address: '192.0.2.8', family: 4 },
      { address: '2001:db8::7', family: 6 },
    ]
    assert.deepEqual(answers, [found, found, found])
    assert.deepEqual(await resolve('shop.test', '3'), found)
    assert.deepEqual(server.asked, ['shop.test', 'shop.test'])
  })

  const lifetimes: [string, { addresses: string[]; ttl: number } | undefined, number][] = [
    ['an answer without a lifetime', { addresses: ['192.0.2.7'], ttl: 0 }, 5000],
    ['an answer', { addresses: ['192.0.2.7'], ttl: 20 }, 20_000],
    ['an answer for a day', { addresses: ['192.0.2.7'], ttl: 86_400 }, 60_000],
    ['that a name does not exist', undefined, 3000],
  ]
  for (const [what, answer, keptMs] of lifetimes)
    it(`keep ${what} for ${keptMs} ms`, async () => {
      const { server, resolve } = await openNames(() => answer)
      const ask = () => resolve('shop.test', '1').catch(() => {})
      await ask()
      // The promise that sets the lifetime is settled in the same turn as the answer.
      await ask()
      clock.advance(keptMs - 1)
      await ask()
      assert.equal(server.asked.length, 2)
      clock.advance(1)
      await ask()
      assert.equal(server.asked.length, 4)
    })

  it('that hang hold up no name of another merchant, and not all of their own', async () => {
    const { server, resolve } = await openNames(() => ['192.0.2.7'])
    let pending = 40
    const hanging = Array.from({ length: pending }, (_, index) =>
      resolve(`${index}.silent.test`, '1').catch((problem: Error & { code?: string }) => {
        pending -= 1
        return problem
      }),
    )
    await eventually('16 names are asked for', () => new Set(server.asked).size === 16)
    assert.deepEqual(await resolve('shop.test', '2'), [{ address: '192.0.2.7', family: 4 }])
    assert.ok(pending > 0, 'the lookups of the other merchant still hang')
    const problems = await Promise.all(hanging)
    const untried = problems.filter((problem) => problem instanceof NotTried)
    const codes = problems.map((problem) => (problem as { code?: string }).code)
    assert.deepEqual([untried.length, codes.filter((code) => code === 'ETIMEOUT').length], [24, 16])
    // Their places are free again.
    assert.equal((await resolve('other.test', '1')).length, 1)
  })

  it('of this machine are not asked for', async () => {
    const { server, resolve } = await openNames()
    for (const name of ['localhost', 'LOCALHOST.', 'a.localhost'])
      assert.ok((await resolve(name, '1')).some(({ address }) => address === '127.0.0.1'))
    assert.deepEqual(server.asked, [])
  })
})

describe('the hosts file', () => {
  it('is read again when it has changed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'hosts-'))
    after(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'hosts')
    writeFileSync(path, '# comment\n10.0.0.7  Shop shop.test # more\nfd00::7\tshop\nx y\n\n')
    const find = openHostsFile(path)
    assert.deepEqual(find('shop'), [
      { address: '10.0.0.7', family: 4 },
      { address: 'fd00::7', family: 6 },
    ])
    assert.deepEqual(find('shop.test'), [{ address: '10.0.0.7', family: 4 }])
    assert.equal(find('y'), undefined)
    writeFileSync(path, '10.0.0.8 shop\n')
    clock.advance(5000)
    assert.deepEqual(find('shop'), [{ address: '10.0.0.8', family: 4 }])
    rmSync(path)
    clock.advance(5000)
    assert.equal(find('shop'), undefined)
    assert.equal(find('localhost')?.length, 2)
  })
})

describe("providers' names", () => {
  const lookUp = (names: ReturnType<typeof openProviderNames>, host: string) =>
    new Promise<unknown>((resolve, reject) => {
      names.lookup(host, { all: true }, (problem, found) =>
        problem === null ? resolve(found) : reject(problem),
      )
    })

  it('are known before a call, whatever the thread pool is busy with', async () => {
    const names = openProviderNames(openLog('silent'))
    after(names.close)
    // An old form of 127.0.0.1, which a system looks up without any file or server.
    const name = '127.1'
    names.keep(name)
    const found = await lookUp(names, name)
    assert.match(JSON.stringify(found), /"127\.0\.0\.1"/)
    const free = occupyThreads()
    assert.deepEqual(await lookUp(names, name), found)
    free()
  })

  it('are looked up again and again; when that fails or hangs, the last answer stays', async () => {
    mock.timers.enable({ apis: ['setInterval'] })
    const answers: (string | Error | undefined)[] = [
      new Error('at first it fails'),
      '192.0.2.1',
      '192.0.2.2',
      new Error('no name server'),
      undefined,
    ]
    let asked = 0
    const names = openProviderNames(openLog('silent'), async () => {
      const answer = answers[asked]
      asked += 1
      if (answer === undefined) await new Promise(() => {})
      if (typeof answer !== 'string') throw answer
      return [{ address: answer, family: 4 }]
    })
    names.keep('192.0.2.9')
    names.keep('api.test')
    await assert.rejects(lookUp(names, 'api.test'), /at first it fails/)
    const seen: unknown[] = [await lookUp(names, 'api.test')]
    for (let refreshes = 1; refreshes <= 4; refreshes += 1) {
      mock.timers.tick(15_000)
      await eventually('a refresh', () => asked === Math.min(2 + refreshes, answers.length))
      await turn()
      seen.push(await lookUp(names, 'api.test'))
    }
    mock.timers.reset()
    const addresses = seen.flat().map((one) => (one as { address: string }).address)
    assert.deepEqual(addresses, ['192.0.2.1', ...Array.from({ length: 4 }, () => '192.0.2.2')])
  })
})
