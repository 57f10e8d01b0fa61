import { hostname } from 'node:os'
import { actingFrom } from '#data/db/audit-origin.ts'
import { makeProgram } from '#program/cli/program.ts'
import { endWithReader, runCommand } from '#program/cli/run-command.ts'

const name = process.argv.slice(2).find((argument) => !argument.startsWith('-')) ?? ''
const program = await makeProgram(name)

if (name !== 'serve') endWithReader()
const run = () => program.parseAsync()
// What the gateway does by itself is done by nobody from anywhere.
await runCommand(() => (name === 'serve' ? run() : actingFrom(hostname(), run)))
