import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { lines } from './lines.ts'
import { tryPlanted } from './planted.ts'

// `npm run attack`: tries every attack of the table again, or those that are named. With --planted
// each is run with a bug in a copy of the tree, which it must notice; ends with 1 if one does not.

const runner = fileURLToPath(new URL('../run.ts', import.meta.url))
const index = 'test/attack/lines.test.ts'

const [first, ...rest] = process.argv.slice(2)
const mode = first === '--list' || first === '--planted' ? first : '--try'
const names = first === undefined || mode !== '--try' ? rest : [first, ...rest]
const unknown = names.filter((name) => lines.every((line) => line.name !== name))
if (unknown.length > 0) {
  console.error(`There is no attack ${unknown.join(', ')}: npm run attack -- --list shows them.`)
  process.exit(2)
}
const chosen = lines.filter(({ name }) => names.length === 0 || names.includes(name))
if (mode === '--planted') await plantAll()
else {
  for (const { name, who, sends, holds, file } of chosen)
    console.log(`${name}: ${who} sends ${sends}. Must hold: ${holds}.\n  ${file}`)
  if (mode === '--try') tryAll()
}

async function plantAll(): Promise<void> {
  const red = await tryPlanted(chosen)
  console.log(`${red} of ${chosen.length} red`)
  if (red < chosen.length) process.exitCode = 1
}

function tryAll(): void {
  const files = [...new Set([index, ...chosen.map(({ file }) => file)])]
  const running = spawn(process.execPath, [runner, '--only', ...files], { stdio: 'inherit' })
  running.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
}
