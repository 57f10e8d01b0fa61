import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { type Config, environmentWithoutSecrets } from '#base/config/config.ts'
import { isDatabaseMade } from '#data/db/server.ts'
import { findPrograms } from '#data/postgres/runner.ts'
import type { ArchiveState } from '#operations/drill/store.ts'
import { type Finding, ok, problem, warning } from './finding.ts'
import { onServer, roomsOn } from './session.ts'

/** Whether the server has an archive, and whether it was restored; a sandbox needs none. */
export async function checkArchive(config: Config): Promise<Finding[]> {
  const { restoreCommand, mode } = config
  if (restoreCommand === null && mode === 'sandbox') return []
  const command =
    restoreCommand === null
      ? warning('RESTORE_COMMAND is not set: no drill shows that the archive can be restored')
      : await checkCommand(restoreCommand)
  if (!(await isDatabaseMade(config))) return [command]
  try {
    const archive = await onServer(async (server) => {
      const { pending } = await server.status()
      return pending.length > 0 ? undefined : roomsOn(await server.open(), config).drills.archive()
    })
    if (archive === undefined) return [command]
    const { major } = archive
    const programs = (await findPrograms(major)) !== null
    return [
      command,
      programs
        ? ok(`PostgreSQL ${major} is here for a drill`)
        : warning(`the programs of PostgreSQL ${major} are not here: no drill`),
      ...judge(archive),
    ]
  } catch (wrong) {
    return [command, problem((wrong as Error).message)]
  }
}

async function checkCommand(command: string): Promise<Finding> {
  const [program = ''] = command.trim().split(/\s+/)
  const folders = (environmentWithoutSecrets().PATH ?? '').split(delimiter)
  const places = isAbsolute(program) ? [program] : folders.map((one) => join(one, program))
  for (const place of places)
    if (
      await access(place, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return ok(`RESTORE_COMMAND runs ${place}`)
  return problem(`RESTORE_COMMAND cannot be run: ${program} is not here`)
}

function judge({ isOn, archivedAt, lastFile, failedFile, drill }: ArchiveState): Finding[] {
  const log = !isOn
    ? warning('the server archives its WAL nowhere (archive_mode is off)')
    : failedFile !== null
      ? problem(`the server cannot archive the WAL file ${failedFile}: read its log`)
      : lastFile === null
        ? warning('the server has an archive, and has archived nothing yet')
        : ok(`the server archived its WAL up to ${lastFile}, ${archivedAt?.toISOString()}`)
  if (drill === undefined) return [log, warning('no drill was made: passerelle drill')]
  const at = drill.endedAt.toISOString()
  const [first] = drill.problems
  return [
    log,
    first === undefined
      ? ok(`the last drill, ${at}, restored a backup of ${drill.backupAt?.toISOString()}`)
      : problem(`the last drill, ${at}: ${first}`),
  ]
}
