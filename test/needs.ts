import { spawnSync } from 'node:child_process'

// What tests use and npm does not bring: how it shows that it is there, and where Debian has it.
const needs = {
  curl: [['curl', '--version'], 'curl'],
  // As root, who may make a Debian in a folder and enter it.
  debootstrap: [
    ['unshare', '--mount', '--pid', '--fork', 'sh', '-c', 'command -v debootstrap'],
    'debootstrap, as root',
  ],
  go: [['go', 'version'], 'golang-go'],
  git: [['git', '--version'], 'git'],
  haproxy: [['haproxy', '-v'], 'haproxy'],
  iptables: [['iptables', '--version'], 'iptables'],
  java: [['java', '-version'], 'default-jre-headless'],
  // As a name of this machine, which the smallest systems lack.
  localhost: [
    [process.execPath, '-e', "dns.lookup('localhost', (wrong) => process.exit(wrong ? 1 : 0))"],
    'in /etc/hosts',
  ],
  maven: [['mvn', '--version'], 'maven'],
  npx: [['npx', '--version'], 'npm'],
  openssl: [['openssl', 'version'], 'openssl'],
  patroni: [['sh', '-c', 'patroni --version && etcd --version'], 'patroni and etcd-server'],
  pg_rewind: [['sh', '-c', 'ls /usr/lib/postgresql/*/bin/pg_rewind'], 'postgresql'],
  pgbackrest: [
    [
      'sh',
      '-c',
      'command -v pgbackrest && ls /usr/lib/postgresql/*/bin/initdb && [ $(id -u) = 0 ]',
    ],
    'pgbackrest and postgresql, as root',
  ],
  php: [['php', '-r', 'exit(extension_loaded("curl") ? 0 : 1);'], 'php-cli and php-curl'],
  prometheus: [['prometheus', '--version'], 'prometheus'],
  'prometheus-alertmanager': [
    ['sh', '-c', 'prometheus-alertmanager --version && amtool --version'],
    'prometheus-alertmanager',
  ],
  promtool: [['promtool', '--version'], 'prometheus'],
  psql: [['psql', '--version'], 'postgresql-client'],
  python3: [
    ['python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 9))'],
    'python3, 3.9 or later',
  ],
  // With the library for HTTP that generated clients use.
  ruby: [['ruby', '-e', 'require "typhoeus"'], 'ruby and ruby-typhoeus'],
  // That of util-linux, which provides a pseudo-terminal; the one of macOS has other options.
  script: [['script', '--version'], 'bsdutils'],
  shellcheck: [['shellcheck', '--version'], 'shellcheck'],
  'ssh-keygen': [['sh', '-c', 'command -v ssh-keygen'], 'openssh-client'],
  'systemd-analyze': [['systemd-analyze', '--version'], 'systemd'],
  'systemd-nspawn': [
    ['sh', '-c', 'command -v systemd-nspawn && [ $(id -u) = 0 ]'],
    'systemd-container, as root',
  ],
} satisfies Record<string, [check: [program: string, ...words: string[]], from: string]>

export type Need = keyof typeof needs

const known = new Map<Need, boolean>()

/** Why a test with these programs is left out here; false: they are there. */
export function missing(...names: Need[]): string | false {
  const lacking = names.filter((name) => !isThere(name))
  return lacking.length > 0 && `without ${lacking.join(' and ')}`
}

/** A sentence for the start of a run: what this machine lacks; empty: nothing. */
export function missingHere(): string {
  const lacking = (Object.keys(needs) as Need[]).filter((name) => !isThere(name))
  if (lacking.length === 0) return ''
  const list = lacking.map((name) => {
    const from: string = needs[name][1]
    return from === name ? name : `${name} (${from})`
  })
  return `Not here, so that tests with them are skipped: ${list.join(', ')}`
}

function isThere(name: Need): boolean {
  const before = known.get(name)
  if (before !== undefined) return before
  const [program, ...words] = needs[name][0]
  const { status } = spawnSync(program, words, { stdio: 'ignore' })
  known.set(name, status === 0)
  return status === 0
}
