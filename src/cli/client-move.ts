import { type Command, Option } from 'commander'
import { clientIdOf } from '../clients/clients.ts'
import { findClient } from '../clients/store.ts'
import { addressOfCell } from '../kit/cell-names.ts'
import { openMoves } from '../move/open.ts'
import { onDatabase } from './session.ts'
import { actor, isJson, print, webAddress } from './terminal.ts'

/** `passerelle client move`: to another cell, while it works. */
export function addMoveCommand(client: Command): void {
  client
    .command('move <client>')
    .description('move a client with everything it owns to another cell, while it works')
    .option('--to <url>', 'the address of the other cell', webAddress)
    .addOption(new Option('--resume', 'carry on with a move whose command has ended'))
    .addOption(new Option('--undo', 'give a move up: the client works on here').conflicts('resume'))
    .addHelpText('after', '\nBoth cells need the same CELL_TOKEN. See docs/cells.md.')
    .action(async (name: string, options, command: Command) => {
      const { to, resume = false, undo = false } = options
      if ((to === undefined) === !(resume || undo))
        command.error('error: exactly one of --to, --resume and --undo is needed')
      const report = (sentence: string) => {
        if (!isJson(command)) process.stderr.write(`${sentence}\n`)
      }
      const result = await onDatabase(async ({ db, clock, config, throwIfStopped }) => {
        const id = await clientIdOf(db, name)
        const found = await findClient(db, id)
        const publicUrl = addressOfCell(config.publicUrl, config.cell)
        const moves = openMoves({ ...config, publicUrl, db, clock, throwIfStopped, report })
        const order = { clientId: id, name: found?.name ?? name, actor: actor() }
        if (undo) await moves.undo(order)
        const moved = undo
          ? undefined
          : await (resume ? moves.resume(order) : moves.begin(order, to))
        return { client: id, ...moved, move: await moves.find(id) }
      })
      const sentence = undo
        ? `The move of client ${result.client} is undone: it works on here.`
        : `Client ${result.client} is at ${result.move?.peerUrl} now. ` +
          'Next: passerelle verify in both cells, and passerelle cells moved for the proxy.'
      print(command, result, [sentence])
    })
}
