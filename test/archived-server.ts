import { appendFile, chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { copyFolder } from './copy-folder.ts'
import { testServer } from './postgres-server.ts'
import { eventually } from './wait.ts'

/**
 * A server with our schema that hands its log to a folder by `cp`, and a script that restores it:
 * an archive of ten lines, as good as any for what a drill does with one.
 */
export async function archivedServer() {
  const server = await testServer()
  const root = dirname(server.cluster)
  const [log, backup, script] = [join(root, 'archive'), join(root, 'backup'), join(root, 'restore')]
  const lines = [
    'archive_mode = on',
    `archive_command = 'mkdir -p ${log} && test ! -e ${root}/full && cp %p ${log}/%f'`,
    'log_timezone = UTC',
  ]
  await appendFile(join(server.cluster, 'postgresql.auto.conf'), `${lines.join('\n')}\n`)
  await writeFile(
    script,
    `set -e
test -d ${backup} || { echo 'ERROR: [075]: no backup set found to restore'; exit 75; }
cp -a ${backup}/. "$1"
{
  echo "restore_command = 'cp ${log}/%f %p'"
  test -z "$2" || echo "recovery_target_time = '$2'"
} >> "$1/postgresql.auto.conf"
touch "$1/recovery.signal"
`,
  )
  await chmod(script, 0o755)
  await server.start()

  /** Makes a backup as the documentation of PostgreSQL says: a copy between two calls. */
  async function backUp(): Promise<void> {
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    try {
      await client.query("select pg_backup_start('test', true)")
      await rm(backup, { recursive: true, force: true })
      await copyFolder(server.cluster, backup)
      const { rows } = await client.query('select labelfile from pg_backup_stop(false)')
      await writeFile(join(backup, 'backup_label'), rows[0].labelfile, { mode: 0o644 })
      await rm(join(backup, 'postmaster.pid'))
      await rm(join(backup, 'pg_wal'), { recursive: true })
      await mkdir(join(backup, 'pg_wal/archive_status'), { recursive: true })
    } finally {
      await client.end()
    }
  }

  /** Hands over all that was committed; returns the names of the files that are there. */
  async function handOver(): Promise<string[]> {
    await server.sql("select pg_logical_emit_message(true, 'test', 'something')")
    const { rows } = await server.sql('select pg_walfile_name(pg_switch_wal()) as name')
    const names = () => readdir(log)
    await eventually('the log is handed over', async () => {
      const { rows: told } = await server.sql(
        'select last_archived_wal as name from pg_stat_archiver',
      )
      return told[0]?.name >= rows[0]?.name
    })
    return (await names()).filter((one) => /^[0-9A-F]{24}$/.test(one)).sort()
  }

  return {
    ...server,
    root,
    log,
    backUp,
    handOver,
    /** For RESTORE_COMMAND. */
    command: `/bin/sh ${script} {folder} [{moment}]`,
  }
}
