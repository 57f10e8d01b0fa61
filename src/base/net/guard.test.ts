import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { after, describe, it } from 'node:test'
import { sendWebhook } from '#backoffice/webhooks/send.ts'
import { openNameServer } from '#test/name-server.ts'
import { openReceiver } from '#test/receiver.ts'
import { openGuardedPools } from './guard.ts'
import { openMerchantNames, type ResolveHost } from './merchant-names.ts'
import { isAllowedAddress } from './public-addresses.ts'

/** A server on every address of this machine that counts the connections it gets. */
async function openCanary() {
  const canary = { port: 0, connections: 0 }
  const server: Server = createServer((socket) => {
    canary.connections += 1
    socket.on('error', () => {})
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
  })
  server.listen(0, '::')
  await once(server, 'listening')
  canary.port = (server.address() as AddressInfo).port
  after(() => server.close())
  return canary
}

// Every name is one of this machine.
const { address: nameServer } = await openNameServer(() => ['127.0.0.1', '::1'])

async function sendTo(
  url: string,
  mode: 'live' | 'sandbox',
  pools = openGuardedPools(mode, openMerchantNames([nameServer])),
) {
  const answer = await sendWebhook({ pools, owner: '1', mode, url, headers: {}, body: '{}' })
  pools.close()
  return answer
}

