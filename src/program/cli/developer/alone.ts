import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { endWithReader, runCommand } from '../run-command.ts'
import { addListenCommand } from './listen.ts'
import { addTriggerCommand } from './trigger.ts'

/*
 * The program of the archive that a gateway serves to merchants (guides/cli-archive.ts): `listen`
 * and `trigger` without the rest of Passerelle. Any Node from 20 on runs it, so it and what it
 * imports use nothing newer.
 */

const file = new URL('../../../../package.json', import.meta.url)
const { version, homepage } = JSON.parse(readFileSync(file, 'utf8'))
const program = new Command('passerelle')
  .description('Try Passerelle from a merchant’s machine')
  .version(version)
  .option('--json', 'print results as JSON')
  .showHelpAfterError('(add --help to see how it is used)')
  .exitOverride()
// The gateway that served it.
const home = async () => homepage
addListenCommand(program, home)
addTriggerCommand(program, home)

endWithReader()
await runCommand(() => program.parseAsync())
