import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { lines } from './lines.ts'

// `npm run attack`: tries every attack of the table again, or those that are named.

const runner = fileURLToPath(new URL('../run.ts', import.meta.url))
const index = 'test/attack/lines.test.ts'

const [first, ...rest] = process.argv.slice(2)
const names = first === undefined || first === '--list' ? rest : [first, ...rest]
const unknown = names.filter((name) => lines.every((line) => line.name !== name))
if (unknown.length > 0) {
  console.error(`There is no attack ${unknown.join(', ')}: npm run attack -- --list shows them.`)
  process.exit(2)
}
const chosen = lines.filter(({ name }) => names.length === 0 || names.includes(name))
for (const { name, who, sends, holds, file } of chosen)
  console.log(`${name}: ${who} sends ${sends}. Must hold: ${holds}.\n  ${file}`)
if (first !== '--list') tryAll()

function tryAll(): void {
  const files = [...new Set([index, ...chosen.map(({ file }) => file)])]
  const running = spawn(process.execPath, [runner, '--only', ...files], { stdio: 'inherit' })
  running.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
}
