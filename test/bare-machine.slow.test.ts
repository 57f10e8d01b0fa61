import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { it } from 'node:test'
import { findMirror } from './mirror.ts'
import { missing } from './needs.ts'

/*
 * The tests begin on a machine that has Debian's smallest system and our packages: no font, no
 * fontconfig, no curl, no /etc/hosts, and an ordinary user.
 */
const files = [
  'test/browser.test.ts',
  'test/shop-node.test.ts',
  'src/doors/pay/browser.test.ts',
  'src/program/cli/developer/pay.test.ts',
  'src/doors/guides/examples.test.ts',
]
const noPackages = 99

// All mounts are of this script's namespace and end with it, also when it is killed.
const script = `
set -e
debootstrap --variant=minbase bookworm "$ROOT" "$MIRROR" > "$ROOT.log" 2>&1 || exit ${noPackages}
chroot "$ROOT" useradd --create-home tester
mkdir "$ROOT/project"
mount -t proc proc "$ROOT/proc"
mount --rbind /dev "$ROOT/dev"
mount --bind "$PROJECT" "$ROOT/project"
mount -t tmpfs -o mode=1777 tmpfs "$ROOT/project/node_modules/.cache"
inner='cd /project && exec env -i HOME=/home/tester PATH="/project/node_modules/.bin:$PATH" "$@"'
exec chroot --userspec=tester:tester "$ROOT" sh -c "$inner" sh node test/run.ts --only $FILES
`

it('the tests run on a bare Debian, without what it lacks', {
  skip: missing('debootstrap'),
}, async (t) => {
  const MIRROR = findMirror()
  if (MIRROR === undefined) return t.skip("without a mirror in apt's sources")
  const ROOT = join(await mkdtemp(join(tmpdir(), 'passerelle-bare-')), 'root')
  await mkdir('node_modules/.cache', { recursive: true })
  const env = { ...process.env, ROOT, MIRROR, PROJECT: resolve('.'), FILES: files.join(' ') }
  const words = ['--mount', '--mount-proc', '--pid', '--fork', '--kill-child', 'sh', '-c', script]
  const child = spawn('unshare', words, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (block) => (printed += String(block)))
  const code = await new Promise((done) => child.once('close', done))
  if (code === noPackages) return t.skip("without Debian's packages")
  assert.equal(existsSync(join(ROOT, 'etc/fonts')), false)
  assert.equal(code, 0, printed)
  assert.match(printed, /^Not here, so that tests with them are skipped: curl, /m)
  assert.match(printed, /✔ shows text in scripts for which this machine may have no font/)
  assert.match(printed, /: \d\d+ passed, 0 failed, .*\b\d+ skipped \(without curl\)/)
})
