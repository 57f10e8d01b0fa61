import type { Party } from './attackers.ts'
import type { Attack } from './flood.ts'
import type { HostileFile } from './inputs.ts'
import { attackOf, inputsFor, type Urls } from './search.ts'

type Work = [name: string, method: string, path: string, input: RegExp]

// As one person does it who asks for the next before the last has come.
const connections = 3
const formsMax = 30
const file = '/dashboard/statements/file'
const works: Work[] = [
  ['CSV that is read', 'POST', '/dashboard/batches', /^payouts to one number/],
  ['XLSX that is read', 'POST', '/dashboard/batches', /^empty rows/],
  ['CSV that is written', 'GET', '/dashboard/transactions/export.csv', /^nothing/],
  ['XLSX that is written', 'GET', '/dashboard/transactions/export.xlsx', /^nothing/],
  ['PDF', 'GET', file, /form=pdf/],
  ['picture', 'POST', '/dashboard/settings/look', /^large/],
]

/** What a person of a merchant does with files of each kind, as requests that go on and on. */
export async function fileWorks(
  owner: Party,
  { urls, files }: { urls: Urls; files: HostileFile[] },
): Promise<{ name: string; attack: Attack }[]> {
  const made: { name: string; attack: Attack }[] = []
  for (const [kind, method, path, wanted] of works) {
    const { attacker } = await owner.again()
    const route = { method, path }
    const attacks = inputsFor(attacker, route, { isThorough: true, files }).map((input) => ({
      input: input.name,
      attack: attackOf(attacker, route, { input, urls }),
    }))
    const found = attacks.find((one) => wanted.test(one.input) || wanted.test(one.attack.path))
    if (found === undefined) throw new Error(`nothing asks for ${kind} at ${path}`)
    // A form that has led on counts once.
    if (method === 'POST' && attacker.anotherToken !== undefined)
      for (let count = 1; count < formsMax; count += 1)
        found.attack.tokens.push(await attacker.anotherToken())
    const name = `beside files of one merchant: ${kind}`
    made.push({ name, attack: { ...found.attack, connections } })
  }
  return made
}
