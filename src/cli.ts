import { hostname } from 'node:os'
import { makeProgram } from './cli/program.ts'
import { endWithReader, runCommand } from './cli/run-command.ts'
import { actingFrom } from './db/audit-origin.ts'

const name = process.argv.slice(2).find((argument) => !argument.startsWith('-')) ?? ''
const program = await makeProgram(name)

if (name !== 'serve') endWithReader()
const run = () => program.parseAsync()
// What the gateway does by itself is done by nobody from anywhere.
await runCommand(() => (name === 'serve' ? run() : actingFrom(hostname(), run)))
