import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { findMirror } from '#test/mirror.ts'
import { missing } from '#test/needs.ts'
import { eventually } from '#test/wait.ts'
import { run } from '../chaos/command.ts'
import { copyTree } from '../chaos/copy-tree.ts'
import { type GuideMachine, openGuideMachine } from './guide-machine.ts'

// docs/deployment.md, pasted block by block into a bare Debian, up to a first payment of live mode
// by the lab, which is a foreign provider there: another machine, over TLS, with keys of its own.

const minutesMax = 30
const ownNames = ['pay.example.com', 'database.example.com']
const provider = 'api.provider.example'
const password = 'of-this-guide'
const version = `v${JSON.parse(await readFile('package.json', 'utf8')).version}`

/** What stands on the page for something of one's own. */
const words = new Map([
  ['vVERSION', version],
  ['ADDRESS-OF-THIS-REPOSITORY', 'file:///srv/passerelle.git'],
  ['PASSWORD', password],
  ["'…'", `'${password}'`],
  // An authority of one's own, as the page says of the database.
  ['MODE=live', 'MODE=live\nNODE_EXTRA_CA_CERTS=/etc/authorities.pem'],
])
const used = new Set<string>()

function ownWords({ language, text }: Block, { host }: GuideMachine): string {
  words.set('10.0.0.0/24', host.replace(/\d+$/, '0/24'))
  const own = [...words].reduce((all, [from, to]) => {
    if (all.includes(from)) used.add(from)
    return all.replaceAll(from, to)
  }, text)
  return language === 'sql' ? `su postgres -c 'psql -v ON_ERROR_STOP=1' <<'SQL'\n${own}\nSQL` : own
}

/** What the page says in words after the blocks of a heading, and what is then so. */
const andThen: Record<string, (machine: GuideMachine, block: Block) => Promise<unknown>> = {
  Secrets: async ({ paste }) => {
    await paste('install -m 400 providers.json /etc/passerelle/')
    await paste('psql "$(cat /etc/passerelle/database-url)" -c "select 1"')
  },
  'The proxy': async ({ paste }) => {
    const ask = (path: string) =>
      paste(`curl -so /dev/null -w '%{http_code}' https://pay.example.com${path}`)
    await eventually('the gateway is ready', async () => (await ask('/readyz')) === '200')
    assert.equal(await ask('/metrics'), '404')
  },
  Watching: async ({ paste }) => {
    const ask = "curl -fsS --data-urlencode 'query=sum(up)' http://127.0.0.1:9090/api/v1/query"
    await eventually('both are scraped', async () => (await paste(ask)).includes('"2"'))
    const fires = 'curl -fsS http://127.0.0.1:9093/api/v2/alerts'
    await eventually('it fires', async () => (await paste(fires)).includes('"TestAlert"'))
  },
  'The archive': async ({ paste }, { text }) => {
    if (!text.includes('passerelle drill')) return
    await paste('systemctl start passerelle-drill passerelle-backup@incr')
    assert.match(await paste('passerelle doctor'), /^ok {7}the last drill, .* restored a backup/m)
  },
  'The first client': async (machine, block) => {
    if (!block.text.includes('/transaction/first')) return
    const look = () => machine.paste(ownWords(block, machine))
    await eventually('the payment is made', async () => (await look()).includes('"SUCCESS"'))
  },
}

/** Why blocks of a heading are left out. */
const leftOut: Record<string, string> = {
  Containers: 'there is no daemon of Docker',
  Kubernetes: 'there is no cluster; the manifests are checked against their schemas',
}

interface Block {
  heading: string
  language: string
  text: string
}

/** The blocks of a page, each under the heading that is nearest above. */
function blocksOf(page: string): Block[] {
  return page.split(/^(?=##)/m).flatMap((section) => {
    const [, heading = ''] = /^#+ (.*)$/m.exec(section) ?? []
    const found = section.matchAll(/^```(\w+)\n([^]*?)^```$/gm)
    return [...found].map(([, language = '', text = '']) => ({ heading, language, text }))
  })
}

/** An authority of our own, and a certificate for all names. */
async function makeCertificates(folder: string): Promise<void> {
  const make = (...words: string[]) => run('openssl', ...words)
  const at = (name: string) => join(folder, name)
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const authority = ['-keyout', at('authority.key'), '-out', at('authority.crt')]
  await make('req', '-x509', ...key, ...authority, '-subj', '/CN=Guide', '-days', '2')
  const names = [...ownNames, provider].map((name) => `DNS:${name}`).join(',')
  await writeFile(at('names'), `subjectAltName=${names}\n`)
  const request = ['-keyout', at('names.key'), '-out', at('names.csr')]
  await make('req', ...key, ...request, '-subj', '/CN=guide')
  const signed = ['-CA', at('authority.crt'), '-CAkey', at('authority.key'), '-CAcreateserial']
  const leaf = ['-in', at('names.csr'), '-out', at('names.crt'), '-extfile', at('names')]
  await make('x509', '-req', ...leaf, ...signed, '-days', '2')
  const system = await readFile('/etc/ssl/certs/ca-certificates.crt', 'utf8').catch(() => '')
  await writeFile(at('authorities.pem'), system + (await readFile(at('authority.crt'), 'utf8')))
  const pair = await Promise.all(['names.crt', 'names.key'].map((one) => readFile(at(one), 'utf8')))
  await writeFile(at('names.pem'), pair.join(''))
}

