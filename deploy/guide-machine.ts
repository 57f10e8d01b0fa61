import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { run, succeeds } from '../chaos/command.ts'
import { openNetwork } from '../chaos/network.ts'

/** A Debian with nothing but its smallest system, booted, on a network of its own. */
export interface GuideMachine {
  /** The folder of its files. */
  root: string
  host: string
  /** The address at which it sees us. */
  ourHost: string
  /** Runs a block of commands as root, as if pasted; throws what it printed when one fails. */
  paste(block: string): Promise<string>
  close(): Promise<void>
}

interface Plan {
  folder: string
  mirror: string
  /** Names that it knows beside those of the internet, by address: of itself, and of us. */
  ownNames: string[]
  ourNames: string[]
  /** A file with the authorities that it trusts. */
  authorities: string
}

// What makes a machine of it.
const packages = 'systemd,systemd-sysv,dbus'
const forwarding = '/proc/sys/net/ipv4/ip_forward'
const bootMsMax = 120_000
const blockMsMax = 900_000

/** Makes it; undefined: there are no packages to be had. */
export async function openGuideMachine(plan: Plan): Promise<GuideMachine | undefined> {
  const root = join(plan.folder, 'root')
  const made = ['--variant=minbase', `--include=${packages}`, 'bookworm', root, plan.mirror]
  const isMade = await succeeds('debootstrap', ...made)
  if (!isMade) return undefined
  await using opened = new AsyncDisposableStack()
  const network = await openNetwork()
  opened.defer(network.close)
  const { host } = network
  const ourHost = host.replace(/\d+$/, '1')
  const namespace = network.prefix.at(-1) ?? ''
  await run('ip', '-n', namespace, 'route', 'add', 'default', 'via', ourHost)
  opened.defer(await letOut(host))
  await prepare(root, { ...plan, host, ourHost })
  const alone = ['--register=no', '--keep-unit', '--resolv-conf=off', '--console=pipe']
  const place = [`--directory=${root}`, `--network-namespace-path=/run/netns/${namespace}`]
  const words = ['--quiet', '--boot', ...alone, ...place, `--machine=guide-${process.pid}`]
  const machine = spawn('systemd-nspawn', words, { stdio: 'ignore' })
  const ended = once(machine, 'exit')
  const pid = await firstProcess(machine.pid ?? 0)
  opened.defer(async () => {
    process.kill(pid, 'SIGKILL')
    await ended
  })
  const paste = (block: string) => pasteInto(pid, block)
  const endMs = performance.now() + bootMsMax
  while (!/running|degraded/.test(await paste('systemctl is-system-running').catch(String))) {
    if (performance.now() > endMs) throw new Error('the machine does not boot')
    await sleep(500)
  }
  const kept = opened.move()
  return { root, host, ourHost, paste, close: () => kept.disposeAsync() }
}

/** Lets a machine reach the internet through us; returns how that ends. */
async function letOut(host: string): Promise<() => Promise<void>> {
  const before = await readFile(forwarding, 'utf8')
  const rule = ['POSTROUTING', '-s', host, '!', '-d', host.replace(/\d+$/, '0/24')]
  const change = (how: string) =>
    run('iptables', '-w', '-t', 'nat', how, ...rule, '-j', 'MASQUERADE')
  await writeFile(forwarding, '1')
  await change('-A')
  return async () => {
    await change('-D')
    await writeFile(forwarding, before)
  }
}

async function prepare(root: string, plan: Plan & { host: string; ourHost: string }) {
  const { host, ourHost, ownNames, ourNames, authorities } = plan
  await rm(join(root, 'etc/resolv.conf'), { force: true })
  await copyFile('/etc/resolv.conf', join(root, 'etc/resolv.conf'))
  await copyFile(authorities, join(root, 'etc/authorities.pem'))
  await writeFile(join(root, 'etc/hostname'), 'guide\n')
  const names = ['127.0.0.1 localhost guide', `${host} ${ownNames.join(' ')}`]
  const hosts = [...names, `${ourHost} ${ourNames.join(' ')}`].join('\n')
  await writeFile(join(root, 'etc/hosts'), `${hosts}\n`)
  // Nobody answers questions here, and no power fails.
  await writeFile(join(root, 'etc/apt/apt.conf.d/yes'), 'APT::Get::Assume-Yes "true";\n')
  await writeFile(join(root, 'etc/dpkg/dpkg.cfg.d/fast'), 'force-unsafe-io\n')
}

async function firstProcess(parent: number): Promise<number> {
  for (let tries = 0; tries < 200; tries += 1) {
    const text = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8').catch(() => '')
    const pid = Number.parseInt(text, 10)
    if (pid > 0) return pid
    await sleep(100)
  }
  throw new Error('systemd-nspawn starts nothing')
}

async function pasteInto(pid: number, block: string): Promise<string> {
  const authorities = '/etc/authorities.pem'
  const env = [
    'HOME=/root',
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    'DEBIAN_FRONTEND=noninteractive',
    ...['NODE_EXTRA_CA_CERTS', 'CURL_CA_BUNDLE', 'PGSSLROOTCERT'].map(
      (name) => `${name}=${authorities}`,
    ),
  ]
  const shell = ['--target', String(pid), '--all', 'env', '-i', ...env, 'bash', '-e', '-c']
  const inside = (text: string) => [...shell, `umask 022\ncd /root\n${text}`]
  const options = { timeout: blockMsMax, maxBuffer: 2 ** 26 }
  const { stdout, stderr } = await promisify(execFile)('nsenter', inside(block), options).catch(
    async ({ message, stdout, stderr }: Error & { stdout: string; stderr: string }) => {
      const journal = await run('nsenter', ...inside('journalctl -n 30 -o cat')).catch(String)
      const why = message.split('\n').at(-1)
      throw new Error(`${block}\n\n${stdout}${stderr}\n${why}\n\nthe journal:\n${journal}`)
    },
  )
  return stdout + stderr
}
