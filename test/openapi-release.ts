import { readFile, writeFile } from 'node:fs/promises'
import { describeApi } from './describe-api.ts'
import { compareDescriptions, type Description, mayBreak } from './openapi/compare.ts'

// Keeps the description of the interface as the released one, which later ones are compared with; a
// step of each release. `npm run release -- --check` only compares. Exits with 1 if a change breaks
// programs and the first number of the version (src/edge/http/openapi.ts) has not risen.
const file = new URL('../openapi/released.json', import.meta.url)
const released = JSON.parse(await readFile(file, 'utf8')) as Description
const now = (await describeApi()) as Description
const { breaking, warnings } = compareDescriptions(released, now)
for (const change of breaking) console.log(`breaks: ${change}`)
// Every answer of an error has the same list of codes: one line for all that differ by their place.
const alike = Map.groupBy(warnings, (change) => change.replace(/^[A-Z]+ \S+ (\d{3}\.)?/, ''))
for (const [first, ...more] of alike.values())
  console.log(`note: ${first}${more.length > 0 ? ` (and ${more.length} more like it)` : ''}`)
console.log(
  `${breaking.length} changes that break, ${warnings.length} to note, ` +
    `from ${released.info.version} to ${now.info.version}`,
)
if (breaking.length > 0 && !mayBreak(released, now)) {
  console.error(
    'The version does not allow this: raise its first number in src/edge/http/openapi.ts.',
  )
  process.exitCode = 1
} else if (!process.argv.includes('--check'))
  await writeFile(file, `${JSON.stringify(now, null, 2)}\n`)