/** A fake DNS: each lookup of a host gets its next answer, and the last one from then on. */
function fakeDns(table: Record<string, string[][]>) {
  const asked: string[] = []
  const resolve: ResolveHost = async (host) => {
    asked.push(host)
    const answers = table[host] ?? []
    const found = (answers.length > 1 ? answers.shift() : answers[0]) ?? []
    if (found.length === 0) throw new Error('ENOTFOUND')
    return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
  return { resolve, asked }
}

// PORT stands for the canary's port.
const forbidden: Record<string, string[]> = {
  'IPv4 loopback': [
    'https://127.0.0.1:PORT/',
    'https://127.0.0.1.:PORT/',
    'https://127.1.2.3:PORT/',
    'https://127.255.255.254:PORT/',
    'https://0.0.0.0:PORT/',
    'https://0.1.2.3:PORT/',
  ],
  'IPv4 written in other ways': [
    'https://2130706433:PORT/',
    'https://2130706433.:PORT/',
    'https://017700000001:PORT/',
    'https://0x7f000001:PORT/',
    'https://0X7F000001:PORT/',
    'https://0x7f.1:PORT/',
    'https://0x7f.0x0.0x0.0x1:PORT/',
    'https://0177.0.0.1:PORT/',
    'https://0177.0.0.01:PORT/',
    'https://00000177.0.0.1:PORT/',
    'https://127.1:PORT/',
    'https://127.0.1:PORT/',
    'https://127.65535:PORT/',
    'https://0:PORT/',
    'https://0x0:PORT/',
    'https://00:PORT/',
    'https://0.0:PORT/',
    'https://0/',
    'https://%31%32%37.0.0.1:PORT/',
    'https://127%2e0%2e0%2e1:PORT/',
    'https://１２７.０.０.１:PORT/',
    'https://①②⑦.⓪.⓪.①:PORT/',
    'https://127。0。0。1:PORT/',
    'https://127．0．0．1:PORT/',
    'https://127.0.0.1\t:PORT/',
    'https:\\\\127.0.0.1:PORT\\',
    'https:127.0.0.1:PORT/',
    'https:///127.0.0.1:PORT/',
    ' https://127.0.0.1:PORT/',
    'HTTPS://127.0.0.1:PORT/',
  ],
  'IPv4 that is not public': [
    'https://10.0.0.1:PORT/',
    'https://10.255.255.255:PORT/',
    'https://172.16.0.1:PORT/',
    'https://172.31.255.255:PORT/',
    'https://192.168.0.1:PORT/',
    'https://169.254.169.254:PORT/latest/meta-data/',
    'https://2852039166:PORT/latest/meta-data/',
    'https://0xa9fea9fe:PORT/latest/meta-data/',
    'https://0251.0376.0251.0376:PORT/',
    'https://100.64.0.1:PORT/',
    'https://100.127.255.254:PORT/',
    'https://100.100.100.200:PORT/',
    'https://192.0.0.1:PORT/',
    'https://192.0.2.1:PORT/',
    'https://192.88.99.1:PORT/',
    'https://198.18.0.1:PORT/',
    'https://198.19.255.255:PORT/',
    'https://198.51.100.1:PORT/',
    'https://203.0.113.1:PORT/',
    'https://224.0.0.1:PORT/',
    'https://239.255.255.255:PORT/',
    'https://240.0.0.1:PORT/',
    'https://255.255.255.255:PORT/',
    'https://4294967295:PORT/',
  ],
  'IPv6 loopback': [
    'https://[::1]:PORT/',
    'https://[0:0:0:0:0:0:0:1]:PORT/',
    'https://[0000:0000:0000:0000:0000:0000:0000:0001]:PORT/',
    'https://[::0001]:PORT/',
    'https://[0::1]:PORT/',
    'https://[::]:PORT/',
    'https://[0:0:0:0:0:0:0:0]:PORT/',
    'https://[::1%25lo]:PORT/',
    'https://[::1%lo]:PORT/',
    'https://[fe80::1%25eth0]:PORT/',
  ],
  'IPv4 inside IPv6': [
    'https://[::ffff:127.0.0.1]:PORT/',
    'https://[::ffff:7f00:1]:PORT/',
    'https://[::FFFF:7F00:0001]:PORT/',
    'https://[0:0:0:0:0:ffff:127.0.0.1]:PORT/',
    'https://[0:0:0:0:0:ffff:7f00:1]:PORT/',
    'https://[::ffff:10.0.0.1]:PORT/',
    'https://[::ffff:169.254.169.254]:PORT/',
    'https://[::ffff:8.8.8.8]:PORT/',
    'https://[::ffff:0:127.0.0.1]:PORT/',
    'https://[::127.0.0.1]:PORT/',
    'https://[::7f00:1]:PORT/',
    'https://[::8.8.8.8]:PORT/',
    'https://[64:ff9b::127.0.0.1]:PORT/',
    'https://[64:ff9b::7f00:1]:PORT/',
    'https://[64:ff9b::8.8.8.8]:PORT/',
    'https://[64:ff9b:1::127.0.0.1]:PORT/',
    'https://[2002:7f00:1::]:PORT/',
    'https://[2002:7f00:0001::1]:PORT/',
    'https://[2002:a00:1::]:PORT/',
    'https://[2002:a9fe:a9fe::]:PORT/',
    'https://[2002:808:808::1]:PORT/',
    'https://[2001::1]:PORT/',
    'https://[2001:0:7f00:1::]:PORT/',
    'https://[2001:0000:4136:e378:8000:63bf:80ff:fffe]:PORT/',
  ],
  'IPv6 that is not public': [
    'https://[fc00::1]:PORT/',
    'https://[fd00::1]:PORT/',
    'https://[fd00:ec2::254]:PORT/',
    'https://[fdff:ffff::1]:PORT/',
    'https://[fe80::1]:PORT/',
    'https://[febf::1]:PORT/',
    'https://[fec0::1]:PORT/',
    'https://[ff02::1]:PORT/',
    'https://[ff0e::1]:PORT/',
    'https://[100::1]:PORT/',
    'https://[2001:db8::1]:PORT/',
    'https://[2001:10::1]:PORT/',
    'https://[2001:20::1]:PORT/',
    'https://[3fff::1]:PORT/',
    'https://[5f00::1]:PORT/',
    'https://[4000::1]:PORT/',
  ],
  'host names of this machine': [
    'https://localhost:PORT/',
    'https://LOCALHOST:PORT/',
    'https://LocalHost:PORT/',
    'https://localhost.:PORT/',
    'https://ｌｏｃａｌｈｏｓｔ:PORT/',
    'https://loc%61lhost:PORT/',
    'https://a.localhost:PORT/',
    'https://a.b.localhost.:PORT/',
    'https://ip6-localhost:PORT/',
    'https://ip6-loopback:PORT/',
    'https://localhost.localdomain:PORT/',
    'https://localhost6:PORT/',
  ],
  'other schemes, logins and malformed URLs': [
    'http://127.0.0.1:PORT/',
    'http://example.com/',
    'https://user:password@127.0.0.1:PORT/',
    'https://user@127.0.0.1:PORT/',
    'https://example.com@127.0.0.1:PORT/',
    'https://example.com:443@127.0.0.1:PORT/',
    'https://127.0.0.1:PORT#@example.com/',
    'https://127.0.0.1:PORT?@example.com/',
    'https://user:password@example.com/',
    'ftp://127.0.0.1:PORT/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:PORT/_GET',
    'ws://127.0.0.1:PORT/',
    'wss://127.0.0.1:PORT/',
    'data:text/plain,hello',
    'javascript:alert(1)',
    'unix:/var/run/docker.sock',
    'http+unix://%2Fvar%2Frun%2Fdocker.sock/',
    'blob:https://127.0.0.1:PORT/1',
    '//127.0.0.1:PORT/',
    '127.0.0.1:PORT',
    'https://',
    'https://:PORT/',
    'https://127.0.0.1:99999/',
    'https://[127.0.0.1]:PORT/',
    'https://[::1:PORT/',
    'https://256.256.256.256:PORT/',
    'https://0x100000000:PORT/',
    '',
  ],
}

describe('live mode', () => {
  for (const [kind, urls] of Object.entries(forbidden))
    it(`opens no connection: ${kind} (${urls.length} URLs)`, async () => {
      const canary = await openCanary()
      for (const pattern of urls) {
        const url = pattern.replaceAll('PORT', String(canary.port))
        const { status, problem, durationMs } = await sendTo(url, 'live')
        assert.deepEqual([url, status, canary.connections], [url, null, 0])
        assert.ok(problem !== null && problem !== '', url)
        assert.ok(durationMs < 9000, url)
      }
    })

  it('is tested with at least 120 forbidden URLs', () => {
    assert.ok(Object.values(forbidden).flat().length >= 120)
  })

  it('refuses them because of the address, not because of a TLS certificate', async () => {
    const canary = await openCanary()
    for (const host of ['127.0.0.1', '0x7f.1', '[::1]', '[::ffff:7f00:1]', 'localhost', '10.0.0.1'])
      assert.match(
        (await sendTo(`https://${host}:${canary.port}/`, 'live')).problem ?? '',
        /is not on the public internet$/,
        host,
      )
  })
})

describe('a host name', () => {
  const bad = [
    ['127.0.0.1'],
    ['10.1.2.3'],
    ['169.254.169.254'],
    ['::1'],
    ['fe80::1%eth0'],
    ['::ffff:127.0.0.1'],
    ['64:ff9b::7f00:1'],
    ['2002:7f00:1::'],
    ['8.8.8.8', '127.0.0.1'],
    ['127.0.0.1', '8.8.8.8'],
    ['8.8.8.8', '2606:4700:4700::1111', '::1'],
    ['not an address'],
    [],
  ]
  for (const found of bad)
    it(`that resolves to ${found.join(', ') || 'nothing'} is not called`, async () => {
      const canary = await openCanary()
      const { resolve } = fakeDns({ 'shop.test': [found] })
      const url = `https://shop.test:${canary.port}/`
      const { status, problem } = await sendTo(url, 'live', openGuardedPools('live', resolve))
      assert.deepEqual([status, canary.connections], [null, 0])
      assert.match(problem ?? '', found.length > 0 ? /not on the public internet$/ : /ENOTFOUND/)
    })

  it('is resolved once for a connection, which goes to the address that was checked', async () => {
    const receiver = await openReceiver()
    const canary = await openCanary()
    const { port } = new URL(receiver.url)
    // The first answer is allowed; the second one is not.
    const { resolve, asked } = fakeDns({ 'shop.test': [['127.0.0.1'], ['169.254.169.254']] })
    const pools = openGuardedPools('sandbox', resolve)
    const url = `http://shop.test:${port}/hook`
    const message = { pools, owner: '1', mode: 'sandbox', url, headers: {}, body: '{}' } as const
    assert.equal((await sendWebhook(message)).status, 200)
    assert.deepEqual(asked, ['shop.test'])
    assert.equal(receiver.got.length, 1)
    assert.equal(receiver.got[0]?.headers.host, `shop.test:${port}`)
    pools.close()
    assert.equal(canary.connections, 0)
  })

  it('is resolved again for each connection, and refused whenever it is forbidden', async () => {
    const receiver = await openReceiver((_got, response) => {
      response.setHeader('connection', 'close')
      response.end()
    })
    const { port } = new URL(receiver.url)
    const { resolve } = fakeDns({
      'shop.test': [['127.0.0.1'], ['169.254.169.254'], ['127.0.0.1']],
    })
    const pools = openGuardedPools('sandbox', resolve)
    const url = `http://shop.test:${port}/hook`
    const send = () =>
      sendWebhook({ pools, owner: '1', mode: 'sandbox', url, headers: {}, body: '{}' })
    assert.equal((await send()).status, 200)
    assert.match((await send()).problem ?? '', /shop.test is not on the public internet/)
    assert.equal((await send()).status, 200)
    assert.equal(receiver.got.length, 2)
    pools.close()
  })
})

describe('a sandbox', () => {
  it('calls this machine and its private network, and no link-local address', async () => {
    const receiver = await openReceiver()
    const { port } = new URL(receiver.url)
    for (const host of ['127.0.0.1', 'localhost', '127.1'])
      assert.equal((await sendTo(`http://${host}:${port}/`, 'sandbox')).status, 200, host)
    const before = receiver.got.length
    for (const host of [
      '169.254.169.254',
      '0.0.0.0',
      '[::ffff:127.0.0.1]',
      '[fe80::1]',
      '224.0.0.1',
    ])
      assert.equal((await sendTo(`http://${host}:${port}/`, 'sandbox')).status, null, host)
    assert.equal(receiver.got.length, before)
  })

  it('does not follow redirects', async () => {
    const canary = await openCanary()
    for (const status of [301, 302, 303, 307, 308]) {
      const location = `http://127.0.0.1:${canary.port}/`
      const receiver = await openReceiver((_got, response) =>
        response.writeHead(status, { location, refresh: `0; url=${location}` }).end(),
      )
      assert.equal((await sendTo(receiver.url, 'sandbox')).status, status)
      assert.deepEqual([receiver.got.length, canary.connections], [1, 0])
    }
  })
})

describe('isAllowedAddress', () => {
  // address, allowed in live mode, allowed in a sandbox
  const addresses: [string, boolean, boolean][] = [
    ['8.8.8.8', true, true],
    ['1.1.1.1', true, true],
    ['100.63.255.255', true, true],
    ['100.128.0.0', true, true],
    ['172.15.255.255', true, true],
    ['172.32.0.0', true, true],
    ['223.255.255.255', true, true],
    ['2606:4700:4700::1111', true, true],
    ['2a00:1450:4007::200e', true, true],
    ['2001:4860:4860::8888', true, true],
    ['10.0.0.1', false, true],
    ['172.16.0.1', false, true],
    ['192.168.1.1', false, true],
    ['127.0.0.1', false, true],
    ['::1', false, true],
    ['fd00::1', false, true],
    ['169.254.169.254', false, false],
    ['100.64.0.1', false, false],
    ['fe80::1', false, false],
    ['fe80::1%eth0', false, false],
    ['fd00::1%eth0', false, false],
    ['::ffff:8.8.8.8', false, false],
    ['::ffff:127.0.0.1', false, false],
    ['fd00:ec2::254', false, false],
    ['0.0.0.0', false, false],
    ['::', false, false],
    ['224.0.0.1', false, false],
    ['', false, false],
    ['127.1', false, false],
    ['example.com', false, false],
  ]
  for (const [address, isLive, isSandbox] of addresses)
    it(`says for "${address}" live ${isLive}, sandbox ${isSandbox}`, () => {
      assert.deepEqual(
        [isAllowedAddress(address, 'live'), isAllowedAddress(address, 'sandbox')],
        [isLive, isSandbox],
      )
    })
})