/** The lab behind TLS, at the name of a provider; it knows the gateway by its name. */
async function runProvider(folder: string, { host, ourHost }: GuideMachine): Promise<void> {
  const start = (file: string, args: string[], env: NodeJS.ProcessEnv) => {
    const child = spawn(file, args, { stdio: 'ignore', env: { ...process.env, ...env } })
    const ended = once(child, 'exit')
    after(async () => {
      child.kill('SIGKILL')
      await ended
    })
  }
  const hosts = join(folder, 'hosts')
  await writeFile(hosts, `127.0.0.1 localhost\n${host} ${ownNames.join(' ')}\n`)
  const inside =
    'mount --bind "$HOSTS" /etc/hosts; exec "$NODE" lab/main.ts --host "$HOST" --port 8081'
  start('unshare', ['--mount', 'sh', '-c', inside], {
    HOSTS: hosts,
    HOST: ourHost,
    NODE: process.execPath,
    NODE_EXTRA_CA_CERTS: join(folder, 'authorities.pem'),
  })
  const proxy = join(folder, 'provider.cfg')
  const times = 'timeout connect 5s\n  timeout client 60s\n  timeout server 60s'
  await writeFile(
    proxy,
    `defaults
  mode http
  ${times}
listen provider
  bind ${ourHost}:443 ssl crt ${join(folder, 'names.pem')}
  server lab ${ourHost}:8081
`,
  )
  start('haproxy', ['-q', '-db', '-f', proxy], {})
}

/** The program as it is here, as the repository that is cloned. */
async function makeRepository(root: string): Promise<void> {
  const copy = await copyTree('guide')
  const git = (...words: string[]) => run('git', '-C', copy, ...words)
  await rm(join(copy, 'node_modules'))
  await git('init', '--quiet')
  await git('add', '--all')
  const person = ['-c', 'user.name=guide', '-c', 'user.email=guide@example.com']
  await git(...person, 'commit', '--quiet', '--message', 'As it is')
  await git('tag', version)
  await cp(join(copy, '.git'), join(root, 'srv/passerelle.git'), { recursive: true })
  await rm(copy, { recursive: true })
}

/** What somebody writes with an editor, where the page says that it is there. */
async function writeFiles(folder: string, { root }: GuideMachine): Promise<void> {
  for (const name of ['database', 'pay'])
    for (const kind of ['crt', 'key'])
      await copyFile(join(folder, `names.${kind}`), join(root, `root/${name}.${kind}`))
  const page = await readFile('docs/configuration.md', 'utf8')
  const [, example = ''] = /^## Providers[^]*?```json\n([^]*?)```/m.exec(page) ?? []
  const [binding] = JSON.parse(example)
  const baseUrl = `https://${provider}/${binding.connector}/${binding.provider}/${binding.country}`
  const credentials = { apiKey: 'of-the-provider', organisationId: 'passerelle' }
  assert.deepEqual(Object.keys(binding.credentials), Object.keys(credentials))
  const providers = JSON.stringify([{ ...binding, baseUrl, credentials }])
  await writeFile(join(root, 'root/providers.json'), providers)
}

const why = missing('debootstrap', 'systemd-nspawn', 'haproxy', 'iptables', 'git', 'openssl')

it('the guide leads from a bare machine to a live payment', { skip: why }, async (t) => {
  const mirror = findMirror()
  if (mirror === undefined) return t.skip("without a mirror in apt's sources")
  const folder = await mkdtemp(join(tmpdir(), 'passerelle-guide-'))
  await chmod(folder, 0o755)
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  await makeCertificates(folder)
  const authorities = join(folder, 'authorities.pem')
  const machine = await openGuideMachine({
    folder,
    mirror,
    ownNames,
    ourNames: [provider],
    authorities,
  })
  if (machine === undefined) return t.skip("without Debian's packages")
  after(machine.close)
  await makeRepository(machine.root)
  await writeFiles(folder, machine)
  await runProvider(folder, machine)
  const blocks = blocksOf(await readFile('docs/deployment.md', 'utf8'))
  const startedMs = performance.now()
  for (const block of blocks) {
    if (block.heading in leftOut) continue
    const printed = await machine.paste(ownWords(block, machine))
    const [key] = /sk_live_\S+/.exec(printed) ?? []
    if (key !== undefined) words.set('KEY', key)
    await andThen[block.heading]?.(machine, block)
    t.diagnostic(`${((performance.now() - startedMs) / 1000).toFixed(0)} s: ${block.heading}`)
  }
  const minutes = (performance.now() - startedMs) / 60_000
  assert.ok(minutes < minutesMax, `${minutes} minutes`)
  const headings = new Set(blocks.map(({ heading }) => heading))
  for (const heading of [...Object.keys(leftOut), ...Object.keys(andThen)])
    assert.ok(headings.has(heading), heading)
  assert.deepEqual([...words.keys()].toSorted(), [...used].toSorted())
})
