import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { readCellsFile } from '../cells/cells-file.ts'
import { haproxyFiles, mapNames } from '../cells/haproxy.ts'
import { nginxFiles } from '../cells/nginx.ts'
import {
  command as commandProxy,
  entriesOf,
  mapCommands,
  readRunningMap,
} from '../cells/running-maps.ts'
import { makeFolders } from '../kit/folders.ts'
import { Problem } from '../kit/problem.ts'
import { listMoved } from '../move/moved.ts'
import { onDatabase } from './session.ts'
import { counted, print } from './terminal.ts'

const proxies = { haproxy: haproxyFiles, nginx: nginxFiles }

interface RenderOptions {
  file: string
  for: keyof typeof proxies
  out: string
  at?: string
  socket?: string
}

/** `passerelle cells`: the configuration of the proxy in front of several cells. */
export function addCellsCommands(program: Command): void {
  const cells = program.command('cells').description('the way in to several cells')
  cells
    .command('render')
    .description('write the configuration of a proxy from the file of cells')
    .requiredOption('--file <file>', 'the file of cells, in JSON: see docs/cells.md')
    .addOption(
      new Option('--for <proxy>', 'which proxy')
        .choices(Object.keys(proxies))
        .makeOptionMandatory(),
    )
    .option('--out <folder>', 'where to write the files', '.')
    .option('--at <folder>', 'where the proxy will find them; left out: where they are written')
    .option('--socket <path>', 'also change the maps of the HAProxy that runs with this socket')
    .action(async (options: RenderOptions, command: Command) => {
      const { files, changes } = await render(options)
      const lines = [
        ...files.map((file) => `written  ${file}`),
        ...(options.socket === undefined
          ? []
          : [`changed  ${counted(changes, 'entry', 'entries')}`]),
      ]
      print(command, { files, changes }, lines)
    })
  cells
    .command('moved')
    .description('write what this cell adds to the file of cells: the clients that have left it')
    .requiredOption('--out <file>', 'where to write the list, for `moved` in the file of cells')
    .action(async ({ out }: { out: string }, command: Command) => {
      const moved = await onDatabase(({ db, config: { cell } }) => {
        if (cell === null) throw new Problem('CELL is not set: this gateway is no cell.')
        return listMoved(db, cell)
      })
      await writeFile(out, JSON.stringify(moved, null, 1))
      const clients = counted(moved.length, 'client')
      print(command, { file: out, clients: moved.length }, [`written  ${out}: ${clients}`])
    })
}

async function render(options: RenderOptions): Promise<{ files: string[]; changes: number }> {
  const { socket } = options
  if (socket !== undefined && options.for !== 'haproxy')
    throw new Problem('--socket is for HAProxy: nginx reads its files again by a reload.')
  const cells = readCellsFile(options.file)
  const folder = resolve(options.out)
  const at = options.at ?? folder
  const texts = proxies[options.for](cells, at)
  await makeFolders(folder)
  for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text)
  const files = Object.keys(texts).map((name) => join(folder, name))
  return { files, changes: socket === undefined ? 0 : await changeMaps(socket, at, texts) }
}

/** Brings the maps of a running HAProxy to what the files say; how many entries were changed. */
async function changeMaps(
  socket: string,
  folder: string,
  texts: Record<string, string>,
): Promise<number> {
  let changes = 0
  for (const name of mapNames) {
    const path = join(folder, name)
    const before = await readRunningMap(socket, path)
    const commands = mapCommands(path, before, entriesOf(texts[name] ?? ''))
    await commandProxy(socket, commands)
    changes += commands.length
  }
  return changes
}
